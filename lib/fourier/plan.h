/*
 * plan.h - lengths, factors, twiddles and output order of the transforms (no OpenCL)
 *
 * A transform is a row of stages, one radix each: any prime above 7 that the length has first, then
 * 7, 5, 3 and powers of 2. The forward transform is decimation in frequency: natural order in,
 * scrambled order out; the inverse runs the same stages backwards and takes the scrambled order in,
 * so that a convolution never reorders anything.
 *
 * Mixed radix, in four steps where a line is long (Cooley and Tukey 1965; Bailey 1990; ARM's
 * "Speeding up Fast Fourier Transform mixed-radix on mobile Arm Mali GPU by means of OpenCL");
 * large primes as Rader (1968) or Bluestein (1970) has it.
 */
#ifndef IMF_FOURIER_PLAN_H
#define IMF_FOURIER_PLAN_H

#include "base/error.h"

#define IMF_FFT_STAGES 16
#define IMF_FFT_VEC 8 /* lines that are transformed at once: VEC of cl/parts/fft_stages.cl */
#define IMF_FFT_MAX (1 << 22) /* longest length */

/* Longest product of 2, 3, 5 and 7: a convolution for a prime near IMF_FFT_MAX. */
#define IMF_FFT_SMOOTH_MAX (2 * IMF_FFT_MAX)

struct imf_fft_plan {
    int length;
    int stages;
    int primes; /* of them, the first ones: radices above 7 that are no power of 2 */
    int radix[IMF_FFT_STAGES];
    int twiddles; /* complex factors of all stages */
};

/* The smallest length >= n that is a product of 2, 3, 5, 7 and divisible by `multiple`, which is a
 * power of two; 0 when it would exceed IMF_FFT_SMOOTH_MAX. */
int imf_fft_length(int n, int multiple);

/* Radices that a stage may have, as a set of bits. */
#define IMF_FFT_RADICES (1u << 2 | 1u << 3 | 1u << 4 | 1u << 5 | 1u << 7 | 1u << 8 | 1u << 16)
/* ... and any prime above 7. */
#define IMF_FFT_PRIMES (1u << 31)

/*
 * The stages of a length that are estimated to take the least time, of a set of radices. False when
 * it is no product of them, or out of range.
 */
bool imf_fft_plan_best(struct imf_fft_plan *plan, int length, unsigned radices);

/* Estimated nanoseconds of one core for the stages of one value of one transform. */
double imf_fft_plan_ns(const struct imf_fft_plan *plan);

/* The prime stages' part of that. */
double imf_fft_primes_ns(const struct imf_fft_plan *plan);

/* A plan's error in float32, as the log2 of a power of two with that error: log2(length), and for
 * each prime that is done as a convolution twice the log2 of its length, and a few products. */
double imf_fft_plan_doublings(const struct imf_fft_plan *plan);

/* Factors of a length for a tile: radices up to 8, the last one 4 or 8 where the length is a
 * multiple of 4, as cl/parts/fft_stages.cl's convolve() needs. False when it has other prime
 * factors, or is out of range. */
bool imf_fft_plan_make(struct imf_fft_plan *plan, int length);

/* The same for a line in a GPU's local memory: powers of two first, so that the last stages' and
 * neighbouring frequencies' strides are odd and meet different banks. */
bool imf_fft_plan_local(struct imf_fft_plan *plan, int length);

/* The same for any length up to IMF_FFT_MAX, with primes above 7. */
bool imf_fft_plan_any(struct imf_fft_plan *plan, int length);

/* Length of the convolution that transforms a prime above 7 (fourier/rader.h); 0: done by the
 * definition. */
int imf_fft_prime_length(int prime);

/* The largest prime factor of n >= 1, or 1. */
int imf_fft_largest_prime(int n);

/*
 * Stage after stage, from the stage that spans the whole length on: with L the stage's span, r its
 * radix and M = L / r, for j = 0..M-1 and k = 1..r-1 the pair cos, sin of -2 pi j k / L, rounded
 * once. Fills 2 * plan->twiddles floats.
 */
void imf_fft_twiddles(const struct imf_fft_plan *plan, float *out);
/* The same with j running fastest, so that neighbouring work-items load neighbours. */
void imf_fft_twiddles_across(const struct imf_fft_plan *plan, float *out);

/* cos and sin of -2 pi k / n for 0 <= k < n, in float64. */
void imf_fft_root(int64_t k, int n, double *re, double *im);

/* order[i] = the frequency that the forward transform leaves at position i. */
void imf_fft_order(const struct imf_fft_plan *plan, int *order);

#endif
