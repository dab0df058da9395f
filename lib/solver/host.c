/*
 * host.c - convolution on the host: plain C, with float64 sums
 *
 * It needs no device, and is the reference that those of devices are held to; its users call it
 * --backend=cpu.
 *
 * For each output row: a row of double accumulators, and for each tap one pass that adds the tap's
 * multiple of an input row, shifted. Input rows are widened to double once and kept in a ring as
 * long as the kernel reaches them. Sums of integers are exact below 2^53.
 */
#include "solver/host.h"

#include "device/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct host_job {
    struct imf_problem p;
};

/*
 * Milliseconds: samples * (sample + tap * taps that are not 0, + phase of directions) * 1e-6, in the
 * host's nanoseconds.
 */
static void host_propose(const struct imf_problem *p, const struct imf_device *d,
                         struct imf_proposal *out) {
    const struct imf_kernel *k = p->kernel[0];
    double samples = (double)p->width * p->height * p->channels, taps = 0;
    double row = ((double)p->width + k->width) * p->channels;
    (void)d;
    for (int i = 0; i < imf_problem_kernels(p); i++)
        taps += (double)p->facts[i].nonzero;
    out->able = true;
    out->ms = samples * (imf_host_rates.sample + imf_host_rates.tap * taps) * 1e-6;
    if (p->kind == IMF_PHASE)
        out->ms += samples * imf_host_rates.phase * 1e-6;
    out->bytes = row * (k->height + 2) * sizeof(double); /* a ring of widened rows, two of sums */
    snprintf(out->phrase, sizeof out->phrase, "plain C %dx%d, float64", k->width, k->height);
}

static enum imf_status host_make(void **job, const struct imf_problem *p,
                                 const struct imf_proposal *proposal, struct imf_queue *queue,
                                 struct imf_error *err) {
    (void)proposal, (void)queue;
    struct host_job *j = *job = malloc(sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->p = *p;
    return IMF_OK;
}

static void host_destroy(void **job) {
    free(*job);
    *job = NULL;
}

void imf_host_add(double *restrict sum, const double *restrict row, double tap, size_t count) {
    for (size_t i = 0; i < count; i++)
        sum[i] += tap * row[i];
}

/* One output row of sums; ring[i] holds the widened input row under kernel row i. */
static void sum_row(double *sum, const struct imf_kernel *k, const double *const *ring,
                    size_t channels, size_t count) {
    memset(sum, 0, count * sizeof *sum);
    for (int i = 0; i < k->height; i++)
        for (int j = 0; j < k->width; j++) {
            double tap = k->taps[(size_t)i * (size_t)k->width + (size_t)j];
            if (tap != 0)
                imf_host_add(sum, ring[i] + (size_t)j * channels, tap, count);
        }
}

/* The same for a kernel that half a turn makes its negative: differences of opposite samples, so that
 * equal ones cancel, whatever the others are. */
static void difference_row(double *restrict sum, const struct imf_kernel *k,
                           const double *const *ring, size_t channels, size_t count) {
    memset(sum, 0, count * sizeof *sum);
    for (int t = 0, u = k->width * k->height - 1; t < u; t++, u--) {
        const double *a = ring[t / k->width] + (size_t)(t % k->width) * channels;
        const double *b = ring[u / k->width] + (size_t)(u % k->width) * channels;
        for (size_t i = 0; i < count && k->taps[t] != 0; i++)
            sum[i] += k->taps[t] * (a[i] - b[i]);
    }
}

/* A part of a gradient, 0 where its sign may be nothing but the samples' error. */
static double certain(double part, const struct imf_problem *p, int kernel) {
    return fabs(part) <= p->in_error * p->facts[kernel].abs_sum ? 0 : part;
}

/* Counter-clockwise from the right, in [0, full); y grows downwards. Where nothing changes it is
 * 0. */
static double direction(const struct imf_problem *p, double right, double down) {
    double x = certain(right, p, 0), y = certain(down, p, 1), full = p->epilogue.full;
    double turn = x == 0 && y == 0 ? 0 : atan2(-y, x) / (2 * acos(-1.0));
    double v = (turn < 0 ? turn + 1 : turn) * full;
    return v < full ? v : 0;
}

/* imf_epilogue_apply() step by step, in loops that become vectors. */
void imf_host_end(const struct imf_epilogue *e, double *sum, size_t count) {
    for (size_t i = 0; i < count; i++)
        sum[i] = sum[i] / e->scale + e->add;
    for (size_t i = 0; i < count && e->absolute; i++)
        sum[i] = fabs(sum[i]);
    for (size_t i = 0; i < count; i++)
        sum[i] = e->multiply * sum[i] + e->offset;
    for (size_t i = 0; i < count && e->threshold; i++)
        sum[i] = sum[i] >= e->level ? e->full : 0;
}

void imf_host_finish(const struct imf_problem *p, double *sum, const double *sum1,
                     const struct imf_surface *out, int row) {
    const struct imf_epilogue *e = &p->epilogue;
    size_t count = (size_t)p->width * (size_t)p->channels;
    if (!sum1)
        imf_host_end(e, sum, count);
    for (size_t i = 0; i < count && sum1; i++) {
        double v = p->kind == IMF_PHASE
                       ? direction(p, sum[i], sum1[i])
                       : sqrt(sum[i] * sum[i] + sum1[i] * sum1[i]) / fabs(e->scale);
        sum[i] = imf_epilogue_apply(e, v);
    }
    imf_samples_narrow(imf_surface_row(out, row), out->sample, sum, count);
}

static enum imf_status host_run(void *job, const struct imf_surface *in,
                                const struct imf_surface *out, struct imf_error *err) {
    struct imf_problem band = ((struct host_job *)job)->p;
    const struct imf_problem *p = &band;
    band.height = out->height;
    const struct imf_kernel *k = p->kernel[0],
                            *k1 = p->kind != IMF_CONVOLUTION ? p->kernel[1] : NULL;
    void (*add)(double *, const struct imf_kernel *, const double *const *, size_t, size_t) =
        p->kind == IMF_PHASE ? difference_row : sum_row;
    struct imf_terms terms;
    if (p->factors && imf_host_factors(p, &terms)) {
        enum imf_status st = imf_host_factored(p, &terms, in, out, err);
        free(terms.store);
        return st;
    }
    struct imf_margin m = imf_kernel_margin(k);
    size_t channels = (size_t)p->channels, count = (size_t)p->width * channels;
    size_t kh = (size_t)k->height;
    size_t length = count + ((size_t)m.left + (size_t)m.right) * channels;
    ptrdiff_t first = -(ptrdiff_t)m.left * (ptrdiff_t)channels;
    double *storage = malloc((kh * length + 2 * count) * sizeof *storage);
    const double **ring = malloc(kh * sizeof *ring);
    if (!storage || !ring) {
        free(storage);
        free(ring);
        return imf_fail_memory(err, (kh * length + 2 * count) * sizeof *storage);
    }
    double *sum = storage + kh * length, *sum1 = sum + count;
    for (int y = -m.top; y < p->height + m.bottom; y++) {
        double *slot = storage + (size_t)(y + m.top) % kh * length;
        imf_samples_widen(slot, imf_surface_row(in, y), in->sample, first, length);
        int row = y - m.bottom; /* the output row whose last input row this is */
        if (row < 0)
            continue;
        for (size_t i = 0; i < kh; i++)
            ring[i] = storage + ((size_t)row + i) % kh * length;
        add(sum, k, ring, channels, count);
        if (k1)
            add(sum1, k1, ring, channels, count);
        imf_host_finish(p, sum, k1 ? sum1 : NULL, out, row);
    }
    free(storage);
    free(ring);
    return IMF_OK;
}

const struct imf_solver imf_solver_host = {
    .name = "cpu",
    .backend = IMF_BACKEND_CPU,
    .kinds = 1u << IMF_CONVOLUTION | 1u << IMF_MAGNITUDE | 1u << IMF_PHASE,
    .propose = host_propose,
    .make = host_make,
    .run = host_run,
    .destroy = host_destroy,
};
