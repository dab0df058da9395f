/*
 * spectral_filter.c - a whole image times a transfer function, in the frequency domain
 *
 * cl/spectral_filter.cl describes the passes, extend.h how the image is made periodic.
 */
#include "solver/fft/spectral_filter.h"

#include "device/tuning.h"
#include "fourier/tables.h"
#include "solver/fft/extend.h"

#include <math.h>
#include <stdlib.h>

struct layout {
    struct imf_fft_plan x, y;
    int bands;  /* of IMF_FFT_VEC frequencies of y */
    int groups; /* work-items */
    int work;   /* scratch elements of each work-item */
    size_t plane, gains, scratch;
};

enum phase { GAINS, FITS, COLUMNS, ROWS, RESULT };

_Static_assert(sizeof(struct layout) <= IMF_SHAPE, "a proposal holds it");

enum { PLANE, GAIN, SCRATCH, FIT, TWIDDLES, ORDER, BLENDS, TAPS, SQUARES }; /* buffers */

struct transfer {
    struct imf_spectral_filter_sizes sizes;
    struct imf_spectral_gain gain;
};

/* Work-items for each compute unit, so that units end at about the same time. */
#define ITEMS_A_UNIT 4

static bool layout_make(struct layout *l, const struct imf_problem *p, const struct imf_device *d,
                        struct imf_proposal *out) {
    int nx = imf_extend_period(p->transfer, p->width, p->edge);
    int ny = imf_extend_period(p->transfer, p->height, p->edge);
    if (!imf_fft_plan_any(&l->x, nx) || !imf_fft_plan_any(&l->y, ny)) {
        imf_extend_too_long(out->why, sizeof out->why, p);
        return false;
    }
    int spare_x = imf_fft_prime_spare(&l->x), spare_y = imf_fft_prime_spare(&l->y);
    l->work = ny + (spare_x > spare_y ? spare_x : spare_y);
    size_t element = 2 * IMF_FFT_VEC * sizeof(float), total;
    l->bands = ny / 2 / IMF_FFT_VEC + 1;
    l->groups = ITEMS_A_UNIT * (d->compute_units > 0 ? (int)d->compute_units : 1);
    l->scratch = element * (size_t)l->work * (size_t)l->groups;
    l->gains = element / 2 * (size_t)nx * (size_t)l->bands;
    if (imf_size_mul(2, l->gains, &l->plane) &&
        imf_size_add(l->plane, l->gains + l->scratch, &total) && l->plane <= d->max_alloc &&
        l->scratch <= d->max_alloc && total <= d->global_memory / 2)
        return true;
    imf_proposal_refuse(out, "a transform of %dx%d needs %.0f MiB, more than the device's memory",
                        nx, ny, (double)l->plane / 1048576);
    return false;
}

static bool sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    const struct layout *l = shape;
    bytes[PLANE] = l->plane;
    bytes[GAIN] = l->gains;
    bytes[SCRATCH] = l->scratch;
    bytes[FIT] = (size_t)p->height * 4 * sizeof(float);
    return true;
}

/* samples * (doublings + sample + primes) / units. For each sample and axis half of a forward and half of an
 * inverse transform is computed. Lengths of 31 * 43 * 3 and of the prime 2999 take three times as long
 * as others. */
static double cost(const struct imf_problem *p, const struct imf_device *d,
                   const struct layout *l) {
    double samples = (double)l->x.length * l->y.length * p->channels;
    const struct imf_tuning *t = imf_tuning(d);
    double doublings = log2((double)l->x.length * l->y.length + 1);
    double primes = t->fft_stages * (imf_fft_primes_ns(&l->x) + imf_fft_primes_ns(&l->y));
    return samples * (t->spectral_doubling * doublings + t->spectral_sample + primes) * 1e-6 /
           imf_tuning_units(d);
}

static void spectral_filter_propose(const struct imf_problem *p, const struct imf_device *d,
                                    struct imf_proposal *out) {
    struct layout *l = (struct layout *)out->shape.bytes;
    if (!layout_make(l, p, d, out))
        return;
    out->feasible = imf_spectral_accurate(
                        out, p, imf_fft_plan_doublings(&l->x) + imf_fft_plan_doublings(&l->y)) &&
                    imf_proposal_buffers(out, p);
    if (!out->feasible)
        return;
    out->ms = cost(p, d, l);
    out->bands = IMF_BANDS_WHOLE;
    snprintf(out->description, sizeof out->description, "fft %dx%d", l->x.length, l->y.length);
}

/* ---- tables ------------------------------------------------------------------------------- */

/* Squared distances of each frequency of y, in vectors, then of each position along x. */
static enum imf_status make_squares(struct imf_job *job, struct imf_error *err) {
    const struct layout *l = imf_job_shape(job);
    const struct imf_transfer *t = job->p.transfer;
    size_t nx = (size_t)l->x.length, ny = (size_t)l->bands * IMF_FFT_VEC;
    size_t bytes = IMF_SQUARES * (nx + ny) * sizeof(int64_t);
    int64_t *squares = malloc(bytes);
    int *order = malloc(nx * sizeof *order);
    if (squares && order) {
        int64_t *along_x = squares + IMF_SQUARES * ny, of[IMF_SQUARES];
        imf_fft_order(&l->x, order);
        for (size_t i = 0; i < nx; i++)
            imf_frequency_squares(along_x + IMF_SQUARES * i, (double)order[i] / l->x.length, t->u);
        for (size_t k = 0; k < ny; k++) {
            imf_frequency_squares(of, (double)k / l->y.length, t->v);
            size_t band = k / IMF_FFT_VEC, lane = k % IMF_FFT_VEC;
            for (size_t i = 0; i < IMF_SQUARES; i++)
                squares[(IMF_SQUARES * band + i) * IMF_FFT_VEC + lane] = of[i];
        }
        free(order);
        return imf_job_table(job, &job->buffer[SQUARES], squares, bytes, err);
    }
    free(squares);
    free(order);
    return imf_fail_memory(err, bytes);
}

/* The positions at which the transform leaves frequencies k and -k of y; padded by the last. */
static enum imf_status make_order(struct imf_job *job, struct imf_error *err) {
    const struct layout *l = imf_job_shape(job);
    size_t n = (size_t)l->y.length, count = (size_t)l->bands * IMF_FFT_VEC;
    /* The table is the beginning; behind it are order and position. */
    int32_t *pairs = malloc((2 * count + 2 * n) * sizeof *pairs);
    if (pairs) {
        int32_t *order = pairs + 2 * count, *position = order + n;
        imf_fft_order(&l->y, order);
        for (size_t i = 0; i < n; i++)
            position[order[i]] = (int32_t)i;
        for (size_t k = 0; k < count; k++) {
            size_t at = k > n / 2 ? n / 2 : k;
            pairs[2 * k] = position[at];
            pairs[2 * k + 1] = position[(n - at) % n];
        }
    }
    return imf_job_table(job, &job->buffer[ORDER], pairs, 2 * count * sizeof *pairs, err);
}

/* ---- making and running ------------------------------------------------------------------- */

static enum imf_status launch(struct imf_job *job, const struct imf_buffer *in,
                              const struct imf_buffer *out, enum phase phase,
                              struct imf_error *err) {
    const struct layout *l = imf_job_shape(job);
    const struct transfer *t = job->own;
    struct imf_buffer *const *b = job->buffer;
    const struct imf_arg args[] = {imf_arg_buffer(in),
                                   imf_arg_buffer(out),
                                   imf_arg_buffer(b[PLANE]),
                                   imf_arg_buffer(b[GAIN]),
                                   imf_arg_buffer(b[SCRATCH]),
                                   imf_arg_buffer(b[TWIDDLES]),
                                   imf_arg_buffer(b[ORDER]),
                                   imf_arg_buffer(b[BLENDS]),
                                   imf_arg_buffer(b[TAPS]),
                                   imf_arg_buffer(b[FIT]),
                                   imf_arg_buffer(b[SQUARES]),
                                   imf_arg_block(&t->sizes, sizeof t->sizes),
                                   imf_arg_block(&t->gain, sizeof t->gain),
                                   imf_arg_int(phase)};
    const struct imf_grid grid = {(size_t)l->groups, 1, 1};
    return imf_job_launch(job, 0, grid, args, err);
}

static enum imf_status make_kernel(struct imf_job *job, struct imf_error *err) {
    static const char *const all[] = {"fft_stages.cl",   "fft_primes.cl", "common.cl",
                                      "fft_channels.cl", "transfer.cl",   NULL};
    static const char *const smooth[] = {"fft_stages.cl", "common.cl", "fft_channels.cl",
                                         "transfer.cl", NULL};
    static const char *const entries[] = {"spectral_filter", NULL};
    const struct layout *l = imf_job_shape(job);
    struct imf_defines d = {0};
    imf_problem_defines(&d, &job->p);
    imf_define(&d, "CHANNELS", "%d", job->p.channels);
    return imf_job_programs(job, 0, entries, l->x.primes || l->y.primes ? all : smooth, &d, err);
}

static enum imf_status spectral_filter_prepare(struct imf_job *job, struct imf_error *err) {
    const struct layout *l = imf_job_shape(job);
    struct imf_buffer **b = job->buffer;
    struct transfer *t = job->own;
    struct imf_spectral_filter_sizes *z = &t->sizes;
    imf_spectral_values(&job->p, &z->middle, &z->mean, z->outside);
    z->width = job->p.width;
    z->height = job->p.height;
    z->bands = l->bands;
    z->work = l->work;
    imf_fft_axis_set(&z->x, &l->x);
    imf_fft_axis_set(&z->y, &l->y);
    imf_spectral_gain_set(&t->gain, job->p.transfer, (double)l->x.length * l->y.length);
    enum imf_status st = make_kernel(job, err);
    if (!st)
        st = imf_fft_twiddle_buffer(job->queue, &l->x, &l->y, &z->x, &z->y, &b[TWIDDLES], err);
    if (!st)
        st = make_squares(job, err);
    if (!st)
        st = make_order(job, err);
    if (!st)
        st = imf_spectral_gaps(job, &b[BLENDS], &b[TAPS], z->taps, l->x.length, l->y.length, err);
    /* This phase does not read the images: the plane is passed for them. */
    return st ? st : launch(job, b[PLANE], b[PLANE], GAINS, err);
}

static enum imf_status spectral_filter_run(struct imf_job *job, const struct imf_surface *in,
                                           const struct imf_surface *out, struct imf_error *err) {
    struct imf_spectral_filter_sizes *z = &((struct transfer *)job->own)->sizes;
    z->in_origin = (int64_t)in->origin;
    z->in_pitch = (int64_t)in->pitch;
    z->out_origin = (int64_t)out->origin;
    z->out_pitch = (int64_t)out->pitch;
    enum imf_status status = IMF_OK;
    for (z->channel = 0; z->channel < job->p.channels; z->channel++)
        for (enum phase phase = z->taps[0] ? FITS : COLUMNS; phase <= RESULT && status == IMF_OK;
             phase++)
            status = launch(job, in->mem, out->mem, phase, err);
    return status;
}

const struct imf_solver imf_solver_spectral_filter = {
    .name = "fft",
    .backend = IMF_BACKEND_FFT,
    .program = "spectral_filter",
    .kinds = 1u << IMF_TRANSFER,
    .propose = spectral_filter_propose,
    .own = sizeof(struct transfer),
    .sizes = sizes,
    .prepare = spectral_filter_prepare,
    .run = spectral_filter_run,
};
