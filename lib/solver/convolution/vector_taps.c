/*
 * vector_taps.c - the taps of the loops of solver/convolution/vector.c, and the error of their sums
 *
 * The bound of real sums is IMF_SIGMAS standard deviations of all roundings of products and partial
 * sums (rounding.h), plus the rounding of the taps times the largest sample, plus half an ulp of
 * mirrored samples that are added first.
 *
 * A column and a row: the errors of the column's sums are independent and each is multiplied by a
 * tap b of the row, so that their variance counts sum b^2 times; the row's own variance is added. With
 * several terms all rows are one sum, and each of its roundings is at most half an ulp of the whole
 * sum; the part of the kernel that the terms leave out adds the largest sample times the sum of its
 * |taps|.
 */
#include "solver/convolution/vector_taps.h"

#include "base/image/rounding.h"
#include "solver/convolution/sums.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Part of the tolerance for the part of the kernel that a sum of products leaves out. */
#define RESIDUAL 0.125

/* ---- errors of real problems ----------------------------------------------------------------- */

/* Variance of rounding the products of taps with samples up to `largest`, and of adding them up. */
static double sum_variance(const double *taps, size_t n, double largest) {
    return imf_rounding_variance(taps, n, largest) + imf_rounding_products(taps, n, largest);
}

/* The same of a list of taps, in its order. */
static double list_variance(const struct imf_vector_sum *s, double largest) {
    double taps[IMF_VECTOR_TAPS];
    for (int t = 0; t < s->count; t++)
        taps[t] = (double)s->tap[t] * (t < s->pairs ? 2 : 1);
    return sum_variance(taps, (size_t)s->count, largest);
}

/* Error of kernel i's sums, before division by the scale. */
static double taps_error(const struct imf_problem *p, const struct imf_vector_rows *w, int i) {
    const struct imf_kernel_facts *f = &p->facts[i];
    const struct imf_kernel *k = p->kernel[i];
    size_t n = (size_t)k->width * (size_t)k->height;
    double error = p->in_max * f->rounding;
    double variance =
        w ? list_variance(&w->sum[i], p->in_max) : sum_variance(k->taps, n, p->in_max);
    if (p->in == IMF_F32 && w && w->sum[i].pairs)
        error += FLT_EPSILON / 2 * p->in_max * f->abs_sum;
    return error + IMF_SIGMAS * sqrt(variance);
}

static double terms_error(const struct imf_problem *p, const struct imf_terms *terms,
                          const struct imf_vector_rows *w) {
    int height = p->kernel[0]->height, width = p->kernel[0]->width;
    double error = p->in_max * terms->residual, variance = 0, largest = 0, roundings = 0;
    for (int r = 0; r < terms->count; r++) {
        const double *a = terms->term[r].column, *b = terms->term[r].row;
        double first = imf_sum_abs(a, (size_t)height), second = imf_sum_abs(b, (size_t)width),
               squares = 0;
        for (int j = 0; j < width; j++)
            squares += b[j] * b[j];
        variance += list_variance(&w->sum[2 * r], p->in_max) * squares;
        largest += p->in_max * first * second;
        if (terms->count == 1)
            variance += list_variance(&w->sum[1], p->in_max * first);
        else
            roundings += 2 * w->sum[2 * r + 1].count;
        error += p->in_max *
                 (second * imf_rounding_taps(a, (size_t)height) +
                  first * imf_rounding_taps(b, (size_t)width) + FLT_EPSILON * first * second);
    }
    variance += roundings * imf_float_ulp(largest) * imf_float_ulp(largest) / 12;
    return error + IMF_SIGMAS * sqrt(variance);
}

double imf_vector_error(const struct imf_problem *p, const struct imf_terms *terms,
                        const struct imf_vector_rows *w) {
    double error = 0;
    for (int i = 0; i < imf_problem_kernels(p); i++)
        error = hypot(error, terms ? terms_error(p, terms, w) : taps_error(p, w, i));
    return error / fabs(p->epilogue.scale) + imf_problem_end_error(p, imf_largest_sum(p));
}

/* ---- taps ----------------------------------------------------------------------------------- */

static bool add_tap(struct imf_vector_sum *s, double tap, struct imf_vector_at at,
                    struct imf_vector_at other) {
    if (s->count == IMF_VECTOR_TAPS)
        return false;
    s->at[s->count] = at;
    s->other[s->count] = other;
    s->tap[s->count] = (float)tap;
    s->whole[s->count] = (uint16_t)(int64_t)(fabs(tap) < INT32_MAX ? tap : 0);
    s->count++;
    return true;
}

/* Add the taps of a kernel or factor. Mirrored taps of a row are paired in floats, the middle one with
 * itself. Returns false if there are too many. */
static bool add_taps(struct imf_vector_sum *s, const double *taps, int width, int height,
                     struct imf_vector_at first, int step, bool mirror) {
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++) {
            double tap = taps[(size_t)i * (size_t)width + (size_t)j];
            int other = mirror ? width - 1 - j : j;
            struct imf_vector_at at = {first.row + i, first.sample + j * step};
            struct imf_vector_at to = {at.row, first.sample + other * step};
            if (tap == 0 || other < j)
                continue;
            if (!add_tap(s, mirror && other == j ? tap / 2 : tap, at, to))
                return false;
        }
    s->pairs = mirror ? s->count : 0;
    return true;
}

/* Make the taps of a row those of a column. */
static void stand(struct imf_vector_sum *s) {
    for (int t = 0; t < s->count; t++) {
        s->at[t] = (struct imf_vector_at){s->at[t].sample, 0};
        s->other[t] = (struct imf_vector_at){s->other[t].sample, 0};
    }
}

static bool take_taps(const struct imf_problem *p, struct imf_vector_rows *w) {
    bool fits = true;
    for (int i = 0; i < imf_problem_kernels(p) && fits; i++) {
        const struct imf_kernel *k = p->kernel[i];
        struct imf_vector_at first = {-k->cy, -k->cx * p->channels};
        w->sum[i] = (struct imf_vector_sum){.pairs = 0};
        fits = p->facts[i].nonzero <= 2 * IMF_VECTOR_TAPS &&
               add_taps(&w->sum[i], k->taps, k->width, k->height, first, p->channels,
                        p->facts[i].mirror > 0 && !w->narrow);
    }
    return fits;
}

static bool take_terms(const struct imf_problem *p, const struct imf_terms *terms,
                       struct imf_vector_rows *w) {
    const struct imf_kernel *k = p->kernel[0];
    bool fits = (k->width - 1) * p->channels <= IMF_VECTOR_REACH;
    w->terms = terms->count;
    w->left = k->cx * p->channels;
    w->right = (k->width - 1 - k->cx) * p->channels;
    for (int r = 0; r < w->terms && fits; r++) {
        const double *column = terms->term[r].column, *row = terms->term[r].row;
        fits = add_taps(&w->sum[2 * r], column, k->height, 1, (struct imf_vector_at){0, -k->cy}, 1,
                        imf_taps_symmetry(column, (size_t)k->height) > 0 && !w->narrow) &&
               add_taps(&w->sum[2 * r + 1], row, k->width, 1, (struct imf_vector_at){0, -w->left},
                        p->channels, imf_taps_symmetry(row, (size_t)k->width) > 0 && !w->narrow);
        stand(&w->sum[2 * r]);
    }
    return fits;
}

/* ---- the epilogue ---------------------------------------------------------------------------- */

void imf_vector_end_make(struct imf_vector_end *to, const struct imf_problem *p) {
    const struct imf_epilogue *e = &p->epilogue;
    bool two =
        e->absolute ||
        p->kind ==
            IMF_MAGNITUDE; /* an absolute value or magnitude comes before the multiplication */
    double by = p->exact ? fabs(e->scale) : 1; /* the divisor of exact results */
    double mul = p->kind == IMF_MAGNITUDE ? fabs(1 / e->scale) : 1 / e->scale;
    double add = p->kind == IMF_MAGNITUDE ? 0 : e->add;
    if (p->exact)
        mul = e->scale < 0 && p->kind != IMF_MAGNITUDE ? -1 : 1;
    to->length = 1;
    if (p->kind == IMF_MAGNITUDE) {
        to->length = (float)mul;
        mul = 1;
    }
    to->absolute = two;
    to->mul = (float)(two ? mul : mul * e->multiply);
    to->add = (float)((two ? add : add * e->multiply + e->offset) * by);
    to->mul2 = (float)(two ? e->multiply : 1);
    to->add2 = (float)(two ? e->offset * by : 0);
    to->divisor = (float)by;
    to->threshold = e->threshold;
    to->level = (float)(p->exact ? ceil(e->level * by) : e->level);
    to->full = (float)e->full;
    to->most = (float)imf_sample_max(p->out);
}

/* Compare squares instead of magnitudes; nothing else of the epilogue is left. */
static void make_squares(struct imf_vector_end *to, const struct imf_epilogue *e) {
    bool rising = e->multiply > 0;
    to->square = imf_epilogue_least_square(e);
    to->above = rising ? (float)e->full : 0;
    to->below = rising ? 0 : (float)e->full;
    to->absolute = to->threshold = false;
    to->mul = to->divisor = 1;
    to->add = 0;
}

/* In 16 bits the factor 1 or -1 is multiplied into the taps. */
static void fold_sign(struct imf_vector_rows *w) {
    int last = w->kind == IMF_VECTOR_SEPARABLE;
    for (int t = 0; t < w->sum[last].count && w->end.mul < 0; t++)
        w->sum[last].whole[t] = (uint16_t)-w->sum[last].whole[t];
}

/* ---- shapes ---------------------------------------------------------------------------------- */

bool imf_vector_find_terms(const struct imf_problem *p, struct imf_vector_shape *s,
                           struct imf_terms *terms) {
    const struct imf_kernel *k = p->kernel[0];
    size_t taps = (size_t)k->width + (size_t)k->height;
    bool integers = p->exact || p->whole_if_opaque; /* which terms of real numbers are not */
    s->allowed = RESIDUAL * p->tolerance_even * fabs(p->epilogue.scale) / p->in_max;
    if (p->kind == IMF_MAGNITUDE || p->facts[0].nonzero <= taps ||
        ((integers || p->local) && !p->facts[0].product) ||
        !imf_problem_terms(p, s->allowed, terms))
        return false;
    s->rank = terms->count;
    if (p->facts[0].nonzero > (size_t)terms->count * taps)
        return true;
    free(terms->store);
    terms->store = NULL;
    return false;
}

bool imf_vector_fill(const struct imf_problem *p, const struct imf_vector_shape *s,
                     const struct imf_terms *terms, struct imf_vector_rows *w) {
    *w = (struct imf_vector_rows){.kind = s->kind,
                                  .in = p->in,
                                  .out = p->out,
                                  .samples = p->width * p->channels,
                                  .narrow = s->narrow,
                                  .end = s->end};
    bool fits = s->kind == IMF_VECTOR_SEPARABLE ? take_terms(p, terms, w) : take_taps(p, w);
    imf_vector_end_make(&w->end, p);
    if (w->end.narrow)
        fold_sign(w);
    if (w->end.squares)
        make_squares(&w->end, &p->epilogue);
    return fits;
}

void imf_vector_fill_dense(const struct imf_problem *p, const struct imf_vector_shape *s,
                           struct imf_dense *d) {
    d->end = s->end;
    imf_vector_end_make(&d->end, p);
    for (size_t i = 0; i < imf_tap_count(p->kernel[0]); i++)
        d->tap[i] = (float)p->kernel[0]->taps[i];
}
