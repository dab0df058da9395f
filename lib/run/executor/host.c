/*
 * host.c - running a chain on the host: the reference, or a path of the host's solvers
 *
 * The reference stores float64 between passes.
 */
#include "plan/layout.h"
#include "plan/lowering/operations.h"
#include "plan/reference.h"
#include "run/executor/host_pass.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum imf_status fill_margin(struct imf_exec *x, int i, const struct imf_surface *in, int row,
                                   struct imf_error *err) {
    (void)err;
    imf_exec_fill_host(x, i, in, row);
    return IMF_OK;
}

static enum imf_status run_point(struct imf_exec *x, int i, const struct imf_point_io *io,
                                 struct imf_error *err) {
    (void)err;
    imf_exec_point_host(x, i, io);
    return IMF_OK;
}

static enum imf_status copy_alpha(struct imf_exec *x, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err) {
    (void)err;
    imf_alpha_copy_host(in, out, x->chain->rescale);
    return IMF_OK;
}

static enum imf_status move_rows(struct imf_exec *x, int i, int from, int to, int count,
                                 struct imf_error *err) {
    const struct imf_surface *s = &x->surface[i];
    size_t row = s->pitch * imf_sample_size(s->sample);
    (void)err;
    memcpy((char *)s->host + (size_t)to * row, (const char *)s->host + (size_t)from * row,
           (size_t)count * row);
    return IMF_OK;
}

static void destroy(struct imf_exec *x) {
    if (x->surface) /* these two are among x->in and x->out */
        x->surface[0].host = x->surface[x->chain->count].host = NULL;
    for (int k = 0; k < IMF_EXEC_SLOTS; k++) {
        imf_surface_free(&x->in[k]);
        imf_surface_free(&x->out[k]);
    }
    for (int i = 0; x->surface && i <= x->chain->count; i++)
        imf_surface_free(&x->surface[i]);
    free(x->surface);
    free(x);
}

static const struct imf_exec_ops host = {.move_rows = move_rows,
                                         .fill_margin = fill_margin,
                                         .run_point = run_point,
                                         .copy_alpha = copy_alpha,
                                         .destroy = destroy};

/* What the executor is made for. */
struct request {
    const struct imf_path *path;       /* NULL: the reference */
    enum imf_sample last;              /* the result's samples */
    const struct imf_bands_form *form; /* NULL: one band, */
    int from, to;                      /* of these rows of the result if to > 0 */
};

static bool is_float64(const struct request *r) {
    return !r->path || r->path->float64;
}

static enum imf_status make_step(struct imf_exec *x, int i, const struct imf_proposal *chosen,
                                 struct imf_error *err) {
    const struct imf_pass *pass = &x->chain->passes[i];
    struct imf_problem p = pass->problem;
    p.in = x->surface[pass->source + 1].sample;
    p.out = x->surface[i + 1].sample;
    if (pass->kind == IMF_PASS_POINT)
        return imf_exec_make_host_point(x, i, chosen, err);
    return imf_job_make(&x->step[i].job, &p, chosen, NULL, err);
}

static enum imf_status make_surface(struct imf_exec *x, int i, enum imf_sample last,
                                    struct imf_error *err) {
    enum imf_status st = imf_layout(x->bands, i, last, &x->surface[i], err);
    if (st || (i > 0 && i < x->chain->count))
        return st ? st : imf_surface_alloc(&x->surface[i], err);
    for (int k = 0; k < x->slots && !st; k++) {
        struct imf_surface *s = i ? &x->out[k] : &x->in[k];
        *s = x->surface[i];
        st = imf_surface_alloc(s, err);
        x->host_input[k] = x->in[k].host;
    }
    return st;
}

static enum imf_status make_bands(struct imf_exec *x, const struct imf_proposal *chosen,
                                  const struct request *r, struct imf_error *err) {
    enum imf_status st = r->form ? imf_bands_plan(&x->bands, x->chain, chosen, *r->form, NULL, err)
                         : r->to ? imf_bands_slice(&x->bands, x->chain, r->from, r->to, err)
                                 : imf_bands_whole(&x->bands, x->chain, err);
    if (!st)
        x->bands->float64 = is_float64(r);
    return st;
}

static enum imf_status make(struct imf_exec **out, const struct imf_chain *c,
                            const struct request *r, struct imf_error *err) {
    struct imf_exec *x = *out = calloc(1, sizeof *x);
    struct imf_proposal *chosen = calloc((size_t)c->count, sizeof *chosen);
    enum imf_status st = x && chosen ? IMF_OK : imf_fail_memory(err, sizeof *x);
    if (!st)
        st = imf_exec_init(x, &host, c, err);
    if (!st && r->path)
        memcpy(chosen, r->path->chosen, (size_t)c->count * sizeof *chosen);
    for (int i = 0; i < c->count && !st && !r->path; i++)
        st = imf_reference_propose(c, i, r->last, &chosen[i], err);
    if (!st)
        st = make_bands(x, chosen, r, err);
    if (!st)
        st = imf_exec_init_bands(x, err);
    for (int i = 0; i <= c->count && !st; i++)
        st = make_surface(x, i, r->last, err);
    for (int i = 0; i < c->count && !st; i++)
        st = make_step(x, i, &chosen[i], err);
    free(chosen);
    if (st && x && !x->ops) {
        free(x);
        *out = NULL;
    }
    if (st)
        imf_exec_free(out);
    return st;
}

enum imf_status imf_exec_make_host(struct imf_exec **out, const struct imf_chain *c,
                                   enum imf_sample out_sample, struct imf_error *err) {
    const struct request r = {.last = out_sample};
    return make(out, c, &r, err);
}

void imf_exec_set_watch(struct imf_exec *x, struct imf_exec_watch watch) {
    x->watch = watch;
}

void imf_exec_compared(const struct imf_exec *x, int i, int steps, const struct imf_surface *out) {
    const struct imf_pass *pass = &x->chain->passes[i];
    struct imf_point p = pass->point;
    const struct imf_surface *second = pass->second >= -1 ? &x->surface[pass->second + 1] : NULL;
    const struct imf_point_io io = {&x->surface[pass->source + 1], second, out, 0};
    p.count = steps;
    imf_point_run_host(&p, &io);
}

double imf_exec_stretch(const struct imf_exec *x, int passes, double near) {
    double factor = 1, low, high;
    for (int i = 0; i < passes; i++) {
        const struct imf_point *p = &x->chain->passes[i].point;
        const struct imf_operation *stretch = imf_point_find(p, IMF_NORMALIZE);
        if (!stretch)
            continue;
        imf_point_range(p, &x->surface[x->chain->passes[i].source + 1], &low, &high);
        if (!stretch->normalize.whole && fabs(high - low - stretch->normalize.flat) <= near)
            return INFINITY;
        if (high - low >= stretch->normalize.flat)
            factor = fmax(factor, p->full / (high - low));
    }
    return factor;
}

enum imf_status imf_exec_make_host_bands(struct imf_exec **out, const struct imf_chain *c,
                                         const struct imf_path *path, struct imf_bands_form form,
                                         struct imf_error *err) {
    form.float64 = path->float64;
    const struct request r = {.path = path, .last = c->out, .form = &form};
    return make(out, c, &r, err);
}

enum imf_status imf_exec_make_slice(struct imf_exec **out, const struct imf_chain *c,
                                    const struct imf_path *path, int first, int count,
                                    struct imf_error *err) {
    const struct request r = {.path = path, .last = c->out, .from = first, .to = first + count};
    return make(out, c, &r, err);
}
