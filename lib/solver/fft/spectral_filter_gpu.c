/*
 * spectral_filter_gpu.c - a whole image times a transfer function on GPUs, in local memory
 *
 * cl/spectral_filter_gpu.cl describes the passes, extend.h how the image is made periodic. Sizes that
 * fourier/gpu_plane.h has no transforms of are left to spectral_filter.c.
 */
#include "device/tuning.h"
#include "fourier/gpu_plane.h"
#include "solver/fft/error.h"
#include "solver/fft/extend.h"
#include "solver/fft/spectral_filter.h"
#include "solver/fft/tile_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINES IMF_GPU_PLANE_LINES
#define COLUMN_GROUP IMF_GPU_PLANE_GROUP
#define ELEMENT (2 * sizeof(float))

struct layout {
    struct imf_gpu_plane_layout plane;
    size_t spectrum, gains; /* bytes */
};
_Static_assert(sizeof(struct layout) <= IMF_SHAPE, "a proposal holds it");

struct whole_job {
    struct imf_queue *queue;
    struct layout layout;
    struct imf_gpu_plane tables;
    struct imf_spectral_filter_gpu_sizes sizes;
    int channels;
    struct imf_program *rows_in, *columns_in, *middle, *columns_out, *rows_out;
    struct imf_buffer *plane, *gains, *blends, *taps;
};

static bool layout_make(struct layout *l, const struct imf_problem *p, const struct imf_device *d,
                        struct imf_proposal *out) {
    int nx = imf_extend_period(p->transfer, p->width, p->edge);
    int ny = imf_extend_period(p->transfer, p->height, p->edge);
    if (!d->gpu || d->max_group < IMF_GPU_GROUP)
        imf_proposal_refuse(out, "transforms in local memory are for GPUs");
    else if (nx == 0 || ny == 0)
        imf_extend_too_long(out->why, sizeof out->why, p);
    else if (!imf_gpu_plane_fit(&l->plane, nx, ny))
        imf_proposal_refuse(out, "%dx%d is no size for transforms in local memory", nx, ny);
    else {
        size_t row;
        if (imf_size_mul((size_t)l->plane.pitch, (size_t)p->channels * ELEMENT, &row) &&
            imf_size_mul(row, (size_t)ny, &l->spectrum)) {
            l->gains = l->spectrum / ELEMENT * sizeof(float) / (size_t)p->channels;
            return true;
        }
        imf_proposal_refuse(out, "a transform of %dx%d is too large", nx, ny);
    }
    return false;
}

/* launches + elements * passes over the plane / units. */
static double cost(const struct imf_problem *p, const struct imf_device *d,
                   const struct imf_gpu_plane_layout *l) {
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
        !imf_spectral_accurate(out, p, log2((double)l->plane.nx) + log2((double)l->plane.ny)))
        return;
    out->feasible = true;
    out->ms = cost(p, d, &l->plane);
    out->bytes = (double)l->spectrum + (double)l->gains;
    out->largest = (double)l->spectrum;
    out->local = imf_gpu_plane_local(&l->plane);
    out->bands = IMF_BANDS_WHOLE;
    snprintf(out->description, sizeof out->description, "fft %dx%d, rows in local memory",
             l->plane.nx, l->plane.ny);
}

/* Squared distances of each row of the plane, then of each frequency of x. */
static enum imf_status make_squares(struct imf_buffer **out, struct whole_job *j,
                                    const struct imf_transfer *t, const int *frequency,
                                    struct imf_error *err) {
    const struct imf_gpu_plane_layout *l = &j->layout.plane;
    size_t ny = (size_t)l->ny, columns = (size_t)l->half + 1;
    size_t bytes = IMF_SQUARES * (ny + columns) * sizeof(int64_t);
    int64_t *squares = malloc(bytes);
    if (!squares)
        return imf_fail_memory(err, bytes);
    for (size_t i = 0; i < ny + columns; i++) {
        bool down = i < ny;
        double f = down ? (double)frequency[i] / l->ny : (double)(i - ny) / l->nx;
        imf_frequency_squares(squares + IMF_SQUARES * i, f, down ? t->v : t->u);
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
    struct imf_buffer **buffers[] = {&j->plane, &j->gains, &j->blends, &j->taps};
    imf_gpu_plane_free(&j->tables);
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
    const struct imf_gpu_plane_layout *l = &j->layout.plane;
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

static enum imf_status make_kernels(struct whole_job *j, const struct imf_problem *p,
                                    const int *frequency, struct imf_error *err) {
    static const char *const parts[] = {"fft_gpu_butterflies.cl", "fft_gpu_planes.cl", "common.cl",
                                        "transfer.cl", NULL};
    const struct imf_gpu_plane_layout *l = &j->layout.plane;
    struct imf_defines x = {0}, y = {0};
    imf_problem_defines(&x, p);
    imf_define(&x, "CHANNELS", "%d", p->channels);
    imf_gpu_plane_define_rows(&x, l);
    imf_define(&y, "CHANNELS", "%d", p->channels);
    imf_gpu_plane_define_columns(&y, l);
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
    const struct imf_gpu_plane_layout *l = &j->layout.plane;
    enum imf_status status =
        imf_buffer_make(&j->plane, j->queue, IMF_BUFFER_WORK, j->layout.spectrum, err);
    if (status == IMF_OK)
        status = imf_buffer_make(&j->gains, j->queue, IMF_BUFFER_WORK, j->layout.gains, err);
    if (status == IMF_OK)
        status = imf_gpu_plane_make(&j->tables, j->queue, l, frequency, err);
    j->sizes.x = j->tables.x;
    j->sizes.outer = j->tables.outer;
    j->sizes.inner = j->tables.inner;
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
    const struct imf_gpu_plane_layout *l = &j->layout.plane;
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
    const struct imf_gpu_plane_layout *l = &j->layout.plane;
    const struct imf_arg args[] = {imf_arg_buffer(j->plane), imf_arg_buffer(j->tables.twiddles),
                                   imf_arg_buffer(j->tables.stages),
                                   imf_arg_buffer(j->tables.roots_y),
                                   imf_arg_block(&j->sizes, sizeof j->sizes)};
    const struct imf_grid grid = {(size_t)(l->pitch / LINES * j->channels), (size_t)l->inner.length,
                                  COLUMN_GROUP};
    if (l->outer.length == 1)
        return IMF_OK;
    return imf_program_launch(j->queue, program, grid, args, err);
}

static enum imf_status run_middle(struct whole_job *j, struct imf_error *err) {
    const struct imf_gpu_plane_layout *l = &j->layout.plane;
    const struct imf_arg args[] = {
        imf_arg_buffer(j->plane), imf_arg_buffer(j->gains), imf_arg_buffer(j->tables.twiddles),
        imf_arg_buffer(j->tables.stages), imf_arg_block(&j->sizes, sizeof j->sizes)};
    const struct imf_grid grid = {(size_t)(l->pitch / LINES * j->channels), (size_t)l->outer.length,
                                  COLUMN_GROUP};
    return imf_program_launch(j->queue, j->middle, grid, args, err);
}

static enum imf_status whole_run(void *job, const struct imf_surface *in,
                                 const struct imf_surface *out, struct imf_error *err) {
    struct whole_job *j = job;
    const struct imf_gpu_plane_layout *l = &j->layout.plane;
    struct imf_spectral_filter_gpu_sizes *z = &j->sizes;
    z->in_origin = (int64_t)in->origin;
    z->in_pitch = (int64_t)in->pitch;
    z->out_origin = (int64_t)out->origin;
    z->out_pitch = (int64_t)out->pitch;
    const struct imf_arg in_args[] = {imf_arg_buffer(in->mem),
                                      imf_arg_buffer(j->plane),
                                      imf_arg_buffer(j->tables.twiddles),
                                      imf_arg_buffer(j->tables.stages),
                                      imf_arg_buffer(j->tables.order),
                                      imf_arg_buffer(j->tables.roots_x),
                                      imf_arg_buffer(j->blends),
                                      imf_arg_buffer(j->taps),
                                      imf_arg_block(z, sizeof *z)};
    const struct imf_arg out_args[] = {
        imf_arg_buffer(j->plane),           imf_arg_buffer(out->mem),
        imf_arg_buffer(j->tables.twiddles), imf_arg_buffer(j->tables.stages),
        imf_arg_buffer(j->tables.order),    imf_arg_buffer(j->tables.roots_x),
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
    .old_make = whole_make,
    .old_run = whole_run,
    .old_destroy = whole_destroy,
};
