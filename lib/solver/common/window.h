/* window.h - the samples of a window operation: runs, counts, ranks */
#ifndef IMF_SOLVER_COMMON_WINDOW_H
#define IMF_SOLVER_COMMON_WINDOW_H

#include "solver/strips.h"

/* Columns from..to - 1 of row dy of a window, relative to the output's pixel. */
struct imf_run {
    int dy, from, to;
};

/* The maximal runs of a window's element, row by row. `all` may be NULL. Returns their number. */
size_t imf_window_runs(const struct imf_window_op *window, struct imf_run *all);
/* The bounding box of the runs, as offsets; true if the element fills it. */
bool imf_window_measure(const struct imf_run *runs, int count, int *left, int *right, int *top,
                        int *bottom);
/* Number of samples in the window's element. */
size_t imf_window_count(const struct imf_window_op *window);

/* v * n rounded down, where v >= 0 is the decimal number that the user wrote; *rest: it was rounded. */
uint64_t imf_decimal_times(double v, uint64_t n, bool *rest);
/* The index of a percentile among `count` samples in ascending order: P/100 (count - 1) rounded,
 * halves up, where P is the decimal number that the user wrote. */
size_t imf_percentile_rank(double percentile, size_t count);

/* Apply the epilogue to `count` samples v and store them at `row`. */
void imf_window_finish(const struct imf_problem *p, double *v, void *row, size_t count);

/* A strip of a window operation; the window begins left columns and top rows from the output pixel. */
struct imf_piece {
    const struct imf_problem *p;
    const struct imf_surface *in, *out;
    struct imf_patch at;
    int left, top;
    bool identity; /* the output is one of the input's samples, unchanged */
    void *made;    /* otherwise: a row of the input's sample type for the results */
};

/* An input row, from the first column of the window of the strip's first sample. */
const void *imf_strip_input(const struct imf_piece *s, int row);
/* Where to write the results of output row y, and the epilogue to call afterwards. */
void *imf_strip_target(const struct imf_piece *s, int y);
void imf_strip_end(const struct imf_piece *s, int y);

#endif
