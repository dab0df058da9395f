/*
 * spectral_filter_host.c - transfer functions on the host, in double precision
 *
 * The image is made periodic (extend.h), transformed, multiplied by the gain of each frequency and
 * transformed back, one channel after the other. Rows are made periodic and transformed. Columns of
 * their spectra are made periodic in place (each added row is a sum of rows), transformed, multiplied
 * and transformed back while they are in the cache. The gains are computed with the first channel.
 *
 * It is the reference for devices (backend cpu) and, on all cores, the host's solver (vector).
 */
#include "base/thread_pool.h"
#include "device/tuning.h"
#include "fourier/half_plane.h"
#include "fourier/plan.h"
#include "solver/fft/extend.h"
#include "solver/fft/host.h"
#include "solver/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH IMF_FFT_BATCH

/* Lengths of the transforms. */
struct shape {
    int nx, ny;
};

struct host_job {
    struct imf_problem p;
    struct shape shape;
    struct imf_pool *pool; /* borrowed, or NULL */
};

/* How a line becomes periodic. */
struct gap {
    int size, period;
    struct imf_wave wave;
    struct imf_blend *blends; /* period - size */
    double *taps;
};

struct transfer {
    const struct imf_problem *p;
    const struct imf_surface *in, *out;
    struct imf_half_plane plane;
    struct gap gap_x, gap_y;
    double *gains; /* of each point of the plane, divided by the number of points */
    int channel;   /* the channel that the plane holds */
};

/* The cost of prime stages in doublings of a length: those of the convolution of length `length`, or of
 * the definition. */
static double host_doublings(const struct imf_fft_plan *plan) {
    double sum = log2(plan->length);
    for (int s = 0; s < plan->primes; s++) {
        int prime = plan->radix[s], length = imf_fft_prime_length(prime);
        sum += length > 0 ? 1.3 * length / prime * log2(length) : prime / 4.0;
    }
    return sum;
}

/* Except for a notch, one half of a column of gains mirrors the other. */
static bool is_even(const struct imf_transfer *t) {
    return t->kind != IMF_NOTCH;
}

/* In the host's nanoseconds: (points * channels * doubling * doublings + samples * values) * 1e-6. */
double imf_fft_host_ms(const struct imf_problem *p, const struct imf_fft_plan *x,
                       const struct imf_fft_plan *y) {
    const struct imf_host_rates *r = &imf_host_rates;
    double samples = (double)p->width * p->height * p->channels;
    double points = (double)x->length * y->length,
           doublings = host_doublings(x) + host_doublings(y);
    return (points * p->channels * r->doubling * doublings + samples * r->values) * 1e-6;
}

/* The transforms, and gains of all points: gain nanoseconds each. */
static void host_propose(const struct imf_problem *p, const struct imf_device *d,
                         struct imf_proposal *out) {
    struct shape *s = (struct shape *)out->shape.bytes;
    struct imf_fft_plan x, y;
    (void)d;
    s->nx = imf_extend_period(p->transfer, p->width, p->edge);
    s->ny = imf_extend_period(p->transfer, p->height, p->edge);
    snprintf(out->description, sizeof out->description, "host fft");
    if (s->nx <= 0 || s->ny <= 0 || !imf_fft_plan_any(&x, s->nx) || !imf_fft_plan_any(&y, s->ny)) {
        imf_extend_too_long(out->why, sizeof out->why, p);
        return;
    }
    double gains = (double)imf_half_plane_blocks(s->nx) * BATCH * s->ny;
    double found = (double)s->nx * s->ny / (is_even(p->transfer) ? 4 : 2);
    out->feasible = true;
    out->ms = (imf_fft_host_ms(p, &x, &y) + found * imf_host_rates.gain * 1e-6) / imf_cores();
    out->bytes = imf_half_plane_bytes(s->nx, s->ny, 0) + gains * sizeof(double);
    out->bands = IMF_BANDS_WHOLE;
    snprintf(out->description, sizeof out->description, "host fft %dx%d, float64", s->nx, s->ny);
}

/* ---- the gap between the image and its next period ------------------------------------------- */

static bool make_gap(struct gap *g, const struct imf_problem *p, double frequency, int size,
                     int period) {
    struct imf_wave wave = imf_extend_wave(p->transfer, frequency, size, p->edge);
    *g = (struct gap){size, period, wave, calloc((size_t)period, sizeof *g->blends),
                      calloc(2 * (size_t)size, sizeof *g->taps)};
    if (!g->blends || !g->taps)
        return false;
    imf_extend_blends(g->blends, size, period, p->edge, wave);
    imf_extend_taps(g->taps, wave);
    return true;
}

/* Fill the gap behind `count` lines, at most 2 * BATCH, that are interleaved. */
static void extend(double *lines, size_t count, const struct gap *gap, const double *outside) {
    double fit[4][2 * BATCH] = {{0}};
    size_t size = (size_t)gap->size;
    for (size_t i = 0; i < (size_t)gap->wave.taps; i++)
        for (size_t k = 0; k < 4; k++) {
            const double *end = lines + (k / 2 ? i : size - 1 - i) * count;
            for (size_t l = 0; l < count; l++)
                fit[k][l] += gap->taps[2 * i + k % 2] * end[l];
        }
    for (size_t i = size; i < (size_t)gap->period; i++) {
        const struct imf_blend *b = &gap->blends[i - size];
        const double *u = b->first < 0 ? outside : lines + (size_t)b->first * count;
        const double *v = b->second < 0 ? outside : lines + (size_t)b->second * count;
        double *to = lines + i * count, w = (double)b->weight;
        for (size_t l = 0; l < count; l++) {
            double sum = (1 - w) * u[l] + w * v[l];
            for (int k = 0; k < 4; k++)
                sum += (double)b->wave[k] * fit[k][l];
            to[l] = sum;
        }
    }
}

/* ---- a channel's rows ------------------------------------------------------------------------ */

static void load_row(void *user, int y, double *row) {
    const struct transfer *t = user;
    imf_channel_widen(row, imf_surface_row(t->in, y), t->in->sample, t->channel, t->p->channels,
                      (size_t)t->p->width);
    extend(row, 1, &t->gap_x, &t->p->outside[t->channel]);
}

static void store_row(void *user, int y, double *row) {
    const struct transfer *t = user;
    imf_epilogue_sums(&t->p->epilogue, row, (size_t)t->p->width);
    imf_channel_narrow(imf_surface_row(t->out, y), t->out->sample, t->channel, t->p->channels, row,
                       (size_t)t->p->width);
}

/* ---- columns of spectra ---------------------------------------------------------------------- */

/* k / n as a frequency of -0.5..0.5. */
static double frequency(int k, int n) {
    return (double)(k > n / 2 ? k - n : k) / n;
}

/* Compute the gains of a block of columns. */
static void find_gains(const struct transfer *t, int block, double *gains) {
    const struct imf_transfer *transfer = t->p->transfer;
    const int *position = imf_fft_host_positions(t->plane.along_y);
    int nx = t->plane.width, ny = t->plane.height;
    bool even = is_even(transfer);
    double points = (double)nx * ny;
    for (int k = 0; k < ny; k++)
        for (int l = 0; l < BATCH; l++) {
            int kx = imf_min(block * BATCH + l, nx / 2);
            gains[position[k] * BATCH + l] =
                even && k > ny / 2
                    ? gains[position[ny - k] * BATCH + l]
                    : imf_transfer_gain(transfer, frequency(kx, nx), frequency(k, ny)) / points;
        }
}

static void filter_columns(void *user, int block, struct imf_fft_batch *points,
                           struct imf_fft_batch *scratch) {
    const struct transfer *t = user;
    struct imf_fft_batch outside = {{0}, {0}};
    size_t ny = (size_t)t->plane.height;
    double *gains = t->gains + (size_t)block * ny * BATCH;
    if (block == 0)
        outside.re[0] = t->p->outside[t->channel] * t->plane.width;
    extend(points->re, 2 * BATCH, &t->gap_y, outside.re);
    imf_fft_host_forward(t->plane.along_y, points, scratch);
    if (t->channel == 0)
        find_gains(t, block, gains);
    for (size_t k = 0; k < ny; k++, gains += BATCH)
        for (size_t l = 0; l < BATCH; l++) {
            points[k].re[l] *= gains[l];
            points[k].im[l] *= gains[l];
        }
    imf_fft_host_backward(t->plane.along_y, points, scratch);
}

/* ---- the solver ------------------------------------------------------------------------------ */

static enum imf_status prepare(struct transfer *t, struct shape s, struct imf_error *err) {
    const struct imf_problem *p = t->p;
    enum imf_status status = imf_half_plane_open(&t->plane, s.nx, s.ny, err);
    size_t count = (size_t)imf_half_plane_blocks(s.nx) * BATCH * (size_t)s.ny; /* at most */
    if (status == IMF_ERR_MEMORY || (!status && !(t->gains = malloc(count * sizeof *t->gains))))
        return imf_fail(err, IMF_ERR_MEMORY,
                        "out of memory: the filter reaches %.0f pixels beyond the edges, so that "
                        "%dx%d values are transformed (wrap, reflect and mirror need fewer)",
                        imf_extend_reach(p->transfer, p->width > p->height ? p->width : p->height),
                        s.nx, s.ny);
    if (status == IMF_OK && (!make_gap(&t->gap_x, p, p->transfer->u, p->width, s.nx) ||
                             !make_gap(&t->gap_y, p, p->transfer->v, p->height, s.ny)))
        return imf_fail_memory(err, (size_t)(s.nx + s.ny) * sizeof *t->gap_x.blends);
    return status;
}

static void release(struct transfer *t) {
    imf_half_plane_free(&t->plane);
    free(t->gains);
    free(t->gap_x.blends);
    free(t->gap_x.taps);
    free(t->gap_y.blends);
    free(t->gap_y.taps);
}

static enum imf_status host_make(void **job, const struct imf_problem *p,
                                 const struct imf_proposal *proposal, struct imf_queue *queue,
                                 struct imf_error *err) {
    (void)queue;
    struct host_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->p = *p;
    memcpy(&j->shape, proposal->shape.bytes, sizeof j->shape);
    return IMF_OK;
}

static enum imf_status host_run(void *job, const struct imf_surface *in,
                                const struct imf_surface *out, struct imf_error *err) {
    const struct host_job *j = job;
    struct transfer t = {.p = &j->p, .in = in, .out = out};
    enum imf_status status = prepare(&t, j->shape, err);
    for (; status == IMF_OK && t.channel < j->p.channels; t.channel++) {
        status = imf_half_plane_load(&t.plane, j->p.height, load_row, &t, j->pool, err);
        if (status == IMF_OK)
            status = imf_half_plane_each(&t.plane, filter_columns, &t, j->pool, err);
        if (status == IMF_OK)
            status = imf_half_plane_store(&t.plane, j->p.height, store_row, &t, j->pool, err);
    }
    release(&t);
    return status;
}

static void host_use_pool(void *job, struct imf_pool *pool) {
    ((struct host_job *)job)->pool = pool;
}

static void host_destroy(void **job) {
    free(*job);
    *job = NULL;
}

#define SOLVER(called, of)                                                                         \
    {                                                                                              \
        .name = called, .backend = of, .float64 = true, .kinds = 1u << IMF_TRANSFER,               \
        .propose = host_propose, .old_make = host_make, .old_run = host_run,                       \
        .old_destroy = host_destroy, .old_use_pool = host_use_pool                                 \
    }

const struct imf_solver imf_solver_spectral_filter_vector = SOLVER("vector", IMF_BACKEND_VECTOR);
const struct imf_solver imf_solver_spectral_filter_host = SOLVER("cpu", IMF_BACKEND_CPU);
