/* device.c - point passes on a device (cl/point.cl, and cl/range.cl) */
#include "run/point/point.h"

#include "device/program.h"
#include "device/tuning.h"

#include <math.h>
#include <stdlib.h>

struct imf_point_job {
    struct imf_queue *queue;
    int vec; /* samples of a work-item, or 0: it takes a pixel */
    int mask_width;
    size_t mask_origin; /* the sample of the part's first pixel */
    struct imf_program *point, *range_rows, *range_all;
    struct imf_buffer
        *table; /* linear light of each sample value, or of the curves' points; or NULL */
    struct imf_buffer *mask, *profiles; /* of the blend's weights, or NULL */
    struct imf_buffer *range;           /* (min, max) of all, then of each row, or NULL */
};

static const char *const parts[] = {"common.cl", "blend.cl", NULL}, *const common[] = {"common.cl",
                                                                                       NULL};

static const int bits[] = {[IMF_U8] = 8, [IMF_U16] = 16, [IMF_F32] = 32};

static void defines(struct imf_defines *d, const struct imf_point *p, enum imf_sample in,
                    enum imf_sample out) {
    imf_define(d, "IN", "%d", bits[in]);
    imf_define(d, "OUT", "%d", bits[out]);
    imf_define(d, "C_IN", "%d", p->in_channels);
    imf_define(d, "C_OUT", "%d", p->out_channels);
    imf_define(d, "ALPHA", "%d", p->alpha);
    imf_define(d, "TAKE_ALPHA", "%d", p->take_alpha);
    imf_define(d, "LINEARIZE", "%d", p->linearize);
    imf_define(d, "UNSHARP", "%d", p->unsharp);
    imf_define(d, "DIFFERENCE", "%d", p->difference);
    imf_define(d, "QUOTIENT", "%d", p->quotient);
    imf_define_float(d, "LEAST", p->full / IMF_LIFT);
    imf_define_float(d, "AMOUNT", p->amount);
    imf_define_float(d, "UNSHARP_LEVEL", p->level);
    imf_define(d, "UNPREMULTIPLY", "%d", p->unpremultiply);
    imf_define_float(d, "ALPHA_SCALE", p->alpha_scale);
    imf_define(d, "GRAY", "%d", p->gray);
    imf_define(d, "PICK", "%d", p->pick);
    imf_define(d, "PUT", "%d", p->put);
    imf_define(d, "NORMALIZE", "%d", p->normalize);
    imf_define(d, "WEIGH", "%d", p->weigh);
    imf_define(d, "STRETCH_WHOLE", "%d", p->whole && p->rescale == 1 && out != IMF_F32);
    imf_define_float(d, "FLAT_SPREAD", p->flat);
    imf_define(d, "EPILOGUE", "%d", p->epilogue);
    imf_define(d, "E_ABS", "%d", p->e.absolute);
    imf_define_float(d, "E_MUL2", p->e.multiply);
    imf_define_float(d, "E_ADD2", p->e.offset);
    imf_define(d, "E_THRESHOLD", "%d", p->e.threshold);
    imf_define_float(d, "E_LEVEL", p->e.level);
    imf_define_float(d, "E_FULL", p->full);
    imf_define(d, "SECOND", "%d", p->unsharp ? 32 : p->full > 255 ? 16 : 8);
    imf_define(d, "BLEND", "%d", p->blend);
    imf_define(d, "BLEND_MODE", "%d", p->mode);
    imf_define_float(d, "BLEND_AMOUNT", p->weights.amount);
    imf_define(d, "C_IMAGE", "%d", p->image_channels);
    imf_define(d, "IMAGE_LIGHT", "%d", p->image_light);
    imf_define(d, "APART", "%d", p->apart);
    imf_define(d, "MASK", "%d", p->weights.mask ? bits[p->weights.mask->sample] : 0);
    imf_define(d, "MASK_INVERT", "%d", p->weights.invert);
    imf_define(d, "REGIONS", "%d", p->weights.regions);
    imf_define(d, "PART_WIDTH", "%d", p->weights.part.width);
    imf_define(d, "PART_HEIGHT", "%d", p->weights.part.height);
    imf_define(d, "PREMULTIPLY", "%d", p->premultiply);
    imf_define(d, "DELINEARIZE", "%d", p->delinearize);
    imf_define(d, "CURVES", "%d", imf_curve_tables(p->curve));
    imf_define_float(d, "LUMA_GREEN", imf_curve_luma(p->curve)[1]);
    imf_define_float(d, "LUMA_BLUE", imf_curve_luma(p->curve)[2]);
    imf_define_float(d, "RESCALE", p->rescale);
}

/* Converting samples to linear light is the only step. */
static bool only_linearizes(const struct imf_point *p) {
    return p->linearize && !p->unsharp && !p->unpremultiply && !p->gray && !p->normalize &&
           !p->epilogue && !p->blend && !p->put && !p->premultiply && !p->delinearize &&
           p->rescale == 1;
}

/* Linear light of the sample values 0..full, or of the points of all curves. Light that is
 * stored as an integer is rounded here, once: rounded to a float first, it could become the
 * wrong integer. */
static enum imf_status make_table(struct imf_point_job *job, const struct imf_point *p,
                                  enum imf_sample out, struct imf_error *err) {
    bool whole = out != IMF_F32 && only_linearizes(p);
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

enum imf_status imf_point_make(struct imf_point_job **out, struct imf_queue *queue,
                               const struct imf_point *p, enum imf_sample in,
                               enum imf_sample out_sample, int height, struct imf_error *err) {
    struct imf_point_job *job = *out = calloc(1, sizeof *job);
    if (!job)
        return imf_fail_memory(err, sizeof *job);
    job->queue = queue;
    struct imf_defines d = {0};
    defines(&d, p, in, out_sample);
    imf_define(&d, "DIVIDE_TWICE", "%d", imf_queue_device(queue)->gpu);
    if (!p->alpha && !p->gray && !p->blend && !p->put && imf_curve_count(p->curve) == 1) {
        job->vec = imf_tuning(imf_queue_device(queue))->vec[IMF_WIDTH_32];
        imf_define(&d, "FLAT", "1");
        imf_define(&d, "VEC", "%d", job->vec);
    }
    const struct imf_program_source source = {.file = "point.cl", .parts = parts, .defines = &d};
    enum imf_status st =
        imf_program_make(&job->point, queue, &source, job->vec ? "point_flat" : "point", err);
    if (!st && p->normalize) {
        const struct imf_program_source range = {
            .file = "range.cl", .parts = common, .defines = &d};
        size_t bytes = 2 * sizeof(float) * ((size_t)height + 1);
        st = imf_program_make(&job->range_rows, queue, &range, "range_rows", err);
        if (!st)
            st = imf_program_make(&job->range_all, queue, &range, "range_all", err);
        if (!st)
            st = imf_buffer_make(&job->range, queue, IMF_BUFFER_WORK, bytes, err);
    }
    if (!st && (p->linearize || p->image_light || (p->delinearize && imf_curve_tables(p->curve))))
        st = make_table(job, p, out_sample, err);
    if (!st && p->weights.mask)
        st = make_mask(job, &p->weights, err);
    if (!st && p->weights.regions)
        st = make_profiles(job, &p->weights, err);
    imf_defines_free(&d);
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
        imf_arg_int(in->width),
        imf_arg_buffer(job->table ? job->table : none),
        imf_arg_buffer(job->range ? job->range : none),
        imf_arg_buffer(job->mask ? job->mask : none),
        imf_arg_size(job->mask_origin + (size_t)io->row * (size_t)job->mask_width),
        imf_arg_int(job->mask_width),
        imf_arg_buffer(job->profiles ? job->profiles : none),
        imf_arg_int(io->row)};
    size_t items = (size_t)in->width, vec = (size_t)job->vec;
    if (vec)
        items = (items * (size_t)in->channels + vec - 1) / vec;
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
    struct imf_point p = {.in_channels = chain->channels_in,
                          .out_channels = chain->channels_out,
                          .alpha = true,
                          .alpha_scale = 1,
                          .e = {.scale = 1, .multiply = 1},
                          .full = chain->full,
                          .rescale = chain->rescale};
    defines(&d, &p, chain->in, chain->out);
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
