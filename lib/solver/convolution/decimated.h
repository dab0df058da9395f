/* decimated.h - what solver/convolution/decimated.c decides and solver/convolution/decimated_run.c does */
#ifndef IMF_SOLVER_CONVOLUTION_DECIMATED_H
#define IMF_SOLVER_CONVOLUTION_DECIMATED_H

#include "solver/convolution/decimated_design.h"
#include "solver/convolution/vector_rows.h"
#include "solver/solver.h"

enum { IMF_Y, IMF_X, IMF_AXES };

struct imf_multirate_job {
    struct imf_problem p;
    struct imf_multirate axis[IMF_AXES];
    float *tap[IMF_AXES], *weight[IMF_AXES]; /* as in axis: the window, the weights */
    struct imf_vector_end end;
    int block, strip;      /* rows, coarse columns of an item */
    struct imf_pool *pool; /* borrowed, or NULL */
};

/* Coarse samples of `cells` steps of the fine grid along an axis. */
static inline int imf_multirate_coarse(const struct imf_multirate *m, int cells) {
    return cells + m->count - 1;
}

/* Bytes that an item takes while it runs; each core has one at a time. */
size_t imf_multirate_bytes(const struct imf_multirate_job *job);
/* As a solver's. Does not depend on how rows are shared out but by `block`. */
enum imf_status imf_multirate_run(void *job, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err);

#endif
