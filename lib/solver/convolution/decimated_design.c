/*
 * decimated_design.c - a smooth row of taps as a window at every step-th pixel and weights of these
 *
 * A Gaussian is the convolution of two: if sigma^2 = a^2 + b^2, one of sigma a may be computed at
 * every step-th pixel only and one of sigma b interpolates, as long as both together attenuate the
 * aliases of the coarse grid enough. That is the idea; it is refined as follows.
 *
 * The window is Kaiser's, which for a given attenuation is shorter than a Gaussian. The weights
 * approximate the taps: for each phase p between two coarse samples they are the combination of
 * shifted windows with the least squares of the differences sum_j weight[j] window[k - shift_j] -
 * tap[k]. The scalar product of two windows depends on their distance only, so that one matrix serves
 * all phases. No step assumes a Gaussian: any kernel that is smooth enough can be met.
 *
 * The error is not estimated but computed: the differences of each phase from the taps are summed. They
 * add up to 0, so that with samples in 0..1 an output is off by at most half the sum of their
 * magnitudes. Leaving out samples beyond the taps' reach, where the tap wanted is 0, makes neither the
 * sum of the positive differences nor that of the negative ones larger.
 *
 * The largest step that suffices for a Gaussian at 8 bits is 0.6 sigma, with a window of 8 steps and
 * 13 sigma for both filters: 22 products for each direction instead of 10 sigma.
 */
#include "solver/convolution/decimated_design.h"

#include <math.h>
#include <stdlib.h>

/* The window's width in steps, and Kaiser's parameter. */
#define WIDTH 8
#define SHAPE 16.0
/* Steps to try and the width of both filters, in sigmas of the taps; pairs of weights to add. */
static const double steps[] = {0.62, 0.605, 0.57, 0.53};
#define STEPS (sizeof steps / sizeof *steps)
#define BOTH 12.6
#define MORE 3

static double bessel(double x) { /* I0 */
    double sum = 1, term = 1;
    for (int k = 1; term > 1e-17 * sum; k++) {
        term *= x / (2 * k) * (x / (2 * k));
        sum += term;
    }
    return sum;
}

static void make_window(struct imf_decimated *m) {
    double half = WIDTH * m->step / 2.0, sum = 0;
    for (int t = m->radius; t >= 0; t--) {
        double part = t / half;
        m->window[t] = bessel(SHAPE * sqrt(1 - part * part));
        sum += t ? 2 * m->window[t] : m->window[t];
    }
    m->window_squares = 0;
    for (int t = 0; t <= m->radius; t++) {
        m->window[t] /= sum;
        m->window_squares += (t ? 2 : 1) * m->window[t] * m->window[t];
    }
}

static double window_at(const struct imf_decimated *m, int t) {
    t = abs(t);
    return t <= m->radius ? m->window[t] : 0;
}

/* Factor a symmetric matrix, given by its lower triangle, in place; false if it is not positive. */
static bool cholesky(double *a, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            if (i == j && !(sum > 0))
                return false;
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    return true;
}

static void solve(const double *root, int n, double *x) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= root[i * n + k] * x[k];
        x[i] /= root[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= root[k * n + i] * x[k];
        x[i] /= root[i * n + i];
    }
}

static bool products(const struct imf_decimated *m, double *root) {
    for (int i = 0; i < m->count; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int t = -m->radius; t <= m->radius; t++)
                sum += window_at(m, t) * window_at(m, t + (i - j) * m->step);
            root[i * m->count + j] = sum;
        }
    return cholesky(root, m->count);
}

/* The offset of weight j's window from the output of phase p. */
static int shift(const struct imf_decimated *m, int p, int j) {
    return (j - m->before) * m->step - p;
}

static void find_weights(const struct imf_decimated *m, const double *root, const double *taps,
                         int reach, int p, double total) {
    double *w = m->weight + (size_t)p * (size_t)m->count, sum = 0;
    for (int j = 0; j < m->count; j++) {
        int at = shift(m, p, j);
        w[j] = 0;
        for (int t = -m->radius; t <= m->radius; t++)
            if (abs(at + t) <= reach)
                w[j] += window_at(m, t) * taps[reach + at + t];
    }
    solve(root, m->count, w);
    for (int j = 0; j < m->count; j++)
        sum += w[j];
    for (int j = 0; j < m->count; j++)
        w[j] *= total / sum; /* flat images do not change */
}

/* Measure the differences of phase p. left[], 2 middle + 1 values, is 0 before and after. */
static void measure(struct imf_decimated *m, const double *taps, int reach, int p, double *left,
                    int middle) {
    const double *w = m->weight + (size_t)p * (size_t)m->count;
    double magnitudes = 0, sum = 0, squares = 0;
    for (int k = -reach; k <= reach; k++)
        left[middle + k] = -taps[reach + k];
    for (int j = 0; j < m->count; j++) {
        double *at = left + middle + shift(m, p, j);
        for (int t = -m->radius; t <= m->radius; t++)
            at[t] += w[j] * m->window[abs(t)];
        sum += fabs(w[j]);
        squares += w[j] * w[j];
    }
    for (int k = -middle; k <= middle; k++) {
        magnitudes += fabs(left[middle + k]);
        left[middle + k] = 0;
    }
    m->error = fmax(m->error, magnitudes / 2);
    m->weight_sum = fmax(m->weight_sum, sum);
    m->weight_squares = fmax(m->weight_squares, squares);
}

/* Make the filters for m->step and m->count. */
static bool try_one(struct imf_decimated *m, const double *taps, int reach) {
    double total = 0, root[IMF_DECIMATED_COUNT * IMF_DECIMATED_COUNT];
    for (int k = -reach; k <= reach; k++)
        total += taps[reach + k];
    m->before = m->count / 2 - 1;
    m->radius = (WIDTH * m->step - 1) / 2;
    m->error = m->weight_sum = m->weight_squares = 0;
    int middle = reach + m->radius + (m->count + 1) * m->step;
    size_t side = (size_t)m->radius + 1, weights = (size_t)m->step * (size_t)m->count;
    free(m->store);
    size_t count = side + weights + 2 * (size_t)middle + 1;
    m->store = calloc(count, sizeof *m->store);
    if (!m->store) {
        m->missing = count * sizeof *m->store;
        return false;
    }
    m->window = m->store;
    m->weight = m->window + side;
    make_window(m);
    if (!products(m, root))
        return false;
    for (int p = 0; p < m->step; p++) {
        find_weights(m, root, taps, reach, p, total);
        measure(m, taps, reach, p, m->weight + weights, middle);
    }
    return true;
}

bool imf_decimated_design(struct imf_decimated *out, const double *taps, int reach,
                          double allowed) {
    double total = 0, spread = 0;
    for (int k = -reach; k <= reach; k++) {
        total += taps[reach + k];
        spread += taps[reach + k] * k * k;
    }
    *out = (struct imf_decimated){.step = 0};
    double sigma = sqrt(spread / total);
    /* Taps that end abruptly are not smooth. */
    if (!(sigma < reach) || fabs(taps[0]) > allowed)
        return false;
    for (int more = 0; more < MORE; more++)
        for (size_t i = 0; i < STEPS && !out->missing; i++) {
            int step = (int)(steps[i] * sigma);
            if (step < 2 || (i && step == (int)(steps[i - 1] * sigma)))
                continue;
            out->step = step;
            out->count = ((int)ceil(BOTH * sigma / step - WIDTH) + 1) / 2 * 2 + 2 * more;
            if (out->count > 1 && out->count <= IMF_DECIMATED_COUNT && try_one(out, taps, reach) &&
                out->error <= allowed)
                return true;
        }
    free(out->store);
    *out = (struct imf_decimated){.missing = out->missing};
    return false;
}

bool imf_decimated_make(struct imf_decimated *out, const double *taps, int reach, int step,
                        int count) {
    *out = (struct imf_decimated){.step = step, .count = count};
    if (try_one(out, taps, reach))
        return true;
    free(out->store);
    *out = (struct imf_decimated){.step = 0};
    return false;
}
