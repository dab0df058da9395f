/*
 * clahe_device.c - contrast-limited adaptive histogram equalization on a device (cl/clahe.cl)
 *
 * The device counts and looks up; in between the host fetches the counts and makes the maps
 * (clahe_reference.c), so that all devices give the same bytes.
 */
#include "device/tuning.h"
#include "solver/histogram/clahe.h"
#include "solver/solver.h"

#include <stdlib.h>
#include <string.h>

struct device_job {
    struct imf_queue *queue;
    struct imf_problem p;
    struct imf_clahe_grid grid;
    int slices; /* work-groups that count a tile */
    struct imf_program *count, *look_up;
    struct imf_buffer *counts, *maps;
    uint32_t *counted; /* owned, as is: */
    uint16_t *mapped;
};

/* Milliseconds: two launches + (pixels * clahe + bytes of maps * clahe_map) * 1e-6 / units. */
static void clahe_device_propose(const struct imf_problem *p, const struct imf_device *d,
                                 struct imf_proposal *out) {
    const struct imf_tuning *t = imf_tuning(d);
    struct imf_clahe_grid g;
    size_t bytes;
    if (!imf_clahe_grid_make(&g, p, &bytes)) {
        imf_proposal_refuse(out, "tiles are too large or too many");
        return;
    }
    if (p->in != IMF_U8 && p->in != IMF_U16) {
        imf_proposal_refuse(out, "this takes rounded samples");
        return;
    }
    out->feasible = true;
    out->error = 0;
    out->bands = IMF_BANDS_WHOLE;
    out->ms = 2 * t->launch_ms + ((double)p->width * p->height * t->filters.clahe +
                                  (double)bytes * t->filters.clahe_map) *
                                     1e-6 / imf_tuning_units(d);
    out->local = (size_t)g.bins * sizeof(uint32_t);
    out->largest = 2 * (double)bytes;
    out->bytes = 6 * (double)bytes; /* counts and maps, there and here */
    snprintf(out->description, sizeof out->description, "%dx%d tiles of %dx%d", g.across, g.down,
             g.width, g.height);
}

static void clahe_device_destroy(void **job) {
    struct device_job *j = *job;
    imf_program_free(&j->count);
    imf_program_free(&j->look_up);
    imf_buffer_free(&j->counts);
    imf_buffer_free(&j->maps);
    free(j->counted);
    free(j->mapped);
    free(j);
    *job = NULL;
}

static void define(struct imf_defines *d, const struct device_job *j) {
    const struct imf_clahe_grid *g = &j->grid;
    struct imf_problem floats = j->p;
    floats.exact = false; /* floats hold a sample and its epilogue exactly */
    imf_problem_defines(d, &floats);
    imf_define(d, "CHANNELS", "%d", j->p.channels);
    imf_define(d, "COLORS", "%d", j->p.colors);
    imf_define(d, "WEIGH", "%d", j->p.weigh);
    imf_define(d, "FULL", "%d", g->full);
    imf_define(d, "BINS", "%d", g->bins);
    imf_define(d, "STEP", "%d", g->step);
    imf_define(d, "GROUP", "%zu", imf_tuning_group(imf_queue_device(j->queue)));
    imf_define(d, "SLICES", "%d", j->slices);
    imf_define(d, "ACROSS", "%d", g->across);
    imf_define(d, "DOWN", "%d", g->down);
    imf_define(d, "TILE_WIDTH", "%d", g->width);
    imf_define(d, "TILE_HEIGHT", "%d", g->height);
    imf_define_float(d, "INVERSE_WIDTH", (double)(1.0f / (float)g->width));
    imf_define_float(d, "INVERSE_HEIGHT", (double)(1.0f / (float)g->height));
    imf_define(d, "FROM_RIGHT", "%d", j->p.clahe->first_x < 0);
    imf_define(d, "FROM_BOTTOM", "%d", j->p.clahe->first_y < 0);
    imf_define(d, "TURNED", "%d", j->p.clahe->turned);
}

static enum imf_status clahe_device_make(void **job, const struct imf_problem *p,
                                         const struct imf_proposal *proposal,
                                         struct imf_queue *queue, struct imf_error *err) {
    static const char *const parts[] = {"common.cl", NULL};
    struct device_job *j = *job = calloc(1, sizeof *j);
    size_t bytes = 0;
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->queue = queue;
    j->p = *p;
    imf_clahe_grid_make(&j->grid, p, &bytes);
    const struct imf_device *device = imf_queue_device(queue);
    int units = (int)(device->compute_units ? device->compute_units : 1);
    int groups = (int)(imf_tuning(device)->groups_per_unit * units);
    j->slices = imf_min(imf_max(groups / (j->grid.across * j->grid.down), 1), j->grid.height);
    j->counted = malloc(2 * bytes);
    j->mapped = malloc(bytes);
    if (!j->counted || !j->mapped)
        return imf_fail_memory(err, (size_t)proposal->bytes);
    struct imf_defines d = {0};
    const struct imf_program_source source = {.file = "clahe.cl", .parts = parts, .defines = &d};
    define(&d, j);
    enum imf_status st = imf_program_make(&j->count, queue, &source, "clahe_count", err);
    if (!st)
        st = imf_program_make(&j->look_up, queue, &source, "clahe_look_up", err);
    imf_defines_free(&d);
    if (!st)
        st = imf_buffer_make(&j->counts, queue, IMF_BUFFER_WORK, 2 * bytes, err);
    return st ? st : imf_buffer_make(&j->maps, queue, IMF_BUFFER_WORK, bytes, err);
}

static enum imf_status make_maps(struct device_job *j, const struct imf_surface *in,
                                 struct imf_error *err) {
    int tiles = j->grid.across * j->grid.down;
    size_t bins = (size_t)j->grid.bins, count = (size_t)tiles * bins;
    const struct imf_grid grid = {1, (size_t)tiles * (size_t)j->slices,
                                  imf_tuning_group(imf_queue_device(j->queue))};
    const struct imf_arg args[] = {imf_arg_buffer(in->mem), imf_arg_size(in->origin),
                                   imf_arg_size(in->pitch), imf_arg_int(in->width),
                                   imf_arg_int(in->height), imf_arg_buffer(j->counts)};
    enum imf_status st = imf_buffer_clear(j->queue, j->counts, 0, count * sizeof *j->counted, err);
    if (!st)
        st = imf_program_launch(j->queue, j->count, grid, args, err);
    if (!st)
        st = imf_buffer_download(j->queue, j->counts, 0, j->counted, count * sizeof *j->counted,
                                 err);
    for (int i = 0; i < tiles && !st; i++)
        imf_clahe_map(&j->grid, j->counted + (size_t)i * bins, j->mapped + (size_t)i * bins);
    return st ? st
              : imf_buffer_upload(j->queue, j->maps, 0, j->mapped, count * sizeof *j->mapped, err);
}

static enum imf_status clahe_device_run(void *job, const struct imf_surface *in,
                                        const struct imf_surface *out, struct imf_error *err) {
    struct device_job *j = job;
    const struct imf_arg args[] = {
        imf_arg_buffer(in->mem),  imf_arg_size(in->origin),  imf_arg_size(in->pitch),
        imf_arg_buffer(out->mem), imf_arg_size(out->origin), imf_arg_size(out->pitch),
        imf_arg_int(in->width),   imf_arg_int(in->height),   imf_arg_buffer(j->maps)};
    const struct imf_grid grid = imf_grid_over((size_t)in->width, (size_t)out->height,
                                               imf_tuning_group(imf_queue_device(j->queue)));
    enum imf_status st = make_maps(j, in, err);
    return st ? st : imf_program_launch(j->queue, j->look_up, grid, args, err);
}

const struct imf_solver imf_solver_clahe_device = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .kinds = 1u << IMF_CLAHE,
    .propose = clahe_device_propose,
    .old_make = clahe_device_make,
    .old_run = clahe_device_run,
    .old_destroy = clahe_device_destroy,
};
