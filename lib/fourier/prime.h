/*
 * prime.h - tables for the prime stages of a transform on a device (cl/parts/fft_primes.cl)
 */
#ifndef IMF_FOURIER_PRIME_H
#define IMF_FOURIER_PRIME_H

#include "fourier/run.h"

/* struct fft_prime of cl/parts/fft_primes.cl. */
struct imf_fft_prime {
    int32_t radix, orders, factors;
    struct imf_fft_axis axis;
};

/* Floats that the tables of a plan's prime stages take. */
size_t imf_fft_prime_floats(const struct imf_fft_plan *plan);

/* Fill them, from position `first` of the axis' twiddle factors on. */
enum imf_status imf_fft_prime_tables(const struct imf_fft_plan *plan, float *twiddles, size_t first,
                                     struct imf_error *err);

/* Elements that the widest prime stage works in, beside the line itself; 0 without one. */
int imf_fft_prime_spare(const struct imf_fft_plan *plan);

#endif
