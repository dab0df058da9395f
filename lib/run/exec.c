/*
 * exec.c - running a chain: its surfaces, its solvers' jobs, in order
 *
 * surface[0] is the image, surface[i + 1] the output of pass i. A surface's margins are as wide as
 * its widest reader needs and are filled just before the first reader runs. On a device, passes get
 * views of the rows that a band needs; what a window keeps for the next band moves to its start.
 */
#include "run/exec.h"

#include "plan/bands.h"
#include "plan/layout.h"
#include "run/exec_input.h"
#include "run/point.h"
#include "run/precision.h"
#include "run/rim.h"
#include "solver/edge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct step {
    const struct imf_solver *solver; /* convolution */
    void *job;
    struct imf_edge_job *edge; /* fills the source's margins first, or NULL */
    struct imf_point_job *point;
};

struct imf_exec {
    const struct imf_chain *chain;
    struct imf_clrt *rt;         /* NULL on the host */
    struct imf_bands *bands;     /* NULL on the host */
    struct imf_surface *surface; /* chain->count + 1 */
    struct step *step;           /* chain->count */
    struct imf_alpha_job *alpha;
    struct imf_precision precision;
    struct imf_exec_input input; /* on a device: what surface[0] is made of */
};

static enum imf_status create(struct imf_exec **out, const struct imf_chain *c,
                              struct imf_error *err) {
    struct imf_exec *x = *out = calloc(1, sizeof *x);
    if (!x)
        return imf_fail_memory(err, sizeof *x);
    x->chain = c;
    x->surface = calloc((size_t)c->count + 1, sizeof *x->surface);
    x->step = calloc((size_t)c->count, sizeof *x->step);
    return x->surface && x->step ? IMF_OK : imf_fail_memory(err, sizeof *x->surface);
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
    enum imf_status st = create(out, c, err);
    for (int i = 0; i <= c->count && !st; i++) {
        st = imf_layout(c, NULL, i, out_sample, &(*out)->surface[i], err);
        if (!st)
            st = imf_surface_alloc(&(*out)->surface[i], err);
    }
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
                              c->height, imf_precision_doubt(&x->precision, i), err);
    enum imf_status st = IMF_OK;
    if (fills_margin(c, i)) {
        struct imf_surface image = *source; /* a window stands for all of its rows */
        image.height = c->height;
        st = imf_edge_make(&step->edge, x->rt, &image, imf_chain_margin(c, pass->source), c->edge,
                           pass->problem.outside, err);
    }
    step->solver = solver;
    struct imf_problem p = pass->problem;
    p.height = x->bands->window[i + 1].tallest;
    return st ? st : solver->make(&step->job, &p, x->rt, err);
}

enum imf_status imf_exec_make_device(struct imf_exec **out, const struct imf_chain *c,
                                     const struct imf_solver *const *solver, int advance,
                                     struct imf_clrt *rt, struct imf_error *err) {
    enum imf_status st = create(out, c, err);
    if (*out)
        (*out)->rt = rt;
    if (!st)
        st = imf_bands_plan(&(*out)->bands, c, solver, advance, imf_clrt_device(rt), err);
    for (int i = 0; i <= c->count && !st; i++) {
        /* The host reads the last. */
        cl_mem_flags flags = CL_MEM_READ_WRITE | (i == c->count ? CL_MEM_ALLOC_HOST_PTR : 0);
        cl_mem mem = NULL;
        struct imf_surface *s = &(*out)->surface[i];
        st = imf_layout(c, (*out)->bands, i, c->out, s, err);
        if (!st && i == 0) {
            st = imf_exec_input_make(&(*out)->input, rt, s, err);
            continue;
        }
        if (!st)
            st = imf_clrt_buffer(rt, flags, imf_surface_bytes(s), &mem, err);
        s->mem = mem;
    }
    if (!st)
        (*out)->precision = imf_precision_plan(c, solver, imf_clrt_device(rt));
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
    free(x->precision.list);
    imf_bands_free(&x->bands);
    for (int i = 0; x->surface && i <= x->chain->count; i++) {
        if (x->surface[i].mem)
            clReleaseMemObject(x->surface[i].mem);
        if (!x->rt)
            imf_surface_free(&x->surface[i]);
    }
    imf_exec_input_free(&x->input, x->rt);
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
            imf_edge_fill_host(in, in->margin, c->edge, pass->problem.outside);
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

/* ---- on a device --------------------------------------------------------------------------- */

/* Surface i with the image's row `from` as its row 0; `to` - `from` rows. */
static struct imf_surface view(const struct imf_exec *x, int i, int from, int to) {
    struct imf_surface v = x->surface[i];
    ptrdiff_t rows = (ptrdiff_t)from - x->bands->window[i].kept;
    v.origin += (size_t)(rows * (ptrdiff_t)v.pitch);
    v.height = to - from;
    return v;
}

/* The rim of a composed pass, by the host in mapped memory. */
static enum imf_status run_rim(struct imf_exec *x, int i, struct imf_error *err) {
    const struct imf_pass *pass = &x->chain->passes[i];
    const struct imf_window *made = &x->bands->window[i + 1];
    struct imf_surface *from = &x->surface[pass->source + 1], *to = &x->surface[i + 1];
    if (!map(x, from, CL_MAP_READ, err))
        return IMF_ERR_DEVICE;
    enum imf_status st = map(x, to, CL_MAP_READ | CL_MAP_WRITE, err) ? IMF_OK : IMF_ERR_DEVICE;
    if (!st) {
        struct imf_surface in = view(x, pass->source + 1, 0, x->chain->height);
        struct imf_surface out = view(x, i + 1, 0, x->chain->height);
        st = imf_rim_run(x->chain, pass, &in, &out, made->before, made->done, err);
        enum imf_status unmapped = unmap(x, to, st ? NULL : err);
        st = st ? st : unmapped;
    }
    enum imf_status unmapped = unmap(x, from, st ? NULL : err);
    return st ? st : unmapped;
}

/* Move the rows that a window keeps to its start; a copy must not overlap itself. */
static enum imf_status move(const struct imf_exec *x, int i, struct imf_error *err) {
    const struct imf_surface *s = &x->surface[i];
    const struct imf_window *w = &x->bands->window[i];
    if (!w->rows || !w->moved)
        return IMF_OK;
    size_t row = s->pitch * imf_sample_size(s->sample);
    int count = imf_bands_end(x->bands, i, w->before) - w->kept;
    for (int y = 0; y < count; y += w->moved) {
        int rows = count - y < w->moved ? count - y : w->moved;
        cl_int code = clEnqueueCopyBuffer(imf_clrt_queue(x->rt), s->mem, s->mem,
                                          ((size_t)y + (size_t)w->moved) * row, (size_t)y * row,
                                          (size_t)rows * row, 0, NULL, NULL);
        if (code)
            return imf_clrt_fail(err, code, "moving a window of rows");
    }
    return IMF_OK;
}

/* Make the rows of this band of pass i's output. */
static enum imf_status run_pass(struct imf_exec *x, int i, struct imf_error *err) {
    const struct imf_pass *pass = &x->chain->passes[i];
    const struct imf_window *source = &x->bands->window[pass->source + 1];
    const struct imf_window *made = &x->bands->window[i + 1];
    struct step *step = &x->step[i];
    if (step->edge && source->done > source->before) {
        struct imf_surface fresh = view(x, pass->source + 1, source->before, source->done);
        enum imf_status st = imf_edge_run(step->edge, &fresh, source->before, err);
        if (st)
            return st;
    }
    if (made->done == made->before)
        return IMF_OK;
    struct imf_surface in = view(x, pass->source + 1, made->before, made->done);
    struct imf_surface out = view(x, i + 1, made->before, made->done);
    if (pass->kind == IMF_PASS_POINT) {
        struct imf_surface second = in;
        if (pass->second >= -1)
            second = view(x, pass->second + 1, made->before, made->done);
        return imf_point_run(step->point, &in, &second, &out, made->before, err);
    }
    struct imf_margin m = imf_problem_margin(&pass->problem);
    in.margin.top = m.top;
    in.margin.bottom = m.bottom;
    enum imf_status st = step->solver->run(step->job, &in, &out, err);
    if (!st && pass->composition && pass->composition->rim)
        st = run_rim(x, i, err);
    return st;
}

static enum imf_status run_band(struct imf_exec *x, const struct imf_segment *s,
                                struct imf_error *err) {
    const struct imf_window *output = &x->bands->window[x->chain->count];
    enum imf_status st = IMF_OK;
    for (int i = s->first; i < s->end && !st; i++)
        st = move(x, i + 1, err);
    for (int i = s->first; i < s->end && !st; i++)
        st = run_pass(x, i, err);
    if (st || s->end < x->chain->count || !x->alpha || output->done == output->before)
        return st;
    struct imf_surface in = view(x, 0, output->before, output->done);
    struct imf_surface out = view(x, x->chain->count, output->before, output->done);
    return imf_alpha_run(x->alpha, &in, &out, err);
}

static enum imf_status run_device(struct imf_exec *x, struct imf_error *err) {
    enum imf_status st = IMF_OK;
    for (int k = 0; k < x->bands->count; k++) {
        const struct imf_segment *s = &x->bands->segment[k];
        for (int band = 0; band < s->bands && !st; band++) {
            imf_bands_go(x->bands, s, band);
            st = run_band(x, s, err);
        }
    }
    if (!st)
        st = imf_clrt_finish(x->rt, err);
    const struct imf_precision *p = &x->precision;
    if (!st && p->normalize >= 0)
        st = imf_precision_stretched(&x->precision, x->step[p->normalize].point, err);
    if (!st && p->doubting >= 0)
        st = imf_precision_doubted(&x->precision, x->step[p->doubting].point, err);
    return st;
}

enum imf_status imf_exec_run(struct imf_exec *x, struct imf_error *err) {
    return x->rt ? run_device(x, err) : run_host(x, err);
}

const struct imf_surface *imf_exec_map_input(struct imf_exec *x, struct imf_error *err) {
    struct imf_surface *s = &x->surface[0];
    if (!x->input.pinned)
        return map(x, s, CL_MAP_READ | CL_MAP_WRITE, err);
    s->host = x->input.host;
    return s;
}

enum imf_status imf_exec_unmap_input(struct imf_exec *x, struct imf_error *err) {
    struct imf_surface *s = &x->surface[0];
    if (!x->input.pinned)
        return unmap(x, s, err);
    s->host = NULL;
    return imf_exec_input_send(&x->input, x->rt, s, err);
}

enum imf_status imf_exec_copy_input(struct imf_exec *failed, struct imf_exec *host,
                                    struct imf_error *err) {
    struct imf_surface from = failed->surface[0], *to = &host->surface[0];
    from.host = failed->input.host;
    if (!from.host && !map(failed, &from, CL_MAP_READ, err))
        return IMF_ERR_DEVICE;
    for (int y = 0; y < from.height; y++)
        memcpy(imf_surface_row(to, y), imf_surface_row(&from, y),
               (size_t)from.width * (size_t)from.channels * imf_sample_size(from.sample));
    if (!failed->input.host)
        (void)unmap(failed, &from, NULL); /* it is copied */
    return IMF_OK;
}

const struct imf_surface *imf_exec_map_output(struct imf_exec *x, struct imf_error *err) {
    return map(x, &x->surface[x->chain->count], CL_MAP_READ, err);
}

enum imf_status imf_exec_unmap_output(struct imf_exec *x, struct imf_error *err) {
    return unmap(x, &x->surface[x->chain->count], err);
}

const struct imf_surface *imf_exec_edit_output(struct imf_exec *x, struct imf_error *err) {
    return map(x, &x->surface[x->chain->count], CL_MAP_READ | CL_MAP_WRITE, err);
}

struct imf_precision *imf_exec_precision(struct imf_exec *x) {
    return x->rt ? &x->precision : NULL;
}
