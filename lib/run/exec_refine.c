/*
 * exec_refine.c - what a device's floats were not precise enough for, again with float64 sums on
 * the host: all of an image, or single pixels
 *
 * A pixel of a chain is what its last pass makes of the pixels that it reads, and so on back to the
 * image.
 */
#include "run/exec_stream.h"

#include "run/executor.h"
#include "solver/edge.h"
#include "solver/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a pixel of a surface takes, in products. */
static double pixel_cost(const struct imf_chain *c, int surface) {
    if (surface < 0)
        return 1;
    const struct imf_pass *pass = &c->passes[surface];
    double cost = pixel_cost(c, pass->source), taps = 0;
    if (pass->kind == IMF_PASS_POINT)
        return cost + (pass->second >= -1 ? pixel_cost(c, pass->second) : 0);
    if (!imf_problem_kernels(&pass->problem))
        return INFINITY;
    for (int i = 0; i < imf_problem_kernels(&pass->problem); i++)
        taps += (double)pass->problem.facts[i].nonzero;
    return taps * cost;
}

static double rows_cost(const struct imf_chain *c, int rows) {
    double taps = 0;
    for (int i = 0; i < c->count; i++) {
        const struct imf_problem *p = &c->passes[i].problem;
        for (int k = 0; c->passes[i].kind == IMF_PASS_CONVOLVE && k < imf_problem_kernels(p); k++)
            taps += (double)p->facts[k].nonzero;
    }
    return taps * c->width * rows;
}

struct source {
    const struct imf_chain *chain;
    const struct imf_surface *in;
    double *linear; /* linear light of every sample value, by each curve, or NULL; owned */
};

static void evaluate(const struct source *s, int surface, int x, int y, double *v);

static void convolve(const struct source *s, const struct imf_pass *pass, int x, int y, double *v) {
    const struct imf_chain *c = s->chain;
    const struct imf_problem *p = &pass->problem;
    const struct imf_epilogue *e = &p->epilogue;
    double sum[2][4] = {{0}, {0}}, sample[4];
    for (int k = 0; k < imf_problem_kernels(p); k++) {
        const struct imf_kernel *kernel = p->kernel[k];
        for (int i = 0; i < kernel->height; i++) {
            const double *taps = kernel->taps + (size_t)i * (size_t)kernel->width;
            int row = imf_edge_index(c->edge, y + i - kernel->cy, c->height);
            for (int j = 0; j < kernel->width; j++) {
                double tap = taps[j];
                if (tap == 0)
                    continue;
                int column = imf_edge_index(c->edge, x + j - kernel->cx, c->width);
                if (column >= 0 && row >= 0)
                    evaluate(s, pass->source, column, row, sample);
                for (int n = 0; n < p->channels; n++)
                    sum[k][n] += tap * (column < 0 || row < 0 ? p->outside[n] : sample[n]);
            }
        }
    }
    for (int n = 0; n < p->channels; n++)
        v[n] = imf_epilogue_apply(e, p->kind == IMF_MAGNITUDE
                                         ? hypot(sum[0][n], sum[1][n]) / fabs(e->scale)
                                         : sum[0][n] / e->scale + e->add);
}

/* The first pass's work, whose curve takes longer than all else. */
static void linearize(const struct source *s, const struct imf_point *p, double *v) {
    struct imf_point rest = *p;
    rest.linearize = false;
    int colors = p->in_channels - p->alpha;
    for (int n = 0; n < colors; n++)
        v[n] = s->linear[(size_t)v[n] +
                         (size_t)imf_curve_of(p->curve, n, colors) * ((size_t)p->full + 1)];
    imf_point_pixel(&rest, v, NULL, 0, 0);
}

static void evaluate(const struct source *s, int surface, int x, int y, double *v) {
    size_t channels = (size_t)s->chain->channels_in;
    if (surface < 0) {
        imf_samples_widen(v, imf_surface_row(s->in, y), s->in->sample,
                          (ptrdiff_t)x * (ptrdiff_t)channels, channels);
        return;
    }
    const struct imf_pass *pass = &s->chain->passes[surface];
    double blurred[4] = {0};
    if (pass->kind == IMF_PASS_CONVOLVE) {
        convolve(s, pass, x, y, v);
        return;
    }
    evaluate(s, pass->source, x, y, v);
    if (pass->second >= -1)
        evaluate(s, pass->second, x, y, blurred);
    if (pass->point.linearize && s->linear)
        linearize(s, &pass->point, v);
    else
        imf_point_pixel(&pass->point, v, blurred, 0, 0);
}

static void tabulate(struct source *s) {
    const struct imf_chain *c = s->chain;
    size_t values = (size_t)c->full + 1, count = values * (size_t)imf_curve_count(c->curve);
    if (!c->passes[0].point.linearize)
        return;
    s->linear = malloc(count * sizeof *s->linear); /* without, it only takes longer */
    for (size_t i = 0; s->linear && i < count; i++)
        s->linear[i] = c->full * imf_curve_to_light(c->curve, (int)(i / values),
                                                    (double)(i % values) / c->full);
}

static void replace(const struct imf_chain *c, const struct imf_surface *in,
                    const struct imf_surface *out, const struct imf_precision *p) {
    struct source s = {c, in, NULL};
    tabulate(&s);
    for (int i = 0; i < p->count; i++) {
        int x = p->list[i] % c->width, y = p->list[i] / c->width;
        double v[4];
        evaluate(&s, c->count - 1, x, y, v);
        for (int k = 0; k < c->channels_out - c->keep_alpha; k++)
            imf_sample_put(imf_surface_row(out, y), out->sample, (ptrdiff_t)x * c->channels_out + k,
                           v[k]);
    }
    free(s.linear);
}

static enum imf_status some_again(struct imf_exec *x, const struct imf_chain *c,
                                  struct imf_error *err) {
    const struct imf_surface *in = imf_exec_map_input(x, err), *out;
    if (!in)
        return IMF_ERR_DEVICE;
    enum imf_status st = IMF_ERR_DEVICE;
    if ((out = imf_exec_edit_output(x, err))) {
        replace(c, in, out, imf_exec_precision(x));
        st = imf_exec_unmap_output(x, err);
    }
    enum imf_status unmapped = imf_exec_unmap_input(x, st ? NULL : err);
    return st ? st : unmapped;
}

static enum imf_status copy_output(struct imf_exec *x, const struct imf_surface *from,
                                   struct imf_error *err) {
    const struct imf_surface *to = imf_exec_edit_output(x, err);
    if (!to)
        return IMF_ERR_DEVICE;
    imf_surface_copy(to, from);
    return imf_exec_unmap_output(x, err);
}

/* A chain whose kernels the host may take apart; the caller frees its passes. */
static enum imf_status take_apart(struct imf_chain *factored, const struct imf_chain *chain,
                                  struct imf_error *err) {
    size_t bytes = (size_t)chain->count * sizeof *chain->passes;
    *factored = *chain;
    if (!(factored->passes = malloc(bytes)))
        return imf_fail_memory(err, bytes);
    memcpy(factored->passes, chain->passes, bytes);
    for (int i = 0; i < chain->count; i++)
        factored->passes[i].problem.factors = true;
    return IMF_OK;
}

/* Are the pixels listed, and few enough to be done one by one? */
static bool pays(const struct imf_precision *p, const struct imf_chain *chain, int rows) {
    return !p->again && p->count * pixel_cost(chain, chain->count - 1) <= rows_cost(chain, rows);
}

static enum imf_status all_again(struct imf_exec *x, const struct imf_chain *chain,
                                 struct imf_error *err) {
    struct imf_chain factored;
    struct imf_exec *host = NULL;
    enum imf_status st = take_apart(&factored, chain, err);
    if (!st)
        st = imf_exec_make_host(&host, &factored, chain->out, err);
    if (!st)
        st = imf_exec_copy_input(x, host, err);
    if (!st)
        st = imf_exec_run(host, err);
    if (!st)
        st = copy_output(x, imf_exec_map_output(host, err), err);
    imf_exec_free(&host);
    free(factored.passes);
    return st;
}

enum imf_status imf_exec_refine(struct imf_exec *x, const struct imf_chain *chain,
                                struct imf_error *err) {
    const struct imf_precision *p = imf_exec_precision(x);
    if (!p->again && !p->list)
        return IMF_OK;
    if (pays(p, chain, chain->height))
        return some_again(x, chain, err);
    return all_again(x, chain, err);
}

/* ---- of a band ------------------------------------------------------------------------------ */

/* Both surfaces begin with the image's row 0; their rows of this band are there. */
static enum imf_status refine_rows(const struct imf_precision *p, const struct imf_chain *chain,
                                   const struct imf_surface *in, int first, int end,
                                   const struct imf_surface *out, int from, int to,
                                   struct imf_error *err) {
    struct imf_chain factored;
    struct imf_exec *host = NULL;
    if (pays(p, chain, to - from)) {
        replace(chain, in, out, p);
        return IMF_OK;
    }
    const struct imf_rows image = {imf_surface_row(in, first),
                                   in->pitch * imf_sample_size(in->sample), first, end - first};
    enum imf_status st = take_apart(&factored, chain, err);
    if (!st)
        st = imf_exec_slice(&host, &factored, NULL, &image, from, to - from, err);
    if (!st) {
        struct imf_surface rows = *out;
        rows.origin += (size_t)from * rows.pitch;
        rows.height = to - from;
        imf_surface_copy(&rows, imf_exec_map_output(host, err));
    }
    imf_exec_free(&host);
    free(factored.passes);
    return st;
}

enum imf_status imf_exec_refine_band(struct imf_exec *x, const struct imf_chain *chain,
                                     struct imf_error *err) {
    const struct imf_precision *p = &x->precision;
    const struct imf_window *made = &x->bands->window[x->chain->count];
    int first = imf_max(x->bands->window[0].kept, 0), end = x->bands->window[0].done;
    if ((!p->again && !p->list) || made->done == made->before)
        return IMF_OK;
    struct imf_surface in = imf_exec_view(x, 0, 0, chain->height);
    struct imf_surface out = imf_exec_view(x, x->chain->count, 0, chain->height);
    enum imf_status st = x->place->map(x, &in, first, end - first, IMF_ACCESS_READ, err);
    if (st)
        return st;
    st = x->place->map(x, &out, made->before, made->done - made->before, IMF_ACCESS_BOTH, err);
    if (!st) {
        st = refine_rows(p, chain, &in, first, end, &out, made->before, made->done, err);
        enum imf_status unmapped = x->place->unmap(x, &out, st ? NULL : err);
        st = st ? st : unmapped;
    }
    enum imf_status unmapped = x->place->unmap(x, &in, st ? NULL : err);
    return st ? st : unmapped;
}
