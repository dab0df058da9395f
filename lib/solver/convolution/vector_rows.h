/* vector_rows.h - the inner loops of solver/convolution/vector.c */
#ifndef IMF_SOLVER_CONVOLUTION_VECTOR_ROWS_H
#define IMF_SOLVER_CONVOLUTION_VECTOR_ROWS_H

#include "solver/problem.h"

#include <stdbool.h>
#include <stdint.h>

#define IMF_VECTOR_TAPS 256   /* of a sum, mirrored pairs counted once */
#define IMF_VECTOR_STRIP 1024 /* samples of a row that are worked on at once */
#define IMF_VECTOR_REACH 2048 /* samples that a row's taps of a separable kernel add to a strip */

/* Samples at offsets from the output's, each times its tap. The first `pairs` taps are of two
 * samples, which are added first. */
struct imf_vector_sum {
    int pairs, count;
    struct imf_vector_at {
        int row, sample;
    } at[IMF_VECTOR_TAPS], other[IMF_VECTOR_TAPS];
    float tap[IMF_VECTOR_TAPS];
    uint16_t whole[IMF_VECTOR_TAPS]; /* the same modulo 65536 */
};

/* What follows: sums of magnitudes times `length`, whose squares would over- or underflow; the root;
 * v = v * mul + add; if absolute |v| * mul2 + add2; a threshold, or / divisor;
 * rounding. */
struct imf_vector_end {
    float length, mul, add, mul2, add2, divisor, level, full;
    bool absolute, threshold;
    bool narrow;  /* sums of 16 bits become bytes in 16 bits: mul and divisor are 1, no threshold */
    bool root;    /* magnitudes are whole numbers */
    bool squares; /* magnitudes' squares become `above` from `square` on, else `below` */
    double square;
    float above, below;
};

/* IMF_VECTOR_DENSE: dense_rows.h. */
enum imf_vector_kind {
    IMF_VECTOR_PLAIN,
    IMF_VECTOR_SEPARABLE,
    IMF_VECTOR_MAGNITUDE,
    IMF_VECTOR_DENSE
};

struct imf_vector_rows {
    enum imf_vector_kind kind;
    enum imf_sample in, out; /* not IMF_F64 */
    bool narrow;             /* sums of 16 bits, of bytes; else floats */
    int samples;             /* a row */
    int left, right;         /* separable: samples that the row's taps reach */
    int terms;               /* separable: of such products, which are added up */
    /* separable: of each term the column, whose taps are rows, then the row; magnitude: its two */
    struct imf_vector_sum sum[2 * IMF_TERMS_MAX];
    struct imf_vector_end end;
};

/* Output rows first..end - 1. Reads what the taps reach and, as it writes, up to IMF_SLACK samples
 * behind a row. */
void imf_vector_rows(const struct imf_vector_rows *work, const struct imf_surface *in,
                     const struct imf_surface *out, int first, int end);

/* What follows the sums of a problem. */
void imf_vector_end_make(struct imf_vector_end *to, const struct imf_problem *p);

/* The same loops for those who go over rows otherwise: sums of samples at at[i][0..n - 1], the
 * first `pairs` with those at other[i] added first; and their end, which changes v. Writes n
 * samples. */
struct imf_vector_taps {
    const void **at, **other;
    float *tap;
    int pairs, count;
};
void imf_vector_sum(float *out, enum imf_sample sample, const struct imf_vector_taps *taps, int n);
void imf_vector_finish(const struct imf_vector_end *end, enum imf_sample sample, void *out,
                       float *v, int n);

#endif
