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
#include "device/tuning.h"
#include "solver/common/channels.h"
#include "solver/fft/extend.h"
#include "solver/fft/host.h"

#include <stdlib.h>

#define BATCH IMF_FFT_BATCH

/* How a line becomes periodic. */
struct gap {
    int size, period;
    struct imf_wave wave;
    struct imf_blend *blends; /* period - size */
    double *taps;
};

struct transfer {
    struct gap gap_x, gap_y;
    double *gains; /* of each point of the plane, divided by the number of points */
};

/* Except for a notch, one half of a column of gains mirrors the other. */
static bool is_even(const struct imf_transfer *t) {
    return t->kind != IMF_NOTCH;
}

/* The transforms, and gains of all points: gain nanoseconds each. */
static void host_propose(const struct imf_problem *p, const struct imf_device *d,
                         struct imf_proposal *out) {
    struct imf_host_lengths *s = (struct imf_host_lengths *)out->shape.bytes;
    (void)d;
    s->nx = imf_extend_period(p->transfer, p->width, p->edge);
    s->ny = imf_extend_period(p->transfer, p->height, p->edge);
    if (!imf_host_transform_propose(out, p)) {
        imf_extend_too_long(out->why, sizeof out->why, p);
        return;
    }
    double found = (double)s->nx * s->ny / (is_even(p->transfer) ? 4 : 2);
    out->ms += found * imf_host_rates.gain * 1e-6 / imf_cores();
    out->bytes += (double)imf_half_plane_blocks(s->nx) * BATCH * s->ny * sizeof(double);
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
    const struct imf_host_transform *t = user;
    const struct imf_problem *p = &t->job->p;
    const struct transfer *own = t->own;
    imf_channel_read(row, t->in, t->channel, y, 0, p->width);
    extend(row, 1, &own->gap_x, &p->outside[t->channel]);
}

/* ---- columns of spectra ---------------------------------------------------------------------- */

/* k / n as a frequency of -0.5..0.5. */
static double frequency(int k, int n) {
    return (double)(k > n / 2 ? k - n : k) / n;
}

/* Compute the gains of a block of columns. */
static void find_gains(const struct imf_host_transform *t, int block, double *gains) {
    const struct imf_transfer *transfer = t->job->p.transfer;
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
    const struct imf_host_transform *t = user;
    const struct transfer *own = t->own;
    struct imf_fft_batch outside = {{0}, {0}};
    size_t ny = (size_t)t->plane.height;
    double *gains = own->gains + (size_t)block * ny * BATCH;
    if (block == 0)
        outside.re[0] = t->job->p.outside[t->channel] * t->plane.width;
    extend(points->re, 2 * BATCH, &own->gap_y, outside.re);
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

static enum imf_status prepare(struct imf_half_plane *plane, struct transfer *t,
                               const struct imf_problem *p, struct imf_host_lengths s,
                               struct imf_error *err) {
    enum imf_status status = imf_half_plane_open(plane, s.nx, s.ny, err);
    size_t count = (size_t)imf_half_plane_blocks(s.nx) * BATCH * (size_t)s.ny; /* at most */
    if (status == IMF_ERR_MEMORY || (!status && !(t->gains = malloc(count * sizeof *t->gains))))
        return imf_fail(err, IMF_ERR_MEMORY,
                        "out of memory: the filter reaches %.0f pixels beyond the edges, so that "
                        "%dx%d values are transformed (wrap, reflect and mirror need fewer)",
                        imf_extend_reach(p->transfer, imf_max(p->width, p->height)), s.nx, s.ny);
    if (status == IMF_OK && (!make_gap(&t->gap_x, p, p->transfer->u, p->width, s.nx) ||
                             !make_gap(&t->gap_y, p, p->transfer->v, p->height, s.ny)))
        return imf_fail_memory(err, (size_t)(s.nx + s.ny) * sizeof *t->gap_x.blends);
    return status;
}

/* The memory is had for the run only. */
static enum imf_status host_run(struct imf_job *job, const struct imf_surface *in,
                                const struct imf_surface *out, struct imf_error *err) {
    const struct imf_host_lengths *s = imf_job_shape(job);
    struct transfer own = {.gains = NULL};
    struct imf_host_transform t = {.job = job, .in = in, .out = out, .own = &own};
    enum imf_status st = prepare(&t.plane, &own, &job->p, *s, err);
    if (!st)
        st = imf_host_transform_run(&t, job->p.height, load_row, filter_columns, err);
    imf_half_plane_free(&t.plane);
    free(own.gains);
    free(own.gap_x.blends);
    free(own.gap_x.taps);
    free(own.gap_y.blends);
    free(own.gap_y.taps);
    return st;
}

#define SOLVER(called, of)                                                                         \
    {                                                                                              \
        .name = called, .backend = of, .float64 = true, .kinds = 1u << IMF_TRANSFER,               \
        .propose = host_propose, .run = host_run                                                   \
    }

const struct imf_solver imf_solver_spectral_filter_vector = SOLVER("vector", IMF_BACKEND_VECTOR);
const struct imf_solver imf_solver_spectral_filter_host = SOLVER("cpu", IMF_BACKEND_CPU);
