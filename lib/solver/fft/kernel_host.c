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
#include "base/image/rounding.h"
#include "fourier/plan.h"
#include "solver/common/channels.h"
#include "solver/fft/host.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct shape {
    struct imf_host_lengths length;
    double grid; /* sums are rounded to multiples of it; 0: they are not */
};

/* Bound of the error of a sum: each transform adds less than a unit in the last place of the largest
 * sum for each doubling of the number of points. */
static double sum_error(const struct imf_problem *p, double points) {
    return IMF_SIGMAS * DBL_EPSILON * log2(points) * imf_largest_sum(p);
}

/* Nanoseconds of a sample that reading and writing take, which bands would do meanwhile: measured
 * 100 to 160 ms of 36 million samples. */
#define WHOLE_NS 3

/* Milliseconds: those of the transforms + samples * WHOLE_NS * 1e-6. */
static void kernel_propose(const struct imf_problem *p, const struct imf_device *d,
                           struct imf_proposal *out) {
    struct shape *s = (struct shape *)out->shape.bytes;
    (void)d;
    s->length.nx = imf_fft_length(p->width + p->reach.left + p->reach.right, 1);
    s->length.ny = imf_fft_length(p->height + p->reach.top + p->reach.bottom, 1);
    if (!imf_host_transform_propose(out, p)) {
        imf_proposal_refuse(out, "the image is too long for transforms");
        return;
    }
    double error = sum_error(p, (double)s->length.nx * s->length.ny);
    bool whole = p->exact || p->whole_if_opaque;
    s->grid = whole ? exp2(ceil(log2(4 * error))) : 0;
    out->feasible = whole
                        ? s->grid <= 0.25
                        : error <= fabs(p->epilogue.scale) * fmin(p->tolerance, p->tolerance_even);
    if (!out->feasible) {
        imf_proposal_refuse(out, "sums by transforms would be off by up to %.2g", error);
        return;
    }
    out->ms += (double)p->width * p->height * p->channels * WHOLE_NS * 1e-6;
    out->bytes *= 2; /* and the kernel's plane */
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static void kernel_row(void *user, int y, double *row) {
    const struct imf_job *job = user;
    const struct imf_kernel *k = job->p.kernel[0];
    const struct shape *s = imf_job_shape(job);
    memset(row, 0, (size_t)s->length.nx * sizeof *row);
    if (y < k->height)
        memcpy(row, k->taps + (size_t)y * (size_t)k->width, (size_t)k->width * sizeof *row);
}

static enum imf_status kernel_prepare(struct imf_job *job, struct imf_error *err) {
    const struct shape *s = imf_job_shape(job);
    return imf_half_plane_make(job->own, s->length.nx, s->length.ny, kernel_row, job, NULL, err);
}

static void kernel_release(struct imf_job *job) {
    imf_half_plane_free(job->own);
}

/* ---- a channel of the image ------------------------------------------------------------------ */

/* Row 0 of the plane is the first of the margin, and so is sample 0 of a row. */
static void load_row(void *user, int y, double *row) {
    const struct imf_host_transform *t = user;
    const struct imf_problem *p = &t->job->p;
    int count = p->width + p->reach.left + p->reach.right;
    imf_channel_read(row, t->in, t->channel, y - p->reach.top, -p->reach.left, count);
    memset(row + count, 0, (size_t)(t->plane.width - count) * sizeof *row);
}

static void filter_columns(void *user, int block, struct imf_fft_batch *points,
                           struct imf_fft_batch *scratch) {
    const struct imf_host_transform *t = user;
    const struct imf_problem *p = &t->job->p;
    const struct imf_half_plane *of = t->own;
    size_t ny = (size_t)t->plane.height;
    size_t rows = (size_t)(t->out->height + p->reach.top + p->reach.bottom);
    const struct imf_fft_batch *kernel = of->data + (size_t)block * ny;
    double scale = 1 / ((double)t->plane.width * (double)ny);
    memset(points + rows, 0, (ny - rows) * sizeof *points);
    imf_fft_host_forward(t->plane.along_y, points, scratch);
    for (size_t k = 0; k < ny; k++)
        for (size_t l = 0; l < IMF_FFT_BATCH; l++) {
            double re = points[k].re[l], im = points[k].im[l];
            double a = kernel[k].re[l] * scale, b = kernel[k].im[l] * scale;
            points[k].re[l] = re * a + im * b;
            points[k].im[l] = im * a - re * b;
        }
    imf_fft_host_backward(t->plane.along_y, points, scratch);
}

static enum imf_status kernel_run(struct imf_job *job, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err) {
    const struct shape *s = imf_job_shape(job);
    struct imf_host_transform t = {
        .job = job, .in = in, .out = out, .own = job->own, .grid = s->grid};
    enum imf_status st = imf_half_plane_open(&t.plane, s->length.nx, s->length.ny, err);
    if (!st)
        st = imf_host_transform_run(&t, out->height + job->p.reach.top + job->p.reach.bottom,
                                    load_row, filter_columns, err);
    imf_half_plane_free(&t.plane);
    return st;
}

const struct imf_solver imf_solver_fft_host = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .float64 = true,
    .kinds = 1u << IMF_CONVOLUTION,
    .propose = kernel_propose,
    .own = sizeof(struct imf_half_plane),
    .prepare = kernel_prepare,
    .release = kernel_release,
    .run = kernel_run,
};
