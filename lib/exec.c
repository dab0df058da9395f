/*
 * exec.c - running a chain: its surfaces, its solvers' jobs, in order
 *
 * surface[0] is the image, surface[i + 1] the output of pass i. A surface's margins are as wide as
 * its widest reader needs and are filled just before the first reader runs.
 */
#include "exec.h"

#include "compose.h"
#include "edge.h"
#include "point.h"

#include <stdlib.h>

struct step {
    const struct imf_solver *solver; /* convolution */
    void *job;
    struct imf_edge_job *edge; /* fills the source's margins first, or NULL */
    struct imf_point_job *point;
};

struct imf_exec {
    const struct imf_chain *chain;
    struct imf_clrt *rt;         /* NULL on the host */
    struct imf_surface *surface; /* chain->count + 1 */
    struct step *step;           /* chain->count */
    struct imf_alpha_job *alpha;
};

/* Lay out the surface behind index i: 0 the image, i > 0 the output of pass i - 1. */
static enum imf_status layout(const struct imf_chain *c, int i, enum imf_sample between,
                              enum imf_sample last, struct imf_surface *s, struct imf_error *err) {
    enum imf_sample sample = i == 0 ? c->in : i == c->count ? last : between;
    int channels = i == 0 ? c->channels_in : c->passes[i - 1].channels_out;
    return imf_surface_layout(s, sample, c->width, c->height, channels, imf_chain_margin(c, i - 1),
                              err);
}

size_t imf_exec_bytes(const struct imf_chain *c, bool device) {
    size_t total = 0;
    for (int i = 0; i <= c->count; i++) {
        struct imf_surface s;
        if (layout(c, i, device ? IMF_F32 : IMF_F64, c->out, &s, NULL) ||
            !imf_size_add(total, imf_surface_bytes(&s), &total))
            return SIZE_MAX;
    }
    return total;
}

static enum imf_status create(struct imf_exec **out, const struct imf_chain *c,
                              enum imf_sample between, enum imf_sample last,
                              struct imf_error *err) {
    struct imf_exec *x = *out = calloc(1, sizeof *x);
    if (!x)
        return imf_fail_memory(err, sizeof *x);
    x->chain = c;
    x->surface = calloc((size_t)c->count + 1, sizeof *x->surface);
    x->step = calloc((size_t)c->count, sizeof *x->step);
    if (!x->surface || !x->step)
        return imf_fail_memory(err, sizeof *x->surface);
    for (int i = 0; i <= c->count; i++) {
        enum imf_status st = layout(c, i, between, last, &x->surface[i], err);
        if (st)
            return st;
    }
    return IMF_OK;
}

/* Whether pass i is the first that reads beyond its source's edge. */
static bool fills_margin(const struct imf_chain *c, int i) {
    if (c->passes[i].kind != IMF_PASS_CONVOLVE)
        return false;
    for (int k = 0; k < i; k++)
        if (c->passes[k].kind == IMF_PASS_CONVOLVE && c->passes[k].source == c->passes[i].source)
            return false;
    struct imf_margin m = imf_chain_margin(c, c->passes[i].source);
    return m.left || m.right || m.top || m.bottom;
}

enum imf_status imf_exec_make_host(struct imf_exec **out, const struct imf_chain *c,
                                   enum imf_sample out_sample, struct imf_error *err) {
    enum imf_status st = create(out, c, IMF_F64, out_sample, err);
    for (int i = 0; i <= c->count && !st; i++)
        st = imf_surface_alloc(&(*out)->surface[i], err);
    for (int i = 0; i < c->count && !st; i++) {
        if (c->passes[i].kind != IMF_PASS_CONVOLVE)
            continue;
        struct step *step = &(*out)->step[i];
        struct imf_problem p = c->passes[i].problem;
        p.in = (*out)->surface[c->passes[i].source + 1].sample;
        p.out = (*out)->surface[i + 1].sample;
        step->solver = &imf_solver_host;
        st = step->solver->make(&step->job, &p, NULL, err);
    }
    if (st && *out)
        imf_exec_free(out);
    return st;
}

static enum imf_status make_step(struct imf_exec *x, int i, const struct imf_solver *solver,
                                 struct imf_error *err) {
    const struct imf_chain *c = x->chain;
    const struct imf_pass *pass = &c->passes[i];
    const struct imf_surface *source = &x->surface[pass->source + 1];
    struct step *step = &x->step[i];
    if (pass->kind == IMF_PASS_POINT)
        return imf_point_make(&step->point, x->rt, &pass->point, source->sample, pass->out,
                              c->height, err);
    enum imf_status st = IMF_OK;
    if (fills_margin(c, i))
        st = imf_edge_make(&step->edge, x->rt, source, source->margin, c->edge, c->edge_value, err);
    step->solver = solver;
    return st ? st : solver->make(&step->job, &pass->problem, x->rt, err);
}

enum imf_status imf_exec_make_device(struct imf_exec **out, const struct imf_chain *c,
                                     const struct imf_solver *const *solver, struct imf_clrt *rt,
                                     struct imf_error *err) {
    enum imf_status st = create(out, c, IMF_F32, c->out, err);
    if (*out)
        (*out)->rt = rt;
    for (int i = 0; i <= c->count && !st; i++) {
        /* The host reads and writes the first and the last; PoCL and integrated GPUs share them. */
        bool host = i == 0 || i == c->count;
        cl_mem mem = NULL;
        struct imf_surface *s = &(*out)->surface[i];
        st = imf_clrt_buffer(rt, CL_MEM_READ_WRITE | (host ? CL_MEM_ALLOC_HOST_PTR : 0),
                             imf_surface_bytes(s), &mem, err);
        s->mem = mem;
    }
    for (int i = 0; i < c->count && !st; i++)
        st = make_step(*out, i, solver[i], err);
    if (!st && c->keep_alpha)
        st = imf_alpha_make(&(*out)->alpha, rt, c, err);
    if (st && *out)
        imf_exec_free(out);
    return st;
}

void imf_exec_free(struct imf_exec **exec) {
    struct imf_exec *x = *exec;
    if (!x)
        return;
    for (int i = 0; x->step && i < x->chain->count; i++) {
        struct step *step = &x->step[i];
        if (step->job)
            step->solver->destroy(&step->job);
        imf_edge_free(&step->edge);
        imf_point_free(&step->point);
    }
    imf_alpha_free(&x->alpha);
    for (int i = 0; x->surface && i <= x->chain->count; i++) {
        if (x->surface[i].mem)
            clReleaseMemObject(x->surface[i].mem);
        if (!x->rt)
            imf_surface_free(&x->surface[i]);
    }
    free(x->surface);
    free(x->step);
    free(x);
    *exec = NULL;
}

static enum imf_status run_host(struct imf_exec *x, struct imf_error *err) {
    const struct imf_chain *c = x->chain;
    for (int i = 0; i < c->count; i++) {
        const struct imf_pass *pass = &c->passes[i];
        const struct imf_surface *in = &x->surface[pass->source + 1];
        if (pass->kind == IMF_PASS_POINT) {
            imf_point_run_host(&pass->point, in,
                               pass->second < -1 ? NULL : &x->surface[pass->second + 1],
                               &x->surface[i + 1]);
            continue;
        }
        if (fills_margin(c, i))
            imf_edge_fill_host(in, in->margin, c->edge, c->edge_value);
        enum imf_status st = x->step[i].solver->run(x->step[i].job, in, &x->surface[i + 1], err);
        if (st)
            return st;
    }
    if (c->keep_alpha)
        imf_alpha_copy_host(&x->surface[0], &x->surface[c->count], c->rescale);
    return IMF_OK;
}

static const struct imf_surface *map(struct imf_exec *x, struct imf_surface *s, cl_map_flags flags,
                                     struct imf_error *err) {
    if (!x->rt)
        return s;
    cl_int code;
    s->host = clEnqueueMapBuffer(imf_clrt_queue(x->rt), s->mem, CL_TRUE, flags, 0,
                                 imf_surface_bytes(s), 0, NULL, NULL, &code);
    if (s->host)
        return s;
    imf_clrt_fail(err, code, "mapping an image");
    return NULL;
}

static enum imf_status unmap(struct imf_exec *x, struct imf_surface *s, struct imf_error *err) {
    if (!x->rt)
        return IMF_OK;
    cl_int code = clEnqueueUnmapMemObject(imf_clrt_queue(x->rt), s->mem, s->host, 0, NULL, NULL);
    s->host = NULL;
    return code ? imf_clrt_fail(err, code, "unmapping an image") : imf_clrt_finish(x->rt, err);
}

/* The rim of a composed pass, by the host in mapped memory. */
static enum imf_status run_rim(struct imf_exec *x, int i, struct imf_error *err) {
    const struct imf_pass *pass = &x->chain->passes[i];
    struct imf_surface *in = &x->surface[pass->source + 1], *out = &x->surface[i + 1];
    if (!map(x, in, CL_MAP_READ, err))
        return IMF_ERR_DEVICE;
    enum imf_status st = map(x, out, CL_MAP_READ | CL_MAP_WRITE, err) ? IMF_OK : IMF_ERR_DEVICE;
    if (!st) {
        st = imf_compose_rim(x->chain, pass, in, out, err);
        enum imf_status unmapped = unmap(x, out, st ? NULL : err);
        st = st ? st : unmapped;
    }
    enum imf_status unmapped = unmap(x, in, st ? NULL : err);
    return st ? st : unmapped;
}

static enum imf_status run_device(struct imf_exec *x, struct imf_error *err) {
    const struct imf_chain *c = x->chain;
    enum imf_status st = IMF_OK;
    for (int i = 0; i < c->count && !st; i++) {
        const struct imf_pass *pass = &c->passes[i];
        const struct imf_surface *in = &x->surface[pass->source + 1];
        struct step *step = &x->step[i];
        if (pass->kind == IMF_PASS_POINT) {
            st = imf_point_run(step->point, in,
                               pass->second < -1 ? NULL : &x->surface[pass->second + 1],
                               &x->surface[i + 1], err);
            continue;
        }
        if (step->edge)
            st = imf_edge_run(step->edge, in, err);
        if (!st)
            st = step->solver->run(step->job, in, &x->surface[i + 1], err);
        if (!st && pass->composition && imf_composition_has_rim(pass->composition))
            st = run_rim(x, i, err);
    }
    if (!st && x->alpha)
        st = imf_alpha_run(x->alpha, &x->surface[0], &x->surface[c->count], err);
    return st ? st : imf_clrt_finish(x->rt, err);
}

enum imf_status imf_exec_run(struct imf_exec *x, struct imf_error *err) {
    return x->rt ? run_device(x, err) : run_host(x, err);
}

const struct imf_surface *imf_exec_map_input(struct imf_exec *x, struct imf_error *err) {
    return map(x, &x->surface[0], CL_MAP_READ | CL_MAP_WRITE, err);
}

enum imf_status imf_exec_unmap_input(struct imf_exec *x, struct imf_error *err) {
    return unmap(x, &x->surface[0], err);
}

const struct imf_surface *imf_exec_map_output(struct imf_exec *x, struct imf_error *err) {
    return map(x, &x->surface[x->chain->count], CL_MAP_READ, err);
}

enum imf_status imf_exec_unmap_output(struct imf_exec *x, struct imf_error *err) {
    return unmap(x, &x->surface[x->chain->count], err);
}
