/*
 * host.c - running a chain on the host: the reference, or the solver of small kernels
 *
 * Surfaces are memory of ours, whole, and float64 between passes.
 */
#include "plan/layout.h"
#include "run/executor.h"
#include "solver/edge.h"

#include <stdlib.h>

/* Host addresses always hold. */
static enum imf_status map(struct imf_exec *x, struct imf_surface *s, int first, int count,
                           enum imf_access access, struct imf_error *err) {
    (void)x, (void)s, (void)first, (void)count, (void)access, (void)err;
    return IMF_OK;
}

static enum imf_status unmap(struct imf_exec *x, struct imf_surface *s, struct imf_error *err) {
    (void)x, (void)s, (void)err;
    return IMF_OK;
}

/* Neither does mapping the image do anything, nor finishing. */
static enum imf_status nothing(struct imf_exec *x, struct imf_error *err) {
    (void)x, (void)err;
    return IMF_OK;
}

static enum imf_status copy_image(struct imf_exec *x, const struct imf_surface *to,
                                  struct imf_error *err) {
    (void)err;
    imf_surface_copy(to, &x->surface[0]);
    return IMF_OK;
}

static enum imf_status fill(struct imf_exec *x, int i, const struct imf_surface *in, int row,
                            struct imf_error *err) {
    (void)row, (void)err; /* always the whole image */
    imf_edge_fill_host(in, in->margin, x->chain->edge, x->chain->passes[i].problem.outside);
    return IMF_OK;
}

static enum imf_status point(struct imf_exec *x, int i, const struct imf_surface *in,
                             const struct imf_surface *second, const struct imf_surface *out,
                             int row, struct imf_error *err) {
    (void)row, (void)err;
    imf_point_run_host(&x->chain->passes[i].point, in, second, out);
    return IMF_OK;
}

static enum imf_status copy_alpha(struct imf_exec *x, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err) {
    (void)err;
    imf_alpha_copy_host(in, out, x->chain->rescale);
    return IMF_OK;
}

static void destroy(struct imf_exec *x) {
    for (int i = 0; x->surface && i <= x->chain->count; i++)
        imf_surface_free(&x->surface[i]);
    free(x->surface);
    free(x);
}

/* There are no windows, so that nothing moves. */
static const struct imf_executor host = {.map = map,
                                         .unmap = unmap,
                                         .map_image = nothing,
                                         .unmap_image = nothing,
                                         .copy_image = copy_image,
                                         .fill = fill,
                                         .point = point,
                                         .copy_alpha = copy_alpha,
                                         .finish = nothing,
                                         .destroy = destroy};

static enum imf_status make_step(struct imf_exec *x, int i, enum imf_backend backend,
                                 struct imf_error *err) {
    const struct imf_pass *pass = &x->chain->passes[i];
    struct imf_problem p = pass->problem;
    if (pass->kind != IMF_PASS_CONVOLVE)
        return IMF_OK;
    p.in = x->surface[pass->source + 1].sample;
    p.out = x->surface[i + 1].sample;
    struct imf_proposal taken;
    if (backend == IMF_BACKEND_VECTOR)
        imf_propose(&taken, &imf_solver_vector, &p, NULL);
    else
        imf_propose_host(&taken, &p);
    if (!taken.able)
        return imf_fail(err, IMF_ERR_LIMIT, "%s", taken.why);
    x->step[i].solver = taken.solver;
    return taken.solver->make(&x->step[i].job, &p, &taken, NULL, err);
}

static enum imf_status make(struct imf_exec **out, const struct imf_chain *c,
                            enum imf_backend backend, enum imf_sample out_sample,
                            struct imf_error *err) {
    struct imf_exec *x = *out = calloc(1, sizeof *x);
    if (!x)
        return imf_fail_memory(err, sizeof *x);
    enum imf_status st = imf_exec_init(x, &host, c, err);
    if (!st)
        st = imf_bands_whole(&x->bands, c, err);
    for (int i = 0; i <= c->count && !st; i++) {
        st = imf_layout(c, NULL, i, out_sample, &x->surface[i], err);
        if (!st)
            st = imf_surface_alloc(&x->surface[i], err);
    }
    for (int i = 0; i < c->count && !st; i++)
        st = make_step(x, i, backend, err);
    if (st)
        imf_exec_free(out);
    return st;
}

enum imf_status imf_exec_make_host(struct imf_exec **out, const struct imf_chain *c,
                                   enum imf_sample out_sample, struct imf_error *err) {
    return make(out, c, IMF_BACKEND_CPU, out_sample, err);
}

enum imf_status imf_exec_make_vector(struct imf_exec **out, const struct imf_chain *c,
                                     struct imf_error *err) {
    return make(out, c, IMF_BACKEND_VECTOR, c->out, err);
}
