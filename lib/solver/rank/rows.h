/*
 * rows.h - the inner loops of solver/rank/vector.c
 *
 * All work on rows of n samples of one type, and write no row that they read; bisection
 * is not for IMF_F64.
 */
#ifndef IMF_SOLVER_RANK_ROWS_H
#define IMF_SOLVER_RANK_ROWS_H

#include "base/samples.h"

#include <stdbool.h>

/*
 * The median of 3x3 or 5x5: at[] are a window's rows from its left end on, `step` samples from one
 * pixel to the next. sorted[]: as many rows to work in, that hold what the window reaches.
 */
void imf_median_rows(enum imf_sample sample, int side, void *to, const void *const *at,
                     void *const *sorted, int step, int n);

/* Signed integers of the samples' size and in their order, and back. */
void imf_ordered_rows(enum imf_sample sample, void *to, const void *from, int n);
void imf_samples_rows(enum imf_sample sample, void *to, const void *from, int n);

/* Ordered samples of the rank, from 0 on, among those of `count` ordered rows, which integers of a
 * sample's size hold. spare[]: rows of n samples to work in. */
void imf_rank_rows(enum imf_sample sample, void *to, const void *const *at, int count, int rank,
                   void *const spare[2], int n);

#endif
