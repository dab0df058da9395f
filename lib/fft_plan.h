/*
 * fft_plan.h - lengths, factors, twiddles and output order of the transforms (no OpenCL)
 *
 * A length is a product of 2, 3, 5 and 7. Its transform is a row of stages, one radix each. The
 * forward transform is decimation in frequency: natural order in, scrambled order out; the inverse
 * runs the same stages backwards and takes the scrambled order in, so that a convolution never
 * reorders anything.
 */
#ifndef IMF_FFT_PLAN_H
#define IMF_FFT_PLAN_H

#include "error.h"

#define IMF_FFT_STAGES 16
#define IMF_FFT_MAX (1 << 22) /* longest length */

struct imf_fft_plan {
    int length;
    int stages;
    int radix[IMF_FFT_STAGES];
    int twiddles; /* complex factors of all stages */
};

/* The smallest length >= n that is a product of 2, 3, 5, 7 and divisible by `multiple`, which is a
 * power of two; 0 when it would exceed IMF_FFT_MAX. */
int imf_fft_length(int n, int multiple);

/* Factors of a length. False when it has other prime factors, or is out of range. */
bool imf_fft_plan_make(struct imf_fft_plan *plan, int length);

/*
 * Stage after stage, from the stage that spans the whole length on: with L the stage's span, r its
 * radix and M = L / r, for j = 0..M-1 and k = 1..r-1 the pair cos, sin of -2 pi j k / L, rounded
 * once. Fills 2 * plan->twiddles floats.
 */
void imf_fft_twiddles(const struct imf_fft_plan *plan, float *out);

/* order[i] = the frequency that the forward transform leaves at position i. */
void imf_fft_order(const struct imf_fft_plan *plan, int *order);

/* Floating-point operations of one complex transform, the usual 5 n log2 n. */
double imf_fft_flops(int length);

#endif
