/* window_gpu.h - shared by the solvers of window operations for GPUs */
#ifndef IMF_SOLVER_COMMON_WINDOW_GPU_H
#define IMF_SOLVER_COMMON_WINDOW_GPU_H

#include "solver/solver.h"

/* The bounding box of a window's element, as offsets from the output's pixel. */
struct imf_window_box {
    int left, right, top, bottom;
    bool whole; /* the element fills it */
};

/* True for a rank on a GPU with work-groups of `group` work-items; otherwise `out` has the reason. */
bool imf_window_for_gpu(const struct imf_problem *p, const struct imf_device *d, size_t group,
                        struct imf_proposal *out);

/* Returns false if memory ran out. */
bool imf_window_box(struct imf_window_box *out, const struct imf_window_op *window);

/* The vertical runs of a window's element, from the left: of each the offset along the row in samples,
 * the first row and the row after its last. `all` has three numbers for each run and may be NULL.
 * Returns their number, or -1 if memory ran out. */
int imf_window_runs_down(const struct imf_window_op *window, int channels, int32_t *all);

/*
 * Make the kernel `entry` of `file` with subword.cl and common.cl, with PTX instructions if the device
 * has them. `define` adds the solver's "#define" lines to the problem's and gets `shape`.
 */
enum imf_status imf_window_program(struct imf_program **out, struct imf_queue *queue,
                                   const char *file, const char *entry, const struct imf_problem *p,
                                   void (*define)(struct imf_defines *d, const void *shape),
                                   const void *shape, struct imf_error *err);

/* Milliseconds of a kernel with so many instructions and bytes for each sample. */
double imf_window_ms(const struct imf_problem *p, const struct imf_device *d, double instructions,
                     double bytes);

#endif
