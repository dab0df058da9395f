/* planes.c - pixels to planes of floats in luma and colour differences, and back */
#include "solver/denoise/planes.h"

#include "base/clones.h"

#define INLINE static inline __attribute__((always_inline))

/* One channel of pixels to floats. */
#define SPREAD(type)                                                                               \
    do {                                                                                           \
        const type *from = row;                                                                    \
        for (size_t i = 0; i < n; i++)                                                             \
            to[i] = (float)from[i * channels];                                                     \
    } while (0)

INLINE void spread(float *restrict to, const void *restrict row, enum imf_sample sample,
                   size_t channels, size_t n) {
    if (sample == IMF_U8)
        SPREAD(uint8_t);
    else if (sample == IMF_U16)
        SPREAD(uint16_t);
    else
        SPREAD(float);
}

INLINE void rotate(float *restrict a, float *restrict b, float *restrict c, size_t n, bool back) {
    float m[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            m[i][k] = (float)imf_denoise_colors[back ? k : i][back ? i : k];
    for (size_t i = 0; i < n; i++) {
        float u = a[i], v = b[i], w = c[i];
        a[i] = m[0][0] * u + m[0][1] * v + m[0][2] * w;
        b[i] = m[1][0] * u + m[1][1] * v + m[1][2] * w;
        c[i] = m[2][0] * u + m[2][1] * v + m[2][2] * w;
    }
}

INLINE void make_guide(float *restrict to, const float *a, const float *b, const float *c,
                       float scale, size_t n) {
    for (size_t i = 0; i < n; i++) {
        float v = (a[i] + (b ? b[i] + c[i] : 0)) * scale;
        v = v > 0 ? v : 0;
        v = v < IMF_GUIDE_MOST ? v : IMF_GUIDE_MOST;
        to[i] = v + 0x1.8p23f - 0x1.8p23f;
    }
}

IMF_CLONES static void load_planes(float *const *plane, float *guide, float scale, size_t at,
                                   const void *row, enum imf_sample sample, int channels,
                                   int colors, size_t n) {
    for (int c = 0; c < colors; c++) {
        const void *from = (const char *)row + (size_t)c * imf_sample_size(sample);
        if (channels == 1)
            spread(plane[c] + at, from, sample, 1, n);
        else if (channels == 3)
            spread(plane[c] + at, from, sample, 3, n);
        else
            spread(plane[c] + at, from, sample, (size_t)channels, n);
    }
    if (guide && colors >= 3)
        make_guide(guide + at, plane[0] + at, plane[1] + at, plane[2] + at, scale, n);
    else if (guide)
        make_guide(guide + at, plane[0] + at, NULL, NULL, scale, n);
    if (colors >= 3)
        rotate(plane[0] + at, plane[1] + at, plane[2] + at, n, false);
}

IMF_CLONES static void store_planes(float *restrict to, float *const *plane, size_t at,
                                    size_t channels, int colors, size_t n) {
    if (colors >= 3)
        rotate(plane[0] + at, plane[1] + at, plane[2] + at, n, true);
    for (int c = 0; c < colors; c++) {
        const float *restrict from = plane[c] + at;
        for (size_t i = 0; i < n; i++)
            to[i * channels + (size_t)c] = from[i];
    }
}

void imf_planes_load(float *const *plane, float *guide, float scale, size_t at, const void *row,
                     enum imf_sample sample, int channels, int colors, size_t n) {
    load_planes(plane, guide, scale, at, row, sample, channels, colors, n);
}

void imf_planes_store(float *to, float *const *plane, size_t at, const void *row,
                      enum imf_sample sample, int channels, int colors, size_t n) {
    store_planes(to, plane, at, (size_t)channels, colors, n);
    for (int c = colors; c < channels; c++) /* alpha, which is kept */
        for (size_t i = 0; i < n; i++) {
            size_t k = i * (size_t)channels + (size_t)c;
            to[k] = (float)imf_sample_get(row, sample, (ptrdiff_t)k);
        }
}
