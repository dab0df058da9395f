/*
 * reference.c - convolution on the host: plain C, with float64 sums
 *
 * It needs no device and is the reference for all other solvers. Its backend is `cpu`.
 *
 * For each output row: a row of double accumulators, and for each tap one pass that adds the tap's
 * multiple of an input row, shifted. Input rows are widened to double once and kept in a ring as
 * long as the kernel reaches them. Sums of integers are exact below 2^53. Threads take bands of rows;
 * the additions of a sample and their order do not depend on the bands.
 */
#include "base/clones.h"
#include "device/tuning.h"
#include "solver/cores.h"
#include "solver/solver.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Bands for each thread, so that threads end at about the same time. */
#define BANDS 4
/* Less work than this stays on the caller's thread. */

struct host_job {
    struct imf_problem p;
    struct imf_pool *pool; /* borrowed, or NULL */
};

/* A run: bands of `rows` rows; an idle thread takes the next. */
struct bands {
    const struct imf_problem *p;
    const struct imf_surface *in, *out;
    int rows, count;
    atomic_int next;
    double *scratch; /* `each` values for every thread */
    size_t each;
};

/* Milliseconds of one core. */
static double cost(const struct imf_problem *p) {
    double samples = (double)p->width * p->height * p->channels, taps = 0;
    for (int i = 0; i < imf_problem_kernels(p); i++)
        taps += (double)p->facts[i].nonzero;
    double ns = imf_host_rates.sample + imf_host_rates.tap * taps;
    return samples * (ns + (p->kind == IMF_PHASE ? imf_host_rates.phase : 0)) * 1e-6;
}

/*
 * Milliseconds: samples * (sample + tap * taps that are not 0, + phase of directions) * 1e-6, in the
 * host's nanoseconds, over the cores.
 */
static void host_propose(const struct imf_problem *p, const struct imf_device *d,
                         struct imf_proposal *out) {
    const struct imf_kernel *k = p->kernel[0];
    double row = ((double)p->width + k->width) * p->channels, ms = cost(p);
    int cores = ms < IMF_ALONE_MS ? 1 : imf_cores();
    (void)d;
    out->feasible = true;
    out->ms = ms / cores;
    /* For each thread a ring of widened rows, and two of sums. */
    out->bytes = cores * row * (k->height + 2) * sizeof(double);
    snprintf(out->description, sizeof out->description, "plain C %dx%d, float64", k->width,
             k->height);
}

static void vector_propose(const struct imf_problem *p, const struct imf_device *d,
                           struct imf_proposal *out) {
    const struct imf_kernel *k = p->kernel[0];
    host_propose(p, d, out);
    snprintf(out->description, sizeof out->description, "vector %dx%d, float64", k->width,
             k->height);
}

static enum imf_status host_make(void **job, const struct imf_problem *p,
                                 const struct imf_proposal *proposal, struct imf_queue *queue,
                                 struct imf_error *err) {
    (void)proposal, (void)queue;
    struct host_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->p = *p;
    return IMF_OK;
}

static void host_use_pool(void *job, struct imf_pool *pool) {
    ((struct host_job *)job)->pool = pool;
}

static void host_destroy(void **job) {
    free(*job);
    *job = NULL;
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

/* Doubles that sum_band() takes as scratch. */
static size_t band_scratch(const struct imf_problem *p) {
    const struct imf_kernel *k = p->kernel[0];
    struct imf_margin m = imf_kernel_margin(k);
    size_t channels = (size_t)p->channels, count = (size_t)p->width * channels;
    size_t length = count + ((size_t)m.left + (size_t)m.right) * channels;
    return (size_t)k->height * (length + 1) + 2 * count; /* + 1: a pointer */
}

/* Rows from..to - 1. */
static void sum_band(const struct bands *b, int from, int to, double *scratch) {
    const struct imf_problem *p = b->p;
    const struct imf_kernel *k = p->kernel[0],
                            *k1 = p->kind != IMF_CONVOLUTION ? p->kernel[1] : NULL;
    void (*add)(double *, const struct imf_kernel *, const double *const *, size_t, size_t) =
        p->kind == IMF_PHASE ? difference_row : sum_row;
    struct imf_margin m = imf_kernel_margin(k);
    size_t channels = (size_t)p->channels, count = (size_t)p->width * channels;
    size_t kh = (size_t)k->height;
    size_t length = count + ((size_t)m.left + (size_t)m.right) * channels;
    ptrdiff_t first = -(ptrdiff_t)m.left * (ptrdiff_t)channels;
    double *sum = scratch + kh * length, *sum1 = sum + count;
    const double **ring = (const double **)(sum1 + count);
    for (int y = from - m.top; y < to + m.bottom; y++) {
        double *slot = scratch + (size_t)(y + m.top) % kh * length;
        imf_samples_widen(slot, imf_surface_row(b->in, y), b->in->sample, first, length);
        int row = y - m.bottom; /* the output row that needs y as its last input row */
        if (row < from)
            continue;
        for (size_t i = 0; i < kh; i++)
            ring[i] = scratch + ((size_t)row + i) % kh * length;
        add(sum, k, ring, channels, count);
        if (k1)
            add(sum1, k1, ring, channels, count);
        finish(p, sum, k1 ? sum1 : NULL, b->out, row);
    }
}

static void do_bands(void *data, int thread) {
    struct bands *b = data;
    double *scratch = b->scratch + (size_t)thread * b->each;
    for (int i; (i = atomic_fetch_add(&b->next, 1)) < b->count;) {
        int from = i * b->rows, to = imf_min(from + b->rows, b->out->height);
        sum_band(b, from, to, scratch);
    }
}

static enum imf_status host_run(void *job, const struct imf_surface *in,
                                const struct imf_surface *out, struct imf_error *err) {
    const struct host_job *j = job;
    struct imf_problem p = j->p;
    p.height = out->height;
    int threads = cost(&p) < IMF_ALONE_MS ? 1 : imf_pool_threads(j->pool);
    struct bands b = {.p = &p, .in = in, .out = out};
    /* Each band widens the kernel's height of rows before its first output row. */
    b.rows = imf_max((p.height - 1) / (threads * BANDS) + 1,
                     imf_min(p.kernel[0]->height, (p.height - 1) / threads + 1));
    b.count = (p.height - 1) / b.rows + 1;
    threads = imf_min(threads, b.count);
    b.each = band_scratch(&p);
    b.scratch = malloc((size_t)threads * b.each * sizeof *b.scratch);
    enum imf_status status = b.scratch ? IMF_OK : imf_fail_memory(err, b.each * sizeof *b.scratch);
    if (b.scratch)
        imf_parallel(j->pool, threads, do_bands, &b);
    free(b.scratch);
    return status;
}

#define SOLVER(called, of, proposes)                                                               \
    {                                                                                              \
        .name = called, .backend = of, .float64 = true,                                            \
        .kinds = 1u << IMF_CONVOLUTION | 1u << IMF_MAGNITUDE | 1u << IMF_PHASE,                    \
        .propose = proposes, .old_make = host_make, .old_run = host_run,                           \
        .old_destroy = host_destroy, .old_use_pool = host_use_pool                                 \
    }

const struct imf_solver imf_solver_float64 = SOLVER("vector", IMF_BACKEND_VECTOR, vector_propose);
const struct imf_solver imf_solver_host = SOLVER("cpu", IMF_BACKEND_CPU, host_propose);
