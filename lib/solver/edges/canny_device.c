/*
 * canny_device.c - edges after Canny on a device (cl/canny.cl), in canny.c's integers
 *
 * Hysteresis runs in rounds: as many as there are tiles along the longest edge that depends on one
 * strong pixel. After every ROUNDS rounds the host reads whether anything has changed.
 */
#include "solver/edges/canny.h"

#include "device/tuning.h"
#include "solver/solver.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define TILE 64      /* pixels of a side */
#define GPU_GROUP 32 /* work-items of a tile on a GPU */
#define ROUNDS 4     /* between two reads; even, so that the result is in the first buffer */

enum step { DOWN, ACROSS, GRADIENT, THIN, PACK, HYSTERESIS, STORE, STEPS };
static const char *const entries[STEPS] = {"canny_down", "canny_across", "canny_gradient",
                                           "canny_thin", "canny_pack",   "canny_hysteresis",
                                           "canny_store"};

enum memory { SUMS, VALUES, SIZES, DIRECTIONS, MAP, WEAK, EDGES, FOUND, CHANGED, MEMORIES };

struct shape {
    int group;
};
_Static_assert(sizeof(struct shape) <= IMF_SHAPE, "a proposal holds it");

struct canny_job {
    struct imf_queue *queue;
    struct imf_problem p;
    struct imf_canny_parameters n;
    int group; /* work-items of a tile in hysteresis */
    struct imf_program *program[STEPS];
    struct imf_buffer *memory[MEMORIES];
};

static bool sizes_of(const struct imf_problem *p, const struct imf_canny_parameters *n,
                     size_t bytes[MEMORIES]) {
    size_t half = (size_t)n->half, rows = (size_t)p->height + 2 * half, pixels;
    size_t values = ((size_t)p->width + 2 * half) * (size_t)p->colors;
    size_t words = ((size_t)p->width - 1) / TILE + 1;
    size_t sums = values + 2 * (size_t)n->radius * (size_t)p->colors;
    bool good = imf_size_mul((size_t)p->width, (size_t)p->height, &pixels) &&
                imf_size_mul(sums * sizeof(int32_t), rows, &bytes[SUMS]) &&
                imf_size_mul(values * sizeof(int32_t), rows, &bytes[VALUES]) &&
                imf_size_mul(pixels, p->canny->squares ? 8 : 4, &bytes[SIZES]);
    bytes[DIRECTIONS] = 2 * pixels;
    bytes[MAP] = pixels;
    bytes[WEAK] = bytes[EDGES] = bytes[FOUND] = words * (size_t)p->height * sizeof(uint64_t);
    bytes[CHANGED] = sizeof(int32_t);
    return good;
}

/* Milliseconds: launches + samples * (canny + taps * canny_tap) * 1e-6 / units. */
static void device_canny_propose(const struct imf_problem *p, const struct imf_device *d,
                                 struct imf_proposal *out) {
    const struct imf_tuning *t = imf_tuning(d);
    struct imf_canny_parameters n;
    size_t bytes[MEMORIES];
    imf_canny_parameters(&n, p);
    double across = (p->width + 2.0 * (n.half + n.radius)) * p->channels;
    if (across > INT32_MAX - 4096 || !sizes_of(p, &n, bytes)) {
        imf_proposal_refuse(out, "rows are too long");
        return;
    }
    for (int i = 0; i < MEMORIES; i++) {
        out->bytes += (double)bytes[i];
        out->largest = fmax(out->largest, (double)bytes[i]);
    }
    struct shape *s = (struct shape *)out->shape.bytes;
    s->group = d->gpu && d->max_group >= GPU_GROUP ? GPU_GROUP : 1;
    out->local = (size_t)s->group * 2 * sizeof(uint64_t) + sizeof(int32_t);
    double ns = t->filters.canny + 2 * n.radius * t->filters.canny_tap;
    out->feasible = true;
    out->error = 0;
    out->bands = IMF_BANDS_WHOLE;
    out->ms = 2 * t->launch_ms + STEPS * t->next_ms +
              (double)p->width * p->height * p->channels * ns * 1e-6 / imf_tuning_units(d);
    snprintf(out->description, sizeof out->description, "edges of %dx%d gradients",
             p->canny->aperture, p->canny->aperture);
}

static void device_canny_destroy(void **job) {
    struct canny_job *j = *job;
    for (int i = 0; i < STEPS; i++)
        imf_program_free(&j->program[i]);
    for (int i = 0; i < MEMORIES; i++)
        imf_buffer_free(&j->memory[i]);
    free(j);
    *job = NULL;
}

static void define_taps(struct imf_defines *d, const char *name, const int *taps, int count) {
    double values[IMF_CANNY_APERTURE];
    for (int i = 0; i < count; i++)
        values[i] = taps[i];
    imf_define_ints(d, name, values, (size_t)count);
}

static void define(struct imf_defines *d, const struct imf_problem *p,
                   const struct imf_canny_parameters *n, int group) {
    double weights[IMF_CANNY_RADIUS + 1];
    struct imf_levels levels;
    imf_levels_make(&levels, p, p->out);
    for (int i = 0; i <= n->radius; i++)
        weights[i] = n->weight[i];
    imf_problem_defines(d, p);
    imf_define(d, "CHANNELS", "%d", p->channels);
    imf_define(d, "COLORS", "%d", p->colors);
    imf_define(d, "SCALE", "%d", n->scale);
    imf_define(d, "RADIUS", "%d", n->radius);
    imf_define(d, "HALF", "%d", n->half);
    imf_define_ints(d, "WEIGHTS", weights, (size_t)n->radius + 1);
    imf_define(d, "BITS", "%d", IMF_CANNY_BITS);
    define_taps(d, "SMOOTH", n->smooth, 2 * n->half + 1);
    define_taps(d, "DERIVE", n->derive, 2 * n->half + 1);
    imf_define(d, "SQUARES", "%d", p->canny->squares);
    imf_define(d, "LOW", "%" PRId64 "L", n->low);
    imf_define(d, "HIGH", "%" PRId64 "L", n->high);
    imf_define(d, "TANGENT", "%d", IMF_CANNY_TANGENT);
    imf_define(d, "FIRST_X", "%d", p->canny->first_x);
    imf_define(d, "FIRST_Y", "%d", p->canny->first_y);
    imf_define(d, "GROUP", "%d", group);
    /* Integer samples are defined as integers. */
    double none = imf_sample_get(&levels.as, p->out, 0),
           edge = imf_sample_get(&levels.as, p->out, 1);
    imf_define_float(d, "SAMPLE_NONE", none);
    imf_define_float(d, "SAMPLE_EDGE", edge);
}

static enum imf_status device_canny_make(void **job, const struct imf_problem *p,
                                         const struct imf_proposal *proposal,
                                         struct imf_queue *queue, struct imf_error *err) {
    static const char *const parts[] = {"common.cl", NULL};
    struct canny_job *j = *job = calloc(1, sizeof *j);
    size_t bytes[MEMORIES];
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->queue = queue;
    j->p = *p;
    j->group = ((const struct shape *)proposal->shape.bytes)->group;
    imf_canny_parameters(&j->n, p);
    struct imf_defines d = {0};
    const struct imf_program_source source = {.file = "canny.cl", .parts = parts, .defines = &d};
    enum imf_status st = sizes_of(p, &j->n, bytes) ? IMF_OK : imf_fail_memory(err, SIZE_MAX);
    define(&d, p, &j->n, j->group);
    for (int i = 0; i < STEPS && !st; i++)
        st = imf_program_make(&j->program[i], queue, &source, entries[i], err);
    imf_defines_free(&d);
    for (int i = 0; i < MEMORIES && !st; i++)
        st = imf_buffer_make(&j->memory[i], queue, IMF_BUFFER_WORK, bytes[i], err);
    return st;
}

/* Launch over `items` work-items across; a macro, because it needs the size of args. */
#define LAUNCH(j, step, items, rows, args, err)                                                    \
    imf_program_launch((j)->queue, (j)->program[step],                                             \
                       imf_grid_over((size_t)(items), (size_t)(rows),                              \
                                     imf_tuning_group(imf_queue_device((j)->queue))),              \
                       args, err)

/* All passes up to the bits of kept pixels. */
static enum imf_status find(struct canny_job *j, const struct imf_surface *in,
                            struct imf_error *err) {
    const struct imf_problem *p = &j->p;
    int half = j->n.half, reach = half + j->n.radius, rows = p->height + 2 * half;
    int values = p->width + 2 * half, all = p->width + 2 * reach;
    size_t start = in->origin - (size_t)reach * (in->pitch + (size_t)p->channels);
    const struct imf_arg down[] = {imf_arg_buffer(in->mem), imf_arg_size(start),
                                   imf_arg_size(in->pitch), imf_arg_buffer(j->memory[SUMS]),
                                   imf_arg_int(all)};
    const struct imf_arg across[] = {imf_arg_buffer(j->memory[SUMS]),
                                     imf_arg_buffer(j->memory[VALUES]), imf_arg_int(values)};
    const struct imf_arg gradient[] = {
        imf_arg_buffer(j->memory[VALUES]), imf_arg_buffer(j->memory[SIZES]),
        imf_arg_buffer(j->memory[DIRECTIONS]), imf_arg_int(p->width)};
    const struct imf_arg thin[] = {
        imf_arg_buffer(j->memory[SIZES]), imf_arg_buffer(j->memory[DIRECTIONS]),
        imf_arg_buffer(j->memory[MAP]), imf_arg_int(p->width), imf_arg_int(p->height)};
    const struct imf_arg pack[] = {imf_arg_buffer(j->memory[MAP]), imf_arg_buffer(j->memory[WEAK]),
                                   imf_arg_buffer(j->memory[EDGES]), imf_arg_int(p->width),
                                   imf_arg_int(p->height)};
    enum imf_status st = LAUNCH(j, DOWN, (size_t)all * (size_t)p->colors, rows, down, err);
    if (!st)
        st = LAUNCH(j, ACROSS, (size_t)values * (size_t)p->colors, rows, across, err);
    if (!st)
        st = LAUNCH(j, GRADIENT, p->width, p->height, gradient, err);
    if (!st)
        st = LAUNCH(j, THIN, p->width, p->height, thin, err);
    return st ? st : LAUNCH(j, PACK, (p->width - 1) / TILE + 1, p->height, pack, err);
}

static enum imf_status follow(struct canny_job *j, struct imf_error *err) {
    const struct imf_problem *p = &j->p;
    int words = (p->width - 1) / TILE + 1;
    struct imf_grid grid = {(size_t)words, ((size_t)p->height - 1) / TILE + 1, (size_t)j->group};
    enum imf_status st = IMF_OK;
    for (int32_t changed = 1; changed && !st;) {
        st = imf_buffer_clear(j->queue, j->memory[CHANGED], 0, sizeof changed, err);
        for (int i = 0; i < ROUNDS && !st; i++) {
            const struct imf_arg args[] = {imf_arg_buffer(j->memory[WEAK]),
                                           imf_arg_buffer(j->memory[i % 2 ? FOUND : EDGES]),
                                           imf_arg_buffer(j->memory[i % 2 ? EDGES : FOUND]),
                                           imf_arg_int(words),
                                           imf_arg_int(p->height),
                                           imf_arg_buffer(j->memory[CHANGED])};
            st = imf_program_launch(j->queue, j->program[HYSTERESIS], grid, args, err);
        }
        if (!st)
            st =
                imf_buffer_download(j->queue, j->memory[CHANGED], 0, &changed, sizeof changed, err);
    }
    return st;
}

static enum imf_status device_canny_run(void *job, const struct imf_surface *in,
                                        const struct imf_surface *out, struct imf_error *err) {
    struct canny_job *j = job;
    enum imf_status st = find(j, in, err);
    if (!st)
        st = follow(j, err);
    if (st)
        return st;
    const struct imf_arg args[] = {
        imf_arg_buffer(j->memory[EDGES]), imf_arg_buffer(in->mem),  imf_arg_size(in->origin),
        imf_arg_size(in->pitch),          imf_arg_buffer(out->mem), imf_arg_size(out->origin),
        imf_arg_size(out->pitch),         imf_arg_int(j->p.width),  imf_arg_int(j->p.height)};
    return LAUNCH(j, STORE, (size_t)j->p.width * (size_t)j->p.channels, j->p.height, args, err);
}

const struct imf_solver imf_solver_canny_device = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .program = "canny",
    .kinds = 1u << IMF_CANNY,
    .propose = device_canny_propose,
    .old_make = device_canny_make,
    .old_run = device_canny_run,
    .old_destroy = device_canny_destroy,
};
