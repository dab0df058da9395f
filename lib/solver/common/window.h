/* window.h - the samples of a window operation: runs, counts, ranks; and its strips on the host */
#ifndef IMF_SOLVER_COMMON_WINDOW_H
#define IMF_SOLVER_COMMON_WINDOW_H

#include "solver/solver.h"

/* Columns from..to - 1 of row `line` of a window or, in runs that go down, rows of a column; relative to
 * the output's pixel. */
struct imf_run {
    int line, from, to;
};

/* A window's element. Proposals of ranks begin their shape with it. */
struct imf_window_facts {
    int run_count, count; /* runs along rows; samples */
    int rank;             /* index of the percentile among the samples in ascending order */
    int left, right, top,
        bottom;        /* first and last column and row of the bounding box, as offsets */
    int width, height; /* of that */
    bool box;          /* the element fills it */
};

/* Go on to the element's next maximal run, in the order of lines; false: there is none. The first one
 * comes after imf_window_start(). */
struct imf_run imf_window_start(const struct imf_window_op *op, bool down);
bool imf_window_next(const struct imf_window_op *op, bool down, struct imf_run *run);
/* All of them, with offsets along a row times `step`: memory that the caller frees. NULL: there is none. */
struct imf_run *imf_window_runs(const struct imf_window_op *op, bool down, int step, int *count);
/* The exponent of the largest power of two that is not longer than the run. */
int imf_run_level(const struct imf_run *run);
struct imf_window_facts imf_window_measure(const struct imf_window_op *op);

/* v * n rounded down, where v >= 0 is the decimal number that the user wrote; *rest: it was rounded. */
uint64_t imf_decimal_times(double v, uint64_t n, bool *rest);
/* The index of a percentile among `count` samples in ascending order: P/100 (count - 1) rounded,
 * halves up, where P is the decimal number that the user wrote. */
size_t imf_percentile_rank(double percentile, size_t count);

/* Samples of a row with so many pixels at each end. */
static inline size_t imf_window_wide(const struct imf_problem *p, int pixels) {
    return ((size_t)p->width + 2 * (size_t)pixels) * (size_t)p->channels;
}
/* Apply the epilogue to `count` samples v and store them at `row`. */
void imf_window_finish(const struct imf_problem *p, double *v, void *row, size_t count);

/* ---- proposals of ranks ---- */

/* Begin the shape with the window, which it returns. */
struct imf_window_facts *imf_window_propose(struct imf_proposal *out, const struct imf_problem *p);
/* Accept, exactly: "rank 5 of 9 in 3x3, `how`". */
void imf_window_accept(struct imf_proposal *out, const char *how);
/* For solvers that cut strips, of at most `most` samples: the same of what takes a core so many nanoseconds
 * for a sample, before the epilogue; 0: the algorithm is not for this window or these samples. */
void imf_window_strips(struct imf_proposal *out, const struct imf_problem *p, double ns, int most,
                       const char *how);
/* Milliseconds of a GPU's kernel with so many instructions and bytes for each sample. */
double imf_window_ms(const struct imf_problem *p, const struct imf_device *d, double instructions,
                     double bytes);

/* ---- strips of ranks; their scratch memory begins with a row for results, and what the padding of rows
 * holds reaches padding alone ---- */

/* Bytes of a row of n samples with those beside them that windows reach and IMF_SLACK more: a multiple of
 * 64. */
size_t imf_window_pitch(const struct imf_problem *p, const struct imf_window_facts *w, int n);
static inline const struct imf_window_facts *imf_window_of(const struct imf_job *job) {
    return imf_job_shape(job);
}
/* Strips of at most `most` samples, and of at least so many rows for each of the window's. */
struct imf_strips imf_window_cut(const struct imf_job *job, int height, int most, int rows);
/* The scratch memory behind the row of results. */
void *imf_strip_scratch(const struct imf_host_strip *s);
/* The first input row of the windows of output row y, from the first column of the first window on. */
const void *imf_strip_input(const struct imf_host_strip *s, int y);
/* Where to write the results of output row y, samples of the input's type: the output, or the row for
 * results. Then the epilogue of the results at `row`, which may be others. */
void *imf_strip_target(const struct imf_host_strip *s, int y);
void imf_strip_end(const struct imf_host_strip *s, int y, const void *row);

/* `prepare`, `release` and `own` for solvers that keep the runs along rows and nothing else. */
#define IMF_WINDOW_RUNS                                                                            \
    .own = sizeof(struct imf_run *), .prepare = imf_window_prepare, .release = imf_window_release
enum imf_status imf_window_prepare(struct imf_job *job, struct imf_error *err);
void imf_window_release(struct imf_job *job);
static inline const struct imf_run *imf_window_kept(const struct imf_job *job) {
    return *(struct imf_run *const *)job->own;
}
/* Upload the runs as job->buffer[i], with offsets along a row in samples. */
enum imf_status imf_window_table(struct imf_job *job, int i, bool down, struct imf_error *err);

#endif
