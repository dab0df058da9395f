/*
 * denoise_gpu.c - removal of noise by groups of blocks that are alike, on GPUs (cl/denoise_gpu.cl)
 *
 * One colour is worked on at a time, so that memory holds six planes of floats for three colours.
 */
#include "device/tuning.h"
#include "solver/denoise/denoise.h"

#include <stdio.h>
#include <stdlib.h>

/* Of cl/denoise_gpu.cl. */
#define ITEMS 64
#define PIXELS 256
#define SEARCHERS 256
#define TILE 8
#define SPAN 56
#define LOCAL_FLOATS (IMF_GROUP_MOST * (IMF_BLOCK_AREA + IMF_BLOCK) + ITEMS + 2 * SPAN * SPAN)

enum { LOAD_GUIDE, SEARCH, LOAD_PLANE, ESTIMATE, DIVIDE, STORE, COPY }; /* programs */
enum {
    RESULTS,
    IMAGE,
    FIRST,
    WEIGHT,
    GUIDE,
    MEMBERS
}; /* buffers; results: a plane for each colour: sums, then estimates */

struct own {
    double sigma;               /* for imf_denoise_sigma() */
    struct imf_denoise_sizes z; /* of a run */
};

static void set_sizes(struct imf_denoise_sizes *z, const struct imf_problem *p, int height) {
    const struct imf_denoise_grid *grid = imf_denoise_grid(p->denoise);
    const struct imf_denoise_sides s = imf_denoise_sides(p);
    z->reach = p->reach.left;
    z->width = p->width + 2 * z->reach;
    z->height = height + 2 * z->reach;
    z->out_width = p->width;
    z->across = imf_denoise_along(grid, s.x, z->width, 0);
    z->down = imf_denoise_along(grid, s.y, z->height, 0);
    z->first_x = s.x.first;
    z->first_y = s.y.first;
    z->before_x = s.x.before;
    z->before_y = s.y.before;
}

static bool buffer_sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    struct imf_denoise_sizes z;
    size_t plane;
    (void)shape;
    set_sizes(&z, p, p->height);
    if (!imf_size_mul((size_t)z.width * (size_t)z.height, sizeof(float), &plane) ||
        !imf_size_mul(plane, (size_t)p->colors, &bytes[RESULTS]))
        return false;
    bytes[IMAGE] = bytes[FIRST] = bytes[WEIGHT] = plane;
    bytes[GUIDE] = plane / 2;
    bytes[MEMBERS] = (size_t)z.across * (size_t)z.down * IMF_GROUP_MOST;
    return true;
}

/* ---- the proposal ---------------------------------------------------------------------------- */

/* Instructions of a work-item: for a group's search, and for its two estimates of a colour. Of 12 megapixels an NVIDIA
 * H100 takes 20 ms in gray and 40 in colour. */
#define SEARCH_EACH 1700
#define ESTIMATE_EACH 6500

static double cost(const struct imf_problem *p, const struct imf_device *d,
                   const struct imf_denoise_sizes *z) {
    const struct imf_tuning *t = imf_tuning(d);
    double groups = (double)z->across * z->down;
    double instructions =
        groups * (SEARCHERS * (double)SEARCH_EACH + ITEMS * (double)ESTIMATE_EACH * p->colors);
    return t->launch_ms + t->next_ms * (3 + 14 * p->colors) +
           instructions * 1e-6 / (t->gpu.instructions * imf_tuning_units(d));
}

static void gpu_propose(const struct imf_problem *p, const struct imf_device *d,
                        struct imf_proposal *out) {
    struct imf_denoise_sizes z;
    if (!p->denoise->groups)
        imf_proposal_refuse(out,
                            "single blocks are for the host, which takes no longer than a "
                            "transfer");
    else if (!d->gpu || d->max_group < SEARCHERS)
        imf_proposal_refuse(out, "groups in local memory are for GPUs");
    else if (imf_denoise_floats_do(p, out) && imf_proposal_buffers(out, p)) {
        set_sizes(&z, p, p->height);
        imf_denoise_propose(p, out, 0);
        out->ms = cost(p, d, &z);
        out->local = LOCAL_FLOATS * sizeof(float);
        snprintf(out->description, sizeof out->description,
                 "cosine transforms of like blocks, groups of 16");
    }
}

static void define(struct imf_defines *d, const struct imf_job *job) {
    imf_define(d, "COLORS", "%d", job->p.colors);
}

/* ---- launches -------------------------------------------------------------------------------- */

/* The arguments of a kernel, of which the sizes are the last one. */
#define LAUNCH(job, entry, grid, err, ...)                                                         \
    imf_job_launch(job, entry, grid,                                                               \
                   ((const struct imf_arg[]){                                                      \
                       __VA_ARGS__, imf_arg_block(sizes_of(job), sizeof *sizes_of(job))}),         \
                   err)
#define BUFFER(i) imf_arg_buffer(job->buffer[i])

static struct imf_denoise_sizes *sizes_of(const struct imf_job *job) {
    return &((struct own *)job->own)->z;
}

/* Over the planes, or over an image. */
static struct imf_grid plane_grid(const struct imf_job *job) {
    return imf_grid_over((size_t)sizes_of(job)->width, (size_t)sizes_of(job)->height, PIXELS);
}

static struct imf_grid image_grid(const struct imf_surface *s) {
    return imf_grid_over((size_t)s->width, (size_t)s->height, PIXELS);
}

static enum imf_status search(struct imf_job *job, const struct imf_surface *in,
                              struct imf_error *err) {
    const struct imf_denoise_sizes *z = sizes_of(job);
    const struct imf_grid groups = {(size_t)z->across, (size_t)z->down, SEARCHERS};
    const struct imf_denoise_order order = imf_denoise_order_of(job->p.denoise);
    enum imf_status st =
        LAUNCH(job, LOAD_GUIDE, plane_grid(job), err, imf_arg_buffer(in->mem), BUFFER(GUIDE),
               imf_arg_float(imf_denoise_guide(&job->p, imf_denoise_sigma(job))));
    return st ? st
              : LAUNCH(job, SEARCH, groups, err, BUFFER(GUIDE), BUFFER(MEMBERS),
                       imf_arg_block(&order, sizeof order));
}

static uint64_t plane_size(const struct imf_job *job) {
    return (uint64_t)sizes_of(job)->width * (uint64_t)sizes_of(job)->height;
}

/* Of every other tile, in both directions, from (column, row) on. */
static enum imf_status estimate_tiles(struct imf_job *job, int color, bool again, int column,
                                      int row, struct imf_error *err) {
    const struct imf_denoise_sizes *z = sizes_of(job);
    const struct imf_denoise_grid *grid = imf_denoise_grid(job->p.denoise);
    const struct imf_denoise_sides s = imf_denoise_sides(&job->p);
    int inset = again ? z->reach / 2 : 0;
    int across = imf_denoise_along(grid, s.x, z->width, inset),
        down = imf_denoise_along(grid, s.y, z->height, inset);
    int columns = (across - 1) / TILE + 1 - column, rows = (down - 1) / TILE + 1 - row;
    struct imf_grid tiles = {(size_t)(columns + 1) / 2, (size_t)(rows + 1) / 2, ITEMS};
    struct imf_shrink shrink = imf_shrink_of(imf_denoise_sigma(job));
    shrink.scale /= IMF_GROUP_MOST; /* coefficients are 4 times as large */
    shrink.power *= IMF_GROUP_MOST;
    if (columns <= 0 || rows <= 0)
        return IMF_OK;
    return LAUNCH(job, ESTIMATE, tiles, err, BUFFER(IMAGE), BUFFER(FIRST), BUFFER(RESULTS),
                  imf_arg_size((uint64_t)color * plane_size(job)), BUFFER(WEIGHT), BUFFER(MEMBERS),
                  imf_arg_block(&shrink, sizeof shrink), imf_arg_int(again), imf_arg_int(column),
                  imf_arg_int(row), imf_arg_int(imf_denoise_skipped(grid, s.x, inset)),
                  imf_arg_int(imf_denoise_skipped(grid, s.y, inset)), imf_arg_int(across),
                  imf_arg_int(down));
}

/* An estimate of a colour: the first one, or that which becomes the result. */
static enum imf_status estimate(struct imf_job *job, int color, bool again, struct imf_error *err) {
    uint64_t from = (uint64_t)color * plane_size(job);
    size_t bytes = plane_size(job) * sizeof(float);
    enum imf_status st =
        imf_buffer_clear(job->queue, job->buffer[RESULTS], from * sizeof(float), bytes, err);
    if (!st)
        st = imf_buffer_clear(job->queue, job->buffer[WEIGHT], 0, bytes, err);
    for (int i = 0; i < 4 && !st; i++)
        st = estimate_tiles(job, color, again, i % 2, i / 2, err);
    return st ? st
              : LAUNCH(job, DIVIDE, plane_grid(job), err, BUFFER(RESULTS), imf_arg_size(from),
                       BUFFER(again ? RESULTS : FIRST), imf_arg_size(again ? from : 0),
                       BUFFER(WEIGHT));
}

static enum imf_status run_color(struct imf_job *job, const struct imf_surface *in, int c,
                                 struct imf_error *err) {
    const double *turn = imf_denoise_colors[c % 3];
    enum imf_status st = LAUNCH(job, LOAD_PLANE, plane_grid(job), err, imf_arg_buffer(in->mem),
                                BUFFER(IMAGE), imf_arg_int(c), imf_arg_float((float)turn[0]),
                                imf_arg_float((float)turn[1]), imf_arg_float((float)turn[2]));
    if (!st)
        st = estimate(job, c, false, err);
    return st ? st : estimate(job, c, true, err);
}

static enum imf_status store(struct imf_job *job, const struct imf_surface *in,
                             const struct imf_surface *out, struct imf_error *err) {
    float turn[3][4] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            turn[i][k] = (float)imf_denoise_colors[i][k];
    return LAUNCH(job, STORE, image_grid(out), err, BUFFER(RESULTS), imf_arg_buffer(in->mem),
                  imf_arg_buffer(out->mem), imf_arg_block(turn, sizeof turn));
}

/* From a copy on the host, where it is measured. */
static enum imf_status measure(struct imf_job *job, const struct imf_surface *in,
                               struct imf_error *err) {
    struct imf_surface host = *in;
    size_t bytes = imf_surface_bytes(&host);
    if (job->p.denoise->sigma >= 0)
        return imf_denoise_measure(job, NULL, err);
    host.mem = NULL;
    if (!(host.host = malloc(bytes)))
        return imf_fail_memory(err, bytes);
    enum imf_status st = imf_buffer_download(job->queue, in->mem, 0, host.host, bytes, err);
    if (!st)
        st = imf_denoise_measure(job, &host, err);
    free(host.host);
    return st;
}

static enum imf_status gpu_run(struct imf_job *job, const struct imf_surface *in,
                               const struct imf_surface *out, struct imf_error *err) {
    struct imf_denoise_sizes *z = sizes_of(job);
    set_sizes(z, &job->p, out->height);
    z->in_origin = (int64_t)in->origin;
    z->in_pitch = (int64_t)in->pitch;
    z->out_origin = (int64_t)out->origin;
    z->out_pitch = (int64_t)out->pitch;
    enum imf_status st = measure(job, in, err);
    if (!st && imf_denoise_sigma(job) == 0)
        return LAUNCH(job, COPY, image_grid(out), err, imf_arg_buffer(in->mem),
                      imf_arg_buffer(out->mem));
    if (!st)
        st = search(job, in, err);
    for (int c = 0; c < job->p.colors && !st; c++)
        st = run_color(job, in, c, err);
    return st ? st : store(job, in, out, err);
}

const struct imf_solver imf_solver_denoise_gpu = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .program = "denoise_gpu",
    .kinds = 1u << IMF_DENOISE,
    .propose = gpu_propose,
    .own = sizeof(struct own),
    .entries = (const char *const[]){"load_guide", "search", "load_plane", "estimate", "divide",
                                     "store", "copy", NULL},
    .parts = (const char *const[]){"common.cl", NULL},
    .define = define,
    .sizes = buffer_sizes,
    .run = gpu_run,
    .tell = imf_denoise_tell,
};
