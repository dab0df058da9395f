/* rader.c - generators, orders and spectra of transforms of prime length */
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

static enum imf_status fill_spectrum(struct imf_fft_rader *r, struct imf_error *err) {
    int count = r->prime - 1;
    struct imf_fft_host *fft;
    enum imf_status status = imf_fft_host_create(&fft, r->length, err);
    if (status != IMF_OK)
        return status;
    struct imf_complex *b = calloc((size_t)r->length, sizeof *b);
    for (int q = 0; b && q < count; q++) {
        struct imf_complex root;
        imf_fft_root(r->scatter[q], r->prime, &root.re, &root.im);
        b[q] = (struct imf_complex){root.re / r->length, root.im / r->length};
        if (r->length > count && q > 0) /* before 0, where b repeats itself */
            b[r->length - count + q] = b[q];
    }
    if (b)
        status = imf_fft_host_run(fft, b, 1, r->spectrum, err);
    else
        status = imf_fail_memory(err, (size_t)r->length * sizeof *b);
    free(b);
    imf_fft_host_free(&fft);
    return status;
}

enum imf_status imf_fft_rader_make(struct imf_fft_rader *out, int prime, int length,
                                   struct imf_error *err) {
    size_t count = (size_t)prime - 1;
    *out = (struct imf_fft_rader){.prime = prime, .length = length};
    out->gather = malloc(count * sizeof *out->gather);
    out->scatter = malloc(count * sizeof *out->scatter);
    out->spectrum = malloc((size_t)length * sizeof *out->spectrum);
    enum imf_status status = out->gather && out->scatter && out->spectrum
                                 ? IMF_OK
                                 : imf_fail_memory(err, (size_t)length * sizeof *out->spectrum);
    if (status == IMF_OK) {
        fill_orders(out);
        status = fill_spectrum(out, err);
    }
    if (status != IMF_OK)
        imf_fft_rader_free(out);
    return status;
}

void imf_fft_rader_free(struct imf_fft_rader *r) {
    free(r->gather);
    free(r->scatter);
    free(r->spectrum);
    *r = (struct imf_fft_rader){0};
}
