/* rader.c - generators, orders and kernels of transforms of prime length */
#include "fourier/rader.h"

#include "fourier/plan.h"

#include <stdlib.h>

static int power(int64_t base, int exponent, int modulus) {
    int64_t product = 1;
    for (; exponent > 0; exponent >>= 1, base = base * base % modulus)
        if (exponent & 1)
            product = product * base % modulus;
    return (int)product;
}

/* g generates all of 1..p-1 unless one of its powers (p - 1) / f, f a prime factor of p - 1, is 1
 * already. */
static bool generates(int g, int prime) {
    int rest = prime - 1;
    for (int f = 2; (int64_t)f * f <= rest; f++) {
        if (rest % f != 0)
            continue;
        if (power(g, (prime - 1) / f, prime) == 1)
            return false;
        while (rest % f == 0)
            rest /= f;
    }
    return rest == 1 || power(g, (prime - 1) / rest, prime) != 1;
}

static void fill_orders(struct imf_fft_rader *r) {
    int count = r->prime - 1, g = 2;
    while (!generates(g, r->prime))
        g++;
    int64_t at = 1;
    for (int q = 0; q < count; q++, at = at * g % r->prime) {
        r->gather[q] = (int)at;
        r->scatter[(count - q) % count] = (int)at;
    }
}

static void fill_kernel(struct imf_fft_rader *r) {
    int count = r->prime - 1;
    struct imf_complex *b = r->kernel;
    for (int q = 0; q < count; q++) {
        struct imf_complex root;
        imf_fft_root(r->scatter[q], r->prime, &root.re, &root.im);
        b[q] = (struct imf_complex){root.re / r->length, root.im / r->length};
        if (r->length > count && q > 0) /* before 0, where b repeats itself */
            b[r->length - count + q] = b[q];
    }
}

enum imf_status imf_fft_rader_make(struct imf_fft_rader *out, int prime, int length,
                                   struct imf_error *err) {
    size_t count = (size_t)prime - 1;
    *out = (struct imf_fft_rader){.prime = prime, .length = length};
    out->gather = malloc(count * sizeof *out->gather);
    out->scatter = malloc(count * sizeof *out->scatter);
    out->kernel = calloc((size_t)length, sizeof *out->kernel);
    if (!out->gather || !out->scatter || !out->kernel) {
        imf_fft_rader_free(out);
        return imf_fail_memory(err, (size_t)length * sizeof *out->kernel);
    }
    fill_orders(out);
    fill_kernel(out);
    return IMF_OK;
}

void imf_fft_rader_free(struct imf_fft_rader *r) {
    free(r->gather);
    free(r->scatter);
    free(r->kernel);
    *r = (struct imf_fft_rader){0};
}
