/*
 * clahe_device.c - contrast-limited adaptive histogram equalization on a device (cl/clahe.cl)
 *
 * The device counts and looks up; in between the host fetches the counts and makes the maps
 * (clahe.c), so that all devices give the same bytes.
 */
#include "device/tuning.h"
#include "solver/histogram/clahe.h"

#include <stdlib.h>

enum { COUNT, LOOK_UP }; /* programs */

/* Milliseconds: two launches + (pixels * clahe + bytes of maps * clahe_map) * 1e-6 / units. */
static void clahe_device_propose(const struct imf_problem *p, const struct imf_device *d,
                                 struct imf_proposal *out) {
    const struct imf_tuning *t = imf_tuning(d);
    struct imf_clahe_grid g;
    if (!imf_clahe_accept(out, p, &g))
        return;
    out->ms = 2 * t->launch_ms + ((double)p->width * p->height * t->filters.clahe +
                                  imf_clahe_map_bytes(&g) * t->filters.clahe_map) *
                                     1e-6 / imf_tuning_units(d);
    out->local = (size_t)g.bins * sizeof(uint32_t);
    out->bytes *= 2; /* counts and maps, there and here */
}

/* Work-groups that count a tile. */
static int slices_of(const struct imf_job *job) {
    const struct imf_device *d = imf_queue_device(job->queue);
    const struct imf_clahe *c = job->p.clahe;
    struct imf_clahe_grid g;
    imf_clahe_grid_make(&g, &job->p);
    int units = (int)(d->compute_units ? d->compute_units : 1);
    int groups = (int)(imf_tuning(d)->groups_per_unit * units);
    return imf_min(imf_max(groups / (c->across * c->down), 1), g.height);
}

static void define(struct imf_defines *d, const struct imf_job *job) {
    const struct imf_problem *p = &job->p;
    struct imf_clahe_grid g;
    imf_clahe_grid_make(&g, p);
    imf_define(d, "COLORS", "%d", p->colors);
    imf_define(d, "WEIGH", "%d", p->weigh);
    imf_define(d, "FULL", "%d", g.full);
    imf_define(d, "BINS", "%d", g.bins);
    imf_define(d, "STEP", "%d", g.step);
    imf_define(d, "GROUP", "%zu", imf_tuning_group(imf_queue_device(job->queue)));
    imf_define(d, "SLICES", "%d", slices_of(job));
    imf_define(d, "ACROSS", "%d", g.across);
    imf_define(d, "DOWN", "%d", g.down);
    imf_define(d, "TILE_WIDTH", "%d", g.width);
    imf_define(d, "TILE_HEIGHT", "%d", g.height);
    imf_define_float(d, "INVERSE_WIDTH", (double)(1.0f / (float)g.width));
    imf_define_float(d, "INVERSE_HEIGHT", (double)(1.0f / (float)g.height));
    imf_define(d, "FROM_RIGHT", "%d", p->clahe->first_x < 0);
    imf_define(d, "FROM_BOTTOM", "%d", p->clahe->first_y < 0);
    imf_define(d, "TURNED", "%d", p->clahe->turned);
}

static enum imf_status clahe_device_run(struct imf_job *job, const struct imf_surface *in,
                                        const struct imf_surface *out, struct imf_error *err) {
    const struct imf_clahe_grid *g = job->own;
    struct imf_queue *queue = job->queue;
    struct imf_buffer *counts = job->buffer[IMF_CLAHE_COUNTS], *maps = job->buffer[IMF_CLAHE_MAPS];
    size_t tiles = (size_t)g->across * (size_t)g->down, bins = (size_t)g->bins, all = tiles * bins;
    const struct imf_grid grid = {1, tiles * (size_t)slices_of(job),
                                  imf_tuning_group(imf_queue_device(queue))};
    const struct imf_arg width = imf_arg_int(in->width), height = imf_arg_int(in->height);
    uint32_t *counted = malloc(all * (sizeof *counted + sizeof(uint16_t)));
    uint16_t *mapped = counted ? (uint16_t *)(counted + all) : NULL;
    enum imf_status st = counted ? imf_buffer_clear(queue, counts, 0, all * sizeof *counted, err)
                                 : imf_fail_memory(err, all * sizeof *counted);
    st = imf_job_then(st, job, COUNT, grid, err, IMF_ARG_SURFACE(in), width, height,
                      imf_arg_buffer(counts));
    if (!st)
        st = imf_buffer_download(queue, counts, 0, counted, all * sizeof *counted, err);
    for (size_t i = 0; i < tiles && !st; i++)
        imf_clahe_map(g, counted + i * bins, mapped + i * bins);
    if (!st)
        st = imf_buffer_upload(queue, maps, 0, mapped, all * sizeof *mapped, err);
    free(counted);
    return imf_job_then(st, job, LOOK_UP, imf_job_grid(job, (size_t)in->width, (size_t)out->height),
                        err, IMF_ARG_SURFACE(in), IMF_ARG_SURFACE(out), width, height,
                        imf_arg_buffer(maps));
}

const struct imf_solver imf_solver_clahe_device = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .kinds = 1u << IMF_CLAHE,
    .propose = clahe_device_propose,
    .own = sizeof(struct imf_clahe_grid),
    .program = "clahe",
    .parts = (const char *const[]){"common.cl", NULL},
    .entries = (const char *const[]){"clahe_count", "clahe_look_up", NULL},
    .floats = true, /* they hold a sample and its epilogue exactly */
    .define = define,
    .sizes = imf_clahe_sizes,
    .prepare = imf_clahe_prepare,
    .run = clahe_device_run,
};
