/*
 * host_stages.c - the inner loops of fourier/host.c
 *
 * A forward stage is decimation in frequency: with L the span, r the radix and m = L / r the points
 * x[j], x[j + m], ... go through a butterfly, and output q is multiplied by exp(-2 pi i j q / L).
 * A backward stage multiplies first. It runs on points whose real and imaginary parts are exchanged,
 * which makes the same butterflies and twiddles those of the inverse.
 *
 * Loops over a batch have no dependences and a constant length: they become vectors.
 */
#include "fourier/host_stages.h"

#include "base/clones.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define BATCH IMF_FFT_BATCH
#define RADIX_MOST 7
#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
#define HALF_MOST ((RADIX_MOST - 1) / 2)

/* cos and sin of 2 pi q k / r, for 1 <= q, k <= (r - 1) / 2. */
struct angles {
    imf_real cosine[HALF_MOST][HALF_MOST], sine[HALF_MOST][HALF_MOST];
};

INLINE void butterfly2(imf_real *re, imf_real *im) {
    imf_real a = re[1], b = im[1];
    re[1] = re[0] - a, im[1] = im[0] - b;
    re[0] += a, im[0] += b;
}

INLINE void butterfly4(imf_real *re, imf_real *im) {
    imf_real a_re = re[0] + re[2], a_im = im[0] + im[2], b_re = re[0] - re[2], b_im = im[0] - im[2];
    imf_real c_re = re[1] + re[3], c_im = im[1] + im[3], d_re = re[1] - re[3], d_im = im[1] - im[3];
    re[0] = a_re + c_re, im[0] = a_im + c_im;
    re[1] = b_re + d_im, im[1] = b_im - d_re;
    re[2] = a_re - c_re, im[2] = a_im - c_im;
    re[3] = b_re - d_im, im[3] = b_im + d_re;
}

/* Of points k and r - k the sum takes cosines and the difference sines: half of the products. */
INLINE void butterfly_odd(imf_real *re, imf_real *im, const struct angles *t, const int r) {
    imf_real sum_re[HALF_MOST], sum_im[HALF_MOST], difference_re[HALF_MOST],
        difference_im[HALF_MOST];
    const int half = (r - 1) / 2;
    imf_real first_re = re[0], first_im = im[0];
    for (int k = 0; k < half; k++) {
        sum_re[k] = re[k + 1] + re[r - 1 - k], sum_im[k] = im[k + 1] + im[r - 1 - k];
        difference_re[k] = re[k + 1] - re[r - 1 - k];
        difference_im[k] = im[k + 1] - im[r - 1 - k];
        re[0] += sum_re[k], im[0] += sum_im[k];
    }
    for (int q = 0; q < half; q++) {
        imf_real even_re = first_re, even_im = first_im, odd_re = 0, odd_im = 0;
        for (int k = 0; k < half; k++) {
            even_re += t->cosine[q][k] * sum_re[k];
            even_im += t->cosine[q][k] * sum_im[k];
            odd_re += t->sine[q][k] * difference_re[k];
            odd_im += t->sine[q][k] * difference_im[k];
        }
        re[q + 1] = even_re + odd_im, im[q + 1] = even_im - odd_re;
        re[r - 1 - q] = even_re - odd_im, im[r - 1 - q] = even_im + odd_re;
    }
}

INLINE void twiddle_all(imf_real *re, imf_real *im, const struct imf_fft_root *w, const int r) {
    for (int k = 1; k < r; k++) {
        imf_real a = re[k], b = im[k];
        re[k] = a * w[k].re - b * w[k].im;
        im[k] = a * w[k].im + b * w[k].re;
    }
}

/* Butterfly j. twiddled: its twiddles are not all 1. */
INLINE void butterfly(imf_real *x, size_t step, const struct imf_fft_root *w,
                      const struct angles *t, const int r, const bool backward,
                      const bool twiddled) {
    const size_t first = backward ? BATCH : 0, second = BATCH - first;
    INDEPENDENT
    for (size_t l = 0; l < BATCH; l++) {
        imf_real re[RADIX_MOST], im[RADIX_MOST];
        for (int k = 0; k < r; k++) {
            re[k] = x[(size_t)k * step + first + l];
            im[k] = x[(size_t)k * step + second + l];
        }
        if (backward && twiddled)
            twiddle_all(re, im, w, r);
        if (r == 2)
            butterfly2(re, im);
        else if (r == 4)
            butterfly4(re, im);
        else
            butterfly_odd(re, im, t, r);
        if (!backward && twiddled)
            twiddle_all(re, im, w, r);
        for (int k = 0; k < r; k++) {
            x[(size_t)k * step + first + l] = re[k];
            x[(size_t)k * step + second + l] = im[k];
        }
    }
}

INLINE void stage(const struct imf_fft_stage *s, imf_real *x, const int r, const bool backward) {
    size_t m = (size_t)(s->span / r), step = (size_t)(s->length / s->span);
    struct imf_fft_root w[RADIX_MOST];
    struct angles t;
    for (int q = 1; q <= (r - 1) / 2; q++)
        for (int k = 1; k <= (r - 1) / 2; k++) {
            struct imf_fft_root root = s->root[q * k % r * (s->length / r)];
            t.cosine[q - 1][k - 1] = root.re;
            t.sine[q - 1][k - 1] = -root.im;
        }
    for (size_t b = 0; b < (size_t)s->blocks; b++) {
        imf_real *block = x + b * (size_t)s->span * 2 * BATCH;
        butterfly(block, m * 2 * BATCH, w, &t, r, backward, false);
        for (size_t j = 1; j < m; j++) {
            for (int k = 1; k < r; k++)
                w[k] = s->root[j * (size_t)k * step];
            butterfly(block + j * 2 * BATCH, m * 2 * BATCH, w, &t, r, backward, true);
        }
    }
}

#define STAGE(r)                                                                                   \
    IMF_CLONES static void IMF_REAL_NAME(forward##r)(const struct imf_fft_stage *s, imf_real *x) { \
        stage(s, x, r, false);                                                                     \
    }                                                                                              \
    IMF_CLONES static void IMF_REAL_NAME(backward##r)(const struct imf_fft_stage *s,               \
                                                      imf_real *x) {                               \
        stage(s, x, r, true);                                                                      \
    }
STAGE(2)
STAGE(3)
STAGE(4)
STAGE(5)
STAGE(7)

void imf_fft_host_stage(const struct imf_fft_stage *s, struct imf_fft_batch *x) {
    imf_real *values = x->re;
    if (s->radix == 2)
        s->backward ? IMF_REAL_NAME(backward2)(s, values) : IMF_REAL_NAME(forward2)(s, values);
    else if (s->radix == 3)
        s->backward ? IMF_REAL_NAME(backward3)(s, values) : IMF_REAL_NAME(forward3)(s, values);
    else if (s->radix == 4)
        s->backward ? IMF_REAL_NAME(backward4)(s, values) : IMF_REAL_NAME(forward4)(s, values);
    else if (s->radix == 5)
        s->backward ? IMF_REAL_NAME(backward5)(s, values) : IMF_REAL_NAME(forward5)(s, values);
    else
        s->backward ? IMF_REAL_NAME(backward7)(s, values) : IMF_REAL_NAME(forward7)(s, values);
}

/* sum += x * root */
INLINE void add_product(imf_real *restrict re, imf_real *restrict im, const imf_real *x_re,
                        const imf_real *x_im, struct imf_fft_root root) {
    for (size_t l = 0; l < BATCH; l++) {
        re[l] += x_re[l] * root.re - x_im[l] * root.im;
        im[l] += x_re[l] * root.im + x_im[l] * root.re;
    }
}

/* Outputs q and r - q of butterfly_odd(), from its sums and differences in work[0..half - 1] and
 * work[half..r - 2]. */
INLINE void definition_pair(imf_real *a, imf_real *b, const imf_real *first, const imf_real *work,
                            const imf_real *cosine, const imf_real *sine, size_t half,
                            bool backward) {
    const size_t re = backward ? BATCH : 0, im = BATCH - re;
    imf_real even_re[BATCH], even_im[BATCH], odd_re[BATCH] = {0}, odd_im[BATCH] = {0};
    memcpy(even_re, first + re, sizeof even_re);
    memcpy(even_im, first + im, sizeof even_im);
    for (size_t k = 0; k < half; k++) {
        const imf_real *sum = work + 2 * BATCH * k, *difference = sum + 2 * BATCH * half;
        for (size_t l = 0; l < BATCH; l++) {
            even_re[l] += cosine[k] * sum[re + l];
            even_im[l] += cosine[k] * sum[im + l];
            odd_re[l] += sine[k] * difference[re + l];
            odd_im[l] += sine[k] * difference[im + l];
        }
    }
    for (size_t l = 0; l < BATCH; l++) {
        a[re + l] = even_re[l] + odd_im[l], a[im + l] = even_im[l] - odd_re[l];
        b[re + l] = even_re[l] - odd_im[l], b[im + l] = even_im[l] + odd_re[l];
    }
}

IMF_CLONES static void IMF_REAL_NAME(definition)(const struct imf_fft_stage *s,
                                                 struct imf_fft_batch *x, size_t step,
                                                 struct imf_fft_batch *work) {
    size_t r = (size_t)s->radix, half = (r - 1) / 2, unit = (size_t)s->length / r;
    struct imf_fft_batch first = x[0];
    imf_real *cosine = (imf_real *)(work + r), *sine = cosine + half;
    for (size_t k = 0; k < half; k++) {
        const struct imf_fft_batch *a = &x[(k + 1) * step], *b = &x[(r - 1 - k) * step];
        for (size_t l = 0; l < BATCH; l++) {
            work[k].re[l] = a->re[l] + b->re[l];
            work[k].im[l] = a->im[l] + b->im[l];
            work[half + k].re[l] = a->re[l] - b->re[l];
            work[half + k].im[l] = a->im[l] - b->im[l];
            x[0].re[l] += work[k].re[l];
            x[0].im[l] += work[k].im[l];
        }
    }
    for (size_t q = 1; q <= half; q++) {
        for (size_t k = 0; k < half; k++) {
            struct imf_fft_root root = s->root[q * (k + 1) % r * unit];
            cosine[k] = root.re;
            sine[k] = -root.im;
        }
        imf_real *a = x[q * step].re, *b = x[(r - q) * step].re;
        if (s->backward)
            definition_pair(a, b, first.re, work->re, cosine, sine, half, true);
        else
            definition_pair(a, b, first.re, work->re, cosine, sine, half, false);
    }
}

void imf_fft_host_definition(const struct imf_fft_stage *s, struct imf_fft_batch *x, size_t step,
                             struct imf_fft_batch *work) {
    IMF_REAL_NAME(definition)(s, x, step, work);
}

IMF_CLONES static void IMF_REAL_NAME(twiddle)(const struct imf_fft_stage *s,
                                              struct imf_fft_batch *x, size_t step, size_t j) {
    for (size_t k = 1; k < (size_t)s->radix; k++) {
        struct imf_fft_batch product = {{0}, {0}}, *at = x + k * step;
        struct imf_fft_root root = s->root[j * k * (size_t)(s->length / s->span)];
        if (s->backward)
            add_product(product.im, product.re, at->im, at->re, root);
        else
            add_product(product.re, product.im, at->re, at->im, root);
        *at = product;
    }
}

void imf_fft_host_twiddle(const struct imf_fft_stage *s, struct imf_fft_batch *x, size_t step,
                          size_t j) {
    IMF_REAL_NAME(twiddle)(s, x, step, j);
}
