/*
 * cosine.h - the cosine transform of eight vectors, and the parts of coefficients that are kept
 *
 * With a_i = x_i + x_(7-i) and b_i = x_i - x_(7-i), even coefficients are a transform of the four a_i, split once more
 * likewise, and odd ones a 4x4 matrix times the b_i: 34 operations where products are added at once.
 */
#ifndef IMF_SOLVER_DENOISE_COSINE_H
#define IMF_SOLVER_DENOISE_COSINE_H

#include "solver/denoise/denoise.h"

#include <string.h>

#define IMF_LANES 16
#define IMF_INLINE static inline __attribute__((always_inline))

typedef float imf_lanes __attribute__((vector_size(4 * IMF_LANES), may_alias));
typedef int32_t imf_lanes_int __attribute__((vector_size(4 * IMF_LANES), may_alias));

/* cos(k pi / 16) / 2, and 1 / sqrt(8). */
#define IMF_C1 0.49039264020161522f
#define IMF_C2 0.46193976625564337f
#define IMF_C3 0.41573480615127262f
#define IMF_C4 0.35355339059327376f
#define IMF_C5 0.27778511650980109f
#define IMF_C6 0.19134171618254489f
#define IMF_C7 0.09754516100806412f

IMF_INLINE void imf_cosine(imf_lanes x[IMF_BLOCK]) {
    imf_lanes a0 = x[0] + x[7], a1 = x[1] + x[6], a2 = x[2] + x[5], a3 = x[3] + x[4];
    imf_lanes b0 = x[0] - x[7], b1 = x[1] - x[6], b2 = x[2] - x[5], b3 = x[3] - x[4];
    imf_lanes e0 = a0 + a3, e1 = a1 + a2, f0 = a0 - a3, f1 = a1 - a2;
    x[0] = (e0 + e1) * IMF_C4;
    x[4] = (e0 - e1) * IMF_C4;
    x[2] = f0 * IMF_C2 + f1 * IMF_C6;
    x[6] = f0 * IMF_C6 - f1 * IMF_C2;
    x[1] = b0 * IMF_C1 + b1 * IMF_C3 + b2 * IMF_C5 + b3 * IMF_C7;
    x[3] = b0 * IMF_C3 - b1 * IMF_C7 - b2 * IMF_C1 - b3 * IMF_C5;
    x[5] = b0 * IMF_C5 - b1 * IMF_C1 + b2 * IMF_C7 + b3 * IMF_C3;
    x[7] = b0 * IMF_C7 - b1 * IMF_C5 + b2 * IMF_C3 - b3 * IMF_C1;
}

IMF_INLINE void imf_cosine_back(imf_lanes x[IMF_BLOCK]) {
    imf_lanes e0 = (x[0] + x[4]) * IMF_C4, e1 = (x[0] - x[4]) * IMF_C4;
    imf_lanes f0 = x[2] * IMF_C2 + x[6] * IMF_C6, f1 = x[2] * IMF_C6 - x[6] * IMF_C2;
    imf_lanes a0 = e0 + f0, a1 = e1 + f1, a2 = e1 - f1, a3 = e0 - f0;
    imf_lanes b0 = x[1] * IMF_C1 + x[3] * IMF_C3 + x[5] * IMF_C5 + x[7] * IMF_C7;
    imf_lanes b1 = x[1] * IMF_C3 - x[3] * IMF_C7 - x[5] * IMF_C1 - x[7] * IMF_C5;
    imf_lanes b2 = x[1] * IMF_C5 - x[3] * IMF_C1 + x[5] * IMF_C7 + x[7] * IMF_C3;
    imf_lanes b3 = x[1] * IMF_C7 - x[3] * IMF_C5 + x[5] * IMF_C3 - x[7] * IMF_C1;
    x[0] = a0 + b0, x[7] = a0 - b0;
    x[1] = a1 + b1, x[6] = a1 - b1;
    x[2] = a2 + b2, x[5] = a2 - b2;
    x[3] = a3 + b3, x[4] = a3 - b3;
}

IMF_INLINE imf_lanes imf_lanes_load(const float *from) {
    imf_lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

IMF_INLINE void imf_lanes_store(float *to, imf_lanes v) {
    memcpy(to, &v, sizeof v);
}

IMF_INLINE imf_lanes imf_positive(imf_lanes v) {
    return (imf_lanes)((imf_lanes_int)v & (v > 0));
}

IMF_INLINE imf_lanes imf_keep_large(imf_lanes x, const struct imf_shrink *s) {
    return 1 - imf_positive(1 - imf_positive(x * x * s->scale - s->shift));
}

IMF_INLINE imf_lanes imf_keep_wiener(imf_lanes first, const struct imf_shrink *s) {
    return first * first / (first * first + s->power);
}

#endif
