/*
 * tiled_gpu.c - convolution in the frequency domain on GPUs, by overlap-save tiles
 *
 * cl/fft_gpu.cl describes the passes over a tile, tile_gpu.c how the image is cut. The spectra of as
 * many pairs of tiles as fit a buffer of moderate size are in memory at a time. Bands end between pairs
 * of the whole image: results do not depend on bands. Exact results are found as in tiled.c; doubtful
 * pixels are listed and summed again by a separate kernel, so that no work-group waits for them.
 */
#include "solver/convolution/sums.h"
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
#define AGAIN_GROUP 128 /* work-items that sum a pixel again, as in cl/fft_gpu.cl */
#define AGAIN_GROUPS                                                                               \
    8448 /* groups that share the list; a quarter of them takes 4 % longer on an H200 */
#define LIST_MIN                                                                                   \
    (1 << 16) /* least entries of the list; pixels that do not fit are summed at once */

_Static_assert(sizeof(struct imf_fft_gpu_tiling) <= IMF_SHAPE, "a proposal holds it");

/* Buffers; of the two counters a run uses one and clears the other. */
enum {
    SPECTRUM,
    SPECTRA_IN,
    SPECTRA_OUT,
    LIST,
    COUNTER,
    TWIDDLES_X = COUNTER + 2,
    TWIDDLES_Y,
    TAPS,
    STEPS
};
/* Programs: of lines along y, then along x. */
enum { COLUMNS, PIXELS, TAPS_COLUMNS, AGAIN, SUMS, ROWS, TAPS_ROWS };

struct local {
    struct imf_fft_gpu_sizes sizes;
    int parity; /* which counter this run uses */
};

/* Work-items of a group along x. */
static int row_group(const struct imf_fft_gpu_tiling *t) {
    return t->nx / 16 > ROW_GROUP ? t->nx / 16 : ROW_GROUP;
}

/* Entries of the list of doubtful pixels. */
static double list_capacity(const struct imf_problem *p) {
    if (!p->exact)
        return 1;
    return fmin(LIST_MIN + (double)p->width * p->height * p->channels / 64, 1e8);
}

/* Pairs of tiles of a launch. */
static int chunk_of(const struct imf_fft_gpu_tiling *t, const struct imf_problem *p) {
    return imf_min(t->chunk, imf_fft_gpu_pairs(t, p->height));
}

static bool sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    const struct imf_fft_gpu_tiling *t = shape;
    size_t spectra = imf_fft_gpu_bytes(t, p) * (size_t)chunk_of(t, p);
    bytes[SPECTRUM] = (size_t)t->nx * (size_t)t->ny * 2 * sizeof(float);
    bytes[SPECTRA_IN] = spectra;
    bytes[SPECTRA_OUT] = spectra / (size_t)t->pitch_in * (size_t)t->pitch_out;
    bytes[LIST] = (size_t)list_capacity(p) * 2 * sizeof(int32_t);
    bytes[COUNTER] = bytes[COUNTER + 1] = sizeof(int32_t);
    return true;
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
    out->feasible = imf_fft_accurate(p, &t->bound, t->error, t->doubtful, out->why) &&
                    imf_proposal_buffers(out, p);
    if (!out->feasible)
        return;
    out->ms = t->ms;
    out->error = imf_fft_result_error(p, &t->bound, t->error);
    out->bands = IMF_BANDS_FEW;
    out->step = imf_fft_gpu_step(t);
    snprintf(out->description, sizeof out->description, "fft tiles %dx%d%s%s", t->nx, t->ny,
             p->exact ? ", exact integer" : "", t->bound.split ? ", two bytes apart" : "");
}

/* ---- making ------------------------------------------------------------------------------- */

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

static enum imf_status upload_twiddles(struct imf_job *job, int buffer, int n,
                                       struct imf_error *err) {
    struct imf_fft_plan plan = plan_of(n);
    size_t bytes = 2 * (size_t)plan.twiddles * sizeof(float);
    float *values = malloc(bytes);
    if (values)
        imf_fft_twiddles_across(&plan, values);
    return imf_job_table(job, &job->buffer[buffer], values, bytes, err);
}

/* Work-groups for `lines` lines of `length` elements. */
static struct imf_grid over_lines(int lines, int length, int group) {
    int each = 16 * group / length;
    return (struct imf_grid){(size_t)(imf_round_up(lines, each) / each), 1, (size_t)group};
}

/* Compute the taps' spectrum divided by the number of points of a transform. */
static enum imf_status make_spectrum(struct imf_job *job, struct imf_error *err) {
    const struct imf_fft_gpu_tiling *t = imf_job_shape(job);
    const struct local *own = job->own;
    const struct imf_kernel *k = job->p.kernel[0];
    struct imf_buffer *const *b = job->buffer, *taps = NULL;
    size_t count = imf_tap_count(k);
    float *values = malloc(count * sizeof *values);
    for (size_t i = 0; i < count && values; i++)
        values[i] = (float)(k->taps[i] / imf_fft_gpu_points(t));
    enum imf_status status = imf_job_table(job, &taps, values, count * sizeof *values, err);
    const struct imf_arg columns[] = {imf_arg_buffer(taps), imf_arg_buffer(b[SPECTRUM]),
                                      imf_arg_buffer(b[TWIDDLES_Y]),
                                      imf_arg_block(&own->sizes, sizeof own->sizes)};
    const struct imf_arg rows[] = {imf_arg_buffer(b[SPECTRUM]), imf_arg_buffer(b[TWIDDLES_X]),
                                   imf_arg_int(t->ny)};
    if (status == IMF_OK)
        status = imf_job_launch(job, TAPS_COLUMNS, over_lines(t->nx, t->ny, GROUP), columns, err);
    if (status == IMF_OK)
        status = imf_job_launch(job, TAPS_ROWS, over_lines(t->ny, t->nx, row_group(t)), rows, err);
    if (status == IMF_OK)
        status = imf_queue_finish(job->queue, err);
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
static enum imf_status make_taps(struct imf_job *job, struct imf_error *err) {
    const struct imf_kernel *k = job->p.kernel[0];
    size_t w = (size_t)k->width, h = (size_t)k->height, each = tap_bytes(k);
    size_t bytes = job->p.exact ? imf_round_up(k->height, 4) * w * each : 1;
    unsigned char *taps = calloc(bytes, 1);
    for (size_t i = 0; job->p.exact && taps && i < w * h; i++) {
        size_t y = i / w, at = (y / 4 * w + i % w) * 4 + y % 4;
        int32_t tap = (int32_t)k->taps[i];
        if (each == 1)
            taps[at] = (unsigned char)tap;
        else
            memcpy(taps + at * sizeof tap, &tap, sizeof tap);
    }
    return imf_job_table(job, &job->buffer[TAPS], taps, bytes, err);
}

/* Upload the steps of the kernel's rows, for sums along the image's rows. */
static enum imf_status make_steps(struct imf_job *job, struct imf_error *err) {
    const struct imf_fft_gpu_tiling *t = imf_job_shape(job);
    const struct imf_kernel *k = job->p.kernel[0];
    size_t bytes = (size_t)t->steps * 2 * sizeof(int32_t), n = 0;
    int32_t *steps = malloc(bytes), line = job->p.channels * imf_fft_gpu_sums_pitch(&job->p);
    for (int y = 0; y < k->height && steps; y++)
        for (int x = 0; x <= k->width; x++) {
            double step =
                imf_fft_gpu_difference(k->taps + (size_t)y * (size_t)k->width, k->width, x);
            if (step == 0)
                continue;
            steps[n++] = y * line + x;
            steps[n++] = (int32_t)step;
        }
    return imf_job_table(job, &job->buffer[STEPS], steps, bytes, err);
}

/* Quads of pixels of a work-item of row_sums at a time: a whole row's, unless it is long. */
static int sums_steps(const struct imf_problem *p) {
    return imf_min((imf_fft_gpu_sums_pitch(p) - 1) / (4 * GROUP) + 1, 8);
}

static enum imf_status make_kernels(struct imf_job *job, struct imf_error *err) {
    static const char *const parts[] = {"fft_gpu_butterflies.cl", "fft_gpu_lines.cl", "common.cl",
                                        NULL};
    static const char *const along_x[] = {"rows", "taps_rows", NULL};
    const struct imf_fft_gpu_tiling *t = imf_job_shape(job);
    const struct imf_problem *p = &job->p;
    const char *again = !p->exact ? NULL : t->steps ? "again_runs" : "again";
    const char *const along_y[] = {
        "columns", "pixels", "taps_columns", again, t->steps ? "row_sums" : NULL, NULL};
    struct imf_defines x = {0}, y = {0};
    imf_define(&x, "ROWS", "1");
    imf_define(&x, "CHANNELS", "%d", p->channels);
    imf_define(&x, "N", "%d", t->nx);
    imf_define(&x, "GROUP", "%d", row_group(t));
    imf_define(&y, "N", "%d", t->ny);
    imf_define(&y, "GROUP", "%d", GROUP);
    imf_define(&y, "TAPS_T", "%s", tap_bytes(p->kernel[0]) == 1 ? "char4" : "int4");
    imf_define(&y, "SUMS_STEPS", "%d", sums_steps(p));
    imf_fft_define_sums(&y, p, &t->bound, t->error, t->near_tie);
    enum imf_status st = imf_job_programs(job, COLUMNS, along_y, parts, &y, err);
    if (!st)
        return imf_job_programs(job, ROWS, along_x, parts, &x, err);
    imf_defines_free(&x);
    return st;
}

static enum imf_status local_prepare(struct imf_job *job, struct imf_error *err) {
    const struct imf_fft_gpu_tiling *t = imf_job_shape(job);
    const struct imf_problem *p = &job->p;
    const struct imf_kernel *k = p->kernel[0];
    struct local *own = job->own;
    own->sizes =
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
                                   .capacity = (int32_t)list_capacity(p)};
    enum imf_status st = upload_twiddles(job, TWIDDLES_X, t->nx, err);
    if (!st)
        st = upload_twiddles(job, TWIDDLES_Y, t->ny, err);
    for (int i = 0; i < 2 && !st; i++)
        st = imf_buffer_clear(job->queue, job->buffer[COUNTER + i], 0, sizeof(int32_t), err);
    if (!st)
        st = make_taps(job, err);
    if (!st && t->steps)
        st = make_steps(job, err);
    if (!st)
        st = make_kernels(job, err);
    return st ? st : make_spectrum(job, err);
}

/* ---- running ------------------------------------------------------------------------------ */

/* Run the three kernels over `pairs` pairs of tiles from sizes.pair on. */
static enum imf_status run_pairs(struct imf_job *job, const struct imf_buffer *in,
                                 const struct imf_buffer *out, int pairs, struct imf_error *err) {
    const struct imf_fft_gpu_tiling *t = imf_job_shape(job);
    struct imf_buffer *const *b = job->buffer;
    struct local *own = job->own;
    struct imf_fft_gpu_sizes *z = &own->sizes;
    int across = ELEMENTS / t->ny, channels = job->p.channels;
    struct imf_grid all = {(size_t)(imf_round_up(z->columns, across) / across * channels),
                           (size_t)pairs, GROUP};
    struct imf_grid inner = {(size_t)(imf_round_up(z->width, across) / across * channels),
                             (size_t)pairs, GROUP};
    z->lines = pairs * t->ny * channels * t->tiles_x;
    struct imf_grid along = over_lines(z->lines, t->nx, row_group(t));
    const struct imf_arg columns[] = {imf_arg_buffer(in), imf_arg_buffer(b[SPECTRA_IN]),
                                      imf_arg_buffer(b[TWIDDLES_Y]), imf_arg_block(z, sizeof *z)};
    const struct imf_arg rows[] = {imf_arg_buffer(b[SPECTRA_IN]), imf_arg_buffer(b[SPECTRA_OUT]),
                                   imf_arg_buffer(b[SPECTRUM]),   imf_arg_buffer(b[TWIDDLES_X]),
                                   imf_arg_block(z, sizeof *z),   imf_arg_int(t->ny)};
    const struct imf_arg pixels[] = {imf_arg_buffer(b[SPECTRA_OUT]),
                                     imf_arg_buffer(out),
                                     imf_arg_buffer(b[TWIDDLES_Y]),
                                     imf_arg_buffer(in),
                                     imf_arg_buffer(b[TAPS]),
                                     imf_arg_buffer(b[LIST]),
                                     imf_arg_buffer(b[COUNTER + own->parity]),
                                     imf_arg_block(z, sizeof *z)};
    enum imf_status status = imf_job_launch(job, COLUMNS, all, columns, err);
    if (status == IMF_OK)
        status = imf_job_launch(job, ROWS, along, rows, err);
    return status ? status : imf_job_launch(job, PIXELS, inner, pixels, err);
}

/* Sum the listed pixels tap by tap; or, with steps, by sums along the image's rows, which overwrite the
 * spectra. */
static enum imf_status run_again(struct imf_job *job, const struct imf_buffer *in,
                                 const struct imf_buffer *out, struct imf_error *err) {
    const struct imf_fft_gpu_tiling *t = imf_job_shape(job);
    struct local *own = job->own;
    const struct imf_fft_gpu_sizes *z = &own->sizes;
    struct imf_buffer *const *b = job->buffer;
    const struct imf_buffer *count = b[COUNTER + own->parity], *next = b[COUNTER + !own->parity];
    const struct imf_grid pixels = {AGAIN_GROUPS, 1, AGAIN_GROUP};
    const struct imf_grid lines = {(size_t)(z->last_row + 1) * (size_t)job->p.channels, 1, GROUP};
    int pitch = imf_fft_gpu_sums_pitch(&job->p);
    const struct imf_arg taps[] = {imf_arg_buffer(in),         imf_arg_buffer(out),
                                   imf_arg_buffer(b[TAPS]),    imf_arg_buffer(b[LIST]),
                                   imf_arg_buffer(count),      imf_arg_buffer(next),
                                   imf_arg_block(z, sizeof *z)};
    const struct imf_arg sums[] = {imf_arg_buffer(in), imf_arg_buffer(b[SPECTRA_IN]),
                                   imf_arg_block(z, sizeof *z), imf_arg_int(pitch)};
    const struct imf_arg runs[] = {
        imf_arg_buffer(b[SPECTRA_IN]), imf_arg_buffer(out),   imf_arg_buffer(b[STEPS]),
        imf_arg_buffer(b[LIST]),       imf_arg_buffer(count), imf_arg_buffer(next),
        imf_arg_block(z, sizeof *z),   imf_arg_int(pitch),    imf_arg_int(t->steps)};
    own->parity = !own->parity;
    if (!t->steps)
        return imf_job_launch(job, AGAIN, pixels, taps, err);
    enum imf_status status = imf_job_launch(job, SUMS, lines, sums, err);
    return status ? status : imf_job_launch(job, AGAIN, pixels, runs, err);
}

static enum imf_status local_run(struct imf_job *job, const struct imf_surface *in,
                                 const struct imf_surface *out, struct imf_error *err) {
    const struct imf_fft_gpu_tiling *t = imf_job_shape(job);
    const struct imf_problem *p = &job->p;
    const struct imf_kernel *k = p->kernel[0];
    struct local *own = job->own;
    struct imf_fft_gpu_sizes *z = &own->sizes;
    int pairs = imf_fft_gpu_pairs(t, in->height), chunk = chunk_of(t, p);
    enum imf_status status = IMF_OK;
    z->height = in->height;
    z->last_row = in->height + z->taps_h - 2;
    z->in_start = (int64_t)imf_first_tap(in, k);
    z->in_pitch = (int32_t)in->pitch;
    z->out_start = (int64_t)out->origin;
    z->out_pitch = (int32_t)out->pitch;
    for (z->pair = 0; z->pair < pairs && status == IMF_OK; z->pair += chunk)
        status = run_pairs(job, in->mem, out->mem, imf_min(pairs - z->pair, chunk), err);
    return status || !p->exact ? status : run_again(job, in->mem, out->mem, err);
}

const struct imf_solver imf_solver_fft_gpu = {
    .name = "fft",
    .backend = IMF_BACKEND_FFT,
    .program = "fft_gpu",
    .kinds = 1u << IMF_CONVOLUTION,
    .propose = local_propose,
    .own = sizeof(struct local),
    .sizes = sizes,
    .prepare = local_prepare,
    .run = local_run,
};
