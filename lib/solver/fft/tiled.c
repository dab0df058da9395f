/*
 * tiled.c - convolution in the frequency domain, by overlap-save tiles
 *
 * cl/fft.cl describes the passes over a tile, tile.c how the image is cut, error.c the error.
 *
 * Exact problems: the sum of products is an integer and known if only one integer lies within the
 * error bound of the computed value. If the bound is wider and the scale large, most sums give the
 * same pixel at both ends of the interval; the few that are close to a tie between two pixels are
 * summed again, tap by tap. If the scale is large, only sums close to a tie are tested in integers:
 * for the others a float gives the same pixel.
 */
#include "device/tuning.h"
#include "solver/fft/args.h"
#include "solver/fft/tile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum phase { PAIRS, COLUMNS, ROWS, RESULT, TAPS, TAPS_ROWS };

_Static_assert(sizeof(struct imf_fft_tiling) <= IMF_SHAPE, "a proposal holds it");

struct fft_job {
    struct imf_queue *queue;
    struct imf_fft_tiling tiling;
    struct imf_fft_sizes sizes;
    struct imf_program *program;
    struct imf_buffer *spectrum, *twiddles, *spans, *scratch, *counter;
};

static double points(const struct imf_fft_tiling *t) {
    return (double)t->x.length * t->y.length;
}

static double bytes(const struct imf_problem *p, const struct imf_fft_tiling *t) {
    double taps = (double)p->kernel[0]->width * p->kernel[0]->height;
    return (double)imf_fft_tiling_scratch(t) + points(t) * 2 * sizeof(float) +
           taps * (sizeof(float) + (p->exact ? sizeof(int32_t) : 0));
}

/* Milliseconds of sums that are computed again: doubtful share * samples * nonzero taps * nanoseconds of
 * a tap / units. */
static double again_ms(const struct imf_problem *p, const struct imf_device *d, double doubtful) {
    double nonzero = 0;
    for (int i = 0; i < imf_problem_kernels(p); i++)
        nonzero += (double)p->facts[i].nonzero;
    return doubtful * p->width * p->height * p->channels * nonzero * imf_tuning(d)->fft_again *
           1e-6 / imf_tuning_units(d);
}

static void fft_propose(const struct imf_problem *p, const struct imf_device *d,
                        struct imf_proposal *out) {
    struct imf_fft_tiling *t = (struct imf_fft_tiling *)out->shape.bytes;
    if (p->kind == IMF_MAGNITUDE && p->exact && fabs(p->epilogue.scale) != 1) {
        imf_proposal_refuse(out, "an exact magnitude needs scale 1");
        return;
    }
    if (!imf_fft_tiling_choose(t, p, d)) {
        imf_proposal_refuse(out, "tiles for a %dx%d kernel do not fit the device's memory",
                            p->kernel[0]->width, p->kernel[0]->height);
        return;
    }
    double doubtful = imf_fft_doubtful(p, &t->bound, t->error);
    out->feasible = imf_fft_accurate(p, &t->bound, t->error, doubtful, out->why);
    if (!out->feasible)
        return;
    out->ms = t->ms + (p->exact ? again_ms(p, d, doubtful) : 0);
    out->bytes = bytes(p, t);
    out->error = imf_fft_result_error(p, &t->bound, t->error);
    out->bands = IMF_BANDS_FEW;
    out->step = imf_fft_tiling_step(t);
    snprintf(out->description, sizeof out->description, "fft tiles %dx%d%s%s", t->x.length,
             t->y.length, p->exact ? ", exact integer" : "",
             t->bound.split ? ", two bytes apart" : "");
}

/* ---- making ------------------------------------------------------------------------------- */

static void fft_destroy(void **job) {
    struct fft_job *j = *job;
    if (!j)
        return;
    struct imf_buffer **buffers[] = {&j->spectrum, &j->twiddles, &j->spans, &j->scratch,
                                     &j->counter};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        imf_buffer_free(buffers[i]);
    imf_program_free(&j->program);
    free(j);
    *job = NULL;
}

static enum imf_status launch(struct fft_job *j, const struct imf_buffer *in,
                              const struct imf_buffer *out, const struct imf_buffer *spans,
                              enum phase phase, int pair, int channel, struct imf_error *err) {
    const struct imf_arg args[] = {
        imf_arg_buffer(in),          imf_arg_buffer(out),
        imf_arg_buffer(j->spectrum), imf_arg_buffer(j->twiddles),
        imf_arg_buffer(spans),       imf_arg_buffer(j->scratch),
        imf_arg_buffer(j->counter),  imf_arg_block(&j->sizes, sizeof j->sizes),
        imf_arg_int(phase),          imf_arg_int(pair),
        imf_arg_int(channel)};
    const struct imf_grid grid = {(size_t)j->tiling.groups, 1, 1};
    return imf_program_launch(j->queue, j->program, grid, args, err);
}

/* Compute the spectrum of the taps (a magnitude's kernels one after the other) divided by the number of
 * points of a transform. */
static enum imf_status make_spectrum(struct fft_job *j, const struct imf_problem *p,
                                     struct imf_error *err) {
    const struct imf_kernel *k = p->kernel[0];
    size_t each = (size_t)k->width * (size_t)k->height,
           count = p->kind == IMF_MAGNITUDE ? 2 * each : each;
    float *taps = malloc(count * sizeof *taps);
    if (!taps)
        return imf_fail_memory(err, count * sizeof *taps);
    for (size_t i = 0; i < count; i++)
        taps[i] = (float)(p->kernel[i / each]->taps[i % each] / points(&j->tiling));
    struct imf_buffer *table;
    enum imf_status status = imf_buffer_table(&table, j->queue, taps, count * sizeof *taps, err);
    free(taps);
    if (status != IMF_OK)
        return status;
    /* These phases do not read the images: the counter is passed for them. */
    status = launch(j, j->counter, j->counter, table, TAPS, 0, 0, err);
    if (status == IMF_OK)
        status = launch(j, j->counter, j->counter, table, TAPS_ROWS, 0, 0, err);
    if (status == IMF_OK)
        status = imf_queue_finish(j->queue, err);
    imf_buffer_free(&table);
    return status;
}

/* The first and end column of each row's nonzero taps, then the rows of taps, each followed by
 * IMF_FFT_VEC zeros. */
static void fill_spans(int32_t *spans, const struct imf_kernel *k) {
    size_t w = (size_t)k->width, h = (size_t)k->height, pitch = w + IMF_FFT_VEC;
    for (size_t y = 0; y < h; y++) {
        int32_t *row = spans + 2 * h + y * pitch, first = -1, end = 0;
        for (size_t x = 0; x < w; x++) {
            row[x] = (int32_t)k->taps[y * w + x];
            if (row[x] != 0) {
                first = first < 0 ? (int32_t)x : first;
                end = (int32_t)x + 1;
            }
        }
        spans[2 * y] = first < 0 ? 0 : first;
        spans[2 * y + 1] = end;
    }
}

static enum imf_status make_spans(struct fft_job *j, const struct imf_problem *p,
                                  struct imf_error *err) {
    const struct imf_kernel *k = p->kernel[0];
    size_t each = (size_t)k->height * ((size_t)k->width + IMF_FFT_VEC + 2);
    size_t count = !p->exact ? 1 : p->kind == IMF_MAGNITUDE ? 2 * each : each;
    int32_t *spans = calloc(count, sizeof *spans);
    if (!spans)
        return imf_fail_memory(err, count * sizeof *spans);
    for (size_t i = 0; p->exact && i < (size_t)imf_problem_kernels(p); i++)
        fill_spans(spans + i * each, p->kernel[i]);
    enum imf_status status =
        imf_buffer_table(&j->spans, j->queue, spans, count * sizeof *spans, err);
    free(spans);
    return status;
}

/* The radices of a plan; always with 4 and 8, so that fewer programs differ. */
static unsigned radices(const struct imf_fft_plan *plan) {
    unsigned set = 1u << 4 | 1u << 8;
    for (int s = 0; s < plan->stages; s++)
        set |= 1u << plan->radix[s];
    return set;
}

static enum imf_status make_kernel(struct fft_job *j, const struct imf_problem *p,
                                   struct imf_error *err) {
    const struct imf_fft_tiling *t = &j->tiling;
    struct imf_defines d = {0};
    /* Only the stages that these lengths need: compiles faster. */
    imf_define(&d, "RADICES", "%u", radices(&t->x) | radices(&t->y));
    imf_define(&d, "MIDDLES", "%u", t->x.stages ? 1u << t->x.radix[t->x.stages - 1] : 0);
    imf_fft_define_sums(&d, p, &t->bound, t->error, imf_fft_near_tie(p, &t->bound, t->error));
    static const char *const parts[] = {"fft_stages.cl", "fft_transpose.cl", "common.cl",
                                        "fft_channels.cl", NULL};
    const struct imf_program_source source = {.file = "fft.cl", .parts = parts, .defines = &d};
    enum imf_status status = imf_program_make(&j->program, j->queue, &source, "fft", err);
    imf_defines_free(&d);
    return status;
}

static enum imf_status make_buffers(struct fft_job *j, const struct imf_problem *p,
                                    struct imf_error *err) {
    const struct imf_fft_tiling *t = &j->tiling;
    size_t scratch = imf_fft_tiling_scratch(t);
    size_t spectrum = (size_t)t->x.length * (size_t)t->y.length * 2 * sizeof(float);
    enum imf_status status =
        imf_fft_twiddle_buffer(j->queue, &t->x, &t->y, &j->sizes.x, &j->sizes.y, &j->twiddles, err);
    if (status == IMF_OK)
        status = imf_buffer_make(&j->scratch, j->queue, IMF_BUFFER_WORK, scratch, err);
    if (status == IMF_OK)
        status = imf_buffer_make(&j->spectrum, j->queue, IMF_BUFFER_WORK, spectrum, err);
    if (status == IMF_OK)
        status = imf_buffer_make(&j->counter, j->queue, IMF_BUFFER_WORK, sizeof(int32_t), err);
    if (status == IMF_OK)
        status = make_spans(j, p, err);
    return status;
}

static enum imf_status fft_make(void **job, const struct imf_problem *p,
                                const struct imf_proposal *proposal, struct imf_queue *queue,
                                struct imf_error *err) {
    const struct imf_kernel *k = p->kernel[0];
    struct fft_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->queue = queue;
    memcpy(&j->tiling, proposal->shape.bytes, sizeof j->tiling);
    const struct imf_fft_tiling *t = &j->tiling;
    struct imf_fft_sizes *z = &j->sizes;
    z->width = p->width;
    z->height = p->height;
    z->tiles_x = t->tiles_x;
    z->pairs = t->pairs;
    z->middle = (float)t->bound.middle;
    for (int i = 0; i < 2; i++) {
        z->middle_sum[i] = p->exact ? llrint(t->bound.middle_sum[i]) : 0;
        z->shift[i] = (float)t->bound.middle_sum[i];
    }
    z->error = (float)imf_fft_window(t->error);
    imf_fft_axis_set(&z->x, &t->x);
    imf_fft_axis_set(&z->y, &t->y);
    z->x.valid = t->valid_x;
    z->y.valid = t->valid_y;
    z->x.origin = k->cx;
    z->y.origin = k->cy;
    z->x.taps = k->width;
    z->y.taps = k->height;
    enum imf_status status = make_kernel(j, p, err);
    if (status == IMF_OK)
        status = make_buffers(j, p, err);
    if (status == IMF_OK)
        status = make_spectrum(j, p, err);
    if (status != IMF_OK)
        fft_destroy(job);
    return status;
}

/* ---- running ------------------------------------------------------------------------------ */

static enum imf_status fft_run(void *job, const struct imf_surface *in,
                               const struct imf_surface *out, struct imf_error *err) {
    struct fft_job *j = job;
    struct imf_fft_sizes *z = &j->sizes;
    const struct imf_fft_tiling *t = &j->tiling;
    z->in_origin = (int64_t)in->origin;
    z->in_pitch = (int64_t)in->pitch;
    z->height = in->height;
    z->pairs = ((in->height - 1) / imf_fft_tiling_step(t) + 1) * t->tiles_x;
    z->out_origin = (int64_t)out->origin;
    z->out_pitch = (int64_t)out->pitch;
    z->last_row = in->height + in->margin.bottom - 1;
    z->last_column = in->width + in->margin.right - 1;
    if (!t->shared) {
        enum imf_status status = imf_buffer_clear(j->queue, j->counter, 0, sizeof(int32_t), err);
        return status ? status : launch(j, in->mem, out->mem, j->spans, PAIRS, 0, 0, err);
    }
    for (int pair = 0; pair < z->pairs; pair++) {
        for (int i = 0; i < 3 * in->channels; i++) {
            enum imf_status status =
                launch(j, in->mem, out->mem, j->spans, COLUMNS + i % 3, pair, i / 3, err);
            if (status != IMF_OK)
                return status;
        }
    }
    return IMF_OK;
}

const struct imf_solver imf_solver_fft = {
    .name = "fft",
    .backend = IMF_BACKEND_FFT,
    .program = "fft",
    .kinds = 1u << IMF_CONVOLUTION | 1u << IMF_MAGNITUDE,
    .propose = fft_propose,
    .old_make = fft_make,
    .old_run = fft_run,
    .old_destroy = fft_destroy,
};
