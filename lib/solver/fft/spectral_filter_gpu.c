/*
 * spectral_filter_gpu.c - a whole image times a transfer function on GPUs, in local memory
 *
 * cl/spectral_filter_gpu.cl describes the passes, extend.h how the image is made periodic. Sizes that
 * fourier/gpu_plane.h has no transforms of are left to spectral_filter.c.
 */
#include "device/tuning.h"
#include "fourier/gpu_plane.h"
#include "solver/fft/extend.h"
#include "solver/fft/spectral_filter.h"

#include <math.h>
#include <stdlib.h>

#define LINES IMF_GPU_PLANE_LINES
#define COLUMN_GROUP IMF_GPU_PLANE_GROUP
#define ELEMENT (2 * sizeof(float))

struct layout {
    struct imf_gpu_plane_layout plane;
    size_t spectrum, gains; /* bytes */
};
_Static_assert(sizeof(struct layout) <= IMF_SHAPE, "a proposal holds it");

enum { PLANE, GAINS, BLENDS, TAPS };                                     /* buffers */
enum { ROWS_IN, ROWS_OUT, COLUMNS_IN, MIDDLE, COLUMNS_OUT, FILL_GAINS }; /* programs */

struct transfer {
    struct imf_gpu_plane tables;
    struct imf_spectral_filter_gpu_sizes sizes;
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

static bool sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    const struct layout *l = shape;
    (void)p;
    bytes[PLANE] = l->spectrum;
    bytes[GAINS] = l->gains;
    return true;
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
        !imf_spectral_accurate(out, p, log2((double)l->plane.nx) + log2((double)l->plane.ny)) ||
        !imf_proposal_buffers(out, p))
        return;
    out->feasible = true;
    out->ms = cost(p, d, &l->plane);
    out->local = imf_gpu_plane_local(&l->plane);
    out->bands = IMF_BANDS_WHOLE;
    snprintf(out->description, sizeof out->description, "fft %dx%d, rows in local memory",
             l->plane.nx, l->plane.ny);
}

/* ---- making and running ------------------------------------------------------------------- */

static void whole_release(struct imf_job *job) {
    imf_gpu_plane_free(&((struct transfer *)job->own)->tables);
}

/* Fill the gains by squared distances of each row of the plane, then of each frequency of x. */
static enum imf_status fill_gains(struct imf_job *job, const int *frequency,
                                  struct imf_error *err) {
    const struct imf_gpu_plane_layout *l = &((const struct layout *)imf_job_shape(job))->plane;
    const struct imf_transfer *t = job->p.transfer;
    struct imf_buffer *table = NULL;
    struct imf_spectral_gain gain;
    size_t ny = (size_t)l->ny, columns = (size_t)l->half + 1;
    size_t bytes = IMF_SQUARES * (ny + columns) * sizeof(int64_t);
    int64_t *squares = malloc(bytes);
    for (size_t i = 0; i < ny + columns && squares; i++) {
        bool down = i < ny;
        double f = down ? (double)frequency[i] / l->ny : (double)(i - ny) / l->nx;
        imf_frequency_squares(squares + IMF_SQUARES * i, f, down ? t->v : t->u);
    }
    imf_spectral_gain_set(&gain, t, (double)l->nx * l->ny);
    enum imf_status st = imf_job_table(job, &table, squares, bytes, err);
    const struct imf_arg args[] = {imf_arg_buffer(job->buffer[GAINS]),
                                   imf_arg_buffer(table),
                                   imf_arg_int(l->ny),
                                   imf_arg_int(l->half + 1),
                                   imf_arg_int(l->pitch),
                                   imf_arg_block(&gain, sizeof gain)};
    if (!st)
        st = imf_job_launch(job, FILL_GAINS, imf_grid_over(columns, ny, COLUMN_GROUP), args, err);
    imf_buffer_free(&table);
    return st;
}

static enum imf_status make_kernels(struct imf_job *job, struct imf_error *err) {
    static const char *const parts[] = {"fft_gpu_butterflies.cl", "fft_gpu_planes.cl", "common.cl",
                                        "transfer.cl", NULL};
    static const char *const rows[] = {"rows_in", "rows_out", NULL};
    static const char *const columns[] = {"columns_in", "middle", "columns_out", "fill_gains",
                                          NULL};
    const struct imf_gpu_plane_layout *l = &((const struct layout *)imf_job_shape(job))->plane;
    struct imf_defines x = {0}, y = {0};
    imf_problem_defines(&x, &job->p);
    imf_define(&x, "CHANNELS", "%d", job->p.channels);
    imf_gpu_plane_define_rows(&x, l);
    enum imf_status st = imf_job_programs(job, ROWS_IN, rows, parts, &x, err);
    if (st)
        return st;
    imf_define(&y, "CHANNELS", "%d", job->p.channels);
    imf_gpu_plane_define_columns(&y, l);
    return imf_job_programs(job, COLUMNS_IN, columns, parts, &y, err);
}

static enum imf_status whole_prepare(struct imf_job *job, struct imf_error *err) {
    const struct imf_gpu_plane_layout *l = &((const struct layout *)imf_job_shape(job))->plane;
    struct transfer *t = job->own;
    struct imf_spectral_filter_gpu_sizes *z = &t->sizes;
    size_t bytes = (size_t)l->ny * sizeof(int);
    int *frequency = malloc(bytes);
    enum imf_status st = frequency ? imf_gpu_plane_make(&t->tables, job->queue, l, frequency, err)
                                   : imf_fail_memory(err, bytes);
    imf_spectral_values(&job->p, &z->middle, &z->mean, z->outside);
    z->width = job->p.width;
    z->height = job->p.height;
    z->gap = l->nx - job->p.width;
    z->pitch = l->pitch;
    z->x = t->tables.x;
    z->outer = t->tables.outer;
    z->inner = t->tables.inner;
    if (!st)
        st = imf_spectral_gaps(job, &job->buffer[BLENDS], &job->buffer[TAPS], z->taps, l->nx, l->ny,
                               err);
    if (!st)
        st = make_kernels(job, err);
    if (!st)
        st = fill_gains(job, frequency, err);
    free(frequency);
    return st;
}

static enum imf_status whole_run(struct imf_job *job, const struct imf_surface *in,
                                 const struct imf_surface *out, struct imf_error *err) {
    const struct imf_gpu_plane_layout *l = &((const struct layout *)imf_job_shape(job))->plane;
    struct transfer *t = job->own;
    struct imf_spectral_filter_gpu_sizes *z = &t->sizes;
    const struct imf_gpu_plane *g = &t->tables;
    z->in_origin = (int64_t)in->origin;
    z->in_pitch = (int64_t)in->pitch;
    z->out_origin = (int64_t)out->origin;
    z->out_pitch = (int64_t)out->pitch;
    const struct imf_arg plane = imf_arg_buffer(job->buffer[PLANE]),
                         block = imf_arg_block(z, sizeof *z);
    const struct imf_arg twiddles = imf_arg_buffer(g->twiddles), stages = imf_arg_buffer(g->stages);
    const struct imf_arg order = imf_arg_buffer(g->order), roots = imf_arg_buffer(g->roots_x);
    const struct imf_arg rows_in[] = {imf_arg_buffer(in->mem),
                                      plane,
                                      twiddles,
                                      stages,
                                      order,
                                      roots,
                                      imf_arg_buffer(job->buffer[BLENDS]),
                                      imf_arg_buffer(job->buffer[TAPS]),
                                      block};
    const struct imf_arg rows_out[] = {
        plane, imf_arg_buffer(out->mem), twiddles, stages, order, roots, block};
    const struct imf_arg columns[] = {plane, twiddles, stages, imf_arg_buffer(g->roots_y), block};
    const struct imf_arg middle[] = {plane, imf_arg_buffer(job->buffer[GAINS]), twiddles, stages,
                                     block};
    size_t channels = (size_t)job->p.channels, blocks = (size_t)(l->pitch / LINES) * channels;
    const struct imf_grid all = {(size_t)l->ny * channels, 1, (size_t)l->group};
    const struct imf_grid image = {(size_t)z->height * channels, 1, (size_t)l->group};
    const struct imf_grid outer = {blocks, (size_t)l->inner.length, COLUMN_GROUP};
    const struct imf_grid inner = {blocks, (size_t)l->outer.length, COLUMN_GROUP};
    bool two = l->outer.length > 1; /* steps of a column's transform */
    enum imf_status st = imf_job_launch(job, ROWS_IN, all, rows_in, err);
    if (!st && two)
        st = imf_job_launch(job, COLUMNS_IN, outer, columns, err);
    if (!st)
        st = imf_job_launch(job, MIDDLE, inner, middle, err);
    if (!st && two)
        st = imf_job_launch(job, COLUMNS_OUT, outer, columns, err);
    return st ? st : imf_job_launch(job, ROWS_OUT, image, rows_out, err);
}

const struct imf_solver imf_solver_spectral_filter_gpu = {
    .name = "fft",
    .backend = IMF_BACKEND_FFT,
    .program = "spectral_filter_gpu",
    .kinds = 1u << IMF_TRANSFER,
    .propose = whole_propose,
    .own = sizeof(struct transfer),
    .sizes = sizes,
    .prepare = whole_prepare,
    .release = whole_release,
    .run = whole_run,
};
