/* runs_rows.h - the inner loops of solver/convolution/runs.c */
#ifndef IMF_SOLVER_CONVOLUTION_RUNS_ROWS_H
#define IMF_SOLVER_CONVOLUTION_RUNS_ROWS_H

#include "solver/problem.h"

#include <stddef.h>
#include <stdint.h>

#define IMF_RUNS_TOGETHER 8 /* runs that are added at once, at most */

/* Bytes of an element of a row of prefix sums, which are modulo 2^16 or, wide, 2^32. */
static inline size_t imf_runs_size(bool wide) {
    return wide ? sizeof(uint32_t) : sizeof(uint16_t);
}

/* Elements i of `to`: the sum of the samples of i's channel before i; n + channels of them. n is a
 * multiple of channels. `in` is IMF_U8 or, wide, IMF_U16 or IMF_F32: these samples are multiplied by
 * `unit` and cut to whole numbers. */
void imf_runs_prefix(enum imf_sample in, bool wide, void *to, const void *from, int channels, int n,
                     float unit);

/* sum[i] += tap * (to[0][i] - from[0][i] + ... of `count` runs), modulo 2^32. What is in brackets
 * is less than an element's modulus. `spare` has room for n elements. */
struct imf_runs_ends {
    const void *from[IMF_RUNS_TOGETHER], *to[IMF_RUNS_TOGETHER];
    int count;
};
void imf_runs_add(bool wide, uint32_t *sum, const struct imf_runs_ends *runs, int32_t tap,
                  void *spare, int n);

/* all[i] += weight * sum[i], which is taken as signed. */
void imf_runs_widen(double *all, const uint32_t *sum, double weight, int n);

#endif
