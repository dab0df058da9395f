/*
 * rader.h - a transform of prime length as a cyclic convolution (no OpenCL)
 *
 * The powers of a generator g of the integers modulo p run through 1..p-1. With x in the order
 * g^q and X in the order g^-k the sum over q of x exp(-2 pi i g^(q-k) / p) is a convolution of
 * length p - 1 with b(q) = exp(-2 pi i g^-q / p), and X(g^-k) is x(0) plus its value at k.
 * (C. M. Rader, "Discrete Fourier transforms when the number of data samples is prime", 1968.)
 * Where p - 1 has large factors itself, x is padded with zeros, and b repeated, to a length that
 * has none.
 */
#ifndef IMF_FOURIER_RADER_H
#define IMF_FOURIER_RADER_H

#include "base/error.h"

struct imf_complex {
    double re, im;
};

struct imf_fft_rader {
    int prime, length;          /* length: of the convolution, imf_fft_prime_length() or p - 1 */
    int *gather, *scatter;      /* prime - 1 each: g^q and g^-q modulo prime */
    struct imf_complex *kernel; /* b, divided by length */
};

/* length: prime - 1, or at least 2 * prime - 3; a product of 2, 3, 5 and 7. */
enum imf_status imf_fft_rader_make(struct imf_fft_rader *out, int prime, int length,
                                   struct imf_error *err);
void imf_fft_rader_free(struct imf_fft_rader *r);

#endif
