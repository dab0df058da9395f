/*
 * host_frequency.c - transfer functions on the host, in double precision
 *
 * The image is made periodic (extend.h), transformed, multiplied by the gain of each frequency and
 * transformed back. Two channels ride as one complex plane: a real, even gain does not mix them.
 * The transform back is the forward one of the conjugate, conjugated.
 */
#include "solver/host.h"

#include "device/tuning.h"
#include "fourier/host.h"
#include "fourier/plan.h"
#include "solver/extend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 16 /* fetched together: 256 bytes of each row */

/* Lengths of the transforms. */
struct shape {
    int nx, ny;
};

struct host_frequency_job {
    struct imf_problem p;
    struct shape shape;
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
    int nx, ny;
    struct imf_fft_host *along_x, *along_y;
    struct imf_complex *plane;    /* ny rows of nx */
    struct imf_complex *in, *out; /* lines, COLUMNS of the longer axis */
    struct gap gap_x, gap_y;
    double *row; /* of the image, all channels */
    int channel; /* the first of the two on the plane */
};

/* What a prime stage costs is counted in doublings of a length: of those of its convolution, padded
 * to `length`, or by the definition. */
static double host_doublings(const struct imf_fft_plan *plan) {
    double sum = log2(plan->length);
    for (int s = 0; s < plan->primes; s++) {
        int prime = plan->radix[s], length = imf_fft_prime_length(prime);
        sum += length > 0 ? 2.0 * length / prime * log2(length) : prime / 4.0;
    }
    return sum;
}

/*
 * Milliseconds: points * (pairs of channels * doubling * (doublings + 1) + values) * 1e-6, in the
 * host's nanoseconds, there and back together.
 */
static void host_frequency_propose(const struct imf_problem *p, const struct imf_device *d,
                                   struct imf_proposal *out) {
    struct shape *s = (struct shape *)out->shape.bytes;
    struct imf_fft_plan x, y;
    (void)d;
    s->nx = imf_extend_period(p->transfer, p->width, p->edge);
    s->ny = imf_extend_period(p->transfer, p->height, p->edge);
    snprintf(out->phrase, sizeof out->phrase, "plain C fft");
    if (s->nx <= 0 || s->ny <= 0 || !imf_fft_plan_any(&x, s->nx) || !imf_fft_plan_any(&y, s->ny)) {
        imf_extend_too_long(out->why, sizeof out->why, p);
        return;
    }
    double points = (double)s->nx * s->ny, lines = 2.0 * COLUMNS * (s->nx > s->ny ? s->nx : s->ny);
    double doublings = host_doublings(&x) + host_doublings(&y);
    out->able = true;
    int pairs = (p->channels + 1) / 2;
    out->ms =
        points * (pairs * imf_host_rates.doubling * (doublings + 1) + imf_host_rates.values) * 1e-6;
    out->bytes = (points + lines) * sizeof(struct imf_complex) +
                 (double)p->width * p->channels * sizeof(double);
    out->bands = IMF_BANDS_WHOLE;
    snprintf(out->phrase, sizeof out->phrase, "plain C fft %dx%d, float64", s->nx, s->ny);
}

static void release(struct transfer *t) {
    imf_fft_host_free(&t->along_x);
    imf_fft_host_free(&t->along_y);
    free(t->plane);
    free(t->in);
    free(t->out);
    free(t->gap_x.blends);
    free(t->gap_x.taps);
    free(t->gap_y.blends);
    free(t->gap_y.taps);
    free(t->row);
}

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

static enum imf_status prepare(struct transfer *t, struct imf_error *err) {
    const struct imf_problem *p = t->p;
    size_t points, bytes, longest = (size_t)(t->nx > t->ny ? t->nx : t->ny) * COLUMNS;
    if (!imf_size_mul((size_t)t->nx, (size_t)t->ny, &points) ||
        !imf_size_mul(points, sizeof *t->plane, &bytes))
        return imf_fail_memory(err, SIZE_MAX);
    enum imf_status status = imf_fft_host_create(&t->along_x, t->nx, err);
    if (status == IMF_OK)
        status = imf_fft_host_create(&t->along_y, t->ny, err);
    if (status != IMF_OK)
        return status;
    t->plane = malloc(bytes);
    if (!t->plane)
        return imf_fail(err, IMF_ERR_MEMORY,
                        "out of memory: the filter reaches %.0f pixels beyond the edges, so that "
                        "%dx%d values are transformed (wrap, reflect and mirror need fewer)",
                        imf_extend_reach(p->transfer, p->width > p->height ? p->width : p->height),
                        t->nx, t->ny);
    t->in = calloc(longest, sizeof *t->in);
    t->out = calloc(longest, sizeof *t->out);
    t->row = calloc((size_t)p->width * (size_t)p->channels, sizeof *t->row);
    if (!t->in || !t->out || !t->row || !make_gap(&t->gap_x, p, p->transfer->u, p->width, t->nx) ||
        !make_gap(&t->gap_y, p, p->transfer->v, p->height, t->ny))
        return imf_fail_memory(err, bytes);
    return IMF_OK;
}

/* A line of the image, `stride` elements from one sample to the next, and the gap behind it. */
static void extend(struct imf_complex *line, size_t stride, const struct gap *gap,
                   struct imf_complex outside) {
    struct imf_complex fit[4] = {{0, 0}};
    size_t size = (size_t)gap->size;
    for (size_t i = 0; i < (size_t)gap->wave.taps; i++) {
        const struct imf_complex ends[] = {line[(size - 1 - i) * stride], line[i * stride]};
        for (size_t k = 0; k < 4; k++) {
            double tap = gap->taps[2 * i + k % 2];
            fit[k].re += tap * ends[k / 2].re;
            fit[k].im += tap * ends[k / 2].im;
        }
    }
    for (int i = gap->size; i < gap->period; i++) {
        const struct imf_blend *b = &gap->blends[i - gap->size];
        struct imf_complex u = b->first < 0 ? outside : line[(size_t)b->first * stride];
        struct imf_complex v = b->second < 0 ? outside : line[(size_t)b->second * stride];
        double w = (double)b->weight;
        struct imf_complex sum = {(1 - w) * u.re + w * v.re, (1 - w) * u.im + w * v.im};
        for (int k = 0; k < 4; k++) {
            sum.re += (double)b->wave[k] * fit[k].re;
            sum.im += (double)b->wave[k] * fit[k].im;
        }
        line[(size_t)i * stride] = sum;
    }
}

/* Channels t->channel and the next of the image into the plane, and the gap. */
static void load(struct transfer *t, const struct imf_surface *in) {
    const struct imf_problem *p = t->p;
    size_t nx = (size_t)t->nx, width = (size_t)p->width, channels = (size_t)p->channels;
    bool pair = t->channel + 1 < p->channels;
    struct imf_complex outside = {p->outside[t->channel], pair ? p->outside[t->channel + 1] : 0};
    for (int y = 0; y < p->height; y++) {
        struct imf_complex *line = t->plane + (size_t)y * nx;
        const double *from = t->row + t->channel;
        imf_samples_widen(t->row, imf_surface_row(in, y), in->sample, 0, width * channels);
        for (size_t x = 0; x < width; x++, from += channels)
            line[x] = (struct imf_complex){from[0], pair ? from[1] : 0};
        extend(line, 1, &t->gap_x, outside);
    }
    for (size_t x = 0; x < nx; x++)
        extend(t->plane + x, nx, &t->gap_y, outside);
}

static void transform_rows(struct transfer *t, int rows) {
    size_t nx = (size_t)t->nx;
    for (int y = 0; y < rows; y++) {
        struct imf_complex *line = t->plane + (size_t)y * nx;
        imf_fft_host_run(t->along_x, line, 1, t->out);
        for (size_t x = 0; x < nx; x++)
            line[x] = t->out[x];
    }
}

/* k / n as a frequency of -0.5..0.5. */
static double frequency(int k, int n) {
    return (double)(k > n / 2 ? k - n : k) / n;
}

/* A column of frequencies: forward, times the gain, and half of the way back. */
static void filter_column(struct transfer *t, struct imf_complex *in, struct imf_complex *out,
                          int kx) {
    double points = (double)t->nx * t->ny;
    imf_fft_host_run(t->along_y, in, 1, out);
    for (int k = 0; k < t->ny; k++) {
        double gain = imf_transfer_gain(t->p->transfer, frequency(kx, t->nx), frequency(k, t->ny));
        in[k] = (struct imf_complex){out[k].re * gain / points, -out[k].im * gain / points};
    }
    imf_fft_host_run(t->along_y, in, 1, out);
}

static void filter_columns(struct transfer *t) {
    size_t nx = (size_t)t->nx, ny = (size_t)t->ny;
    for (size_t x = 0; x < nx; x += COLUMNS) {
        size_t count = nx - x < COLUMNS ? nx - x : COLUMNS;
        for (size_t y = 0; y < ny; y++)
            for (size_t c = 0; c < count; c++)
                t->in[c * ny + y] = t->plane[y * nx + x + c];
        for (size_t c = 0; c < count; c++)
            filter_column(t, t->in + c * ny, t->out + c * ny, (int)(x + c));
        for (size_t y = 0; y < ny; y++)
            for (size_t c = 0; c < count; c++)
                t->plane[y * nx + x + c] = t->out[c * ny + y];
    }
}

static void store_sample(const struct imf_problem *p, const struct imf_surface *out, int y,
                         size_t at, double v) {
    const struct imf_epilogue *e = &p->epilogue;
    v = imf_epilogue_apply(e, v / e->scale + e->add);
    imf_sample_put(imf_surface_row(out, y), out->sample, (ptrdiff_t)at, v);
}

static void store(struct transfer *t, const struct imf_surface *out) {
    const struct imf_problem *p = t->p;
    size_t channels = (size_t)p->channels, channel = (size_t)t->channel;
    for (int y = 0; y < p->height; y++) {
        const struct imf_complex *line = t->plane + (size_t)y * (size_t)t->nx;
        for (size_t x = 0; x < (size_t)p->width; x++) {
            store_sample(p, out, y, x * channels + channel, line[x].re);
            if (channel + 1 < channels)
                store_sample(p, out, y, x * channels + channel + 1, -line[x].im);
        }
    }
}

static enum imf_status host_frequency_make(void **job, const struct imf_problem *p,
                                           const struct imf_proposal *proposal,
                                           struct imf_queue *queue, struct imf_error *err) {
    (void)queue;
    struct host_frequency_job *j = *job = malloc(sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->p = *p;
    memcpy(&j->shape, proposal->shape.bytes, sizeof j->shape);
    return IMF_OK;
}

static enum imf_status host_frequency_run(void *job, const struct imf_surface *in,
                                          const struct imf_surface *out, struct imf_error *err) {
    const struct host_frequency_job *j = job;
    struct transfer t = {.p = &j->p, .nx = j->shape.nx, .ny = j->shape.ny};
    enum imf_status status = prepare(&t, err);
    for (; status == IMF_OK && t.channel < j->p.channels; t.channel += 2) {
        load(&t, in);
        transform_rows(&t, t.ny);
        filter_columns(&t);
        transform_rows(&t, j->p.height);
        store(&t, out);
    }
    release(&t);
    return status;
}

static void host_frequency_destroy(void **job) {
    free(*job);
    *job = NULL;
}

const struct imf_solver imf_solver_host_frequency = {
    .name = "cpu",
    .backend = IMF_BACKEND_CPU,
    .kinds = 1u << IMF_TRANSFER,
    .propose = host_frequency_propose,
    .make = host_frequency_make,
    .run = host_frequency_run,
    .destroy = host_frequency_destroy,
};
