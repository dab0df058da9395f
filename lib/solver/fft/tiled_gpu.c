/*
 * tiled_gpu.c - convolution in the frequency domain on GPUs, by overlap-save tiles
 *
 * cl/fft_gpu.cl describes the passes over a tile, tile_gpu.c how the image is cut. The spectra of as
 * many pairs of tiles as fit a buffer of moderate size are in memory at a time. Bands end between pairs
 * of the whole image: results do not depend on bands. Exact results are found as in tiled.c; doubtful
 * pixels are listed and summed again by a separate kernel, so that no work-group waits for them.
 */
#include "device/tuning.h"
#include "solver/fft/args.h"
#include "solver/fft/tile_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUP 256             /* work-items, along y */
#define ROW_GROUP 64          /* at least, along x: small groups wait less at barriers */
#define ELEMENTS (16 * GROUP) /* of a group */
#define LOCAL_BYTES (ELEMENTS / 16 * 17 * 2 * sizeof(float))
_Static_assert(GROUP <= IMF_GPU_GROUP && LOCAL_BYTES <= IMF_GPU_LOCAL, "lists of devices say so");
#define AGAIN 128 /* work-items that sum a pixel again, as in cl/fft_gpu.cl */
#define AGAIN_GROUPS                                                                               \
    8448 /* groups that share the list; a quarter of them takes 4 % longer on an H200 */
#define LIST_MIN                                                                                   \
    (1 << 16) /* least entries of the list; pixels that do not fit are summed at once */

_Static_assert(sizeof(struct imf_fft_gpu_tiling) <= IMF_SHAPE, "a proposal holds it");

struct local_job {
    struct imf_queue *queue;
    struct imf_fft_gpu_tiling tiling;
    struct imf_fft_gpu_sizes sizes;
    bool exact;
    int channels, cx, cy;
    int parity; /* which of two counters this run uses */
    int sums_pitch;
    struct imf_program *columns, *rows, *pixels, *sums, *again;
    struct imf_buffer *spectrum, *twiddles_x, *twiddles_y, *spectra_in, *spectra_out, *taps, *steps,
        *list, *counter[2];
};

/* Work-items of a group along x. */
static int row_group(const struct imf_fft_gpu_tiling *t) {
    return t->nx / 16 > ROW_GROUP ? t->nx / 16 : ROW_GROUP;
}

/* Entries of the list of doubtful pixels. */
static double list_capacity(const struct imf_problem *p) {
    return fmin(LIST_MIN + (double)p->width * p->height * p->channels / 64, 1e8);
}

static double bytes(const struct imf_problem *p, const struct imf_fft_gpu_tiling *t) {
    double spectra = (double)imf_fft_gpu_bytes(t, p) * t->chunk;
    return spectra * (1 + (double)t->pitch_out / t->pitch_in) +
           imf_fft_gpu_points(t) * 2 * sizeof(float) +
           (p->exact ? list_capacity(p) * 2 * sizeof(int32_t) : 0);
}

static void local_propose(const struct imf_problem *p, const struct imf_device *d,
                          struct imf_proposal *out) {
    struct imf_fft_gpu_tiling *t = (struct imf_fft_gpu_tiling *)out->shape.bytes;
    if (!d->gpu || d->max_group < GROUP || d->local_memory < LOCAL_BYTES) {
        imf_proposal_refuse(out, "transforms in local memory are for GPUs");
        return;
    }
    if (!imf_fft_gpu_choose(t, p, d)) {
        imf_proposal_refuse(out, "tiles for a %dx%d kernel do not fit the device's memory",
                            p->kernel[0]->width, p->kernel[0]->height);
        return;
    }
    out->feasible = imf_fft_accurate(p, &t->bound, t->error, t->doubtful, out->why);
    if (!out->feasible)
        return;
    out->ms = t->ms;
    out->bytes = bytes(p, t);
    out->error = imf_fft_result_error(p, &t->bound, t->error);
    out->bands = IMF_BANDS_FEW;
    out->step = imf_fft_gpu_step(t);
    snprintf(out->description, sizeof out->description, "fft tiles %dx%d%s%s", t->nx, t->ny,
             p->exact ? ", exact integer" : "", t->bound.split ? ", two bytes apart" : "");
}

/* ---- making ------------------------------------------------------------------------------- */

static void local_destroy(void **job) {
    struct local_job *j = *job;
    if (!j)
        return;
    struct imf_buffer **buffers[] = {
        &j->spectrum, &j->twiddles_x, &j->twiddles_y, &j->spectra_in, &j->spectra_out,
        &j->taps,     &j->steps,      &j->list,       &j->counter[0], &j->counter[1]};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        imf_buffer_free(buffers[i]);
    struct imf_program **programs[] = {&j->columns, &j->rows, &j->pixels, &j->sums, &j->again};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        imf_program_free(programs[i]);
    free(j);
    *job = NULL;
}

/* Factors of a length, in the order of the stages. */
static struct imf_fft_plan plan_of(int n) {
    struct imf_fft_plan plan = {.length = n};
    for (int span = n; span > 1;) {
        int radix = span >= 16 ? 16 : span;
        span /= radix;
        plan.radix[plan.stages++] = radix;
        plan.twiddles += span * (radix - 1);
    }
    return plan;
}

static enum imf_status upload_twiddles(struct imf_queue *queue, int n, struct imf_buffer **out,
                                       struct imf_error *err) {
    struct imf_fft_plan plan = plan_of(n);
    size_t bytes = 2 * (size_t)plan.twiddles * sizeof(float);
    float *values = malloc(bytes);
    if (!values)
        return imf_fail_memory(err, bytes);
    imf_fft_twiddles_across(&plan, values);
    enum imf_status status = imf_buffer_table(out, queue, values, bytes, err);
    free(values);
    return status;
}

/* Work-groups for `lines` lines of `length` elements. */
static struct imf_grid over_lines(int lines, int length, int group) {
    int each = 16 * group / length;
    return (struct imf_grid){(size_t)(imf_round_up(lines, each) / each), 1, (size_t)group};
}

/* Compute the taps' spectrum divided by the number of points of a transform. */
static enum imf_status make_spectrum(struct local_job *j, const struct imf_kernel *k,
                                     const struct imf_program_source *source_x,
                                     const struct imf_program_source *source_y,
                                     struct imf_error *err) {
    const struct imf_fft_gpu_tiling *t = &j->tiling;
    size_t count = (size_t)k->width * (size_t)k->height;
    float *values = malloc(count * sizeof *values);
    if (!values)
        return imf_fail_memory(err, count * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(k->taps[i] / imf_fft_gpu_points(t));
    struct imf_program *columns = NULL, *rows = NULL;
    struct imf_buffer *taps = NULL;
    enum imf_status status = imf_buffer_table(&taps, j->queue, values, count * sizeof *values, err);
    free(values);
    if (status == IMF_OK)
        status = imf_program_make(&columns, j->queue, source_y, "taps_columns", err);
    if (status == IMF_OK)
        status = imf_program_make(&rows, j->queue, source_x, "taps_rows", err);
    if (status == IMF_OK) {
        const struct imf_arg args[] = {imf_arg_buffer(taps), imf_arg_buffer(j->spectrum),
                                       imf_arg_buffer(j->twiddles_y),
                                       imf_arg_block(&j->sizes, sizeof j->sizes)};
        status = imf_program_launch(j->queue, columns, over_lines(t->nx, t->ny, GROUP), args, err);
    }
    if (status == IMF_OK) {
        const struct imf_arg args[] = {imf_arg_buffer(j->spectrum), imf_arg_buffer(j->twiddles_x),
                                       imf_arg_int(t->ny)};
        status =
            imf_program_launch(j->queue, rows, over_lines(t->ny, t->nx, row_group(t)), args, err);
    }
    if (status == IMF_OK)
        status = imf_queue_finish(j->queue, err);
    imf_program_free(&columns);
    imf_program_free(&rows);
    imf_buffer_free(&taps);
    return status;
}

/* Bytes of an integer tap: fewer bytes make summing a pixel again faster. */
static size_t tap_bytes(const struct imf_kernel *k) {
    for (int i = 0; i < k->width * k->height; i++)
        if (k->taps[i] < INT8_MIN || k->taps[i] > INT8_MAX)
            return sizeof(int32_t);
    return sizeof(int8_t);
}

/* Upload the taps as integers, in fours down the columns, for pixels that are summed again. */
static enum imf_status make_taps(struct local_job *j, const struct imf_kernel *k,
                                 struct imf_error *err) {
    size_t w = (size_t)k->width, h = (size_t)k->height, each = tap_bytes(k);
    size_t bytes = j->exact ? imf_round_up(k->height, 4) * w * each : 1;
    unsigned char *taps = calloc(bytes, 1);
    if (!taps)
        return imf_fail_memory(err, bytes);
    for (size_t y = 0; j->exact && y < h; y++) {
        for (size_t x = 0; x < w; x++) {
            size_t at = (y / 4 * w + x) * 4 + y % 4;
            int32_t tap = (int32_t)k->taps[y * w + x];
            if (each == 1)
                taps[at] = (unsigned char)tap;
            else
                memcpy(taps + at * sizeof tap, &tap, sizeof tap);
        }
    }
    enum imf_status status = imf_buffer_table(&j->taps, j->queue, taps, bytes, err);
    free(taps);
    for (int i = 0; i < 2 && status == IMF_OK; i++) {
        status = imf_buffer_make(&j->counter[i], j->queue, IMF_BUFFER_WORK, sizeof(int32_t), err);
        if (status == IMF_OK)
            status = imf_buffer_clear(j->queue, j->counter[i], 0, sizeof(int32_t), err);
    }
    if (status == IMF_OK)
        status = imf_buffer_make(&j->list, j->queue, IMF_BUFFER_WORK,
                                 (size_t)j->sizes.capacity * 2 * sizeof(int32_t), err);
    return status;
}

/* Upload the steps of the kernel's rows, for sums along the image's rows. */
static enum imf_status make_steps(struct local_job *j, const struct imf_kernel *k,
                                  struct imf_error *err) {
    size_t bytes = (size_t)j->tiling.steps * 2 * sizeof(int32_t), n = 0;
    int32_t *steps = malloc(bytes);
    if (!steps)
        return imf_fail_memory(err, bytes);
    for (int y = 0; y < k->height; y++) {
        const double *row = k->taps + (size_t)y * (size_t)k->width;
        for (int x = 0; x <= k->width; x++) {
            double step = imf_fft_gpu_difference(row, k->width, x);
            if (step == 0)
                continue;
            steps[n++] = y * j->channels * j->sums_pitch + x;
            steps[n++] = (int32_t)step;
        }
    }
    enum imf_status status = imf_buffer_table(&j->steps, j->queue, steps, bytes, err);
    free(steps);
    return status;
}

static enum imf_status make_buffers(struct local_job *j, const struct imf_problem *p,
                                    struct imf_error *err) {
    const struct imf_fft_gpu_tiling *t = &j->tiling;
    size_t bytes = imf_fft_gpu_bytes(t, p) * (size_t)t->chunk;
    size_t spectrum = (size_t)t->nx * (size_t)t->ny * 2 * sizeof(float);
    enum imf_status status = upload_twiddles(j->queue, t->nx, &j->twiddles_x, err);
    if (status == IMF_OK)
        status = upload_twiddles(j->queue, t->ny, &j->twiddles_y, err);
    if (status == IMF_OK)
        status = imf_buffer_make(&j->spectrum, j->queue, IMF_BUFFER_WORK, spectrum, err);
    if (status == IMF_OK)
        status = imf_buffer_make(&j->spectra_in, j->queue, IMF_BUFFER_WORK, bytes, err);
    if (status == IMF_OK)
        status = imf_buffer_make(&j->spectra_out, j->queue, IMF_BUFFER_WORK,
                                 bytes / (size_t)t->pitch_in * (size_t)t->pitch_out, err);
    if (status == IMF_OK)
        status = make_taps(j, p->kernel[0], err);
    return status == IMF_OK && t->steps ? make_steps(j, p->kernel[0], err) : status;
}

/* Add the "#define" lines of cl/parts/fft_gpu_lines.cl. */
static void define_lines(struct imf_defines *d, int n, int group) {
    imf_define(d, "N", "%d", n);
    imf_define(d, "GROUP", "%d", group);
}

/* Quads of pixels of a work-item of row_sums at a time: a whole row's, unless it is long. */
static int sums_steps(const struct local_job *j) {
    return imf_min((j->sums_pitch - 1) / (4 * GROUP) + 1, 8);
}

static enum imf_status make_kernels(struct local_job *j, const struct imf_problem *p,
                                    struct imf_error *err) {
    static const char *const parts[] = {"fft_gpu_butterflies.cl", "fft_gpu_lines.cl", "common.cl",
                                        NULL};
    const struct imf_fft_gpu_tiling *t = &j->tiling;
    struct imf_defines x = {0}, y = {0};
    imf_define(&x, "ROWS", "1");
    imf_define(&x, "CHANNELS", "%d", p->channels);
    define_lines(&x, t->nx, row_group(t));
    define_lines(&y, t->ny, GROUP);
    imf_define(&y, "TAPS_T", "%s", tap_bytes(p->kernel[0]) == 1 ? "char4" : "int4");
    imf_define(&y, "SUMS_STEPS", "%d", sums_steps(j));
    imf_fft_define_sums(&y, p, &t->bound, t->error, t->near_tie);
    const struct imf_program_source along_x = {.file = "fft_gpu.cl", .parts = parts, .defines = &x};
    const struct imf_program_source along_y = {.file = "fft_gpu.cl", .parts = parts, .defines = &y};
    enum imf_status status = imf_program_make(&j->columns, j->queue, &along_y, "columns", err);
    if (status == IMF_OK)
        status = imf_program_make(&j->rows, j->queue, &along_x, "rows", err);
    if (status == IMF_OK)
        status = imf_program_make(&j->pixels, j->queue, &along_y, "pixels", err);
    if (status == IMF_OK && p->exact)
        status =
            imf_program_make(&j->again, j->queue, &along_y, t->steps ? "again_runs" : "again", err);
    if (status == IMF_OK && t->steps)
        status = imf_program_make(&j->sums, j->queue, &along_y, "row_sums", err);
    if (status == IMF_OK)
        status = make_spectrum(j, p->kernel[0], &along_x, &along_y, err);
    imf_defines_free(&x);
    imf_defines_free(&y);
    return status;
}

static enum imf_status local_make(void **job, const struct imf_problem *p,
                                  const struct imf_proposal *proposal, struct imf_queue *queue,
                                  struct imf_error *err) {
    const struct imf_kernel *k = p->kernel[0];
    struct local_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->queue = queue;
    j->exact = p->exact;
    j->channels = p->channels;
    j->cx = k->cx;
    j->cy = k->cy;
    memcpy(&j->tiling, proposal->shape.bytes, sizeof j->tiling);
    j->sums_pitch = imf_fft_gpu_sums_pitch(p);
    struct imf_fft_gpu_tiling *t = &j->tiling;
    t->chunk = imf_min(t->chunk, imf_fft_gpu_pairs(t, p->height));
    j->sizes =
        (struct imf_fft_gpu_sizes){.middle_sum = p->exact ? (int64_t)t->bound.middle_sum[0] : 0,
                                   .middle = (float)t->bound.middle,
                                   .error = (float)imf_fft_window(t->error),
                                   .width = p->width,
                                   .columns = p->width + k->width - 1,
                                   .pitch_in = t->pitch_in,
                                   .pitch_out = t->pitch_out,
                                   .rows_length = t->nx,
                                   .tiles_x = t->tiles_x,
                                   .valid_x = t->valid_x,
                                   .valid_y = t->valid_y,
                                   .taps_w = k->width,
                                   .taps_h = k->height,
                                   .capacity = p->exact ? (int32_t)list_capacity(p) : 1};
    enum imf_status status = make_buffers(j, p, err);
    if (status == IMF_OK)
        status = make_kernels(j, p, err);
    if (status != IMF_OK)
        local_destroy(job);
    return status;
}

/* ---- running ------------------------------------------------------------------------------ */

/* Run the three kernels over `pairs` pairs of tiles from sizes.pair on. */
static enum imf_status run_pairs(struct local_job *j, const struct imf_buffer *in,
                                 const struct imf_buffer *out, int pairs, struct imf_error *err) {
    const struct imf_fft_gpu_tiling *t = &j->tiling;
    struct imf_fft_gpu_sizes *z = &j->sizes;
    int across = ELEMENTS / t->ny;
    struct imf_grid all = {(size_t)(imf_round_up(z->columns, across) / across * j->channels),
                           (size_t)pairs, GROUP};
    struct imf_grid inner = {(size_t)(imf_round_up(z->width, across) / across * j->channels),
                             (size_t)pairs, GROUP};
    z->lines = pairs * t->ny * j->channels * t->tiles_x;
    struct imf_grid along = over_lines(z->lines, t->nx, row_group(t));
    const struct imf_arg columns[] = {imf_arg_buffer(in), imf_arg_buffer(j->spectra_in),
                                      imf_arg_buffer(j->twiddles_y), imf_arg_block(z, sizeof *z)};
    const struct imf_arg rows[] = {imf_arg_buffer(j->spectra_in), imf_arg_buffer(j->spectra_out),
                                   imf_arg_buffer(j->spectrum),   imf_arg_buffer(j->twiddles_x),
                                   imf_arg_block(z, sizeof *z),   imf_arg_int(t->ny)};
    const struct imf_arg pixels[] = {imf_arg_buffer(j->spectra_out),
                                     imf_arg_buffer(out),
                                     imf_arg_buffer(j->twiddles_y),
                                     imf_arg_buffer(in),
                                     imf_arg_buffer(j->taps),
                                     imf_arg_buffer(j->list),
                                     imf_arg_buffer(j->counter[j->parity]),
                                     imf_arg_block(z, sizeof *z)};
    enum imf_status status = imf_program_launch(j->queue, j->columns, all, columns, err);
    if (status == IMF_OK)
        status = imf_program_launch(j->queue, j->rows, along, rows, err);
    if (status == IMF_OK)
        status = imf_program_launch(j->queue, j->pixels, inner, pixels, err);
    return status;
}

static const struct imf_grid again_grid = {AGAIN_GROUPS, 1, AGAIN};

/* Sum the listed pixels tap by tap. */
static enum imf_status again_by_taps(struct local_job *j, const struct imf_buffer *in,
                                     const struct imf_buffer *out, const struct imf_buffer *count,
                                     const struct imf_buffer *next, struct imf_error *err) {
    const struct imf_arg args[] = {imf_arg_buffer(in),
                                   imf_arg_buffer(out),
                                   imf_arg_buffer(j->taps),
                                   imf_arg_buffer(j->list),
                                   imf_arg_buffer(count),
                                   imf_arg_buffer(next),
                                   imf_arg_block(&j->sizes, sizeof j->sizes)};
    return imf_program_launch(j->queue, j->again, again_grid, args, err);
}

/* The same by sums along the image's rows, which overwrite the spectra. */
static enum imf_status again_by_runs(struct local_job *j, const struct imf_buffer *in,
                                     const struct imf_buffer *out, const struct imf_buffer *count,
                                     const struct imf_buffer *next, struct imf_error *err) {
    const struct imf_fft_gpu_sizes *z = &j->sizes;
    const struct imf_grid lines = {(size_t)(z->last_row + 1) * (size_t)j->channels, 1, GROUP};
    const struct imf_arg sums[] = {imf_arg_buffer(in), imf_arg_buffer(j->spectra_in),
                                   imf_arg_block(z, sizeof *z), imf_arg_int(j->sums_pitch)};
    const struct imf_arg again[] = {
        imf_arg_buffer(j->spectra_in), imf_arg_buffer(out),        imf_arg_buffer(j->steps),
        imf_arg_buffer(j->list),       imf_arg_buffer(count),      imf_arg_buffer(next),
        imf_arg_block(z, sizeof *z),   imf_arg_int(j->sums_pitch), imf_arg_int(j->tiling.steps)};
    enum imf_status status = imf_program_launch(j->queue, j->sums, lines, sums, err);
    return status ? status : imf_program_launch(j->queue, j->again, again_grid, again, err);
}

static enum imf_status local_run(void *job, const struct imf_surface *in,
                                 const struct imf_surface *out, struct imf_error *err) {
    struct local_job *j = job;
    struct imf_fft_gpu_sizes *z = &j->sizes;
    int pairs = imf_fft_gpu_pairs(&j->tiling, in->height);
    enum imf_status status = IMF_OK;
    z->height = in->height;
    z->last_row = in->height + z->taps_h - 2;
    z->in_start = (int64_t)in->origin - (int64_t)in->pitch * j->cy - (int64_t)j->channels * j->cx;
    z->in_pitch = (int32_t)in->pitch;
    z->out_start = (int64_t)out->origin;
    z->out_pitch = (int32_t)out->pitch;
    for (z->pair = 0; z->pair < pairs && status == IMF_OK; z->pair += j->tiling.chunk)
        status = run_pairs(j, in->mem, out->mem, imf_min(pairs - z->pair, j->tiling.chunk), err);
    if (!j->exact || status != IMF_OK)
        return status;
    const struct imf_buffer *count = j->counter[j->parity], *next = j->counter[!j->parity];
    j->parity = !j->parity;
    return j->tiling.steps ? again_by_runs(j, in->mem, out->mem, count, next, err)
                           : again_by_taps(j, in->mem, out->mem, count, next, err);
}

const struct imf_solver imf_solver_fft_gpu = {
    .name = "fft",
    .backend = IMF_BACKEND_FFT,
    .kinds = 1u << IMF_CONVOLUTION,
    .propose = local_propose,
    .old_make = local_make,
    .old_run = local_run,
    .old_destroy = local_destroy,
};
