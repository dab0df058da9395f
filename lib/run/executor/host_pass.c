/* host_pass.c - what a pass needs of the host besides its solver */
#include "run/executor/host_pass.h"

#include "solver/common/edge.h"

void imf_exec_fill_host(const struct imf_exec *x, int i, const struct imf_surface *in, int row) {
    const struct imf_chain *c = x->chain;
    struct imf_margin m = imf_chain_margin(c, c->passes[i].source);
    const struct imf_edge_part part = {row, c->height};
    imf_edge_fill_band(in, m, part, imf_chain_edge(c, c->passes[i].source),
                       c->passes[i].problem.outside);
}

enum imf_status imf_exec_make_host_point(struct imf_exec *x, int i,
                                         const struct imf_proposal *chosen, struct imf_error *err) {
    const struct imf_pass *pass = &x->chain->passes[i];
    if (chosen->backend == IMF_BACKEND_CPU)
        return IMF_OK;
    return imf_point_rows_make(&x->step[i].rows, &pass->point, x->surface[pass->source + 1].sample,
                               x->surface[i + 1].sample, (double)x->chain->width * x->chain->height,
                               pass->coarse, err);
}

void imf_exec_point_host(const struct imf_exec *x, int i, const struct imf_point_io *io) {
    if (x->step[i].rows)
        imf_point_rows_run(x->step[i].rows, io);
    else
        imf_point_run_host(&x->chain->passes[i].point, io);
}
