/*
 * error.h - how accurate convolution by float32 transforms is, and what that means for sums
 * that must be exact (no OpenCL)
 */
#ifndef IMF_SOLVER_FFT_ERROR_H
#define IMF_SOLVER_FFT_ERROR_H

#include "solver/solver.h"

/* What bounds the errors of a problem's sums of products (before scale). */
struct imf_fft_bound {
    double middle; /* subtracted from samples (split: from bytes): mid-range of integers or 0 */
    double middle_sum[2]; /* what that leaves out of a sum of products, of each kernel */
    double size;          /* largest |sample| (split: byte) less its middle */
    double abs_sum;       /* of the taps: a magnitude's are of both kernels */
    double norm;          /* square root of the sum of the taps' squares, of both kernels */
    /*
     * Exact sums of 16-bit samples in two parts, of their high and of their low bytes: the bound of
     * each is 256 times smaller, and 256 * high + low is exact where both are.
     */
    bool split;
    /* A tile rides alone on its plane: split, or for two kernels that are one complex one. */
    bool alone;
};

struct imf_fft_bound imf_fft_bound(const struct imf_problem *p);

/* Mid-range of integer samples, else 0. */
double imf_fft_middle(enum imf_sample in);

/* Bound of the absolute error of a sum of products (split: of each part), for n points a
 * transform. */
double imf_fft_error(const struct imf_fft_bound *b, double points);

/* exact: the true sum is sought this far from the computed one. */
double imf_fft_window(double error);

/* exact: a float, sum * E_MUL + NEAR_ADD, decides pixels that are further than imf_fft_tie from a
 * tie: that covers the sum's error and the roundings. Where the scale is large, few are closer, and
 * imf_fft_near_tie says that this is worthwhile. */
double imf_fft_tie(const struct imf_problem *p, const struct imf_fft_bound *b, double error);
bool imf_fft_near_tie(const struct imf_problem *p, const struct imf_fft_bound *b, double error);

/* exact: the share of pixels whose sum must be taken again, tap by tap, for an exact result. */
double imf_fft_doubtful(const struct imf_problem *p, const struct imf_fft_bound *b, double error);

/* How far results may be off, for sums that are off by `error`. */
double imf_fft_result_error(const struct imf_problem *p, const struct imf_fft_bound *b,
                            double error);

/* Is a problem within its exactness or tolerance? When not, `why` (IMF_WHY bytes) says why.
 * doubtful: exact: the share of pixels whose sum must be taken again. */
bool imf_fft_accurate(const struct imf_problem *p, const struct imf_fft_bound *b, double error,
                      double doubtful, char *why);

/* A problem by tiles whose samples are less their middle: its epilogue, and how exact sums are
 * told. near_tie: a float decides pixels that are not near a tie. */
void imf_fft_define_sums(struct imf_defines *d, const struct imf_problem *p,
                         const struct imf_fft_bound *bound, double error, bool near_tie);

#endif
