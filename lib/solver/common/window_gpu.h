/* window_gpu.h - what the solvers of windows for GPUs share */
#ifndef IMF_SOLVER_COMMON_WINDOW_GPU_H
#define IMF_SOLVER_COMMON_WINDOW_GPU_H

#include "solver/solver.h"

/* The offsets of a window's first and last columns and rows that count. */
struct imf_window_box {
    int left, right, top, bottom;
    bool whole; /* all within count */
};

/* Whether this is a rank in a window, and a GPU with groups of so many work-items; otherwise `out`
 * says why not. */
bool imf_window_for_gpu(const struct imf_problem *p, const struct imf_device *d, size_t group,
                        struct imf_proposal *out);

/* False when memory is short. */
bool imf_window_box(struct imf_window_box *out, const struct imf_window_op *window);

/* The runs down of a window, from the left: of each the offset along the row in samples, the first
 * row and the one behind its last. `all`, three numbers a run, may be NULL. Returns how many, or -1
 * when memory is short. */
int imf_window_runs_down(const struct imf_window_op *window, int channels, int32_t *all);

/*
 * The kernel `entry` of a file with subword.cl and common.cl: with the instructions of the newest
 * GPUs where the device has them. `define` adds the solver's own lines to the problem's, for which
 * it gets `shape`.
 */
enum imf_status imf_window_program(struct imf_program **out, struct imf_queue *queue,
                                   const char *file, const char *entry, const struct imf_problem *p,
                                   void (*define)(struct imf_defines *d, const void *shape),
                                   const void *shape, struct imf_error *err);

/* Milliseconds of kernels that take so many instructions and bytes a sample. */
double imf_window_ms(const struct imf_problem *p, const struct imf_device *d, double instructions,
                     double bytes);

#endif
