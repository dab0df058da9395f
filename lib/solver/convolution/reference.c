/*
 * reference.c - convolution on the host: plain C, with float64 sums
 *
 * It needs no device and is the reference for all other solvers. Its backend is `cpu`.
 *
 * For each output row: a row of double accumulators, and for each tap one pass that adds the tap's
 * multiple of an input row, shifted. Input rows are widened to double once and kept in a ring as
 * long as the kernel reaches them. Sums of integers are exact below 2^53. The additions of a sample and
 * their order do not depend on the strips of rows that threads take.
 */
#include "base/clones.h"
#include "device/tuning.h"
#include "solver/cores.h"
#include "solver/solver.h"

#include <math.h>
#include <string.h>

/* Strips for each thread, so that threads end at about the same time. */
#define STRIPS 4

/* Milliseconds of one core. */
static double cost(const struct imf_problem *p) {
    double samples = (double)p->width * p->height * p->channels, taps = 0;
    for (int i = 0; i < imf_problem_kernels(p); i++)
        taps += (double)p->facts[i].nonzero;
    double ns = imf_host_rates.sample + imf_host_rates.tap * taps;
    return samples * (ns + (p->kind == IMF_PHASE ? imf_host_rates.phase : 0)) * 1e-6;
}

/* Input samples of a row that an output row reads. */
static size_t row_length(const struct imf_problem *p) {
    return ((size_t)p->width + (size_t)p->kernel[0]->width - 1) * (size_t)p->channels;
}

/* A ring of widened rows, two rows of sums, and pointers to the rows. */
static size_t scratch_bytes(const struct imf_problem *p, const void *shape, int width) {
    size_t kh = (size_t)p->kernel[0]->height;
    (void)shape, (void)width;
    return (kh * (row_length(p) + 1) + 2 * (size_t)p->width * (size_t)p->channels) * sizeof(double);
}

/*
 * Milliseconds: samples * (sample + tap * taps that are not 0, + phase of directions) * 1e-6, in the
 * host's nanoseconds, over the cores.
 */
static void host_propose(const struct imf_problem *p, const struct imf_device *d,
                         struct imf_proposal *out) {
    (void)d;
    imf_proposal_strips(out, p, cost(p), p->width);
    snprintf(out->description, sizeof out->description, "%s %dx%d, float64",
             out->backend == IMF_BACKEND_CPU ? "plain C" : "vector", p->kernel[0]->width,
             p->kernel[0]->height);
}

/* Each strip widens the kernel's height of rows before its first output row. */
static struct imf_strips host_cut(const struct imf_job *job, int height) {
    struct imf_problem p = job->p;
    p.height = height;
    int threads = imf_pool_threads(job->pool), share = (height - 1) / threads + 1;
    int rows = imf_max((height - 1) / (threads * STRIPS) + 1, imf_min(p.kernel[0]->height, share));
    return imf_strips_rows(p.width, height, cost(&p) < IMF_ALONE_MS ? height : rows);
}

IMF_CLONES static void add_row(double *restrict sum, const double *restrict row, double tap,
                               size_t count) {
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
                add_row(sum, ring[i] + (size_t)j * channels, tap, count);
        }
}

/* The same for an odd kernel: taps times differences of opposite samples, so that equal samples cancel
 * exactly. */
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

/* A component of a gradient; 0 if it is within the error of the samples. */
static double certain(double part, const struct imf_problem *p, int kernel) {
    return fabs(part) <= p->in_error * p->facts[kernel].abs_sum ? 0 : part;
}

/* The gradient's direction, counter-clockwise from the right, in [0, full); y grows downwards. 0 for a
 * gradient of 0. */
static double direction(const struct imf_problem *p, double right, double down) {
    double x = certain(right, p, 0), y = certain(down, p, 1), full = p->epilogue.full;
    double turn = x == 0 && y == 0 ? 0 : atan2(-y, x) / (2 * acos(-1.0));
    double v = (turn < 0 ? turn + 1 : turn) * full;
    return v < full ? v : 0;
}

static void finish(const struct imf_problem *p, double *sum, const double *sum1,
                   const struct imf_surface *out, int row) {
    const struct imf_epilogue *e = &p->epilogue;
    size_t count = (size_t)p->width * (size_t)p->channels;
    if (!sum1)
        imf_epilogue_sums(e, sum, count);
    for (size_t i = 0; i < count && sum1; i++) {
        double v = p->kind == IMF_PHASE
                       ? direction(p, sum[i], sum1[i])
                       : sqrt(sum[i] * sum[i] + sum1[i] * sum1[i]) / fabs(e->scale);
        sum[i] = imf_epilogue_apply(e, v);
    }
    imf_samples_narrow(imf_surface_row(out, row), out->sample, sum, count);
}

static void host_strip(const struct imf_host_strip *s) {
    const struct imf_problem *p = &s->job->p;
    const struct imf_kernel *k = p->kernel[0];
    void (*add)(double *, const struct imf_kernel *, const double *const *, size_t, size_t) =
        p->kind == IMF_PHASE ? difference_row : sum_row;
    size_t channels = (size_t)p->channels, count = (size_t)p->width * channels;
    size_t kh = (size_t)k->height, length = row_length(p);
    double *rows = s->scratch, *sum = rows + kh * length, *sum1 = sum + count;
    const double **ring = (const double **)(sum1 + count);
    struct imf_margin m = imf_kernel_margin(k);
    for (int y = s->at.y - m.top; y < s->at.end + m.bottom; y++) {
        imf_samples_widen(rows + (size_t)(y + m.top) % kh * length, imf_surface_row(s->in, y),
                          s->in->sample, -(ptrdiff_t)m.left * p->channels, length);
        int row = y - m.bottom; /* the output row that needs y as its last input row */
        if (row < s->at.y)
            continue;
        for (size_t i = 0; i < kh; i++)
            ring[i] = rows + ((size_t)row + i) % kh * length;
        for (int i = 0; i < imf_problem_kernels(p); i++)
            add(i ? sum1 : sum, p->kernel[i], ring, channels, count);
        finish(p, sum, p->kind == IMF_CONVOLUTION ? NULL : sum1, s->out, row);
    }
}

#define SOLVER(called, of)                                                                         \
    {                                                                                              \
        .name = called, .backend = of, .float64 = true, .local = true,                             \
        .kinds = 1u << IMF_CONVOLUTION | 1u << IMF_MAGNITUDE | 1u << IMF_PHASE,                    \
        .propose = host_propose, .cut = host_cut, .scratch_bytes = scratch_bytes,                  \
        .strip = host_strip                                                                        \
    }

const struct imf_solver imf_solver_float64 = SOLVER("vector", IMF_BACKEND_VECTOR);
const struct imf_solver imf_solver_host = SOLVER("cpu", IMF_BACKEND_CPU);
