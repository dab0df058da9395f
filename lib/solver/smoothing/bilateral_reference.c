/*
 * bilateral_reference.c - the bilateral filter on the host, in float64
 *
 * Each pixel becomes the mean of those within R = ceil(3 sigma) of it, which weigh
 *
 *      exp(-(dx^2 + dy^2) / (2 sigma^2)) * exp(-d^2 / (2 range^2)),
 *
 * where d is the Euclidean distance of the colours (Tomasi and Manduchi, ICCV 1998). Rows of pixels are
 * compared with those at each distance in turn. The reference (`cpu`) takes the C library's exp(); `vector`,
 * where floats do not suffice, takes one that compilers vectorise.
 */
#include "base/clones.h"
#include "device/tuning.h"
#include "solver/common/window.h"
#include "solver/solver.h"

#include <string.h>

#define COLUMNS 256 /* pixels of a strip's rows, which stay in a cache */
#define STRIP_ROWS 16
#define EXP_ERROR 1e-13 /* of a weight: the polynomial's 7e-15 and roundings */

static int reach_of(const struct imf_problem *p) {
    return p->window_op->cx;
}

/* Pixels of a row with those around it, and values of a strip: rows of samples, of colours, and five
 * rows of sums, weights and the result. */
static size_t wide(const struct imf_problem *p) {
    return COLUMNS + 2 * (size_t)reach_of(p);
}

static size_t scratch_bytes(const struct imf_problem *p, const void *shape, int width) {
    size_t rows = STRIP_ROWS + 2 * (size_t)reach_of(p), channels = (size_t)p->channels;
    (void)shape, (void)width;
    return sizeof(double) * (wide(p) * channels * (rows + 1) + COLUMNS * (2 + 2 * channels));
}

/* Milliseconds of a core: pixels * (sample * channels + bilateral * pixels around) * 1e-6, in the
 * nanoseconds of the host or of its vectors. */
static void bilateral_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    bool plain = out->backend == IMF_BACKEND_CPU;
    (void)d;
    double around = acos(-1.0) * reach_of(p) * reach_of(p) + 1;
    double weight = plain ? imf_host_rates.bilateral : imf_vector_rates.weight_float64;
    double ns = imf_host_rates.sample * p->channels + weight * around;
    imf_proposal_strips(out, p, (double)p->width * p->height * ns * 1e-6, COLUMNS);
    out->error = plain ? 0 : 2 * EXP_ERROR * p->in_max * fabs(p->epilogue.multiply);
    out->bands = IMF_BANDS_FEW;
    snprintf(out->description, sizeof out->description, "%sbilateral, radius %d, float64",
             plain ? "plain C " : "", reach_of(p));
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void exp_plain(double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        x[i] = exp(x[i]);
}

/*
 * e^x for x from -700 to 0, and e^-700 below. With n the integer nearest to x / ln 2, e^x is 2^n e^f,
 * |f| <= ln(2) / 2; e^f is its Taylor polynomial of degree 11. A double at `whole` has no fraction, and n in its low
 * bits, which become an exponent.
 */
IMF_CLONES static void exp_vector(double *x, size_t n) {
    const double whole = 0x1.8p52, log2_e = 0x1.71547652b82fep+0;
    const double high = 0x1.62e42fefap-1, low = 0x1.cf79abc9e3b39803p-40; /* ln 2 */
    for (size_t i = 0; i < n; i++) {
        double v = x[i] > -700 ? x[i] : -700, shifted = v * log2_e + whole, sum = 1.0 / 39916800;
        double f = v - (shifted - whole) * high - (shifted - whole) * low, power;
        uint64_t bits;
        sum = sum * f + 1.0 / 3628800;
        sum = sum * f + 1.0 / 362880;
        sum = sum * f + 1.0 / 40320;
        sum = sum * f + 1.0 / 5040;
        sum = sum * f + 1.0 / 720;
        sum = sum * f + 1.0 / 120;
        sum = sum * f + 1.0 / 24;
        sum = sum * f + 1.0 / 6;
        sum = sum * f + 0.5;
        sum = sum * f + 1;
        sum = sum * f + 1;
        memcpy(&bits, &shifted, sizeof bits);
        bits = (bits + 1023) << 52;
        memcpy(&power, &bits, sizeof power);
        x[i] = sum * power;
    }
}

/* Subtract the squared difference of colours from exponents. */
IMF_CLONES static void add_unlike(double *restrict exponents, const double *restrict a,
                                  const double *restrict b, double near, size_t n) {
    for (size_t i = 0; i < n; i++)
        exponents[i] -= near * (a[i] - b[i]) * (a[i] - b[i]);
}

IMF_CLONES static void add_weighed(double *restrict sums, const double *restrict weights,
                                   const double *restrict samples, size_t n) {
    for (size_t i = 0; i < n; i++)
        sums[i] += weights[i] * samples[i];
}

IMF_CLONES static void add_weights(double *restrict sums, const double *restrict weights,
                                   size_t n) {
    for (size_t i = 0; i < n; i++)
        sums[i] += weights[i];
}

/* ---- a strip -------------------------------------------------------------------------------- */

struct work {
    const struct imf_problem *p;
    void (*exp)(double *x, size_t n);
    double *samples; /* by rows and then colours, from the reach left of the strip on */
    double *weights, *totals, *sums, *row;
    size_t n;
};

/* Samples of colour c in a row of the strip, from its first column on. */
static const double *plane(const struct work *w, int row, int c) {
    const struct imf_problem *p = w->p;
    int reach = reach_of(p);
    return w->samples + ((size_t)(row + reach) * (size_t)p->channels + (size_t)c) * wide(p) + reach;
}

static void load(const struct work *w, const struct imf_surface *in, int x, int y, int rows) {
    const struct imf_problem *p = w->p;
    int reach = reach_of(p), channels = p->channels;
    size_t n = w->n + 2 * (size_t)reach;
    double *to = w->samples, *row = to + wide(p) * (size_t)channels * (size_t)(rows + 2 * reach);
    for (int k = -reach; k < rows + reach; k++) {
        imf_samples_widen(row, imf_surface_row(in, y + k), in->sample,
                          (ptrdiff_t)(x - reach) * channels, n * (size_t)channels);
        for (int c = 0; c < channels; c++, to += wide(p))
            for (size_t i = 0; i < n; i++)
                to[i] = row[i * (size_t)channels + (size_t)c];
    }
}

/* Add the pixels at a distance (dx, dy) from those of a row. */
static void add_neighbours(const struct work *w, int row, int dx, int dy) {
    const struct imf_problem *p = w->p;
    double sigma = p->window_op->value, range = p->window_op->range * p->unit;
    double far = -(dx / sigma * (dx / sigma) + dy / sigma * (dy / sigma)) / 2;
    for (size_t i = 0; i < w->n; i++)
        w->weights[i] = far;
    for (int c = 0; c < p->colors; c++)
        add_unlike(w->weights, plane(w, row + dy, c) + dx, plane(w, row, c),
                   1 / (2 * range * range), w->n);
    w->exp(w->weights, w->n);
    add_weights(w->totals, w->weights, w->n);
    for (int c = 0; c < p->colors; c++)
        add_weighed(w->sums + c * COLUMNS, w->weights, plane(w, row + dy, c) + dx, w->n);
}

static void mean_row(const struct work *w, int row) {
    const struct imf_problem *p = w->p;
    int reach = reach_of(p), channels = p->channels;
    memset(w->totals, 0, (size_t)(1 + channels) * COLUMNS * sizeof *w->totals);
    for (int dy = -reach; dy <= reach; dy++)
        for (int dx = -reach; dx <= reach; dx++)
            if (dx * dx + dy * dy <= reach * reach)
                add_neighbours(w, row, dx, dy);
    for (size_t i = 0; i < w->n; i++)
        for (int c = 0; c < channels; c++)
            w->row[i * (size_t)channels + (size_t)c] =
                c < p->colors ? w->sums[(size_t)c * COLUMNS + i] / w->totals[i]
                              : plane(w, row, c)[i];
}

static struct imf_strips bilateral_cut(const struct imf_job *job, int height) {
    return imf_strips_of(job->p.width, height, COLUMNS, STRIP_ROWS);
}

static void bilateral_strip(const struct imf_host_strip *s) {
    const struct imf_problem *p = &s->job->p;
    int rows = s->at.end - s->at.y;
    size_t channels = (size_t)p->channels;
    struct work w = {.p = p, .samples = s->scratch, .n = (size_t)s->at.n};
    w.exp = s->job->solver->backend == IMF_BACKEND_CPU ? exp_plain : exp_vector;
    w.weights = w.samples + wide(p) * channels * (STRIP_ROWS + 2 * (size_t)reach_of(p) + 1);
    w.totals = w.weights + COLUMNS;
    w.sums = w.totals + COLUMNS;
    w.row = w.sums + COLUMNS * channels;
    load(&w, s->in, s->at.x, s->at.y, rows);
    for (int k = 0; k < rows; k++) {
        mean_row(&w, k);
        imf_window_finish(p, w.row,
                          imf_sample_at(s->out, s->at.y + k, (ptrdiff_t)s->at.x * p->channels),
                          w.n * channels);
    }
}

#define SOLVER(called, of)                                                                         \
    {                                                                                              \
        .name = called, .backend = of, .float64 = true, .local = true,                             \
        .kinds = 1u << IMF_BILATERAL, .propose = bilateral_propose, .cut = bilateral_cut,          \
        .scratch_bytes = scratch_bytes, .strip = bilateral_strip                                   \
    }

const struct imf_solver imf_solver_bilateral_float64 = SOLVER("vector", IMF_BACKEND_VECTOR);
const struct imf_solver imf_solver_bilateral_host = SOLVER("cpu", IMF_BACKEND_CPU);
