/*
 * clahe_reference.c - contrast-limited adaptive histogram equalization, in plain C
 *
 * clahe.h has the definition. This is the reference: the other solvers count and look up faster, but
 * take maps and arithmetic from there, too, so that all give the same bytes.
 */
#include "device/tuning.h"
#include "solver/common/edge.h"
#include "solver/histogram/clahe.h"
#include "solver/solver.h"

#include <stdlib.h>
#include <string.h>

struct host_job {
    struct imf_problem p;
    struct imf_clahe_grid grid;
    uint16_t *maps; /* owned, as are these: */
    uint32_t *counts;
};

/* Milliseconds: samples * 2 * imf_host_rates.table * 1e-6. */
static void clahe_host_propose(const struct imf_problem *p, const struct imf_device *d,
                               struct imf_proposal *out) {
    struct imf_clahe_grid g;
    size_t bytes;
    (void)d;
    if (!imf_clahe_grid_make(&g, p, &bytes)) {
        imf_proposal_refuse(out, "tiles are too large or too many");
        return;
    }
    out->feasible = true;
    out->error = 0;
    out->ms = (double)p->width * p->height * p->channels * 2 * imf_host_rates.table * 1e-6;
    out->bytes = (double)bytes + g.bins * (double)sizeof(uint32_t);
    out->bands = IMF_BANDS_WHOLE;
    snprintf(out->description, sizeof out->description, "plain C, %dx%d tiles of %dx%d", g.across,
             g.down, g.width, g.height);
}

static void clahe_host_destroy(void **job) {
    struct host_job *j = *job;
    if (j) {
        free(j->maps);
        free(j->counts);
    }
    free(j);
    *job = NULL;
}

static enum imf_status clahe_host_make(void **job, const struct imf_problem *p,
                                       const struct imf_proposal *proposal, struct imf_queue *queue,
                                       struct imf_error *err) {
    struct host_job *j = *job = calloc(1, sizeof *j);
    size_t bytes = 0;
    (void)queue;
    if (j) {
        j->p = *p;
        imf_clahe_grid_make(&j->grid, p, &bytes);
        j->maps = malloc(bytes);
        j->counts = malloc((size_t)j->grid.bins * sizeof *j->counts);
        if (j->maps && j->counts)
            return IMF_OK;
        clahe_host_destroy(job);
    }
    return imf_fail_memory(err, (size_t)proposal->bytes);
}

static int value_at(const struct host_job *j, const struct imf_surface *in, int x, int y, int c) {
    double v = imf_sample_get(imf_surface_row(in, y), in->sample, (ptrdiff_t)x * j->p.channels + c);
    return (int)imf_sample_round(v, j->grid.full);
}

static int luma_at(const struct host_job *j, const struct imf_surface *in, int x, int y) {
    return j->p.colors < 3 ? value_at(j, in, x, y, 0)
                           : imf_clahe_luma(value_at(j, in, x, y, 0), value_at(j, in, x, y, 1),
                                            value_at(j, in, x, y, 2));
}

/* Count the pixels of the tile in column i and row k of the grid. */
static void count(struct host_job *j, const struct imf_surface *in, int i, int k) {
    const struct imf_clahe_grid *g = &j->grid;
    const struct imf_problem *p = &j->p;
    memset(j->counts, 0, (size_t)g->bins * sizeof *j->counts);
    for (int v = k * g->height; v < (k + 1) * g->height; v++)
        for (int u = i * g->width; u < (i + 1) * g->width; u++) {
            int x = imf_edge_index(IMF_EDGE_MIRROR, u, p->width);
            int y = imf_edge_index(IMF_EDGE_MIRROR, v, p->height);
            x = imf_clahe_from(x, p->width, p->clahe->first_x);
            y = imf_clahe_from(y, p->height, p->clahe->first_y);
            if (!p->weigh || value_at(j, in, x, y, p->colors) > 0)
                j->counts[imf_clahe_bin(luma_at(j, in, x, y), g->step)]++;
        }
}

/* The new luma of one at (x, y). */
static int mapped(const struct host_job *j, int luma, int x, int y) {
    const struct imf_clahe_grid *g = &j->grid;
    const struct imf_problem *p = &j->p;
    struct imf_clahe_place px =
        imf_clahe_place(imf_clahe_from(x, p->width, p->clahe->first_x), g->width, g->across);
    struct imf_clahe_place py =
        imf_clahe_place(imf_clahe_from(y, p->height, p->clahe->first_y), g->height, g->down);
    float v[4];
    for (int k = 0; k < 4; k++) {
        int tile = (k < 2 ? py.before : py.behind) * g->across + (k % 2 ? px.behind : px.before);
        const uint16_t *map = j->maps + (size_t)tile * (size_t)g->bins + luma / g->step;
        int rest = luma % g->step;
        v[k] = (float)imf_clahe_between(map[0], map[rest > 0], rest, g->step);
    }
    return imf_clahe_mix(v, px.weight, py.weight, p->clahe->turned, g->full);
}

static enum imf_status clahe_host_run(void *job, const struct imf_surface *in,
                                      const struct imf_surface *out, struct imf_error *err) {
    struct host_job *j = job;
    const struct imf_problem *p = &j->p;
    const struct imf_clahe_grid *g = &j->grid;
    (void)err;
    for (int k = 0; k < g->down; k++)
        for (int i = 0; i < g->across; i++) {
            count(j, in, i, k);
            imf_clahe_map(g, j->counts, j->maps + (size_t)(k * g->across + i) * (size_t)g->bins);
        }
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
    .old_make = clahe_host_make,
    .old_run = clahe_host_run,
    .old_destroy = clahe_host_destroy,
};
