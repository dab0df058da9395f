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

#define TILE 64      /* pixels of a side */
#define GPU_GROUP 32 /* work-items of a tile on a GPU */
#define ROUNDS 4     /* between two reads; even, so that the result is in the first buffer */

enum { DOWN, ACROSS, GRADIENT, THIN, PACK, HYSTERESIS, STORE, STEPS };      /* programs */
enum { SUMS, VALUES, SIZES, DIRECTIONS, MAP, WEAK, EDGES, FOUND, CHANGED }; /* buffers */

struct shape {
    int group;
};

static bool sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    (void)shape;
    struct imf_canny_parameters n;
    imf_canny_parameters(&n, p);
    size_t half = (size_t)n.half, rows = (size_t)p->height + 2 * half, pixels;
    size_t values = ((size_t)p->width + 2 * half) * (size_t)p->colors;
    size_t words = ((size_t)p->width - 1) / TILE + 1;
    size_t sums = values + 2 * (size_t)n.radius * (size_t)p->colors;
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
    imf_canny_parameters(&n, p);
    if (!imf_proposal_buffers(out, p))
        return;
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

/* Work-items of a tile in hysteresis. */
static int group_of(const struct imf_job *job) {
    const struct shape *s = imf_job_shape(job);
    return s->group;
}

static void define_taps(struct imf_defines *d, const char *name, const int *taps, int count) {
    double values[IMF_CANNY_APERTURE];
    for (int i = 0; i < count; i++)
        values[i] = taps[i];
    imf_define_ints(d, name, values, (size_t)count);
}

static void define(struct imf_defines *d, const struct imf_job *job) {
    const struct imf_problem *p = &job->p;
    double weights[IMF_CANNY_RADIUS + 1];
    struct imf_canny_parameters parameters, *n = &parameters;
    struct imf_levels levels;
    imf_canny_parameters(n, p);
    imf_levels_make(&levels, p, p->out);
    for (int i = 0; i <= n->radius; i++)
        weights[i] = n->weight[i];
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
    imf_define(d, "GROUP", "%d", group_of(job));
    /* Integer samples are defined as integers. */
    double none = imf_sample_get(&levels.as, p->out, 0),
           edge = imf_sample_get(&levels.as, p->out, 1);
    imf_define_float(d, "SAMPLE_NONE", none);
    imf_define_float(d, "SAMPLE_EDGE", edge);
}

static enum imf_status device_canny_prepare(struct imf_job *job, struct imf_error *err) {
    (void)err;
    imf_canny_parameters(job->own, &job->p);
    return IMF_OK;
}

/* All passes up to the bits of kept pixels. */
static enum imf_status find(struct imf_job *job, const struct imf_surface *in,
                            struct imf_error *err) {
    const struct imf_problem *p = &job->p;
    const struct imf_canny_parameters *n = job->own;
    int reach = n->half + n->radius, values = p->width + 2 * n->half, all = p->width + 2 * reach;
    size_t start = in->origin - (size_t)reach * (in->pitch + (size_t)p->channels);
    size_t colors = (size_t)p->colors, width = (size_t)p->width, height = (size_t)p->height;
    size_t rows = height + 2 * (size_t)n->half;
    enum imf_status st =
        imf_job_then(IMF_OK, job, DOWN, imf_job_grid(job, (size_t)all * colors, rows), err,
                     imf_arg_buffer(in->mem), imf_arg_size(start), imf_arg_size(in->pitch),
                     IMF_ARG_OF(job, SUMS), imf_arg_int(all));
    st = imf_job_then(st, job, ACROSS, imf_job_grid(job, (size_t)values * colors, rows), err,
                      IMF_ARG_OF(job, SUMS), IMF_ARG_OF(job, VALUES), imf_arg_int(values));
    st = imf_job_then(st, job, GRADIENT, imf_job_grid(job, width, height), err,
                      IMF_ARG_OF(job, VALUES), IMF_ARG_OF(job, SIZES), IMF_ARG_OF(job, DIRECTIONS),
                      imf_arg_int(p->width));
    st = imf_job_then(st, job, THIN, imf_job_grid(job, width, height), err, IMF_ARG_OF(job, SIZES),
                      IMF_ARG_OF(job, DIRECTIONS), IMF_ARG_OF(job, MAP), imf_arg_int(p->width),
                      imf_arg_int(p->height));
    return imf_job_then(st, job, PACK, imf_job_grid(job, (width - 1) / TILE + 1, height), err,
                        IMF_ARG_OF(job, MAP), IMF_ARG_OF(job, WEAK), IMF_ARG_OF(job, EDGES),
                        imf_arg_int(p->width), imf_arg_int(p->height));
}

static enum imf_status follow(struct imf_job *job, struct imf_error *err) {
    int words = (job->p.width - 1) / TILE + 1, height = job->p.height;
    struct imf_grid grid = {(size_t)words, (size_t)((height - 1) / TILE + 1),
                            (size_t)group_of(job)};
    struct imf_buffer *changes = job->buffer[CHANGED];
    enum imf_status st = IMF_OK;
    for (int32_t changed = 1; changed && !st;) {
        st = imf_buffer_clear(job->queue, changes, 0, sizeof changed, err);
        for (int i = 0; i < ROUNDS; i++)
            st = imf_job_then(st, job, HYSTERESIS, grid, err, IMF_ARG_OF(job, WEAK),
                              IMF_ARG_OF(job, i % 2 ? FOUND : EDGES),
                              IMF_ARG_OF(job, i % 2 ? EDGES : FOUND), imf_arg_int(words),
                              imf_arg_int(height), imf_arg_buffer(changes));
        st = st ? st : imf_buffer_download(job->queue, changes, 0, &changed, sizeof changed, err);
    }
    return st;
}

static enum imf_status device_canny_run(struct imf_job *job, const struct imf_surface *in,
                                        const struct imf_surface *out, struct imf_error *err) {
    const struct imf_problem *p = &job->p;
    size_t samples = (size_t)p->width * (size_t)p->channels;
    enum imf_status st = find(job, in, err);
    st = st ? st : follow(job, err);
    return imf_job_then(st, job, STORE, imf_job_grid(job, samples, (size_t)p->height), err,
                        IMF_ARG_OF(job, EDGES), IMF_ARG_SURFACE(in), IMF_ARG_SURFACE(out),
                        imf_arg_int(p->width), imf_arg_int(p->height));
}

const struct imf_solver imf_solver_canny_device = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .program = "canny",
    .kinds = 1u << IMF_CANNY,
    .propose = device_canny_propose,
    .own = sizeof(struct imf_canny_parameters),
    .parts = (const char *const[]){"common.cl", NULL},
    .entries = (const char *const[]){"canny_down", "canny_across", "canny_gradient", "canny_thin",
                                     "canny_pack", "canny_hysteresis", "canny_store", NULL},
    .define = define,
    .sizes = sizes,
    .prepare = device_canny_prepare,
    .run = device_canny_run,
};
