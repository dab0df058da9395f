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
#include "solver/convolution/sums.h"
#include "solver/fft/args.h"
#include "solver/fft/tile.h"

#include <math.h>
#include <stdlib.h>

enum { SPECTRUM, SCRATCH, COUNTER, TWIDDLES, SPANS }; /* buffers */
enum phase { PAIRS, COLUMNS, ROWS, RESULT, TAPS, TAPS_ROWS };

_Static_assert(sizeof(struct imf_fft_tiling) <= IMF_SHAPE, "a proposal holds it");

static bool sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    const struct imf_fft_tiling *t = shape;
    (void)p;
    bytes[SPECTRUM] = (size_t)t->x.length * (size_t)t->y.length * 2 * sizeof(float);
    bytes[SCRATCH] = imf_fft_tiling_scratch(t);
    bytes[COUNTER] = sizeof(int32_t);
    return true;
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
    if (imf_refuse_scaled_magnitude(out, p))
        return;
    if (!imf_fft_tiling_choose(t, p, d)) {
        imf_proposal_refuse(out, "tiles for a %dx%d kernel do not fit the device's memory",
                            p->kernel[0]->width, p->kernel[0]->height);
        return;
    }
    double doubtful = imf_fft_doubtful(p, &t->bound, t->error);
    out->feasible = imf_fft_accurate(p, &t->bound, t->error, doubtful, out->why) &&
                    imf_proposal_buffers(out, p);
    if (!out->feasible)
        return;
    out->ms = t->ms + (p->exact ? again_ms(p, d, doubtful) : 0);
    out->error = imf_fft_result_error(p, &t->bound, t->error);
    out->bands = IMF_BANDS_FEW;
    out->step = imf_fft_tiling_step(t);
    snprintf(out->description, sizeof out->description, "fft tiles %dx%d%s%s", t->x.length,
             t->y.length, p->exact ? ", exact integer" : "",
             t->bound.split ? ", two bytes apart" : "");
}

/* ---- making ------------------------------------------------------------------------------- */

static enum imf_status launch(struct imf_job *job, const struct imf_buffer *in,
                              const struct imf_buffer *out, const struct imf_buffer *spans,
                              enum phase phase, int pair, int channel, struct imf_error *err) {
    const struct imf_fft_tiling *t = imf_job_shape(job);
    struct imf_buffer *const *b = job->buffer;
    const struct imf_arg args[] = {
        imf_arg_buffer(in),          imf_arg_buffer(out),
        imf_arg_buffer(b[SPECTRUM]), imf_arg_buffer(b[TWIDDLES]),
        imf_arg_buffer(spans),       imf_arg_buffer(b[SCRATCH]),
        imf_arg_buffer(b[COUNTER]),  imf_arg_block(job->own, sizeof(struct imf_fft_sizes)),
        imf_arg_int(phase),          imf_arg_int(pair),
        imf_arg_int(channel)};
    const struct imf_grid grid = {(size_t)t->groups, 1, 1};
    return imf_job_launch(job, 0, grid, args, err);
}

/* Compute the spectrum of the taps (a magnitude's kernels one after the other) divided by the number of
 * points of a transform. */
static enum imf_status make_spectrum(struct imf_job *job, struct imf_error *err) {
    const struct imf_fft_tiling *t = imf_job_shape(job);
    const struct imf_problem *p = &job->p;
    size_t each = imf_tap_count(p->kernel[0]), count = each * (size_t)imf_problem_kernels(p);
    double points = (double)t->x.length * t->y.length;
    float *taps = malloc(count * sizeof *taps);
    for (size_t i = 0; i < count && taps; i++)
        taps[i] = (float)(p->kernel[i / each]->taps[i % each] / points);
    struct imf_buffer *table = NULL, *none = job->buffer[COUNTER];
    enum imf_status status = imf_job_table(job, &table, taps, count * sizeof *taps, err);
    /* These phases do not read the images: the counter is passed for them. */
    if (status == IMF_OK)
        status = launch(job, none, none, table, TAPS, 0, 0, err);
    if (status == IMF_OK)
        status = launch(job, none, none, table, TAPS_ROWS, 0, 0, err);
    if (status == IMF_OK)
        status = imf_queue_finish(job->queue, err);
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

static enum imf_status make_spans(struct imf_job *job, struct imf_error *err) {
    const struct imf_problem *p = &job->p;
    const struct imf_kernel *k = p->kernel[0];
    size_t each = (size_t)k->height * ((size_t)k->width + IMF_FFT_VEC + 2);
    size_t count = p->exact ? each * (size_t)imf_problem_kernels(p) : 1;
    int32_t *spans = calloc(count, sizeof *spans);
    for (int i = 0; p->exact && spans && i < imf_problem_kernels(p); i++)
        fill_spans(spans + (size_t)i * each, p->kernel[i]);
    return imf_job_table(job, &job->buffer[SPANS], spans, count * sizeof *spans, err);
}

/* The radices of a plan; always with 4 and 8, so that fewer programs differ. */
static unsigned radices(const struct imf_fft_plan *plan) {
    unsigned set = 1u << 4 | 1u << 8;
    for (int s = 0; s < plan->stages; s++)
        set |= 1u << plan->radix[s];
    return set;
}

static enum imf_status make_kernel(struct imf_job *job, struct imf_error *err) {
    static const char *const parts[] = {"fft_stages.cl", "fft_transpose.cl", "common.cl",
                                        "fft_channels.cl", NULL};
    static const char *const entries[] = {"fft", NULL};
    const struct imf_fft_tiling *t = imf_job_shape(job);
    struct imf_defines d = {0};
    /* Only the stages that these lengths need: compiles faster. */
    imf_define(&d, "RADICES", "%u", radices(&t->x) | radices(&t->y));
    imf_define(&d, "MIDDLES", "%u", t->x.stages ? 1u << t->x.radix[t->x.stages - 1] : 0);
    imf_fft_define_sums(&d, &job->p, &t->bound, t->error,
                        imf_fft_near_tie(&job->p, &t->bound, t->error));
    return imf_job_programs(job, 0, entries, parts, &d, err);
}

static enum imf_status fft_prepare(struct imf_job *job, struct imf_error *err) {
    const struct imf_fft_tiling *t = imf_job_shape(job);
    const struct imf_problem *p = &job->p;
    const struct imf_kernel *k = p->kernel[0];
    struct imf_fft_sizes *z = job->own;
    z->width = p->width;
    z->tiles_x = t->tiles_x;
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
    enum imf_status status = make_kernel(job, err);
    if (status == IMF_OK)
        status = imf_fft_twiddle_buffer(job->queue, &t->x, &t->y, &z->x, &z->y,
                                        &job->buffer[TWIDDLES], err);
    if (status == IMF_OK)
        status = make_spans(job, err);
    return status ? status : make_spectrum(job, err);
}

/* ---- running ------------------------------------------------------------------------------ */

static enum imf_status fft_run(struct imf_job *job, const struct imf_surface *in,
                               const struct imf_surface *out, struct imf_error *err) {
    const struct imf_fft_tiling *t = imf_job_shape(job);
    const struct imf_buffer *spans = job->buffer[SPANS];
    struct imf_fft_sizes *z = job->own;
    z->in_origin = (int64_t)in->origin;
    z->in_pitch = (int64_t)in->pitch;
    z->height = in->height;
    z->pairs = ((in->height - 1) / imf_fft_tiling_step(t) + 1) * t->tiles_x;
    z->out_origin = (int64_t)out->origin;
    z->out_pitch = (int64_t)out->pitch;
    z->last_row = in->height + in->margin.bottom - 1;
    z->last_column = in->width + in->margin.right - 1;
    enum imf_status status = IMF_OK;
    if (!t->shared) {
        status = imf_buffer_clear(job->queue, job->buffer[COUNTER], 0, sizeof(int32_t), err);
        return status ? status : launch(job, in->mem, out->mem, spans, PAIRS, 0, 0, err);
    }
    for (int pair = 0; pair < z->pairs && !status; pair++)
        for (int i = 0; i < 3 * in->channels && !status; i++)
            status = launch(job, in->mem, out->mem, spans, COLUMNS + i % 3, pair, i / 3, err);
    return status;
}

const struct imf_solver imf_solver_fft = {
    .name = "fft",
    .backend = IMF_BACKEND_FFT,
    .program = "fft",
    .kinds = 1u << IMF_CONVOLUTION | 1u << IMF_MAGNITUDE,
    .propose = fft_propose,
    .own = sizeof(struct imf_fft_sizes),
    .sizes = sizes,
    .prepare = fft_prepare,
    .run = fft_run,
};
