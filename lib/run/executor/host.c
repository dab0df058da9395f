/*
 * host.c - running a chain on the host: the reference, or a path of the host's solvers
 *
 * Surfaces are memory of ours, and between the reference's passes float64.
 */
#include "plan/layout.h"
#include "run/executor/executor.h"
#include "run/executor/host_pass.h"
#include "run/point/point.h"

#include <stdlib.h>
#include <string.h>

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

static enum imf_status finish(struct imf_exec *x, struct imf_error *err) {
    (void)x, (void)err;
    return IMF_OK;
}

static enum imf_status fill(struct imf_exec *x, int i, const struct imf_surface *in, int row,
                            struct imf_error *err) {
    (void)err;
    imf_exec_fill_host(x, i, in, row);
    return IMF_OK;
}

static enum imf_status point(struct imf_exec *x, int i, const struct imf_surface *in,
                             const struct imf_surface *second, const struct imf_surface *out,
                             int row, struct imf_error *err) {
    (void)row, (void)err;
    imf_exec_point_host(x, i, in, second, out);
    return IMF_OK;
}

static enum imf_status copy_alpha(struct imf_exec *x, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err) {
    (void)err;
    imf_alpha_copy_host(in, out, x->chain->rescale);
    return IMF_OK;
}

static enum imf_status move(struct imf_exec *x, int i, int from, int to, int count,
                            struct imf_error *err) {
    const struct imf_surface *s = &x->surface[i];
    size_t row = s->pitch * imf_sample_size(s->sample);
    (void)err;
    memcpy((char *)s->host + (size_t)to * row, (const char *)s->host + (size_t)from * row,
           (size_t)count * row);
    return IMF_OK;
}

static void *storage(struct imf_exec *x, int which) {
    return x->stream->in[which].host;
}

static void *lend(struct imf_exec *x, int which, struct imf_error *err) {
    (void)err;
    return storage(x, which);
}

static enum imf_status take(struct imf_exec *x, int which, int first, int count,
                            struct imf_error *err) {
    (void)x, (void)which, (void)first, (void)count, (void)err;
    return IMF_OK;
}

static enum imf_status carry(struct imf_exec *x, int which, int from, int count,
                             struct imf_error *err) {
    const struct imf_surface *s = x->stream->in;
    size_t row = s->pitch * imf_sample_size(s->sample);
    (void)err;
    memcpy(s[which].host, (const char *)s[!which].host + (size_t)from * row, (size_t)count * row);
    return IMF_OK;
}

static enum imf_status fetch(struct imf_exec *x, int which, struct imf_surface *s, int count,
                             struct imf_error *err) {
    (void)x, (void)which, (void)s, (void)count, (void)err;
    return IMF_OK;
}

static enum imf_status release(struct imf_exec *x, int which, struct imf_surface *s,
                               struct imf_error *err) {
    (void)x, (void)which, (void)s, (void)err;
    return IMF_OK;
}

static enum imf_status settle(struct imf_exec *x, int which, struct imf_report *r,
                              struct imf_error *err) {
    (void)x, (void)which, (void)r, (void)err;
    return IMF_OK;
}

static void destroy(struct imf_exec *x) {
    if (x->surface)
        x->surface[0].host = x->surface[x->chain->count].host = NULL; /* the stream's */
    for (int k = 0; x->stream && k < IMF_ENDS; k++) {
        imf_surface_free(&x->stream->in[k]);
        imf_surface_free(&x->stream->out[k]);
    }
    for (int i = 0; x->surface && i <= x->chain->count; i++)
        imf_surface_free(&x->surface[i]);
    free(x->surface);
    free(x);
}

static const struct imf_executor host = {.map = map,
                                         .unmap = unmap,
                                         .move = move,
                                         .lend = lend,
                                         .take = take,
                                         .carry = carry,
                                         .host = storage,
                                         .fetch = fetch,
                                         .release = release,
                                         .settle = settle,
                                         .fill = fill,
                                         .point = point,
                                         .copy_alpha = copy_alpha,
                                         .finish = finish,
                                         .destroy = destroy};

/* How a chain is run: by what, to which samples, in which bands. */
struct way {
    const struct imf_path *path; /* NULL: by the reference */
    enum imf_sample last;
    const struct imf_bands_form *form; /* NULL: all at once, or */
    int from, to;                      /* if to > 0 these rows of the result */
};

static bool is_float64(const struct way *way) {
    return !way->path || way->path->float64;
}

/* How the reference does pass i. */
static enum imf_status propose(const struct imf_chain *c, int i, enum imf_sample last,
                               struct imf_proposal *taken, struct imf_error *err) {
    const struct imf_pass *pass = &c->passes[i];
    struct imf_problem p = pass->problem;
    *taken = (struct imf_proposal){.backend = IMF_BACKEND_CPU, .feasible = true, .step = 1};
    if (pass->kind != IMF_PASS_CONVOLVE)
        return IMF_OK;
    p.in = imf_chain_sample(c, pass->source + 1, true);
    p.out = i + 1 < c->count ? IMF_F64 : last;
    imf_propose_host(taken, &p);
    return taken->feasible ? IMF_OK : imf_fail(err, IMF_ERR_LIMIT, "%s", taken->why);
}

static enum imf_status make_step(struct imf_exec *x, int i, const struct imf_proposal *taken,
                                 struct imf_error *err) {
    const struct imf_pass *pass = &x->chain->passes[i];
    struct imf_problem p = pass->problem;
    p.in = x->surface[pass->source + 1].sample;
    p.out = x->surface[i + 1].sample;
    if (pass->kind == IMF_PASS_POINT)
        return imf_exec_make_host_point(x, i, taken, err);
    x->step[i].solver = taken->solver;
    return taken->solver->make(&x->step[i].job, &p, taken, NULL, err);
}

static enum imf_status make_surface(struct imf_exec *x, int i, enum imf_sample last,
                                    struct imf_error *err) {
    enum imf_status st = imf_layout(x->bands, i, last, &x->surface[i], err);
    if (st || (i > 0 && i < x->chain->count))
        return st ? st : imf_surface_alloc(&x->surface[i], err);
    for (int k = 0; k < x->stream->storages && !st; k++) {
        struct imf_surface *s = i ? &x->stream->out[k] : &x->stream->in[k];
        *s = x->surface[i];
        st = imf_surface_alloc(s, err);
    }
    return st;
}

static enum imf_status make_bands(struct imf_exec *x, const struct imf_proposal *taken,
                                  const struct way *way, struct imf_error *err) {
    enum imf_status st = way->form
                             ? imf_bands_plan(&x->bands, x->chain, taken, *way->form, NULL, err)
                         : way->to ? imf_bands_slice(&x->bands, x->chain, way->from, way->to, err)
                                   : imf_bands_whole(&x->bands, x->chain, err);
    if (!st)
        x->bands->host = is_float64(way);
    return st;
}

static enum imf_status make(struct imf_exec **out, const struct imf_chain *c, const struct way *way,
                            struct imf_error *err) {
    struct imf_exec *x = *out = calloc(1, sizeof *x);
    struct imf_proposal *taken = calloc((size_t)c->count, sizeof *taken);
    enum imf_status st = x && taken ? IMF_OK : imf_fail_memory(err, sizeof *x);
    if (!st)
        st = imf_exec_init(x, &host, c, err);
    if (!st && way->path)
        memcpy(taken, way->path->taken, (size_t)c->count * sizeof *taken);
    for (int i = 0; i < c->count && !st && !way->path; i++)
        st = propose(c, i, way->last, &taken[i], err);
    if (!st)
        st = make_bands(x, taken, way, err);
    if (!st)
        st = imf_exec_stream_open(x, err);
    for (int i = 0; i <= c->count && !st; i++)
        st = make_surface(x, i, way->last, err);
    for (int i = 0; i < c->count && !st; i++)
        st = make_step(x, i, &taken[i], err);
    free(taken);
    if (st && x && !x->place) {
        free(x);
        *out = NULL;
    }
    if (st)
        imf_exec_free(out);
    return st;
}

enum imf_status imf_exec_make_host(struct imf_exec **out, const struct imf_chain *c,
                                   enum imf_sample out_sample, struct imf_error *err) {
    const struct way way = {.last = out_sample};
    return make(out, c, &way, err);
}

enum imf_status imf_exec_make_host_bands(struct imf_exec **out, const struct imf_chain *c,
                                         const struct imf_path *path, struct imf_bands_form form,
                                         struct imf_error *err) {
    form.floats = !path->float64;
    const struct way way = {.path = path, .last = c->out, .form = &form};
    return make(out, c, &way, err);
}

enum imf_status imf_exec_make_slice(struct imf_exec **out, const struct imf_chain *c,
                                    const struct imf_path *path, int from, int to,
                                    struct imf_error *err) {
    const struct way way = {.path = path, .last = c->out, .from = from, .to = to};
    return make(out, c, &way, err);
}
