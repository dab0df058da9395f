/*
 * separable_error.c - how far the floats of a separable filter may stray
 *
 * With first factor a, second factor b and the largest sample m, the error of one product is
 *   - rounding the taps: m * (sum |b| * sum |a - float(a)| + sum |b - float(b)| * sum |a|);
 *   - rounding in the first sums (rounding.h), whose errors in the second's samples are
 *     independent: variance_a * sum b^2, and the filtered samples' own rounding is one of them;
 *   - rounding in the second sums, of samples up to m * sum |a|;
 *   - adding mirrored float samples, in two passes: half an ulp of m, times the taps.
 *
 * With several terms the taps' errors add up, and so do the variances of the first sums, which are
 * rounded independently. The second sums are one sum over the taps of all terms, in which tap b of
 * a term is worth up to m * sum |a| * |b|, tap by tap and, for each, term by term. What the terms
 * leave of the kernel adds m times the sum of its |taps|.
 */
#include "solver/convolution/separable_error.h"

#include "base/rounding.h"

#include <float.h>
#include <math.h>

static double sum_abs(const double *taps, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(taps[i]);
    return sum;
}

/* Variance of the second sums' errors over several terms, whose first factors' sums are `first`. */
static double second_variance(const struct imf_problem *p, const struct imf_terms *t,
                              const double *first) {
    double weights[IMF_TERMS_MAX * IMF_TERMS_SIDE];
    size_t n = 0;
    for (int j = 0; j < p->kernel[0]->width; j++)
        for (int r = 0; r < t->count; r++)
            weights[n++] = t->term[r].row[j] * first[r];
    return imf_rounding_variance(weights, n, p->in_max);
}

double imf_separable_error(const struct imf_problem *p, const struct imf_terms *t, bool two_passes,
                           bool paired) {
    size_t w = (size_t)p->kernel[0]->width, h = (size_t)p->kernel[0]->height;
    size_t na = two_passes ? w : h, nb = two_passes ? h : w;
    double sum = 0, variance = 0, error = p->in_max * t->residual, first[IMF_TERMS_MAX];
    for (int r = 0; r < t->count; r++) {
        const double *a = two_passes ? t->term[r].row : t->term[r].column;
        const double *b = two_passes ? t->term[r].column : t->term[r].row;
        double a_sum = sum_abs(a, na), b_sum = sum_abs(b, nb), squares = 0;
        for (size_t i = 0; i < nb; i++)
            squares += b[i] * b[i];
        first[r] = a_sum;
        sum += p->in_max * a_sum * b_sum;
        variance += imf_rounding_variance(a, na, p->in_max) * squares;
        if (t->count == 1)
            variance += imf_rounding_variance(b, nb, p->in_max * a_sum);
        error += p->in_max * (b_sum * imf_rounding_taps(a, na) + a_sum * imf_rounding_taps(b, nb));
        if (two_passes && p->in == IMF_F32 && paired)
            error += imf_float_ulp(p->in_max) / 2 * a_sum * b_sum;
    }
    if (t->count > 1)
        variance += second_variance(p, t, first);
    error += IMF_SIGMAS * sqrt(variance) + sum * DBL_EPSILON;
    return error / fabs(p->epilogue.scale) + imf_problem_end_error(p, sum);
}
