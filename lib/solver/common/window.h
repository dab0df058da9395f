/* window.h - the samples of a window operation: runs, counts, ranks */
#ifndef IMF_SOLVER_COMMON_WINDOW_H
#define IMF_SOLVER_COMMON_WINDOW_H

#include "solver/problem.h"

/* Columns from..to - 1 of the row at dy, all of which count; offsets from the output's pixel. */
struct imf_run {
    int dy, from, to;
};

/* The runs of a window from the top left on, as long as they can be; all may be NULL. Returns how
 * many. */
size_t imf_window_runs(const struct imf_window_op *window, struct imf_run *all);
/* The offsets of the first and the last column and row that count; true when all within do. */
bool imf_window_measure(const struct imf_run *runs, int count, int *left, int *right, int *top,
                        int *bottom);
/* Samples that count. */
size_t imf_window_count(const struct imf_window_op *window);

/* Which of that many samples in ascending order, from 0 on, a percentile is: P/100 (count - 1)
 * rounded, halves up, where P is the decimal number that was written. */
size_t imf_percentile_rank(double percentile, size_t count);

/* What follows for `count` samples of a row. */
void imf_window_finish(const struct imf_problem *p, double *v, void *row, size_t count);

#endif
