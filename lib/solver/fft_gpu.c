/*
 * fft_gpu.c - convolution in the frequency domain on GPUs, by overlap-save tiles
 *
 * cl/fft_gpu.cl tells how a tile is done, solver/fft_gpu_tile.c how the image is cut. Spectra
 * of as many pairs of tiles as fit a modest buffer are on the device at a time. What is exact, and
 * how, is as in solver/fft.c; pixels in doubt are listed and summed again by a kernel of its own,
 * so that they hold up nobody.
 */
#include "solver/fft_gpu.h"
#include "base/embed.h"
#include "device/clrt.h"
#include "fourier/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROUP 256             /* work-items, along y */
#define ROW_GROUP 64          /* at least, along x: small groups wait less for each other */
#define ELEMENTS (16 * GROUP) /* of a group */
#define LOCAL_BYTES (ELEMENTS / 16 * 17 * 2 * sizeof(float))
#define AGAIN 128          /* of a group that sums a pixel again, as in cl/fft_gpu.cl */
#define AGAIN_GROUPS 8448  /* that take turns; a quarter of them takes 4 % longer on an H200 */
#define LIST_MIN (1 << 16) /* doubtful pixels; what does not fit is summed on the spot */

/* struct local_sizes of cl/fft_gpu.cl. */
struct sizes {
    imf_long in_start, out_start, middle_sum;
    cl_float middle, error;
    cl_int in_pitch, out_pitch, width, height, columns, last_row, pitch_in, pitch_out, rows_length;
    cl_int tiles_x, valid_x, valid_y, taps_w, taps_h, pair, lines, capacity;
};

struct local_job {
    struct imf_queue *queue;
    struct imf_fft_local_tiling tiling;
    struct sizes sizes;
    bool exact;
    int channels, cx, cy;
    int parity; /* which counter is this run's */
    cl_kernel columns, rows, pixels, again;
    cl_mem spectrum, twiddles_x, twiddles_y, spectra_in, spectra_out, taps, list, counter[2];
};

/* Work-items of a group along x. */
static int row_group(const struct imf_fft_local_tiling *t) {
    return t->nx / 16 > ROW_GROUP ? t->nx / 16 : ROW_GROUP;
}

/* Entries of the list of doubtful pixels. */
static double list_capacity(const struct imf_problem *p) {
    return fmin(LIST_MIN + (double)p->width * p->height * p->channels / 64, 1e8);
}

static bool local_applicable(const struct imf_problem *p, const struct imf_device *d, char *why) {
    struct imf_fft_local_tiling t;
    if (!d->gpu || d->max_group < GROUP || d->local_memory < LOCAL_BYTES) {
        snprintf(why, IMF_WHY, "transforms in local memory are for GPUs");
        return false;
    }
    if (p->kind == IMF_TRANSFER) {
        snprintf(why, IMF_WHY, "whole-image transfer functions are not done by tiles");
        return false;
    }
    if (p->kind == IMF_MAGNITUDE) {
        snprintf(why, IMF_WHY, "a magnitude of two kernels is not done in local memory");
        return false;
    }
    if (!imf_fft_local_choose(&t, p, d)) {
        snprintf(why, IMF_WHY, "tiles for a %dx%d kernel do not fit the device's memory",
                 p->kernel[0]->width, p->kernel[0]->height);
        return false;
    }
    return imf_fft_accurate(p, &t.bound, t.error, t.doubtful, why);
}

static double local_error(const struct imf_problem *p, const struct imf_device *d) {
    struct imf_fft_local_tiling t;
    return imf_fft_local_choose(&t, p, d) ? imf_fft_result_error(p, &t.bound, t.error) : 0;
}

static double local_cost(const struct imf_problem *p, const struct imf_device *d) {
    struct imf_fft_local_tiling t;
    return imf_fft_local_choose(&t, p, d) ? t.ms : INFINITY;
}

static void local_print(const struct imf_problem *p, const struct imf_device *d, char *text,
                        size_t size) {
    struct imf_fft_local_tiling t;
    if (imf_fft_local_choose(&t, p, d))
        snprintf(text, size, "fft tiles %dx%d%s%s", t.nx, t.ny, p->exact ? ", exact integer" : "",
                 t.bound.split ? ", two bytes apart" : "");
    else
        snprintf(text, size, "fft");
}

static double local_bytes(const struct imf_problem *p, const struct imf_device *d) {
    struct imf_fft_local_tiling t;
    if (!imf_fft_local_choose(&t, p, d))
        return 0;
    double spectra = (double)imf_fft_local_bytes(&t, p) * t.chunk;
    return spectra * (1 + (double)t.pitch_out / t.pitch_in) +
           imf_fft_local_points(&t) * 2 * sizeof(float) +
           (p->exact ? list_capacity(p) * 2 * sizeof(cl_int) : 0);
}

/* ---- making ------------------------------------------------------------------------------- */

static void local_destroy(void **job) {
    struct local_job *j = *job;
    if (!j)
        return;
    cl_mem mems[] = {j->spectrum, j->twiddles_x, j->twiddles_y, j->spectra_in, j->spectra_out,
                     j->taps,     j->list,       j->counter[0], j->counter[1]};
    for (size_t i = 0; i < sizeof mems / sizeof *mems; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    cl_kernel kernels[] = {j->columns, j->rows, j->pixels, j->again};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (kernels[i])
            clReleaseKernel(kernels[i]);
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

/* The stages' factors with j running fastest, so that neighbouring work-items load neighbours. */
static enum imf_status upload_twiddles(struct imf_queue *queue, int n, cl_mem *out,
                                       struct imf_error *err) {
    struct imf_fft_plan plan = plan_of(n);
    size_t bytes = 2 * (size_t)plan.twiddles * sizeof(float);
    float *by_j = malloc(bytes), *by_k = malloc(bytes);
    enum imf_status status = by_j && by_k ? IMF_OK : imf_fail_memory(err, bytes);
    if (status == IMF_OK) {
        imf_fft_twiddles(&plan, by_j);
        size_t at = 0;
        for (int s = 0, span = n; s < plan.stages; s++) {
            size_t others = (size_t)plan.radix[s] - 1, m = (size_t)(span /= plan.radix[s]);
            for (size_t j = 0; j < m; j++)
                for (size_t k = 0; k < others; k++)
                    memcpy(by_k + 2 * (at + k * m + j), by_j + 2 * (at + j * others + k),
                           2 * sizeof(float));
            at += others * m;
        }
        status = imf_fft_upload(queue, by_k, bytes, out, err);
    }
    free(by_j);
    free(by_k);
    return status;
}

/* A kernel over `lines` lines of `length` elements. */
static enum imf_status run_lines(struct imf_queue *queue, cl_kernel kernel,
                                 const struct imf_clrt_arg *args, unsigned count, int lines,
                                 int length, int group, struct imf_error *err) {
    int each = 16 * group / length;
    size_t global = (size_t)(imf_round_up(lines, each) / each) * (size_t)group;
    size_t local = (size_t)group;
    return imf_clrt_launch(queue, kernel, args, count, 1, &global, &local, err);
}

/* The taps' spectrum, divided by the number of points of a transform. */
static enum imf_status make_spectrum(struct local_job *j, const struct imf_kernel *k,
                                     const struct imf_defines *defines_x,
                                     const struct imf_defines *defines_y, struct imf_error *err) {
    const struct imf_fft_local_tiling *t = &j->tiling;
    size_t count = (size_t)k->width * (size_t)k->height;
    float *values = malloc(count * sizeof *values);
    if (!values)
        return imf_fail_memory(err, count * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(k->taps[i] / imf_fft_local_points(t));
    cl_kernel columns = NULL, rows = NULL;
    cl_mem taps = NULL;
    enum imf_status status = imf_fft_upload(j->queue, values, count * sizeof *values, &taps, err);
    free(values);
    if (status == IMF_OK)
        status = imf_clrt_kernel(j->queue, "fft_gpu.cl", defines_y, "taps_columns", &columns, err);
    if (status == IMF_OK)
        status = imf_clrt_kernel(j->queue, "fft_gpu.cl", defines_x, "taps_rows", &rows, err);
    if (status == IMF_OK) {
        const struct imf_clrt_arg args[] = {{sizeof taps, &taps},
                                            {sizeof j->spectrum, &j->spectrum},
                                            {sizeof j->twiddles_y, &j->twiddles_y},
                                            {sizeof j->sizes, &j->sizes}};
        status = run_lines(j->queue, columns, args, 4, t->nx, t->ny, GROUP, err);
    }
    if (status == IMF_OK) {
        cl_int ny = t->ny;
        const struct imf_clrt_arg args[] = {{sizeof j->spectrum, &j->spectrum},
                                            {sizeof j->twiddles_x, &j->twiddles_x},
                                            {sizeof ny, &ny}};
        status = run_lines(j->queue, rows, args, 3, t->ny, t->nx, row_group(t), err);
    }
    if (status == IMF_OK)
        status = imf_queue_finish(j->queue, err);
    if (columns)
        clReleaseKernel(columns);
    if (rows)
        clReleaseKernel(rows);
    if (taps)
        clReleaseMemObject(taps);
    return status;
}

/* Bytes of an integer tap: the fewer, the less time a pixel takes that is summed again. */
static size_t tap_bytes(const struct imf_kernel *k) {
    for (int i = 0; i < k->width * k->height; i++)
        if (k->taps[i] < INT8_MIN || k->taps[i] > INT8_MAX)
            return sizeof(cl_int);
    return sizeof(cl_char);
}

/* The taps as integers, by fours one below the other, for pixels that are summed again. */
static enum imf_status make_taps(struct local_job *j, const struct imf_kernel *k,
                                 struct imf_error *err) {
    size_t w = (size_t)k->width, h = (size_t)k->height, each = tap_bytes(k);
    size_t bytes = j->exact ? imf_round_up(k->height, 4) * w * each : 1;
    unsigned char *taps = calloc(bytes, 1);
    cl_int zero = 0;
    if (!taps)
        return imf_fail_memory(err, bytes);
    for (size_t y = 0; j->exact && y < h; y++) {
        for (size_t x = 0; x < w; x++) {
            size_t at = (y / 4 * w + x) * 4 + y % 4;
            cl_int tap = (cl_int)k->taps[y * w + x];
            if (each == 1)
                taps[at] = (unsigned char)tap;
            else
                memcpy(taps + at * sizeof tap, &tap, sizeof tap);
        }
    }
    enum imf_status status = imf_fft_upload(j->queue, taps, bytes, &j->taps, err);
    free(taps);
    for (int i = 0; i < 2 && status == IMF_OK; i++)
        status = imf_fft_upload(j->queue, &zero, sizeof zero, &j->counter[i], err);
    if (status == IMF_OK)
        status = imf_clrt_buffer(j->queue, CL_MEM_READ_WRITE,
                                 (size_t)j->sizes.capacity * 2 * sizeof(cl_int), &j->list, err);
    return status;
}

static enum imf_status make_buffers(struct local_job *j, const struct imf_problem *p,
                                    struct imf_error *err) {
    const struct imf_fft_local_tiling *t = &j->tiling;
    size_t bytes = imf_fft_local_bytes(t, p) * (size_t)t->chunk;
    size_t spectrum = (size_t)t->nx * (size_t)t->ny * 2 * sizeof(float);
    enum imf_status status = upload_twiddles(j->queue, t->nx, &j->twiddles_x, err);
    if (status == IMF_OK)
        status = upload_twiddles(j->queue, t->ny, &j->twiddles_y, err);
    if (status == IMF_OK)
        status = imf_clrt_buffer(j->queue, CL_MEM_READ_WRITE, spectrum, &j->spectrum, err);
    if (status == IMF_OK)
        status = imf_clrt_buffer(j->queue, CL_MEM_READ_WRITE, bytes, &j->spectra_in, err);
    if (status == IMF_OK)
        status = imf_clrt_buffer(j->queue, CL_MEM_READ_WRITE,
                                 bytes / (size_t)t->pitch_in * (size_t)t->pitch_out,
                                 &j->spectra_out, err);
    return status == IMF_OK ? make_taps(j, p->kernel[0], err) : status;
}

/* N, GROUP and the text of cl/fft_gpu_lines.cl, to be put before common.cl. */
static void define_lines(struct imf_defines *d, int n, int group) {
    imf_define(d, "N", "%d", n);
    imf_define(d, "GROUP", "%d", group);
    for (const struct imf_embedded *e = imf_embedded_cl; e->name; e++) {
        if (strcmp(e->name, "fft_gpu_lines.cl") == 0)
            imf_define(d, "FFT_LINES", "1\n#line 1 \"cl/fft_gpu_lines.cl\"\n%s", e->text);
    }
}

static enum imf_status make_kernels(struct local_job *j, const struct imf_problem *p,
                                    struct imf_error *err) {
    static const char file[] = "fft_gpu.cl";
    const struct imf_fft_local_tiling *t = &j->tiling;
    struct imf_defines x = {0}, y = {0};
    imf_define(&x, "ROWS", "1");
    imf_define(&x, "CHANNELS", "%d", p->channels);
    define_lines(&x, t->nx, row_group(t));
    define_lines(&y, t->ny, GROUP);
    imf_define(&y, "TAPS_T", "%s", tap_bytes(p->kernel[0]) == 1 ? "char4" : "int4");
    imf_fft_define_sums(&y, p, &t->bound, t->error, t->near_tie);
    enum imf_status status = imf_clrt_kernel(j->queue, file, &y, "columns", &j->columns, err);
    if (status == IMF_OK)
        status = imf_clrt_kernel(j->queue, file, &x, "rows", &j->rows, err);
    if (status == IMF_OK)
        status = imf_clrt_kernel(j->queue, file, &y, "pixels", &j->pixels, err);
    if (status == IMF_OK && p->exact)
        status = imf_clrt_kernel(j->queue, file, &y, "again", &j->again, err);
    if (status == IMF_OK)
        status = make_spectrum(j, p->kernel[0], &x, &y, err);
    imf_defines_free(&x);
    imf_defines_free(&y);
    return status;
}

static enum imf_status local_make(void **job, const struct imf_problem *p, struct imf_queue *queue,
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
    if (!imf_fft_local_choose(&j->tiling, p, imf_queue_device(queue))) {
        local_destroy(job);
        return imf_fail(err, IMF_ERR_MEMORY, "no tile for a %dx%d kernel fits the device's memory",
                        k->width, k->height);
    }
    const struct imf_fft_local_tiling *t = &j->tiling;
    j->sizes = (struct sizes){.middle_sum = p->exact ? (cl_long)t->bound.middle_sum[0] : 0,
                              .middle = (cl_float)t->bound.middle,
                              .error = (cl_float)imf_fft_window(t->error),
                              .width = p->width,
                              .height = p->height,
                              .columns = p->width + k->width - 1,
                              .last_row = p->height + k->height - 2,
                              .pitch_in = t->pitch_in,
                              .pitch_out = t->pitch_out,
                              .rows_length = t->nx,
                              .tiles_x = t->tiles_x,
                              .valid_x = t->valid_x,
                              .valid_y = t->valid_y,
                              .taps_w = k->width,
                              .taps_h = k->height,
                              .capacity = p->exact ? (cl_int)list_capacity(p) : 1};
    enum imf_status status = make_buffers(j, p, err);
    if (status == IMF_OK)
        status = make_kernels(j, p, err);
    if (status != IMF_OK)
        local_destroy(job);
    return status;
}

/* ---- running ------------------------------------------------------------------------------ */

/* The three kernels over `pairs` pairs of tiles from sizes.pair on. */
static enum imf_status run_pairs(struct local_job *j, cl_mem in, cl_mem out, int pairs,
                                 struct imf_error *err) {
    const struct imf_fft_local_tiling *t = &j->tiling;
    struct sizes *z = &j->sizes;
    int across = ELEMENTS / t->ny;
    size_t local[2] = {GROUP, 1};
    size_t all[2] = {(size_t)(imf_round_up(z->columns, across) / across * j->channels) * GROUP,
                     (size_t)pairs};
    size_t inner[2] = {(size_t)(imf_round_up(z->width, across) / across * j->channels) * GROUP,
                       (size_t)pairs};
    cl_int ny = t->ny;
    z->lines = pairs * t->ny * j->channels * t->tiles_x;
    const struct imf_clrt_arg columns[] = {{sizeof in, &in},
                                           {sizeof j->spectra_in, &j->spectra_in},
                                           {sizeof j->twiddles_y, &j->twiddles_y},
                                           {sizeof *z, z}};
    const struct imf_clrt_arg rows[] = {{sizeof j->spectra_in, &j->spectra_in},
                                        {sizeof j->spectra_out, &j->spectra_out},
                                        {sizeof j->spectrum, &j->spectrum},
                                        {sizeof j->twiddles_x, &j->twiddles_x},
                                        {sizeof *z, z},
                                        {sizeof ny, &ny}};
    const struct imf_clrt_arg pixels[] = {{sizeof j->spectra_out, &j->spectra_out},
                                          {sizeof out, &out},
                                          {sizeof j->twiddles_y, &j->twiddles_y},
                                          {sizeof in, &in},
                                          {sizeof j->taps, &j->taps},
                                          {sizeof j->list, &j->list},
                                          {sizeof j->counter[0], &j->counter[j->parity]},
                                          {sizeof *z, z}};
    enum imf_status status = imf_clrt_launch(j->queue, j->columns, columns, 4, 2, all, local, err);
    if (status == IMF_OK)
        status = run_lines(j->queue, j->rows, rows, 6, z->lines, t->nx, row_group(t), err);
    if (status == IMF_OK)
        status = imf_clrt_launch(j->queue, j->pixels, pixels, 8, 2, inner, local, err);
    return status;
}

static enum imf_status local_run(void *job, const struct imf_surface *in,
                                 const struct imf_surface *out, struct imf_error *err) {
    struct local_job *j = job;
    struct sizes *z = &j->sizes;
    cl_mem source = in->mem->handle, target = out->mem->handle;
    enum imf_status status = IMF_OK;
    z->in_start = (cl_long)in->origin - (cl_long)in->pitch * j->cy - (cl_long)j->channels * j->cx;
    z->in_pitch = (cl_int)in->pitch;
    z->out_start = (cl_long)out->origin;
    z->out_pitch = (cl_int)out->pitch;
    for (z->pair = 0; z->pair < j->tiling.pairs && status == IMF_OK; z->pair += j->tiling.chunk) {
        int left = j->tiling.pairs - z->pair;
        status = run_pairs(j, source, target, left < j->tiling.chunk ? left : j->tiling.chunk, err);
    }
    if (!j->exact || status != IMF_OK)
        return status;
    const struct imf_clrt_arg args[] = {{sizeof source, &source},
                                        {sizeof target, &target},
                                        {sizeof j->taps, &j->taps},
                                        {sizeof j->list, &j->list},
                                        {sizeof j->counter[0], &j->counter[j->parity]},
                                        {sizeof j->counter[0], &j->counter[!j->parity]},
                                        {sizeof *z, z}};
    size_t local = AGAIN, global = local * AGAIN_GROUPS;
    j->parity = !j->parity;
    return imf_clrt_launch(j->queue, j->again, args, 7, 1, &global, &local, err);
}

const struct imf_solver imf_solver_fft_local = {
    .name = "fft",
    .backend = IMF_BACKEND_FFT,
    .bands = IMF_BANDS_WHOLE,
    .applicable = local_applicable,
    .error = local_error,
    .cost = local_cost,
    .bytes = local_bytes,
    .make = local_make,
    .run = local_run,
    .print = local_print,
    .destroy = local_destroy,
};
