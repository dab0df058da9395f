/*
 * denoise_gpu.c - removal of noise by groups of blocks that are alike, on GPUs (cl/denoise_gpu.cl)
 *
 * One colour is worked on at a time, so that memory holds six planes of floats for three colours.
 */
#include "device/tuning.h"
#include "solver/denoise/denoise.h"
#include "solver/denoise/noise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of cl/denoise_gpu.cl. */
#define ITEMS 64
#define PIXELS 256
#define SEARCHERS 256
#define TILE 8
#define SPAN 56
#define LOCAL_FLOATS (IMF_GROUP_MOST * (IMF_BLOCK_AREA + IMF_BLOCK) + ITEMS + 2 * SPAN * SPAN)

enum entry { GUIDE, SEARCH, PLANE, ESTIMATE, DIVIDE, STORE, COPY, ENTRIES };
static const char *const entries[ENTRIES] = {"load_guide", "search", "load_plane", "estimate",
                                             "divide",     "store",  "copy"};

struct gpu_job {
    struct imf_denoise_job job; /* the first member, for imf_denoise_tell() */
    struct imf_queue *queue;    /* not owned */
    struct imf_program *program[ENTRIES];
    struct imf_buffer *results; /* a plane for each colour: sums, then estimates */
    struct imf_buffer *image, *first, *weight, *guide, *members;
    /* Of a run: */
    const struct imf_surface *in, *out;
    struct imf_denoise_sizes z;
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

/* Bytes of a plane's floats, and of the groups' blocks. */
static double plane_bytes(const struct imf_denoise_sizes *z) {
    return (double)z->width * z->height * sizeof(float);
}

static double member_bytes(const struct imf_denoise_sizes *z) {
    return (double)z->across * z->down * IMF_GROUP_MOST;
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
    out->error = IMF_DENOISE_ERROR * p->in_max * fabs(p->epilogue.multiply);
    if (!p->denoise->groups)
        imf_proposal_refuse(out,
                            "single blocks are for the host, which takes no longer than a "
                            "transfer");
    else if (!d->gpu || d->max_group < SEARCHERS)
        imf_proposal_refuse(out, "groups in local memory are for GPUs");
    else if (out->error > p->tolerance)
        imf_proposal_refuse(out, "blocks like these need more than float32");
    else {
        set_sizes(&z, p, p->height);
        imf_denoise_propose(p, out, 0);
        out->ms = cost(p, d, &z);
        out->largest = p->colors * plane_bytes(&z);
        out->bytes = out->largest + 3.5 * plane_bytes(&z) + member_bytes(&z);
        out->local = LOCAL_FLOATS * sizeof(float);
        snprintf(out->description, sizeof out->description,
                 "cosine transforms of like blocks, groups of 16");
    }
}

/* ---- the job --------------------------------------------------------------------------------- */

static void gpu_destroy(void **job) {
    struct gpu_job *j = *job;
    if (!j)
        return;
    struct imf_buffer **buffers[] = {&j->results, &j->image, &j->first,
                                     &j->weight,  &j->guide, &j->members};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        imf_buffer_free(buffers[i]);
    for (int i = 0; i < ENTRIES; i++)
        imf_program_free(&j->program[i]);
    free(j);
    *job = NULL;
}

static enum imf_status make_buffers(struct gpu_job *j, struct imf_error *err) {
    const struct imf_problem *p = &j->job.p;
    double plane = plane_bytes(&j->z), members = member_bytes(&j->z);
    const struct {
        struct imf_buffer **buffer;
        double bytes;
    } all[] = {{&j->results, p->colors * plane},
               {&j->image, plane},
               {&j->first, plane},
               {&j->weight, plane},
               {&j->guide, plane / 2},
               {&j->members, members}};
    enum imf_status status = IMF_OK;
    for (size_t i = 0; i < sizeof all / sizeof *all && status == IMF_OK; i++)
        status =
            imf_buffer_make(all[i].buffer, j->queue, IMF_BUFFER_WORK, (size_t)all[i].bytes, err);
    return status;
}

static enum imf_status make_programs(struct gpu_job *j, struct imf_error *err) {
    static const char *const parts[] = {"common.cl", NULL};
    const struct imf_problem *p = &j->job.p;
    struct imf_defines defines = {0};
    const struct imf_program_source source = {
        .file = "denoise_gpu.cl", .parts = parts, .defines = &defines};
    enum imf_status status = IMF_OK;
    imf_problem_defines(&defines, p);
    imf_define(&defines, "CHANNELS", "%d", p->channels);
    imf_define(&defines, "COLORS", "%d", p->colors);
    for (int i = 0; i < ENTRIES && status == IMF_OK; i++)
        status = imf_program_make(&j->program[i], j->queue, &source, entries[i], err);
    imf_defines_free(&defines);
    return status;
}

static enum imf_status gpu_make(void **job, const struct imf_problem *p,
                                const struct imf_proposal *proposal, struct imf_queue *queue,
                                struct imf_error *err) {
    struct gpu_job *j = *job = calloc(1, sizeof *j);
    (void)proposal;
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->job = (struct imf_denoise_job){
        .p = *p, .grid = imf_denoise_grid(p->denoise), .sigma = p->denoise->sigma * p->unit};
    j->queue = queue;
    set_sizes(&j->z, p, p->height);
    enum imf_status status = make_buffers(j, err);
    if (status == IMF_OK)
        status = make_programs(j, err);
    if (status != IMF_OK)
        gpu_destroy(job);
    return status;
}

/* ---- launches -------------------------------------------------------------------------------- */

#define SIZES(j) imf_arg_block(&(j)->z, sizeof(j)->z)
#define LAUNCH(j, entry, grid, err, ...)                                                           \
    imf_program_launch((j)->queue, (j)->program[entry], grid,                                      \
                       ((const struct imf_arg[]){__VA_ARGS__, SIZES(j)}), err)

/* Over the planes, or over the image. */
static struct imf_grid plane_grid(const struct gpu_job *j) {
    return imf_grid_over((size_t)j->z.width, (size_t)j->z.height, PIXELS);
}

static struct imf_grid image_grid(const struct gpu_job *j) {
    return imf_grid_over((size_t)j->z.out_width, (size_t)j->out->height, PIXELS);
}

static enum imf_status search(struct gpu_job *j, struct imf_error *err) {
    struct imf_grid groups = {(size_t)j->z.across, (size_t)j->z.down, SEARCHERS};
    const struct imf_denoise_order order = imf_denoise_order_of(j->job.p.denoise);
    enum imf_status status =
        LAUNCH(j, GUIDE, plane_grid(j), err, imf_arg_buffer(j->in->mem), imf_arg_buffer(j->guide),
               imf_arg_float(imf_denoise_guide(&j->job.p, j->job.sigma)));
    return status == IMF_OK
               ? LAUNCH(j, SEARCH, groups, err, imf_arg_buffer(j->guide),
                        imf_arg_buffer(j->members), imf_arg_block(&order, sizeof order))
               : status;
}

/* Of every other tile, in both directions, from (column, row) on. */
static enum imf_status estimate_tiles(struct gpu_job *j, int color, bool again, int column, int row,
                                      struct imf_error *err) {
    const struct imf_denoise_grid *grid = j->job.grid;
    const struct imf_denoise_sides s = imf_denoise_sides(&j->job.p);
    int inset = again ? j->z.reach / 2 : 0;
    int across = imf_denoise_along(grid, s.x, j->z.width, inset),
        down = imf_denoise_along(grid, s.y, j->z.height, inset);
    int columns = (across - 1) / TILE + 1 - column, rows = (down - 1) / TILE + 1 - row;
    struct imf_grid tiles = {(size_t)(columns + 1) / 2, (size_t)(rows + 1) / 2, ITEMS};
    struct imf_shrink shrink = imf_shrink_of(j->job.sigma);
    shrink.scale /= IMF_GROUP_MOST; /* coefficients are 4 times as large */
    shrink.power *= IMF_GROUP_MOST;
    if (columns <= 0 || rows <= 0)
        return IMF_OK;
    return LAUNCH(j, ESTIMATE, tiles, err, imf_arg_buffer(j->image), imf_arg_buffer(j->first),
                  imf_arg_buffer(j->results),
                  imf_arg_size((uint64_t)color * (uint64_t)j->z.width * (uint64_t)j->z.height),
                  imf_arg_buffer(j->weight), imf_arg_buffer(j->members),
                  imf_arg_block(&shrink, sizeof shrink), imf_arg_int(again), imf_arg_int(column),
                  imf_arg_int(row), imf_arg_int(imf_denoise_skipped(grid, s.x, inset)),
                  imf_arg_int(imf_denoise_skipped(grid, s.y, inset)), imf_arg_int(across),
                  imf_arg_int(down));
}

/* An estimate of a colour, into `to` from sample `at` on. */
static enum imf_status estimate(struct gpu_job *j, int color, bool again, struct imf_buffer *to,
                                uint64_t at, struct imf_error *err) {
    uint64_t size = (uint64_t)j->z.width * (uint64_t)j->z.height, from = (uint64_t)color * size;
    size_t bytes = size * sizeof(float);
    enum imf_status status =
        imf_buffer_clear(j->queue, j->results, from * sizeof(float), bytes, err);
    if (status == IMF_OK)
        status = imf_buffer_clear(j->queue, j->weight, 0, bytes, err);
    for (int i = 0; i < 4 && status == IMF_OK; i++)
        status = estimate_tiles(j, color, again, i % 2, i / 2, err);
    return status == IMF_OK ? LAUNCH(j, DIVIDE, plane_grid(j), err, imf_arg_buffer(j->results),
                                     imf_arg_size(from), imf_arg_buffer(to), imf_arg_size(at),
                                     imf_arg_buffer(j->weight))
                            : status;
}

static enum imf_status run_color(struct gpu_job *j, int c, struct imf_error *err) {
    const double *turn = imf_denoise_colors[c % 3];
    uint64_t at = (uint64_t)c * (uint64_t)j->z.width * (uint64_t)j->z.height;
    enum imf_status status =
        LAUNCH(j, PLANE, plane_grid(j), err, imf_arg_buffer(j->in->mem), imf_arg_buffer(j->image),
               imf_arg_int(c), imf_arg_float((float)turn[0]), imf_arg_float((float)turn[1]),
               imf_arg_float((float)turn[2]));
    if (status == IMF_OK)
        status = estimate(j, c, false, j->first, 0, err);
    return status == IMF_OK ? estimate(j, c, true, j->results, at, err) : status;
}

static enum imf_status store(struct gpu_job *j, struct imf_error *err) {
    float turn[3][4] = {{0}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            turn[i][k] = (float)imf_denoise_colors[i][k];
    return LAUNCH(j, STORE, image_grid(j), err, imf_arg_buffer(j->results),
                  imf_arg_buffer(j->in->mem), imf_arg_buffer(j->out->mem),
                  imf_arg_block(turn, sizeof turn));
}

/* From the host's copy. */
static enum imf_status measure(struct gpu_job *j, struct imf_error *err) {
    const struct imf_problem *p = &j->job.p;
    struct imf_surface host = *j->in;
    size_t bytes = imf_surface_bytes(&host);
    host.mem = NULL;
    if (!(host.host = malloc(bytes)))
        return imf_fail_memory(err, bytes);
    enum imf_status status = imf_buffer_download(j->queue, j->in->mem, 0, host.host, bytes, err);
    if (status == IMF_OK)
        status = imf_noise_sigma(&j->job.sigma, &host, p->colors, p->weigh, p->unit,
                                 p->denoise->first_x, p->denoise->first_y, err);
    free(host.host);
    return status;
}

static enum imf_status gpu_run(void *job, const struct imf_surface *in,
                               const struct imf_surface *out, struct imf_error *err) {
    struct gpu_job *j = job;
    j->in = in;
    j->out = out;
    set_sizes(&j->z, &j->job.p, out->height);
    j->z.in_origin = (int64_t)in->origin;
    j->z.in_pitch = (int64_t)in->pitch;
    j->z.out_origin = (int64_t)out->origin;
    j->z.out_pitch = (int64_t)out->pitch;
    enum imf_status status = j->job.p.denoise->sigma < 0 ? measure(j, err) : IMF_OK;
    if (status == IMF_OK && j->job.sigma == 0)
        return LAUNCH(j, COPY, image_grid(j), err, imf_arg_buffer(in->mem),
                      imf_arg_buffer(out->mem));
    if (status == IMF_OK)
        status = search(j, err);
    for (int c = 0; c < j->job.p.colors && status == IMF_OK; c++)
        status = run_color(j, c, err);
    return status == IMF_OK ? store(j, err) : status;
}

const struct imf_solver imf_solver_denoise_gpu = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .program = "denoise_gpu",
    .kinds = 1u << IMF_DENOISE,
    .propose = gpu_propose,
    .old_make = gpu_make,
    .old_run = gpu_run,
    .old_destroy = gpu_destroy,
    .old_tell = imf_denoise_tell,
};
