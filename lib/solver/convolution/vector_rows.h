/* vector_rows.h - the inner loops of solver/convolution/vector.c */
#ifndef IMF_SOLVER_CONVOLUTION_VECTOR_ROWS_H
#define IMF_SOLVER_CONVOLUTION_VECTOR_ROWS_H

#include "solver/problem.h"

#include <stdbool.h>
#include <stdint.h>

#define IMF_VECTOR_TAPS 256   /* most taps of a sum; pairs count once */
#define IMF_VECTOR_STRIP 1024 /* samples of a row that are filtered at once */
#define IMF_VECTOR_REACH 2048 /* most samples that a separable kernel's row adds to a strip */

/* A sum of taps times samples at offsets from the output's. Each of the first `pairs` taps multiplies
 * the sum of two samples. */
struct imf_vector_sum {
    int pairs, count;
    struct imf_vector_at {
        int row, sample;
    } at[IMF_VECTOR_TAPS], other[IMF_VECTOR_TAPS];
    float tap[IMF_VECTOR_TAPS];
    uint16_t whole[IMF_VECTOR_TAPS]; /* the same modulo 65536 */
};

/* The epilogue: for magnitudes sums times `length` (against over- and underflow of squares) and the
 * root; v = v * mul + add; if absolute v = |v| * mul2 + add2; the threshold, or v / divisor;
 * rounding. */
struct imf_vector_end {
    float length, mul, add, mul2, add2, divisor, level, full;
    float most; /* of integers */
    bool absolute, threshold;
    bool narrow; /* from sums of 16 bits to bytes in 16 bits: mul and divisor are 1, no threshold */
    bool root;   /* magnitudes are rounded to integers first */
    bool squares; /* squares of magnitudes from `square` on give `above`, others `below` */
    double square;
    float above, below;
};

/* IMF_VECTOR_DENSE: vector_dense.h. */
enum imf_vector_kind {
    IMF_VECTOR_PLAIN,
    IMF_VECTOR_SEPARABLE,
    IMF_VECTOR_MAGNITUDE,
    IMF_VECTOR_DENSE
};

struct imf_vector_rows {
    enum imf_vector_kind kind;
    enum imf_sample in, out; /* not IMF_F64 */
    bool narrow;             /* sums of bytes in 16 bits; else in floats */
    int samples;             /* of a row */
    int left, right;         /* separable: samples that the row's taps reach */
    int terms;               /* separable: number of products, which are added up */
    /* separable: for each term its column, then its row; magnitude: the two kernels */
    struct imf_vector_sum sum[2 * IMF_TERMS_MAX];
    struct imf_vector_end end;
};

/* Filter output rows first..end - 1. Reads and writes up to IMF_SLACK samples behind a row. */
void imf_vector_rows(const struct imf_vector_rows *work, const struct imf_surface *in,
                     const struct imf_surface *out, int first, int end);

/* The epilogue of a problem. */
void imf_vector_end_make(struct imf_vector_end *to, const struct imf_problem *p);

/* The same loops for other solvers: the sum of taps times samples at[i][0..n - 1], for the first
 * `pairs` taps plus other[i][0..n - 1]; and the epilogue, which overwrites v and stores n samples. */
struct imf_vector_taps {
    const void **at, **other;
    const float *tap;
    int pairs, count;
};
void imf_vector_sum(float *out, enum imf_sample sample, const struct imf_vector_taps *taps, int n);
void imf_vector_finish(const struct imf_vector_end *end, enum imf_sample sample, void *out,
                       float *v, int n);

#endif
