/* rim.c - the rim of a composed pass, filtered in two steps by the reference solver */
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
    enum imf_status st = imf_solver_host.make(&job, &p, NULL, err);
    if (!st)
        st = imf_solver_host.run(job, in, out, err);
    if (job)
        imf_solver_host.destroy(&job);
    return st;
}

static enum imf_status filter_strip(const struct imf_chain *c, const struct imf_composition *k,
                                    struct imf_rect r, const struct imf_surface *in,
                                    const struct imf_surface *out, struct imf_error *err) {
    struct imf_margin m = imf_problem_margin(&k->second);
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

enum imf_status imf_rim_run(const struct imf_chain *chain, const struct imf_pass *pass,
                            const struct imf_surface *in, const struct imf_surface *out, int from,
                            int to, struct imf_error *err) {
    struct imf_rect r[4];
    enum imf_status st = IMF_OK;
    struct imf_margin m = imf_problem_margin(&pass->composition->second);
    imf_rim_strips(chain->width, chain->height, m, r);
    for (int i = 0; i < 4 && !st; i++) {
        int end = imf_min(r[i].y + r[i].height, to);
        r[i].y = imf_max(r[i].y, from);
        r[i].height = end - r[i].y;
        if (r[i].width > 0 && r[i].height > 0)
            st = filter_strip(chain, pass->composition, r[i], in, out, err);
    }
    return st;
}
