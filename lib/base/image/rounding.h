/*
 * rounding.h - bounds of rounding errors in float32 sums
 *
 * Adding up products of taps and samples rounds every partial sum, by at most half an ulp of the
 * largest value that it can have. Taken as independent and uniform in that interval, each error has
 * the variance ulp^2 / 12, and the probability that their sum exceeds IMF_SIGMAS standard deviations
 * is below 2 exp(-IMF_SIGMAS^2 / 2) = 4e-22 (a uniform error is sub-Gaussian with its own variance):
 * less than 1e-12 for any of the 10^9 samples of the largest image. Every bound of this program that
 * is not certain uses this number of standard deviations.
 */
#ifndef IMF_BASE_IMAGE_ROUNDING_H
#define IMF_BASE_IMAGE_ROUNDING_H

#include <float.h>
#include <stddef.h>

#if FLT_EVAL_METHOD != 0
#error "float and double have to be computed as such: on 32-bit x86 with -msse2 -mfpmath=sse"
#endif

#define IMF_SIGMAS 10
/* Floats hold all integers up to here. */
#define IMF_WHOLE_FLOATS 16777216.0

/* Distance between floats of v's size. */
double imf_float_ulp(double v);
/* Variance of the rounding errors of adding up taps[i] * sample, one after the other, with
 * |sample| <= in_max. */
double imf_rounding_variance(const double *taps, size_t n, double in_max);
/* The same of rounding each of the products, before they are added. */
double imf_rounding_products(const double *taps, size_t n, double in_max);
/* Sum of |taps[i] - (float)taps[i]|. */
double imf_rounding_taps(const double *taps, size_t n);

#endif
