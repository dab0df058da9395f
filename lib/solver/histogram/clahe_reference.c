/*
 * clahe_reference.c - contrast-limited adaptive histogram equalization, in plain C
 *
 * clahe.h has the definition. This is the reference: the other solvers count and look up faster, but
 * take maps and arithmetic from there, too, so that all give the same bytes.
 */
#include "device/tuning.h"
#include "solver/common/edge.h"
#include "solver/histogram/clahe.h"

#include <string.h>

/* Counts of one tile, which the next one's take the place of. */
static bool sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    struct imf_clahe_grid g;
    imf_clahe_grid_make(&g, p);
    bool fit = imf_clahe_sizes(p, shape, bytes);
    bytes[IMF_CLAHE_COUNTS] = (size_t)g.bins * sizeof(uint32_t);
    return fit;
}

/* Milliseconds: samples * 2 * imf_host_rates.table * 1e-6. */
static void clahe_host_propose(const struct imf_problem *p, const struct imf_device *d,
                               struct imf_proposal *out) {
    struct imf_clahe_grid g;
    (void)d;
    if (imf_clahe_accept(out, p, &g))
        out->ms = (double)p->width * p->height * p->channels * 2 * imf_host_rates.table * 1e-6;
}

static int value_at(const struct imf_job *j, const struct imf_surface *in, int x, int y, int c) {
    double v = imf_sample_get(imf_surface_row(in, y), in->sample, (ptrdiff_t)x * j->p.channels + c);
    return (int)imf_sample_round(v, j->p.epilogue.full);
}

static int luma_at(const struct imf_job *j, const struct imf_surface *in, int x, int y) {
    return j->p.colors < 3 ? value_at(j, in, x, y, 0)
                           : imf_clahe_luma(value_at(j, in, x, y, 0), value_at(j, in, x, y, 1),
                                            value_at(j, in, x, y, 2));
}

/* The map of the tile in column i and row k of the grid. */
static void make_map(const struct imf_job *j, const struct imf_surface *in, int i, int k) {
    const struct imf_clahe_grid *g = j->own;
    const struct imf_problem *p = &j->p;
    uint32_t *counts = j->memory[IMF_CLAHE_COUNTS];
    memset(counts, 0, (size_t)g->bins * sizeof *counts);
    for (int v = k * g->height; v < (k + 1) * g->height; v++)
        for (int u = i * g->width; u < (i + 1) * g->width; u++) {
            int x = imf_edge_index(IMF_EDGE_MIRROR, u, p->width);
            int y = imf_edge_index(IMF_EDGE_MIRROR, v, p->height);
            x = imf_clahe_from(x, p->width, p->clahe->first_x);
            y = imf_clahe_from(y, p->height, p->clahe->first_y);
            if (!p->weigh || value_at(j, in, x, y, p->colors) > 0)
                counts[imf_clahe_bin(luma_at(j, in, x, y), g->step)]++;
        }
    imf_clahe_map(g, counts, imf_clahe_map_of(j, i, k));
}

/* The new luma of one at (x, y). */
static int mapped(const struct imf_job *j, int luma, int x, int y) {
    const struct imf_clahe_grid *g = j->own;
    const struct imf_problem *p = &j->p;
    struct imf_clahe_place px =
        imf_clahe_place(imf_clahe_from(x, p->width, p->clahe->first_x), g->width, g->across);
    struct imf_clahe_place py =
        imf_clahe_place(imf_clahe_from(y, p->height, p->clahe->first_y), g->height, g->down);
    float v[4];
    for (int k = 0; k < 4; k++) {
        const uint16_t *map =
            imf_clahe_map_of(j, k % 2 ? px.behind : px.before, k < 2 ? py.before : py.behind) +
            luma / g->step;
        int rest = luma % g->step;
        v[k] = (float)imf_clahe_between(map[0], map[rest > 0], rest, g->step);
    }
    return imf_clahe_mix(v, px.weight, py.weight, p->clahe->turned, g->full);
}

static enum imf_status clahe_host_run(struct imf_job *j, const struct imf_surface *in,
                                      const struct imf_surface *out, struct imf_error *err) {
    const struct imf_problem *p = &j->p;
    const struct imf_clahe_grid *g = j->own;
    (void)err;
    for (int k = 0; k < g->down; k++)
        for (int i = 0; i < g->across; i++)
            make_map(j, in, i, k);
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            int luma = luma_at(j, in, x, y), to = mapped(j, luma, x, y), above = 0, below = 0;
            int64_t over, under;
            for (int c = 0; c < p->colors; c++) {
                above = imf_max(above, value_at(j, in, x, y, c) - luma);
                below = imf_max(below, luma - value_at(j, in, x, y, c));
            }
            imf_clahe_shrink(above, below, to, g->full, &over, &under);
            for (int c = 0; c < p->channels; c++) {
                ptrdiff_t at = (ptrdiff_t)x * p->channels + c;
                int off = value_at(j, in, x, y, c) - luma;
                imf_sample_put(
                    imf_surface_row(out, y), out->sample, at,
                    c < p->colors
                        ? imf_epilogue_apply(&p->epilogue, imf_clahe_color(off, to, over, under))
                        : imf_sample_get(imf_surface_row(in, y), in->sample, at));
            }
        }
    return IMF_OK;
}

const struct imf_solver imf_solver_clahe_host = {
    .name = "cpu",
    .backend = IMF_BACKEND_CPU,
    .float64 = true,
    .kinds = 1u << IMF_CLAHE,
    .propose = clahe_host_propose,
    .own = sizeof(struct imf_clahe_grid),
    .sizes = sizes,
    .prepare = imf_clahe_prepare,
    .run = clahe_host_run,
};
