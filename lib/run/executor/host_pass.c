/* host_pass.c - what a pass does on the host beside its solver */
#include "run/executor/host_pass.h"

#include "run/point/point.h"
#include "solver/common/edge.h"

/* The step of a point pass holds the job of imf_point_rows_run(). */
static const struct imf_solver rows = {
    .name = "rows", .limit = imf_point_rows_limit, .destroy = imf_point_rows_free};

void imf_exec_fill_host(const struct imf_exec *x, int i, const struct imf_surface *in, int row) {
    const struct imf_chain *c = x->chain;
    struct imf_margin m = imf_chain_margin(c, c->passes[i].source);
    const struct imf_edge_part part = {row, c->height};
    imf_edge_fill_band(in, m, part, c->edge, c->passes[i].problem.outside);
}

enum imf_status imf_exec_make_host_point(struct imf_exec *x, int i,
                                         const struct imf_proposal *taken, struct imf_error *err) {
    const struct imf_pass *pass = &x->chain->passes[i];
    if (taken->backend == IMF_BACKEND_CPU)
        return IMF_OK;
    x->step[i].solver = &rows;
    return imf_point_rows_make(&x->step[i].job, &pass->point, x->surface[pass->source + 1].sample,
                               x->surface[i + 1].sample, (double)x->chain->width * x->chain->height,
                               err);
}

void imf_exec_point_host(const struct imf_exec *x, int i, const struct imf_surface *in,
                         const struct imf_surface *second, const struct imf_surface *out) {
    if (x->step[i].job)
        imf_point_rows_run(x->step[i].job, in, second, out);
    else
        imf_point_run_host(&x->chain->passes[i].point, in, second, out);
}

/* ---- on a device's surfaces -------------------------------------------------------------------- */

/* Rows from..to - 1 of surface `index`, whose row 0 is the image's. */
static enum imf_status map_rows(struct imf_exec *x, int index, int from, int to,
                                enum imf_access access, struct imf_surface *out,
                                struct imf_error *err) {
    *out = imf_exec_view(x, index, 0, x->chain->height);
    return x->place->map(x, out, from, to - from, access, err);
}

/* The part of a mapped surface that begins with row `from`. */
static struct imf_surface rows_from(const struct imf_surface *s, int from, int to) {
    struct imf_surface v = *s;
    v.origin += (size_t)((ptrdiff_t)from * (ptrdiff_t)s->pitch);
    v.height = to - from;
    return v;
}

static enum imf_status run(struct imf_exec *x, int i, const struct imf_surface *in,
                           const struct imf_surface *second, const struct imf_surface *out,
                           struct imf_error *err) {
    const struct imf_pass *pass = &x->chain->passes[i];
    const struct imf_window *made = &x->bands->window[i + 1];
    struct imf_surface from = rows_from(in, made->before, made->done);
    struct imf_surface to = rows_from(out, made->before, made->done);
    if (pass->kind == IMF_PASS_POINT) {
        struct imf_surface other = rows_from(second, made->before, made->done);
        imf_exec_point_host(x, i, &from, pass->second >= -1 ? &other : NULL, &to);
        return IMF_OK;
    }
    from.margin.top = pass->problem.reach.top;
    from.margin.bottom = pass->problem.reach.bottom;
    return x->step[i].solver->run(x->step[i].job, &from, &to, err);
}

enum imf_status imf_exec_run_mapped(struct imf_exec *x, int i, struct imf_error *err) {
    const struct imf_pass *pass = &x->chain->passes[i];
    const struct imf_window *source = &x->bands->window[pass->source + 1];
    const struct imf_window *made = &x->bands->window[i + 1];
    struct imf_margin m = imf_chain_margin(x->chain, pass->source);
    struct imf_surface in, second, out;
    bool fills = x->step[i].fills && source->done > source->before, two = pass->second >= -1;
    int first = made->before - imf_bands_reach(pass).top;
    if (fills)
        first = imf_min(first, source->before ? source->before : -m.top);
    if (!fills && made->done == made->before)
        return IMF_OK;
    enum imf_status st = map_rows(x, pass->source + 1, imf_max(first, -m.top),
                                  imf_bands_end(x->bands, pass->source + 1, source->done),
                                  fills ? IMF_ACCESS_BOTH : IMF_ACCESS_READ, &in, err);
    if (st)
        return st;
    if (fills) {
        struct imf_surface fresh = rows_from(&in, source->before, source->done);
        imf_exec_fill_host(x, i, &fresh, source->before);
    }
    if (made->done > made->before) {
        second = in; /* never read where there is none */
        if (two)
            st = map_rows(x, pass->second + 1, made->before, made->done, IMF_ACCESS_READ, &second,
                          err);
        bool held = two && !st;
        if (!st)
            st = map_rows(x, i + 1, made->before, made->done, IMF_ACCESS_BOTH, &out, err);
        if (!st) {
            st = run(x, i, &in, &second, &out, err);
            enum imf_status unmapped = x->place->unmap(x, &out, st ? NULL : err);
            st = st ? st : unmapped;
        }
        if (held) {
            enum imf_status unmapped = x->place->unmap(x, &second, st ? NULL : err);
            st = st ? st : unmapped;
        }
    }
    enum imf_status unmapped = x->place->unmap(x, &in, st ? NULL : err);
    return st ? st : unmapped;
}
