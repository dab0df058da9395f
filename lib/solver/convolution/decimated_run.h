/* decimated_run.h - the job that decimated.c makes and decimated_run.c runs */
#ifndef IMF_SOLVER_CONVOLUTION_DECIMATED_RUN_H
#define IMF_SOLVER_CONVOLUTION_DECIMATED_RUN_H

#include "solver/convolution/decimated_design.h"
#include "solver/convolution/vector_rows.h"
#include "solver/solver.h"

enum { IMF_Y, IMF_X, IMF_AXES };

struct imf_decimated_job {
    struct imf_problem p;
    struct imf_decimated axis[IMF_AXES];
    float *tap[IMF_AXES], *weight[IMF_AXES]; /* axis[].window and .weight as floats */
    struct imf_vector_end end;
    int block, strip;      /* rows and coarse columns of an item */
    struct imf_pool *pool; /* borrowed, or NULL */
};

/* Coarse samples that `cells` steps of the fine grid need along an axis. */
static inline int imf_decimated_coarse(const struct imf_decimated *m, int cells) {
    return cells + m->count - 1;
}

/* Bytes of an item's scratch memory; each core runs one at a time. */
size_t imf_decimated_bytes(const struct imf_decimated_job *job);
/* struct imf_solver's run. Results depend on `block`, not on threads. */
enum imf_status imf_decimated_run(void *job, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err);

#endif
