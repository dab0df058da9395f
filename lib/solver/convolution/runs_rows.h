/* runs_rows.h - the inner loops of solver/convolution/runs.c */
#ifndef IMF_SOLVER_CONVOLUTION_RUNS_ROWS_H
#define IMF_SOLVER_CONVOLUTION_RUNS_ROWS_H

#include "solver/problem.h"

#include <stddef.h>
#include <stdint.h>

#define IMF_RUNS_TOGETHER 8 /* most runs of a batch */

/* Bytes of a prefix sum, modulo 2^16 or, wide, 2^32. */
static inline size_t imf_runs_size(bool wide) {
    return wide ? sizeof(uint32_t) : sizeof(uint16_t);
}

/* Set to[i], i = 0..n + channels - 1, to the sum of the samples before i of the same channel. n is a
 * multiple of channels. `in` is IMF_U8 or, wide, IMF_U16 or IMF_F32; floats are multiplied by `unit`
 * and truncated to integers. */
void imf_runs_prefix(enum imf_sample in, bool wide, void *to, const void *from, int channels, int n,
                     float unit);

/* sum[i] += tap * (to[0][i] - from[0][i] + ... of `count` runs), modulo 2^32. The sum in brackets must be
 * less than the prefix sums' modulus. `spare` holds n prefix sums. */
struct imf_runs_batch {
    const void *from[IMF_RUNS_TOGETHER], *to[IMF_RUNS_TOGETHER];
    int count;
};
void imf_runs_add(bool wide, uint32_t *sum, const struct imf_runs_batch *runs, int32_t tap,
                  void *spare, int n);

/* all[i] += weight * sum[i]; sum[i] is read as signed. */
void imf_runs_widen(double *all, const uint32_t *sum, double weight, int n);

#endif
