/*
 * fit.c - rates that explain measured times
 *
 * Least squares of the logarithms' differences, by Gauss and Newton's method: the estimates' slopes
 * are taken by small steps of each cost, and a linear system gives the next factors. Two things
 * make it safe for times from a machine that others share:
 *   - Huber's weights: a difference beyond 15 % counts in proportion, not squared (P. J. Huber,
 *     Robust Estimation of a Location Parameter, 1964);
 *   - each factor is drawn to the one that suits all times together (a ridge, A. E. Hoerl and R. W.
 *     Kennard 1970): a device of half the speed has half of every rate that was not measured.
 */
#include "device/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 10
#define SLOPE 0.05  /* of a cost's logarithm */
#define LARGEST 0.7 /* step of a factor's logarithm */
#define NOISE 0.08  /* of a time's logarithm */
#define HUBER 0.15
#define SPREAD 0.8    /* of the factors' logarithms about the common one */
#define TRUSTED 3.912 /* log 50: no factor is further from 1 */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Logarithms of measured over estimated time. */
static void compare(const struct imf_fit *f, const double *factor, double *off) {
    for (size_t i = 0; i < f->times; i++)
        off[i] = log(f->measured[i] / f->estimate(f->data, i, factor));
}

static double median(const double *v, double *work, size_t n) {
    memcpy(work, v, n * sizeof *work);
    qsort(work, n, sizeof *work, by_value);
    return (work[(n - 1) / 2] + work[n / 2]) / 2;
}

/* Solve a x = b for a symmetric positive definite a of n rows (Cholesky); b becomes x. */
static void solve(double a[IMF_FIT_COSTS][IMF_FIT_COSTS], double *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = a[i][j];
            for (size_t k = 0; k < j; k++)
                sum -= a[i][k] * a[j][k];
            a[i][j] = i == j ? sqrt(sum) : sum / a[j][j];
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            b[i] -= a[k][i] * b[k];
        b[i] /= a[i][i];
    }
}

/* One step of the method from `factor`, whose differences are `off`. Returns the costs of which the
 * times say more than the ridge: with one time, those that make up a tenth of it. */
static uint32_t step(const struct imf_fit *f, double *factor, const double *off, double common) {
    double a[IMF_FIT_COSTS][IMF_FIT_COSTS] = {{0}}, b[IMF_FIT_COSTS];
    for (size_t j = 0; j < f->costs; j++) {
        a[j][j] = 1 / (SPREAD * SPREAD);
        b[j] = (common - log(factor[j])) / (SPREAD * SPREAD);
    }
    for (size_t i = 0; i < f->times; i++) {
        double slope[IMF_FIT_COSTS] = {0};
        uint32_t uses = f->uses(f->data, i);
        double weight = fmin(1, HUBER / fmax(fabs(off[i]), 1e-9)) / (NOISE * NOISE);
        for (size_t j = 0; j < f->costs; j++) {
            if (!(uses >> j & 1))
                continue;
            double kept = factor[j];
            factor[j] = kept * exp(SLOPE);
            slope[j] = (off[i] - log(f->measured[i] / f->estimate(f->data, i, factor))) / SLOPE;
            factor[j] = kept;
        }
        for (size_t j = 0; j < f->costs; j++) {
            for (size_t k = 0; k <= j; k++)
                a[j][k] += weight * slope[j] * slope[k];
            b[j] += weight * slope[j] * off[i];
        }
    }
    uint32_t determined = 0;
    for (size_t j = 0; j < f->costs; j++)
        determined |= (uint32_t)(a[j][j] >= 2 / (SPREAD * SPREAD)) << j;
    solve(a, b, f->costs);
    for (size_t j = 0; j < f->costs; j++) {
        double next = log(factor[j]) + fmax(-LARGEST, fmin(LARGEST, b[j]));
        factor[j] = exp(fmax(-TRUSTED, fmin(TRUSTED, next)));
    }
    return determined;
}

/* The mean of the differences' sizes, as a factor. */
static double spread(const double *off, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(off[i]);
    return exp(sum / (double)n);
}

double imf_fit_costs(const struct imf_fit *f, double *factor, double *before,
                     uint32_t *determined) {
    for (size_t j = 0; j < f->costs; j++)
        factor[j] = 1;
    *before = 1;
    *determined = 0;
    if (f->times == 0)
        return 1;
    double *off = calloc(2 * f->times, sizeof *off);
    if (!off)
        return INFINITY;
    compare(f, factor, off);
    *before = spread(off, f->times);
    double common = median(off, off + f->times, f->times);
    common = fmax(-TRUSTED, fmin(TRUSTED, common));
    for (size_t j = 0; j < f->costs; j++)
        factor[j] = exp(common);
    for (int n = 0; n < STEPS; n++) {
        compare(f, factor, off);
        *determined = step(f, factor, off, common);
    }
    compare(f, factor, off);
    double after = spread(off, f->times);
    free(off);
    return after;
}
