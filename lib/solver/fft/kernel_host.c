/*
 * kernel_host.c - large kernels on the host, by one transform of the image in float64
 *
 * The image with its margin is transformed, multiplied by the conjugate of the kernel's transform and
 * transformed back, one channel after the other: the time hardly depends on the kernel. It is for
 * sums that floats cannot hold, where a sum of each tap would take minutes.
 *
 * Where the sums are integers they have to stay so: they are rounded to a power of two that is
 * larger than the transforms' error, and no larger than 1/4.
 */
#include "base/rounding.h"
#include "base/thread_pool.h"
#include "fourier/half_plane.h"
#include "fourier/plan.h"
#include "solver/fft/host.h"
#include "solver/solver.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LANES IMF_FFT_BATCH

struct shape {
    int nx, ny;
    double grid; /* sums are rounded to multiples of it; 0: they are not */
};

struct kernel_job {
    struct imf_problem p;
    struct shape shape;
    struct imf_half_plane kernel;
    struct imf_pool *pool; /* borrowed, or NULL */
};

/* Bound of the error of a sum: each transform adds less than a unit in the last place of the largest
 * sum for each doubling of the number of points. */
static double sum_error(const struct imf_problem *p, double points) {
    return IMF_SIGMAS * DBL_EPSILON * log2(points) * p->in_max * p->facts[0].abs_sum;
}

/* Nanoseconds of a sample that reading and writing take, which bands would do meanwhile: measured
 * 100 to 160 ms of 36 million samples. */
#define WHOLE_NS 3

/* Milliseconds: those of the transforms (imf_fft_host_ms()), over the cores, + samples * WHOLE_NS *
 * 1e-6. */
static void kernel_propose(const struct imf_problem *p, const struct imf_device *d,
                           struct imf_proposal *out) {
    struct shape *s = (struct shape *)out->shape.bytes;
    struct imf_fft_plan x, y;
    (void)d;
    int width = p->width + p->reach.left + p->reach.right;
    int height = p->height + p->reach.top + p->reach.bottom;
    *s = (struct shape){imf_fft_length(width, 1), imf_fft_length(height, 1), 0};
    snprintf(out->description, sizeof out->description, "host fft");
    if (!s->nx || !s->ny || !imf_fft_plan_any(&x, s->nx) || !imf_fft_plan_any(&y, s->ny)) {
        imf_proposal_refuse(out, "the image is too long for transforms");
        return;
    }
    double points = (double)s->nx * s->ny, error = sum_error(p, points);
    bool whole = p->exact || p->whole_if_opaque;
    if (whole)
        s->grid = exp2(ceil(log2(4 * error)));
    if (s->grid > 0.25 ||
        (!whole && error > fabs(p->epilogue.scale) * fmin(p->tolerance, p->tolerance_even))) {
        imf_proposal_refuse(out, "sums by transforms would be off by up to %.2g", error);
        return;
    }
    out->feasible = true;
    out->ms = imf_fft_host_ms(p, &x, &y) / imf_cores() +
              (double)p->width * p->height * p->channels * WHOLE_NS * 1e-6;
    out->bytes = 2 * imf_half_plane_bytes(s->nx, s->ny, 0);
    out->bands = IMF_BANDS_WHOLE;
    snprintf(out->description, sizeof out->description, "host fft %dx%d, float64", s->nx, s->ny);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static void kernel_row(void *user, int y, double *row) {
    const struct kernel_job *j = user;
    const struct imf_kernel *k = j->p.kernel[0];
    memset(row, 0, (size_t)j->shape.nx * sizeof *row);
    if (y < k->height)
        memcpy(row, k->taps + (size_t)y * (size_t)k->width, (size_t)k->width * sizeof *row);
}

static enum imf_status kernel_make(void **job, const struct imf_problem *p,
                                   const struct imf_proposal *proposal, struct imf_queue *queue,
                                   struct imf_error *err) {
    (void)queue;
    struct kernel_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->p = *p;
    memcpy(&j->shape, proposal->shape.bytes, sizeof j->shape);
    return imf_half_plane_make(&j->kernel, j->shape.nx, j->shape.ny, kernel_row, j, NULL, err);
}

static void kernel_destroy(void **job) {
    struct kernel_job *j = *job;
    imf_half_plane_free(&j->kernel);
    free(j);
    *job = NULL;
}

static void kernel_use_pool(void *job, struct imf_pool *pool) {
    ((struct kernel_job *)job)->pool = pool;
}

/* ---- a channel of the image ------------------------------------------------------------------ */

struct pass {
    const struct kernel_job *job;
    const struct imf_surface *in, *out;
    struct imf_half_plane plane;
    int channel; /* that is on the plane */
};

/* Row 0 of the plane is the first of the margin, and so is sample 0 of a row. */
static void load_row(void *user, int y, double *row) {
    const struct pass *t = user;
    const struct imf_problem *p = &t->job->p;
    int count = p->width + p->reach.left + p->reach.right;
    imf_channel_widen(row, imf_surface_row(t->in, y - p->reach.top), t->in->sample,
                      t->channel - (ptrdiff_t)p->reach.left * p->channels, p->channels,
                      (size_t)count);
    memset(row + count, 0, (size_t)(t->plane.width - count) * sizeof *row);
}

static void store_row(void *user, int y, double *row) {
    const struct pass *t = user;
    const struct imf_problem *p = &t->job->p;
    /* What is added leaves only multiples of the grid. */
    double grid = t->job->shape.grid, round = 0x1.8p52 * grid;
    for (int x = 0; x < p->width && grid > 0; x++)
        row[x] = row[x] + round - round;
    imf_epilogue_sums(&p->epilogue, row, (size_t)p->width);
    imf_channel_narrow(imf_surface_row(t->out, y), t->out->sample, t->channel, p->channels, row,
                       (size_t)p->width);
}

static void filter_columns(void *user, int block, struct imf_fft_batch *points,
                           struct imf_fft_batch *scratch) {
    const struct pass *t = user;
    const struct imf_problem *p = &t->job->p;
    size_t ny = (size_t)t->plane.height;
    size_t rows = (size_t)(t->out->height + p->reach.top + p->reach.bottom);
    const struct imf_fft_batch *kernel = t->job->kernel.data + (size_t)block * ny;
    double scale = 1 / ((double)t->plane.width * (double)ny);
    memset(points + rows, 0, (ny - rows) * sizeof *points);
    imf_fft_host_forward(t->plane.along_y, points, scratch);
    for (size_t k = 0; k < ny; k++)
        for (size_t l = 0; l < LANES; l++) {
            double re = points[k].re[l], im = points[k].im[l];
            double a = kernel[k].re[l] * scale, b = kernel[k].im[l] * scale;
            points[k].re[l] = re * a + im * b;
            points[k].im[l] = im * a - re * b;
        }
    imf_fft_host_backward(t->plane.along_y, points, scratch);
}

static enum imf_status kernel_run(void *job, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err) {
    const struct kernel_job *j = job;
    struct pass t = {.job = j, .in = in, .out = out};
    int rows = out->height + j->p.reach.top + j->p.reach.bottom;
    enum imf_status status = imf_half_plane_open(&t.plane, j->shape.nx, j->shape.ny, err);
    for (; !status && t.channel < j->p.channels; t.channel++) {
        status = imf_half_plane_load(&t.plane, rows, load_row, &t, j->pool, err);
        if (!status)
            status = imf_half_plane_each(&t.plane, filter_columns, &t, j->pool, err);
        if (!status)
            status = imf_half_plane_store(&t.plane, out->height, store_row, &t, j->pool, err);
    }
    imf_half_plane_free(&t.plane);
    return status;
}

const struct imf_solver imf_solver_fft_host = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .float64 = true,
    .kinds = 1u << IMF_CONVOLUTION,
    .propose = kernel_propose,
    .old_make = kernel_make,
    .old_run = kernel_run,
    .old_destroy = kernel_destroy,
    .old_use_pool = kernel_use_pool,
};
