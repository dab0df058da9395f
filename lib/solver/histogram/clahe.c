/* clahe.c - the tiles of adaptive histogram equalization, and the maps that their counts make */
#include "solver/histogram/clahe.h"

#include <math.h>

void imf_clahe_grid_make(struct imf_clahe_grid *g, const struct imf_problem *p) {
    const struct imf_clahe *c = p->clahe;
    bool more = p->width % c->across != 0 || p->height % c->down != 0;
    *g = (struct imf_clahe_grid){.across = c->across,
                                 .down = c->down,
                                 .width = p->width / c->across + more,
                                 .height = p->height / c->down + more,
                                 .full = (int)p->epilogue.full};
    g->bins = imf_min(g->full, 255) + 1;
    g->step = g->full > 255 ? IMF_CLAHE_STEP : 1;
    double pixels = (double)g->width * g->height;
    if (c->limit > 0)
        g->clip = (int)fmin(fmax(c->limit * pixels / g->bins, 1), INT32_MAX);
    g->scale = (float)g->full / (float)pixels;
}

bool imf_clahe_sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    (void)shape;
    struct imf_clahe_grid g;
    size_t bins;
    imf_clahe_grid_make(&g, p);
    return imf_size_mul((size_t)g.across * (size_t)g.down, (size_t)g.bins, &bins) &&
           imf_size_mul(bins, sizeof(uint32_t), &bytes[IMF_CLAHE_COUNTS]) &&
           imf_size_mul(bins, sizeof(uint16_t), &bytes[IMF_CLAHE_MAPS]);
}

enum imf_status imf_clahe_prepare(struct imf_job *job, struct imf_error *err) {
    (void)err;
    imf_clahe_grid_make(job->own, &job->p);
    return IMF_OK;
}

double imf_clahe_map_bytes(const struct imf_clahe_grid *g) {
    return (double)g->across * g->down * g->bins * sizeof(uint16_t);
}

bool imf_clahe_accept(struct imf_proposal *out, const struct imf_problem *p,
                      struct imf_clahe_grid *g) {
    bool plain = out->backend == IMF_BACKEND_CPU;
    imf_clahe_grid_make(g, p);
    if ((double)g->width * g->height > INT32_MAX)
        imf_proposal_refuse(out, "tiles are too large or too many");
    else if (!plain && p->in != IMF_U8 && p->in != IMF_U16)
        imf_proposal_refuse(out, "this takes rounded samples");
    else
        out->feasible = imf_proposal_buffers(out, p);
    out->error = 0;
    out->bands = IMF_BANDS_WHOLE;
    snprintf(out->description, sizeof out->description, "%s%dx%d tiles of %dx%d",
             plain ? "plain C, " : "", g->across, g->down, g->width, g->height);
    return out->feasible;
}

/* Cut counts above the limit, and deal out what was cut. */
static void limit(const struct imf_clahe_grid *g, uint32_t *counts) {
    int over = 0;
    for (int v = 0; v < g->bins; v++)
        if (counts[v] > (uint32_t)g->clip) {
            over += (int)counts[v] - g->clip;
            counts[v] = (uint32_t)g->clip;
        }
    int each = over / g->bins, rest = over % g->bins;
    int apart = imf_max(g->bins / imf_max(rest, 1), 1);
    for (int v = 0; v < g->bins; v++)
        counts[v] += (uint32_t)each;
    for (int i = 0; i < rest; i++)
        counts[i * apart]++;
}

/* Let the counts add up to the tile's pixels. */
static void complete(const struct imf_clahe_grid *g, uint32_t *counts) {
    uint64_t pixels = (uint64_t)g->width * (uint64_t)g->height, all = 0, sum = 0, before = 0;
    for (int v = 0; v < g->bins; v++)
        all += counts[v];
    for (int v = 0; v < g->bins && all < pixels; v++) {
        sum += counts[v];
        uint64_t to = all ? pixels * sum / all : pixels * ((uint64_t)v + 1) / (uint64_t)g->bins;
        counts[v] = (uint32_t)(to - before);
        before = to;
    }
}

void imf_clahe_map(const struct imf_clahe_grid *g, uint32_t *counts, uint16_t *map) {
    int sum = 0;
    complete(g, counts);
    if (g->clip)
        limit(g, counts);
    for (int v = 0; v < g->bins; v++) {
        sum += (int)counts[v];
        float to = (float)sum * g->scale;
        to = to < (float)g->full ? to : (float)g->full;
        map[v] = (uint16_t)(int)(to + 0x1.8p23f - 0x1.8p23f); /* rounds to nearest, ties to even */
    }
}

struct imf_clahe_place imf_clahe_place(int i, int size, int tiles) {
    float at = (float)i * (1.0f / (float)size) - 0.5f, down = floorf(at);
    int before = (int)down;
    return (struct imf_clahe_place){imf_max(before, 0), imf_min(before + 1, tiles - 1), at - down};
}
