/*
 * error.h - the error of convolution by float32 transforms, and how exact sums follow from them
 * (without OpenCL)
 */
#ifndef IMF_SOLVER_FFT_ERROR_H
#define IMF_SOLVER_FFT_ERROR_H

#include "solver/solver.h"

/* Parameters of the error bound of a problem's sums of products (before scale). */
struct imf_fft_bound {
    double middle; /* subtracted from samples (split: from bytes): mid-range of integers or 0 */
    double middle_sum[2]; /* middle * sum of taps, of each kernel: added to the sums */
    double size;          /* largest |sample| (split: byte) less its middle */
    double abs_sum;       /* sum of |taps|, of both kernels of a magnitude */
    double norm;          /* square root of the sum of squared taps, of both kernels */
    double largest;       /* |tap|, of both kernels as a complex one */
    /*
     * Exact sums of 16-bit samples are computed in two parts, of high and of low bytes: the error of
     * each is 256 times smaller, and 256 * high + low is exact if both are.
     */
    bool split;
    /* A complex plane holds one tile, not a pair: split, or the two kernels of a magnitude. */
    bool alone;
};

struct imf_fft_bound imf_fft_bound(const struct imf_problem *p);

/* The middle of the range of integer samples; 0 for floats. */
double imf_fft_middle(enum imf_sample in);

/* Bound of the absolute error of a sum of products (split: of each part) by transforms of so many
 * points. */
double imf_fft_error(const struct imf_fft_bound *b, double points);

/* exact: the true sum is the integer within this distance of the computed one. */
double imf_fft_window(double error);

/* exact: the distance from a tie above which the float sum * E_MUL + NEAR_ADD decides a pixel: it covers
 * the sum's error and the roundings. imf_fft_near_tie: few pixels are closer, because the scale is
 * large, so that floats should decide. */
double imf_fft_tie(const struct imf_problem *p, const struct imf_fft_bound *b, double error);
bool imf_fft_near_tie(const struct imf_problem *p, const struct imf_fft_bound *b, double error);

/* exact: the share of pixels whose sum must be computed again, tap by tap. */
double imf_fft_doubtful(const struct imf_problem *p, const struct imf_fft_bound *b, double error);

/* Bound of the results' error for sums with the error `error`. */
double imf_fft_result_error(const struct imf_problem *p, const struct imf_fft_bound *b,
                            double error);

/* Whether a problem's exactness or tolerance is met; if not, `why` (IMF_WHY bytes) has the reason.
 * doubtful: see imf_fft_doubtful(). */
bool imf_fft_accurate(const struct imf_problem *p, const struct imf_fft_bound *b, double error,
                      double doubtful, char *why);

/* Add the "#define" lines of a problem by tiles: its epilogue and how exact sums are decided. near_tie:
 * floats decide pixels that are not near a tie. */
void imf_fft_define_sums(struct imf_defines *d, const struct imf_problem *p,
                         const struct imf_fft_bound *bound, double error, bool near_tie);

#endif
