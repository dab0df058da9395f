/* device.c - point passes on a device (cl/point.cl, and cl/range.cl) */
#include "run/point/point.h"

#include "device/program.h"
#include "device/tuning.h"
#include "plan/lowering/operations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct imf_point_job {
    struct imf_queue *queue;
    int vec;  /* a work-item takes so many */
    int flat; /* of so many to a pixel */
    int mask_width;
    size_t mask_origin; /* the sample of the part's first pixel */
    struct imf_program *point, *range_rows, *range_all;
    struct imf_buffer
        *table; /* linear light of each sample value, or of the curves' points; or NULL */
    struct imf_buffer *mask, *profiles; /* of the blend's weights, or NULL */
    struct imf_buffer *range;           /* (min, max) of all, then of each row, or NULL */
};

static const char *const parts[] = {"common.cl", "steps.cl", NULL}, *const common[] = {"common.cl",
                                                                                       NULL};

static const int bits[] = {[IMF_U8] = 8, [IMF_U16] = 16, [IMF_F32] = 32};

/* Each step's numbers have a name of their own, NUMBERS0 and so on; STEPS calls the steps. */
static enum imf_status define_steps(struct imf_defines *d, const struct imf_point *p, bool flat,
                                    struct imf_error *err) {
    enum { CALL = 64 };
    char *calls = calloc((size_t)p->count + 1, CALL), name[24];
    int channels = p->in_channels, colors = flat ? 1 : channels - p->alpha;
    if (!calls)
        return imf_fail_memory(err, CALL);
    for (int i = 0; i < p->count; i++) {
        const struct imf_operation *op = &p->steps[i];
        size_t length = strlen(calls);
        const char *step = NULL;
        snprintf(name, sizeof name, "NUMBERS%d", i);
        switch (op->kind) {
#define DEFINE(kind, name_in_lists, holds, value, function, ...)                                   \
    case IMF_##kind:                                                                               \
        imf_define_floats(d, name, (const double[]){__VA_ARGS__},                                  \
                          sizeof((const double[]){__VA_ARGS__}) / sizeof(double));                 \
        step = #function;                                                                          \
        break;
            IMF_POINT_OPERATIONS(DEFINE)
        case IMF_SOLVE:
            continue;
        }
        int to = colors + op->channels - channels;
        snprintf(calls + length, CALL, "%s(PIXELS(%d, %d), %s); ", step, colors, to, name);
        colors = to;
        channels = op->channels;
    }
    imf_define(d, "STEPS", "%s", calls);
    free(calls);
    return IMF_OK;
}

/* The numbers of all splines, one behind the other, and where each step's begin. */
static enum imf_status define_splines(struct imf_defines *d, const struct imf_point *p,
                                      struct imf_error *err) {
    size_t count = 0, used = 0, at_bytes = (size_t)p->count * sizeof(double);
    for (int i = 0; i < p->count; i++)
        if (p->steps[i].kind == IMF_CURVE)
            count += 1 + IMF_PIECE * (size_t)p->steps[i].map.spline->pieces;
    if (!count)
        return IMF_OK;
    double *at = malloc(at_bytes + count * sizeof(double)), *numbers = at + p->count;
    if (!at)
        return imf_fail_memory(err, at_bytes + count * sizeof(double));
    for (int i = 0; i < p->count; i++) {
        const struct imf_spline *s = p->steps[i].map.spline;
        size_t n = p->steps[i].kind == IMF_CURVE ? 1 + IMF_PIECE * (size_t)s->pieces : 0;
        at[i] = (double)used;
        if (n)
            memcpy(numbers + used, s->number, n * sizeof *numbers);
        used += n;
    }
    imf_define_floats(d, "SPLINES", numbers, count);
    imf_define_ints(d, "SPLINE_AT", at, (size_t)p->count);
    free(at);
    return IMF_OK;
}

static void define_weights(struct imf_defines *d, const struct imf_weights *w) {
    imf_define_float(d, "AMOUNT", w->amount);
    imf_define(d, "MASK", "%d", w->mask ? bits[w->mask->sample] : 0);
    imf_define(d, "MASK_INVERT", "%d", w->invert);
    imf_define(d, "REGIONS", "%d", w->regions);
    imf_define(d, "PART_WIDTH", "%d", w->part.width);
    imf_define(d, "PART_HEIGHT", "%d", w->part.height);
}

static void define_samples(struct imf_defines *d, enum imf_sample in, enum imf_sample out,
                           int channels, int made) {
    imf_define(d, "IN", "%d", bits[in]);
    imf_define(d, "OUT", "%d", bits[out]);
    imf_define(d, "C_IN", "%d", channels);
    imf_define(d, "C_OUT", "%d", made);
}

/* Linear light of the sample values 0..full, or of the points of all curves. Light that is
 * stored as an integer is rounded here, once: rounded to a float first, it could become the
 * wrong integer. */
static enum imf_status make_table(struct imf_point_job *job, const struct imf_point *p,
                                  enum imf_sample out, struct imf_error *err) {
    bool whole = out != IMF_F32 && p->count == 1 && p->steps[0].kind == IMF_LINEARIZE;
    size_t values = imf_curve_tables(p->curve) ? IMF_CURVE_POINTS : (size_t)p->full + 1;
    size_t count = values * (size_t)imf_curve_count(p->curve), bytes = count * sizeof(float);
    float *table = malloc(bytes);
    if (!table)
        return imf_fail_memory(err, bytes);
    for (size_t i = 0; i < count; i++) {
        double light = p->full * imf_curve_to_light(p->curve, (int)(i / values),
                                                    (double)(i % values) / (double)(values - 1));
        table[i] = (float)(whole ? rint(light) : light);
    }
    enum imf_status st = imf_buffer_table(&job->table, job->queue, table, bytes, err);
    free(table);
    return st;
}

/* What becomes of each sample value, of colours and then of alpha. */
static enum imf_status make_map(struct imf_point_job *job, const struct imf_point *p,
                                enum imf_sample in, enum imf_sample out, struct imf_error *err) {
    size_t values = (size_t)imf_sample_max(in) + 1, bytes = (values << p->alpha) * sizeof(float);
    float *table = malloc(bytes);
    enum imf_status st = table ? IMF_OK : imf_fail_memory(err, bytes);
    for (int k = 0; k <= p->alpha && !st; k++) {
        void *map;
        st = imf_point_map(&map, p, in, out, k, err);
        for (size_t i = 0; i < values && !st; i++)
            table[(size_t)k * values + i] = (float)imf_sample_get(map, out, (ptrdiff_t)i);
        free(map);
    }
    if (!st)
        st = imf_buffer_table(&job->table, job->queue, table, bytes, err);
    free(table);
    return st;
}

static enum imf_status make_mask(struct imf_point_job *job, const struct imf_weights *w,
                                 struct imf_error *err) {
    const struct imf_mask_plane *mask = w->mask;
    size_t width = (size_t)mask->width, samples = width * (size_t)mask->height;
    job->mask_width = mask->width;
    job->mask_origin = (size_t)w->part.y * width + (size_t)w->part.x;
    return imf_buffer_table(&job->mask, job->queue, mask->at,
                            samples * imf_sample_size(mask->sample), err);
}

static enum imf_status make_profiles(struct imf_point_job *job, const struct imf_weights *w,
                                     struct imf_error *err) {
    size_t count = (size_t)w->regions, across = count * (size_t)w->part.width;
    size_t values = across + count * (size_t)w->part.height, bytes = values * sizeof(float);
    float *table = malloc(bytes);
    if (!table)
        return imf_fail_memory(err, bytes);
    for (size_t i = 0; i < values; i++)
        table[i] = (float)(i < across ? w->across[i] : w->down[i - across]);
    enum imf_status st = imf_buffer_table(&job->profiles, job->queue, table, bytes, err);
    free(table);
    return st;
}

static enum imf_status make_range(struct imf_point_job *job, const struct imf_point *p,
                                  enum imf_sample in, int height, struct imf_error *err) {
    struct imf_defines d = {0};
    size_t bytes = 2 * sizeof(float) * ((size_t)height + 1);
    define_samples(&d, in, in, p->in_channels, p->in_channels);
    imf_define(&d, "ALPHA", "%d", p->alpha);
    imf_define(&d, "WEIGH", "%d", imf_point_find(p, IMF_NORMALIZE)->normalize.weigh);
    imf_define_float(&d, "HIDDEN", p->hidden);
    const struct imf_program_source source = {.file = "range.cl", .parts = common, .defines = &d};
    enum imf_status st = imf_program_make(&job->range_rows, job->queue, &source, "range_rows", err);
    if (!st)
        st = imf_program_make(&job->range_all, job->queue, &source, "range_all", err);
    if (!st)
        st = imf_buffer_make(&job->range, job->queue, IMF_BUFFER_WORK, bytes, err);
    imf_defines_free(&d);
    return st;
}

static enum imf_status make_point(struct imf_point_job *job, const struct imf_point *p,
                                  enum imf_sample in, enum imf_sample out, struct imf_error *err) {
    struct imf_defines d = {0};
    const struct imf_device *device = imf_queue_device(job->queue);
    const struct imf_operation *blend = imf_point_find(p, IMF_BLEND);
    bool flat = imf_point_is_alike(p) && !blend, combines = imf_point_find(p, IMF_COMBINE);
    job->vec = flat ? imf_tuning(device)->vec[IMF_WIDTH_32] : 1;
    job->flat = flat ? p->in_channels : 1;
    define_samples(&d, in, out, flat ? 1 : p->in_channels,
                   flat ? 1 : p->steps[p->count - 1].channels);
    imf_define(&d, "ALPHA", "%d", p->alpha && !flat);
    imf_define(&d, "VEC", "%d", job->vec);
    imf_define(&d, "DIVIDE_TWICE", "%d", device->gpu);
    imf_define_float(&d, "E_FULL", p->full);
    imf_define(&d, "SECOND", "%d", combines ? 32 : bits[p->image]);
    imf_define(&d, "C_SECOND", "%d", flat ? p->second_channels > 0 : p->second_channels);
    imf_define(&d, "SECOND_LIGHT", "%d", p->second_light);
    imf_define(&d, "CURVES", "%d", imf_curve_tables(p->curve));
    if (blend)
        define_weights(&d, &blend->blend.weights);
    enum imf_status st = IMF_OK;
    if (imf_point_is_table(p, in))
        imf_define(&d, "STEPS", "map(PIXELS(C_IN - ALPHA, C_IN - ALPHA), E_FULL, %d);",
                   (int)imf_sample_max(in) + 1);
    else if (!(st = define_steps(&d, p, flat, err)))
        st = define_splines(&d, p, err);
    const struct imf_program_source source = {.file = "point.cl", .parts = parts, .defines = &d};
    if (!st)
        st = imf_program_make(&job->point, job->queue, &source, "point", err);
    imf_defines_free(&d);
    return st;
}

enum imf_status imf_point_make(struct imf_point_job **out, struct imf_queue *queue,
                               const struct imf_point *p, enum imf_sample in,
                               enum imf_sample out_sample, int height, struct imf_error *err) {
    struct imf_point_job *job = *out = calloc(1, sizeof *job);
    if (!job)
        return imf_fail_memory(err, sizeof *job);
    job->queue = queue;
    const struct imf_operation *blend = imf_point_find(p, IMF_BLEND);
    bool back = imf_point_find(p, IMF_DELINEARIZE) && imf_curve_tables(p->curve);
    enum imf_status st = make_point(job, p, in, out_sample, err);
    if (!st && imf_point_find(p, IMF_NORMALIZE))
        st = make_range(job, p, in, height, err);
    if (!st && imf_point_is_table(p, in))
        st = make_map(job, p, in, out_sample, err);
    else if (!st && (imf_point_find(p, IMF_LINEARIZE) || p->second_light || back))
        st = make_table(job, p, out_sample, err);
    if (!st && blend && blend->blend.weights.mask)
        st = make_mask(job, &blend->blend.weights, err);
    if (!st && blend && blend->blend.weights.regions)
        st = make_profiles(job, &blend->blend.weights, err);
    if (st)
        imf_point_free(out);
    return st;
}

/* `items` work-items along each row of s, in groups of one size: PoCL compiles for each size. */
static struct imf_grid over_rows(struct imf_queue *queue, const struct imf_surface *s,
                                 size_t items) {
    return imf_grid_over(items, (size_t)s->height, imf_tuning_group(imf_queue_device(queue)));
}

static enum imf_status find_range(struct imf_point_job *job, const struct imf_surface *in,
                                  struct imf_error *err) {
    const struct imf_arg rows[] = {imf_arg_buffer(in->mem), imf_arg_size(in->origin),
                                   imf_arg_int((int)in->pitch), imf_arg_int(in->width),
                                   imf_arg_buffer(job->range)};
    const struct imf_arg all[] = {imf_arg_buffer(job->range), imf_arg_int(in->height)};
    const struct imf_grid each = {(size_t)in->height, 1, 1}, one = {1, 1, 1};
    enum imf_status st = imf_program_launch(job->queue, job->range_rows, each, rows, err);
    return st ? st : imf_program_launch(job->queue, job->range_all, one, all, err);
}

enum imf_status imf_point_run(struct imf_point_job *job, const struct imf_point_io *io,
                              struct imf_error *err) {
    const struct imf_surface *in = io->in, *second = io->second, *out = io->out;
    if (job->range) {
        enum imf_status st = find_range(job, in, err);
        if (st)
            return st;
    }
    /* Every argument must be set; the kernel does not read these substitutes. */
    const struct imf_buffer *none = in->mem;
    second = second ? second : in;
    const struct imf_arg args[] = {
        imf_arg_buffer(in->mem),
        imf_arg_size(in->origin),
        imf_arg_int((int)in->pitch),
        imf_arg_buffer(second->mem),
        imf_arg_size(second->origin),
        imf_arg_int((int)second->pitch),
        imf_arg_buffer(out->mem),
        imf_arg_size(out->origin),
        imf_arg_int((int)out->pitch),
        imf_arg_int(in->width * job->flat),
        imf_arg_buffer(job->table ? job->table : none),
        imf_arg_buffer(job->range ? job->range : none),
        imf_arg_buffer(job->mask ? job->mask : none),
        imf_arg_size(job->mask_origin + (size_t)io->row * (size_t)job->mask_width),
        imf_arg_int(job->mask_width),
        imf_arg_buffer(job->profiles ? job->profiles : none),
        imf_arg_int(io->row)};
    size_t vec = (size_t)job->vec;
    size_t items = ((size_t)in->width * (size_t)job->flat + vec - 1) / vec;
    return imf_program_launch(job->queue, job->point, over_rows(job->queue, in, items), args, err);
}

void imf_point_free(struct imf_point_job **job) {
    struct imf_point_job *j = *job;
    if (!j)
        return;
    imf_program_free(&j->point);
    imf_program_free(&j->range_rows);
    imf_program_free(&j->range_all);
    imf_buffer_free(&j->table);
    imf_buffer_free(&j->mask);
    imf_buffer_free(&j->profiles);
    imf_buffer_free(&j->range);
    free(j);
    *job = NULL;
}

struct imf_alpha_job {
    struct imf_queue *queue;
    struct imf_program *program;
};

enum imf_status imf_alpha_make(struct imf_alpha_job **out, struct imf_queue *queue,
                               const struct imf_chain *chain, struct imf_error *err) {
    struct imf_alpha_job *job = *out = calloc(1, sizeof *job);
    if (!job)
        return imf_fail_memory(err, sizeof *job);
    job->queue = queue;
    struct imf_defines d = {0};
    define_samples(&d, chain->in, chain->out, chain->channels_in, chain->channels_out);
    imf_define_float(&d, "RESCALE", chain->rescale);
    const struct imf_program_source source = {.file = "alpha.cl", .parts = common, .defines = &d};
    enum imf_status st = imf_program_make(&job->program, queue, &source, "copy_alpha", err);
    imf_defines_free(&d);
    if (st)
        imf_alpha_free(out);
    return st;
}

enum imf_status imf_alpha_run(struct imf_alpha_job *job, const struct imf_surface *in,
                              const struct imf_surface *out, struct imf_error *err) {
    const struct imf_arg args[] = {imf_arg_buffer(in->mem),     imf_arg_size(in->origin),
                                   imf_arg_int((int)in->pitch), imf_arg_buffer(out->mem),
                                   imf_arg_size(out->origin),   imf_arg_int((int)out->pitch),
                                   imf_arg_int(in->width)};
    return imf_program_launch(job->queue, job->program,
                              over_rows(job->queue, in, (size_t)in->width), args, err);
}

void imf_alpha_free(struct imf_alpha_job **job) {
    if (!*job)
        return;
    imf_program_free(&(*job)->program);
    free(*job);
    *job = NULL;
}
