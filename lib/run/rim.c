/* rim.c - the rim of a composed pass, filtered in two steps on the host */
#include "run/rim.h"

#include "solver/edge.h"

/* The part of a surface that starts at pixel (x, y). */
static struct imf_surface view(const struct imf_surface *s, int x, int y, int width, int height) {
    struct imf_surface v = *s;
    v.origin += (size_t)y * s->pitch + (size_t)x * (size_t)s->channels;
    v.width = width;
    v.height = height;
    return v;
}

static enum imf_status filter(const struct imf_problem *problem, const struct imf_surface *in,
                              const struct imf_surface *out, struct imf_error *err) {
    struct imf_problem p = *problem;
    void *job = NULL;
    p.width = out->width;
    p.height = out->height;
    p.in = in->sample;
    p.out = out->sample;
    struct imf_proposal taken;
    imf_propose_host(&taken, &p);
    enum imf_status st = taken.solver->make(&job, &p, &taken, NULL, err);
    if (!st)
        st = taken.solver->run(job, in, out, err);
    if (job)
        taken.solver->destroy(&job);
    return st;
}

static enum imf_status filter_strip(const struct imf_chain *c, const struct imf_composition *k,
                                    struct imf_rect r, const struct imf_surface *in,
                                    const struct imf_surface *out, struct imf_error *err) {
    struct imf_margin m = k->second.reach;
    struct imf_rect f = imf_rim_source(c->width, c->height, m, r);
    struct imf_surface between;
    enum imf_status st =
        imf_surface_layout(&between, IMF_F64, f.width, f.height, in->channels, m, err);
    if (!st)
        st = imf_surface_alloc(&between, err);
    if (st)
        return st;
    struct imf_surface source = view(in, f.x, f.y, f.width, f.height);
    st = filter(&k->first, &source, &between, err);
    if (!st) {
        imf_edge_fill_host(&between, m, c->edge, k->second.outside);
        struct imf_surface from = view(&between, r.x - f.x, r.y - f.y, r.width, r.height);
        struct imf_surface to = view(out, r.x, r.y, r.width, r.height);
        st = filter(&k->second, &from, &to, err);
    }
    imf_surface_free(&between);
    return st;
}

/* Rows from..to - 1 too. */
static void cover(int *first, int *rows, int from, int to) {
    int end = imf_max(*rows ? *first + *rows : to, to);
    *first = *rows ? imf_min(*first, from) : from;
    *rows = end - *first;
}

struct imf_rim imf_rim_find(const struct imf_chain *c, const struct imf_pass *pass, int from,
                            int to) {
    struct imf_rim rim = {.rows = 0};
    const struct imf_composition *k = pass->composition;
    struct imf_margin before = k->first.reach, m = k->second.reach;
    imf_rim_strips(c->width, c->height, m, rim.strip);
    for (int i = 0; i < 4; i++) {
        struct imf_rect *r = &rim.strip[i];
        int end = imf_min(r->y + r->height, to);
        r->y = imf_max(r->y, from);
        r->height = imf_max(end - r->y, 0);
        if (r->width <= 0 || r->height == 0)
            continue;
        struct imf_rect f = imf_rim_source(c->width, c->height, m, *r);
        cover(&rim.first, &rim.rows, r->y, end);
        cover(&rim.source_first, &rim.source_rows, f.y - before.top,
              f.y + f.height + before.bottom);
    }
    return rim;
}

enum imf_status imf_rim_run(const struct imf_chain *chain, const struct imf_pass *pass,
                            const struct imf_rim *rim, const struct imf_surface *in,
                            const struct imf_surface *out, struct imf_error *err) {
    enum imf_status st = IMF_OK;
    for (int i = 0; i < 4 && !st; i++)
        if (rim->strip[i].width > 0 && rim->strip[i].height > 0)
            st = filter_strip(chain, pass->composition, rim->strip[i], in, out, err);
    return st;
}
