/* compose.c - two convolutions in a row as one */
#include "plan/compose.h"

#include "device/tuning.h"

#include <math.h>
#include <stdlib.h>

/* Equal to its own mirror image in both directions, about its origin. */
static bool mirrors(const struct imf_kernel *k) {
    if (k->width != 2 * k->cx + 1 || k->height != 2 * k->cy + 1)
        return false;
    for (int y = 0; y < k->height; y++)
        for (int x = 0; x < k->width; x++) {
            const double *rows = k->taps;
            size_t w = (size_t)k->width, at = (size_t)y * w + (size_t)x;
            if (rows[at] != rows[(size_t)y * w + (w - 1 - (size_t)x)] ||
                rows[at] != rows[((size_t)k->height - 1 - (size_t)y) * w + (size_t)x])
                return false;
        }
    return true;
}

static bool commutes(enum imf_edge edge, const struct imf_kernel *first) {
    return edge == IMF_EDGE_WRAP ||
           ((edge == IMF_EDGE_REFLECT || edge == IMF_EDGE_MIRROR) && mirrors(first));
}

/* Pass i + 1 convolves pass i's response, which is a plain sum over its scale and read by nothing
 * else. */
static bool candidates(const struct imf_chain *c, int i) {
    if (i + 1 >= c->count)
        return false;
    const struct imf_pass *a = &c->passes[i], *b = &c->passes[i + 1];
    if (a->kind != IMF_PASS_CONVOLVE || b->kind != IMF_PASS_CONVOLVE || b->source != i)
        return false;
    for (int k = i + 2; k < c->count; k++)
        if (c->passes[k].source == i || c->passes[k].second == i)
            return false;
    const struct imf_problem *p = &a->problem, *q = &b->problem;
    const struct imf_epilogue *e = &p->epilogue;
    if (p->kind != IMF_CONVOLUTION || !imf_problem_kernels(q) || q->kind == IMF_PHASE ||
        e->add != 0 || e->absolute || e->multiply != 1 || e->offset != 0 || e->threshold)
        return false;
    struct imf_margin m = q->reach;
    return c->width >= 4 * (m.left + m.right + 1) && c->height >= 4 * (m.top + m.bottom + 1) &&
           p->kernel[0]->width + q->kernel[0]->width - 1 <= IMF_KERNEL_MAX &&
           p->kernel[0]->height + q->kernel[0]->height - 1 <= IMF_KERNEL_MAX;
}

/* A copy of k without its bias, which the problem's epilogue holds already. */
static enum imf_status unbiased(struct imf_kernel **out, const struct imf_kernel *k,
                                struct imf_error *err) {
    enum imf_status st = imf_kernel_copy(out, k, err);
    if (!st)
        (*out)->bias = 0;
    return st;
}

/* The composed problem; NULL in *out on failure. */
static enum imf_status compose(struct imf_composition **out, const struct imf_chain *c, int i,
                               struct imf_problem *composed, struct imf_error *err) {
    const struct imf_problem *p = &c->passes[i].problem, *q = &c->passes[i + 1].problem;
    struct imf_composition *k = *out = calloc(1, sizeof *k);
    if (!k)
        return imf_fail_memory(err, sizeof *k);
    k->first = *p;
    k->second = *q;
    k->rim = !commutes(c->edge, p->kernel[0]);
    enum imf_status st = IMF_OK;
    for (int j = 0; j < imf_problem_kernels(q) && !st; j++) {
        struct imf_kernel *a = NULL, *b = NULL;
        st = unbiased(&a, p->kernel[0], err);
        if (!st)
            st = unbiased(&b, q->kernel[j], err);
        if (!st)
            st = imf_kernel_compose(&k->kernel[j], a, b, err);
        imf_kernel_free(&a);
        imf_kernel_free(&b);
    }
    *composed = *q;
    composed->in = p->in;
    composed->in_max = p->in_max;
    composed->exact = p->exact && q->exact && fabs(p->epilogue.scale) == 1;
    composed->epilogue.scale = p->epilogue.scale * q->epilogue.scale;
    composed->tolerance = p->tolerance + q->tolerance;
    composed->tolerance_even = p->tolerance_even + q->tolerance_even;
    if (st)
        imf_composition_free(out);
    else if (q->kind == IMF_MAGNITUDE)
        imf_problem_magnitude(composed, k->kernel[0], k->kernel[1]);
    else
        imf_problem_convolve(composed, k->kernel[0]);
    return st;
}

static double host_cost(const struct imf_problem *problem, struct imf_rect r) {
    struct imf_problem p = *problem;
    struct imf_proposal host;
    p.width = r.width;
    p.height = r.height;
    imf_propose_host(&host, &p);
    return host.ms;
}

/* Milliseconds for the rim of q applied to p's response. */
static double rim_cost(const struct imf_chain *c, const struct imf_problem *p,
                       const struct imf_problem *q) {
    struct imf_margin m = q->reach;
    struct imf_rect r[4];
    double ms = 0;
    if (commutes(c->edge, p->kernel[0]))
        return 0;
    imf_rim_strips(c->width, c->height, m, r);
    for (int i = 0; i < 4; i++)
        if (r[i].width > 0 && r[i].height > 0)
            ms += host_cost(p, imf_rim_source(c->width, c->height, m, r[i])) + host_cost(q, r[i]);
    return ms;
}

/* The part of the work that deciding how to do it may take. */
#define PLANNING 0.02

/* Compose pass i and the one behind it if that is the cheaper way; *out is NULL where it is not. */
static enum imf_status compose_if_cheaper(struct imf_composition **out, const struct imf_chain *c,
                                          int i, const struct imf_prices *prices,
                                          struct imf_problem *composed, struct imf_error *err) {
    *out = NULL;
    if (!candidates(c, i))
        return IMF_OK;
    const struct imf_problem *p = &c->passes[i].problem, *q = &c->passes[i + 1].problem;
    double apart = prices->pass(prices->context, i) + prices->pass(prices->context, i + 1);
    double together = rim_cost(c, p, q), work = 0;
    if (together >= apart)
        return IMF_OK;
    for (int j = 0; j < imf_problem_kernels(q); j++)
        work += imf_kernel_compose_work(p->kernel[0], &p->facts[0], q->kernel[j], &q->facts[j]);
    if (work * imf_host_rates.compose * 1e-6 > PLANNING * apart)
        return IMF_OK;
    enum imf_status st = compose(out, c, i, composed, err);
    if (!st && together + prices->problem(prices->context, composed) >= apart)
        imf_composition_free(out);
    return st;
}

/* No response of a composed kernel is above this: less than what both could do in turn. */
static double largest(const struct imf_problem *p) {
    const struct imf_epilogue *e = &p->epilogue;
    double sum = 0;
    for (int i = 0; i < imf_problem_kernels(p); i++)
        sum = hypot(sum, p->facts[i].abs_sum);
    double v = p->in_max * sum / fabs(e->scale) + fabs(e->add);
    return e->threshold ? e->full : fabs(e->multiply) * v + fabs(e->offset);
}

enum imf_status imf_chain_compose(struct imf_chain **out, const struct imf_chain *chain,
                                  const struct imf_prices *prices, struct imf_error *err) {
    *out = NULL;
    int saved = 0;
    struct imf_chain *c = malloc(sizeof *c);
    int *moved = calloc((size_t)chain->count, sizeof *moved); /* where each pass went */
    if (c) {
        *c = *chain;
        c->curve = imf_curve_keep(chain->curve);
        c->passes = calloc((size_t)chain->count, sizeof *c->passes);
        c->count = 0;
    }
    enum imf_status st = c && c->passes && moved ? IMF_OK : imf_fail_memory(err, sizeof *c);
    for (int i = 0; i < chain->count && !st; i++) {
        struct imf_pass *to = &c->passes[c->count];
        *to = chain->passes[i];
        struct imf_problem composed;
        struct imf_composition *k = NULL;
        st = compose_if_cheaper(&k, chain, i, prices, &composed, err);
        if (k) {
            moved[i] = c->count;
            to->problem = composed;
            to->out = chain->passes[++i].out;
            to->channels_out = chain->passes[i].channels_out;
            to->bound = fmin(chain->passes[i].bound, largest(&composed));
            to->whole = chain->passes[i].whole;
            to->whole_if_opaque = chain->passes[i].whole_if_opaque;
            to->composition = k;
            saved++;
        }
        to->source = to->source < 0 ? to->source : moved[to->source];
        to->second = to->second < 0 ? to->second : moved[to->second];
        if (to->kind == IMF_PASS_CONVOLVE && to->source >= 0)
            to->problem.in_max = fmin(to->problem.in_max, c->passes[to->source].bound);
        moved[i] = c->count++;
    }
    free(moved);
    if (st || !saved)
        imf_chain_free(&c);
    else
        imf_chain_settle(c);
    *out = c;
    return st;
}
