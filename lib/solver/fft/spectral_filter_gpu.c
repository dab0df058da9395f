/*
 * spectral_filter_gpu.c - a whole image times a transfer function on GPUs, in local memory
 *
 * cl/spectral_filter_gpu.cl describes the passes, extend.h how the image is made periodic. The stages
 * are tables that the programs read, so that one program serves many sizes of images. Lengths with
 * primes above 7, and odd ones along x, are left to spectral_filter.c.
 */
#include "device/tuning.h"
#include "solver/fft/error.h"
#include "solver/fft/extend.h"
#include "solver/fft/spectral_filter.h"
#include "solver/fft/tiled_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINES 32         /* columns of a tile: two lines of memory */
#define COLUMN_GROUP 128 /* work-items of a group along y */
#define ELEMENT (2 * sizeof(float))
#define ELEMENTS (IMF_GPU_LOCAL / (int)ELEMENT) /* of local memory */
#define LOCAL_STEP 512  /* sizes are multiples: one program for many sizes */
#define ROWS_MOST 65535 /* groups down */

struct layout {
    int nx, ny, half;
    int pitch;                 /* of the plane: half + 1 frequencies, rounded up to a tile */
    int group, work_x, work_y; /* work-items along x; elements of local memory */
    struct imf_fft_plan x, outer, inner; /* of half a row, of ny = outer * inner */
    size_t plane, gains;                 /* bytes */
};
_Static_assert(sizeof(struct layout) <= IMF_SHAPE, "a proposal holds it");

struct whole_job {
    struct imf_queue *queue;
    struct layout layout;
    struct imf_spectral_filter_gpu_sizes sizes;
    int channels;
    struct imf_program *rows_in, *columns_in, *middle, *columns_out, *rows_out;
    struct imf_buffer *plane, *gains, *twiddles, *stages, *order, *roots_x, *roots_y, *blends,
        *taps;
};

/* Elements of local memory of a row, with the gaps of AT in cl/spectral_filter_gpu.cl. */
static int padded(int n) {
    return n + n / 16 + n / 256;
}

/* Factor ny = outer * inner, nearly equal, so that tiles fit local memory. */
static bool split(struct layout *l) {
    int most = ELEMENTS / LINES, inner = 0;
    for (int n = 1; n <= most && n <= l->ny; n++)
        if (l->ny % n == 0 && l->ny / n <= most && (inner == 0 || n <= l->ny / n))
            inner = n;
    if (l->ny <= most / 2) /* one pass is enough */
        inner = l->ny;
    return inner > 0 && imf_fft_plan_local(&l->inner, inner) &&
           imf_fft_plan_local(&l->outer, l->ny / inner);
}

/* Work-items of a row: 8 to 16 elements each, because a unit holds few rows and needs many work-items;
 * the number that leaves fewest idle in the last rounds of the stages. */
static int row_group(const struct imf_fft_plan *x) {
    int first = imf_min(imf_max(imf_round_up(x->length / 16, 32), 64), IMF_GPU_GROUP), best = first;
    double least = INFINITY;
    for (int group = first; group <= imf_min(2 * first, IMF_GPU_GROUP); group += 32) {
        double time = 0;
        for (int s = 0; s < x->stages; s++) {
            int radix = x->radix[s], rounds = (x->length / radix - 1) / group + 1;
            time += (double)rounds * group * (radix + 1);
        }
        if (time < least) {
            least = time;
            best = group;
        }
    }
    return best;
}

static bool layout_make(struct layout *l, const struct imf_problem *p, const struct imf_device *d,
                        struct imf_proposal *out) {
    l->nx = imf_extend_period(p->transfer, p->width, p->edge);
    l->ny = imf_extend_period(p->transfer, p->height, p->edge);
    l->half = l->nx / 2;
    if (!d->gpu || d->max_group < IMF_GPU_GROUP)
        imf_proposal_refuse(out, "transforms in local memory are for GPUs");
    else if (l->nx == 0 || l->ny == 0)
        imf_extend_too_long(out->why, sizeof out->why, p);
    else if (l->nx % 2 || !imf_fft_plan_local(&l->x, l->half) || padded(l->half) > ELEMENTS ||
             l->ny > ROWS_MOST || !split(l))
        imf_proposal_refuse(out, "%dx%d is no size for transforms in local memory", l->nx, l->ny);
    else {
        size_t row;
        l->pitch = imf_round_up(l->half + 1, LINES);
        l->group = row_group(&l->x);
        l->work_x = imf_round_up(padded(l->half), LOCAL_STEP);
        l->work_y = imf_round_up(LINES * imf_max(l->outer.length, l->inner.length), LOCAL_STEP);
        if (imf_size_mul((size_t)l->pitch, (size_t)p->channels * ELEMENT, &row) &&
            imf_size_mul(row, (size_t)l->ny, &l->plane)) {
            l->gains = l->plane / ELEMENT * sizeof(float) / (size_t)p->channels;
            return true;
        }
        imf_proposal_refuse(out, "a transform of %dx%d is too large", l->nx, l->ny);
    }
    return false;
}

/* launches + elements * passes over the plane / units. */
static double cost(const struct imf_problem *p, const struct imf_device *d,
                   const struct layout *l) {
    const struct imf_tuning *t = imf_tuning(d);
    double elements = (double)l->pitch * l->ny * p->channels;
    int passes = l->outer.length > 1 ? 5 : 3;
    return t->launch_ms + passes * t->next_ms +
           passes * elements * t->gpu.plane * 1e-6 / imf_tuning_units(d);
}

static void whole_propose(const struct imf_problem *p, const struct imf_device *d,
                          struct imf_proposal *out) {
    struct layout *l = (struct layout *)out->shape.bytes;
    if (!layout_make(l, p, d, out) ||
        !imf_spectral_accurate(out, p, log2((double)l->nx) + log2((double)l->ny)))
        return;
    out->feasible = true;
    out->ms = cost(p, d, l);
    out->bytes = (double)l->plane + (double)l->gains;
    out->largest = (double)l->plane;
    out->local = (size_t)imf_max(l->work_x, l->work_y) * ELEMENT;
    out->bands = IMF_BANDS_WHOLE;
    snprintf(out->description, sizeof out->description, "fft %dx%d, rows in local memory", l->nx,
             l->ny);
}

/* ---- tables ------------------------------------------------------------------------------- */

/* A stage as transform() of cl/spectral_filter_gpu.cl reads it. */
struct stage {
    int32_t radix, m;
    float inverse; /* 1 / m */
    int32_t twiddles;
};

/* The stages of the three plans, and their factors. */
static enum imf_status make_stages(struct whole_job *j, struct imf_error *err) {
    const struct layout *l = &j->layout;
    const struct imf_fft_plan *plan[] = {&l->x, &l->outer, &l->inner};
    struct imf_spectral_filter_gpu_axis *axis[] = {&j->sizes.x, &j->sizes.outer, &j->sizes.inner};
    struct stage stages[3 * IMF_FFT_STAGES] = {{0}};
    size_t count = (size_t)(l->x.twiddles + l->outer.twiddles + l->inner.twiddles);
    float *twiddles = calloc(count + 1, ELEMENT);
    if (!twiddles)
        return imf_fail_memory(err, (count + 1) * ELEMENT);
    int at = 0, stage = 0;
    for (int i = 0; i < 3; i++) {
        *axis[i] = (struct imf_spectral_filter_gpu_axis){plan[i]->length, plan[i]->stages, stage};
        imf_fft_twiddles_across(plan[i], twiddles + 2 * at);
        for (int s = 0, m = plan[i]->length; s < plan[i]->stages; s++) {
            int radix = plan[i]->radix[s];
            m /= radix;
            stages[stage++] = (struct stage){radix, m, 1 / (float)m, at};
            at += m * (radix - 1);
        }
    }
    enum imf_status status =
        imf_buffer_table(&j->twiddles, j->queue, twiddles, (count + 1) * ELEMENT, err);
    if (status == IMF_OK)
        status = imf_buffer_table(&j->stages, j->queue, stages, sizeof stages, err);
    free(twiddles);
    return status;
}

/* Positions of frequencies after a row's stages; roots that separate even and odd samples. */
static enum imf_status make_order(struct whole_job *j, struct imf_error *err) {
    const struct layout *l = &j->layout;
    size_t n = (size_t)l->half, bytes = (n / 2 + 1) * ELEMENT;
    int32_t *positions = malloc(n * sizeof *positions);
    int *order = malloc(n * sizeof *order);
    float *roots = malloc(bytes);
    enum imf_status status = positions && order && roots ? IMF_OK : imf_fail_memory(err, bytes);
    if (status == IMF_OK) {
        imf_fft_order(&l->x, order);
        for (size_t i = 0; i < n; i++)
            positions[order[i]] = (int32_t)i;
        for (size_t k = 0; k <= n / 2; k++) {
            double re, im;
            imf_fft_root((int64_t)k, l->nx, &re, &im);
            roots[2 * k] = (float)re;
            roots[2 * k + 1] = (float)im;
        }
        status = imf_buffer_table(&j->order, j->queue, positions, n * sizeof *positions, err);
    }
    if (status == IMF_OK)
        status = imf_buffer_table(&j->roots_x, j->queue, roots, bytes, err);
    free(positions);
    free(order);
    free(roots);
    return status;
}

/* The roots between the two steps of a column; frequency: of y, of each row of the plane. */
static enum imf_status make_roots(struct whole_job *j, int *frequency, struct imf_error *err) {
    const struct layout *l = &j->layout;
    int inner = l->inner.length, outer = l->outer.length;
    size_t bytes = (size_t)l->ny * ELEMENT;
    int *order = malloc((size_t)(inner + outer) * sizeof *order);
    float *roots = malloc(bytes);
    enum imf_status status = order && roots ? IMF_OK : imf_fail_memory(err, bytes);
    if (status == IMF_OK) {
        int *first = order + inner;
        imf_fft_order(&l->inner, order);
        imf_fft_order(&l->outer, first);
        for (int b = 0; b < outer; b++) {
            for (int i = 0; i < inner; i++) {
                size_t at = (size_t)b * (size_t)inner + (size_t)i;
                double re, im;
                imf_fft_root((int64_t)first[b] * i, l->ny, &re, &im);
                roots[2 * at] = (float)re;
                roots[2 * at + 1] = (float)im;
                frequency[at] = first[b] + outer * order[i];
            }
        }
        status = imf_buffer_table(&j->roots_y, j->queue, roots, bytes, err);
    }
    free(order);
    free(roots);
    return status;
}

/* Squared distances of each row of the plane, then of each frequency of x, from one or two centres. */
static enum imf_status make_squares(struct imf_buffer **out, struct whole_job *j,
                                    const struct imf_transfer *t, const int *frequency,
                                    struct imf_error *err) {
    const struct layout *l = &j->layout;
    size_t ny = (size_t)l->ny, columns = (size_t)l->half + 1;
    size_t bytes = 2 * (ny + columns) * sizeof(int64_t);
    double u = t->kind == IMF_NOTCH ? t->u : 0, v = t->kind == IMF_NOTCH ? t->v : 0;
    int64_t *squares = malloc(bytes);
    if (!squares)
        return imf_fail_memory(err, bytes);
    for (size_t i = 0; i < ny + columns; i++) {
        bool down = i < ny;
        double f = down ? (double)frequency[i] / l->ny : (double)(i - ny) / l->nx;
        squares[2 * i] = imf_frequency_square(f - (down ? v : u));
        squares[2 * i + 1] = imf_frequency_square(f + (down ? v : u));
    }
    enum imf_status status = imf_buffer_table(out, j->queue, squares, bytes, err);
    free(squares);
    return status;
}

/* ---- making and running ------------------------------------------------------------------- */

static void whole_destroy(void **job) {
    struct whole_job *j = *job;
    if (!j)
        return;
    struct imf_buffer **buffers[] = {&j->plane,   &j->gains,   &j->twiddles, &j->stages, &j->order,
                                     &j->roots_x, &j->roots_y, &j->blends,   &j->taps};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        imf_buffer_free(buffers[i]);
    struct imf_program **programs[] = {&j->rows_in, &j->columns_in, &j->middle, &j->columns_out,
                                       &j->rows_out};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        imf_program_free(programs[i]);
    free(j);
    *job = NULL;
}

static enum imf_status fill_gains(struct whole_job *j, const struct imf_program_source *source,
                                  const struct imf_transfer *t, const int *frequency,
                                  struct imf_error *err) {
    const struct layout *l = &j->layout;
    struct imf_program *program = NULL;
    struct imf_buffer *squares = NULL;
    struct imf_spectral_gain gain;
    imf_spectral_gain_set(&gain, t, (double)l->nx * l->ny);
    enum imf_status status = make_squares(&squares, j, t, frequency, err);
    if (status == IMF_OK)
        status = imf_program_make(&program, j->queue, source, "fill_gains", err);
    if (status == IMF_OK) {
        const struct imf_arg args[] = {imf_arg_buffer(j->gains), imf_arg_buffer(squares),
                                       imf_arg_int(l->ny),       imf_arg_int(l->half + 1),
                                       imf_arg_int(l->pitch),    imf_arg_block(&gain, sizeof gain)};
        const struct imf_grid grid =
            imf_grid_over((size_t)l->half + 1, (size_t)l->ny, COLUMN_GROUP);
        status = imf_program_launch(j->queue, program, grid, args, err);
    }
    imf_program_free(&program);
    imf_buffer_free(&squares);
    return status;
}

/* The radices of a plan's stages: a program of all ten takes long to compile. */
static unsigned radices(const struct imf_fft_plan *plan) {
    unsigned set = 1u << 1;
    for (int s = 0; s < plan->stages; s++)
        set |= 1u << plan->radix[s];
    return set;
}

static enum imf_status make_kernels(struct whole_job *j, const struct imf_problem *p,
                                    const int *frequency, struct imf_error *err) {
    static const char *const parts[] = {"fft_gpu_butterflies.cl", "common.cl", "transfer.cl", NULL};
    const struct layout *l = &j->layout;
    struct imf_defines x = {0}, y = {0};
    imf_problem_defines(&x, p);
    imf_define(&x, "CHANNELS", "%d", p->channels);
    imf_define(&x, "GROUP", "%d", l->group);
    imf_define(&x, "WORK", "%d", l->work_x);
    imf_define(&x, "RADICES", "%u", radices(&l->x));
    imf_define(&y, "CHANNELS", "%d", p->channels);
    imf_define(&y, "GROUP", "%d", COLUMN_GROUP);
    imf_define(&y, "LINES", "%d", LINES);
    imf_define(&y, "RADICES", "%u", radices(&l->outer) | radices(&l->inner));
    imf_define(&y, "WORK", "%d", l->work_y);
    const struct imf_program_source rows = {
        .file = "spectral_filter_gpu.cl", .parts = parts, .defines = &x};
    const struct imf_program_source columns = {
        .file = "spectral_filter_gpu.cl", .parts = parts, .defines = &y};
    enum imf_status status = imf_program_make(&j->rows_in, j->queue, &rows, "rows_in", err);
    if (status == IMF_OK)
        status = imf_program_make(&j->rows_out, j->queue, &rows, "rows_out", err);
    if (status == IMF_OK)
        status = imf_program_make(&j->columns_in, j->queue, &columns, "columns_in", err);
    if (status == IMF_OK)
        status = imf_program_make(&j->middle, j->queue, &columns, "middle", err);
    if (status == IMF_OK)
        status = imf_program_make(&j->columns_out, j->queue, &columns, "columns_out", err);
    if (status == IMF_OK)
        status = fill_gains(j, &columns, p->transfer, frequency, err);
    imf_defines_free(&x);
    imf_defines_free(&y);
    return status;
}

static enum imf_status make_buffers(struct whole_job *j, const struct imf_problem *p,
                                    int *frequency, struct imf_error *err) {
    const struct layout *l = &j->layout;
    enum imf_status status = imf_buffer_make(&j->plane, j->queue, IMF_BUFFER_WORK, l->plane, err);
    if (status == IMF_OK)
        status = imf_buffer_make(&j->gains, j->queue, IMF_BUFFER_WORK, l->gains, err);
    if (status == IMF_OK)
        status = make_stages(j, err);
    if (status == IMF_OK)
        status = make_order(j, err);
    if (status == IMF_OK)
        status = make_roots(j, frequency, err);
    if (status == IMF_OK)
        status =
            imf_spectral_gaps(&j->blends, &j->taps, j->sizes.taps, j->queue, p, l->nx, l->ny, err);
    return status;
}

static enum imf_status whole_make(void **job, const struct imf_problem *p,
                                  const struct imf_proposal *proposal, struct imf_queue *queue,
                                  struct imf_error *err) {
    struct whole_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->queue = queue;
    j->channels = p->channels;
    memcpy(&j->layout, proposal->shape.bytes, sizeof j->layout);
    const struct layout *l = &j->layout;
    struct imf_spectral_filter_gpu_sizes *z = &j->sizes;
    double middle = imf_fft_middle(p->in);
    z->middle = (float)middle;
    z->mean = (float)(middle * imf_transfer_gain(p->transfer, 0, 0));
    for (int c = 0; c < p->channels; c++)
        z->outside[c] = (float)(p->outside[c] - middle);
    z->width = p->width;
    z->height = p->height;
    z->gap = l->nx - p->width;
    z->pitch = l->pitch;
    size_t bytes = (size_t)l->ny * sizeof(int);
    int *frequency = malloc(bytes);
    enum imf_status status = frequency ? IMF_OK : imf_fail_memory(err, bytes);
    if (status == IMF_OK)
        status = make_buffers(j, p, frequency, err);
    if (status == IMF_OK)
        status = make_kernels(j, p, frequency, err);
    free(frequency);
    if (status != IMF_OK)
        whole_destroy(job);
    return status;
}

static enum imf_status run_columns(struct whole_job *j, struct imf_program *program,
                                   struct imf_error *err) {
    const struct layout *l = &j->layout;
    const struct imf_arg args[] = {imf_arg_buffer(j->plane), imf_arg_buffer(j->twiddles),
                                   imf_arg_buffer(j->stages), imf_arg_buffer(j->roots_y),
                                   imf_arg_block(&j->sizes, sizeof j->sizes)};
    const struct imf_grid grid = {(size_t)(l->pitch / LINES * j->channels), (size_t)l->inner.length,
                                  COLUMN_GROUP};
    if (l->outer.length == 1)
        return IMF_OK;
    return imf_program_launch(j->queue, program, grid, args, err);
}

static enum imf_status run_middle(struct whole_job *j, struct imf_error *err) {
    const struct layout *l = &j->layout;
    const struct imf_arg args[] = {imf_arg_buffer(j->plane), imf_arg_buffer(j->gains),
                                   imf_arg_buffer(j->twiddles), imf_arg_buffer(j->stages),
                                   imf_arg_block(&j->sizes, sizeof j->sizes)};
    const struct imf_grid grid = {(size_t)(l->pitch / LINES * j->channels), (size_t)l->outer.length,
                                  COLUMN_GROUP};
    return imf_program_launch(j->queue, j->middle, grid, args, err);
}

static enum imf_status whole_run(void *job, const struct imf_surface *in,
                                 const struct imf_surface *out, struct imf_error *err) {
    struct whole_job *j = job;
    const struct layout *l = &j->layout;
    struct imf_spectral_filter_gpu_sizes *z = &j->sizes;
    z->in_origin = (int64_t)in->origin;
    z->in_pitch = (int64_t)in->pitch;
    z->out_origin = (int64_t)out->origin;
    z->out_pitch = (int64_t)out->pitch;
    const struct imf_arg in_args[] = {
        imf_arg_buffer(in->mem),   imf_arg_buffer(j->plane), imf_arg_buffer(j->twiddles),
        imf_arg_buffer(j->stages), imf_arg_buffer(j->order), imf_arg_buffer(j->roots_x),
        imf_arg_buffer(j->blends), imf_arg_buffer(j->taps),  imf_arg_block(z, sizeof *z)};
    const struct imf_arg out_args[] = {imf_arg_buffer(j->plane),    imf_arg_buffer(out->mem),
                                       imf_arg_buffer(j->twiddles), imf_arg_buffer(j->stages),
                                       imf_arg_buffer(j->order),    imf_arg_buffer(j->roots_x),
                                       imf_arg_block(z, sizeof *z)};
    const struct imf_grid all = {(size_t)l->ny * (size_t)j->channels, 1, (size_t)l->group};
    const struct imf_grid image = {(size_t)z->height * (size_t)j->channels, 1, (size_t)l->group};
    enum imf_status status = imf_program_launch(j->queue, j->rows_in, all, in_args, err);
    if (status == IMF_OK)
        status = run_columns(j, j->columns_in, err);
    if (status == IMF_OK)
        status = run_middle(j, err);
    if (status == IMF_OK)
        status = run_columns(j, j->columns_out, err);
    if (status == IMF_OK)
        status = imf_program_launch(j->queue, j->rows_out, image, out_args, err);
    return status;
}

const struct imf_solver imf_solver_spectral_filter_gpu = {
    .name = "fft",
    .backend = IMF_BACKEND_FFT,
    .program = "spectral_filter", /* has the same fault */
    .kinds = 1u << IMF_TRANSFER,
    .propose = whole_propose,
    .make = whole_make,
    .run = whole_run,
    .destroy = whole_destroy,
};
