/*
 * vector_taps.c - what the loops of solver/convolution/vector.c sum up, and how far that may be off
 *
 * The bound of real sums. Rounding a product, or a partial sum, is off by half an ulp of the largest
 * value that it can have at most; taken as independent and uniform, each has the variance ulp^2 / 12
 * (rounding.h). To six standard deviations of all come what taps lose as floats, times the largest
 * sample, and what mirrored samples lose when they are added first, half an ulp of them.
 *
 * Of a column and a row: errors of the column's sums are independent, and each is multiplied by a
 * tap b of the row, so that their variance counts sum b^2 times; the row's comes on top. The rows of
 * several terms are one sum, whose tap b is worth up to b * (sum of the column's |taps|); what the
 * terms leave of the kernel adds the largest sample times the sum of its |taps|.
 */
#include "solver/convolution/vector_taps.h"

#include "base/rounding.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Of the tolerance, for what a sum of products leaves of the kernel. */
#define RESIDUAL 0.125

/* ---- errors of real problems ----------------------------------------------------------------- */

/* Of a list, in its order, each tap times `weight`: into taps[]; returns how many. */
static size_t list_taps(const struct imf_vector_sum *s, double weight, double *taps) {
    for (int t = 0; t < s->count; t++)
        taps[t] = (double)s->tap[t] * (t < s->pairs ? 2 : 1) * weight;
    return (size_t)s->count;
}

/* Variance of rounding the products of taps with samples up to `largest`, and of adding them up. */
static double sum_variance(const double *taps, size_t n, double largest) {
    return imf_rounding_variance(taps, n, largest) + imf_rounding_products(taps, n, largest);
}

/* Of kernel i's sums, before scale. */
static double taps_error(const struct imf_problem *p, const struct imf_vector_rows *w, int i) {
    const struct imf_kernel_facts *f = &p->facts[i];
    const struct imf_kernel *k = p->kernel[i];
    size_t n = (size_t)k->width * (size_t)k->height;
    double list[IMF_VECTOR_TAPS], variance, error = p->in_max * f->rounding;
    if (w)
        variance = sum_variance(list, list_taps(&w->sum[i], 1, list), p->in_max);
    else
        variance = sum_variance(k->taps, n, p->in_max);
    if (p->in == IMF_F32 && w && w->sum[i].pairs)
        error += FLT_EPSILON / 2 * p->in_max * f->abs_sum;
    return error + IMF_SIGMAS * sqrt(variance);
}

static double sum_abs(const double *taps, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs(taps[i]);
    return sum;
}

static double terms_error(const struct imf_problem *p, const struct imf_terms *terms,
                          const struct imf_vector_rows *w) {
    int height = p->kernel[0]->height, width = p->kernel[0]->width;
    double error = p->in_max * terms->residual, variance = 0, list[IMF_TERMS_MAX * IMF_VECTOR_TAPS];
    size_t n = 0;
    for (int r = 0; r < terms->count; r++) {
        const double *a = terms->term[r].column, *b = terms->term[r].row;
        double first = sum_abs(a, height), second = sum_abs(b, width), squares = 0;
        for (int j = 0; j < width; j++)
            squares += b[j] * b[j];
        variance +=
            sum_variance(list + n, list_taps(&w->sum[2 * r], 1, list + n), p->in_max) * squares;
        n += list_taps(&w->sum[2 * r + 1], first, list + n);
        error += p->in_max *
                 (second * imf_rounding_taps(a, (size_t)height) +
                  first * imf_rounding_taps(b, (size_t)width) + FLT_EPSILON * first * second);
    }
    variance += sum_variance(list, n, p->in_max);
    return error + IMF_SIGMAS * sqrt(variance);
}

double imf_vector_error(const struct imf_problem *p, const struct imf_terms *terms,
                        const struct imf_vector_rows *w) {
    double error = 0, most = 0;
    for (int i = 0; i < imf_problem_kernels(p); i++) {
        error = hypot(error, terms ? terms_error(p, terms, w) : taps_error(p, w, i));
        most = fmax(most, p->in_max * p->facts[i].abs_sum);
    }
    return error / fabs(p->epilogue.scale) + imf_problem_end_error(p, most);
}

/* ---- what is summed -------------------------------------------------------------------------- */

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

/* Taps at steps of one pixel; where those of a row mirror each other they are paired, in floats, what
 * is in the middle with itself. False when they are too many. */
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

static bool mirrored(const double *taps, int n) {
    for (int i = 0; i < n / 2; i++)
        if (taps[i] != taps[n - 1 - i])
            return false;
    return n > 1;
}

/* Rows and columns are the same but for the way that they go. */
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
                        mirrored(column, k->height) && !w->narrow) &&
               add_taps(&w->sum[2 * r + 1], row, k->width, 1, (struct imf_vector_at){0, -w->left},
                        p->channels, mirrored(row, k->width) && !w->narrow);
        stand(&w->sum[2 * r]);
    }
    return fits;
}

/* ---- what follows ---------------------------------------------------------------------------- */

void imf_vector_end_make(struct imf_vector_end *to, const struct imf_problem *p) {
    const struct imf_epilogue *e = &p->epilogue;
    bool two = e->absolute || p->kind == IMF_MAGNITUDE; /* something precedes the multiplication */
    double by = p->exact ? fabs(e->scale) : 1;          /* everything is over that */
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
}

/* What squares are compared with; the rest has nothing left to do. */
static void make_squares(struct imf_vector_end *to, const struct imf_epilogue *e) {
    bool rising = e->multiply > 0;
    to->square = imf_epilogue_least_square(e);
    to->above = rising ? (float)e->full : 0;
    to->below = rising ? 0 : (float)e->full;
    to->absolute = to->threshold = false;
    to->mul = to->divisor = 1;
    to->add = 0;
}

/* In 16 bits the first factor, 1 or -1, goes into the taps. */
static void fold_sign(struct imf_vector_rows *w) {
    int last = w->kind == IMF_VECTOR_SEPARABLE;
    for (int t = 0; t < w->sum[last].count && w->end.mul < 0; t++)
        w->sum[last].whole[t] = (uint16_t)-w->sum[last].whole[t];
}

/* ---- shapes ---------------------------------------------------------------------------------- */

bool imf_vector_terms(const struct imf_problem *p, const struct imf_vector_shape *s,
                      struct imf_terms *terms) {
    return s->rank == 1 ? imf_problem_term(p, terms)
                        : imf_kernel_terms(p->kernel[0], s->allowed, terms);
}

bool imf_vector_find_terms(const struct imf_problem *p, struct imf_vector_shape *s,
                           struct imf_terms *terms) {
    const struct imf_kernel *k = p->kernel[0];
    size_t taps = (size_t)k->width + (size_t)k->height;
    s->allowed = RESIDUAL * p->tolerance_even * fabs(p->epilogue.scale) / p->in_max;
    s->rank = 1;
    if (p->kind == IMF_MAGNITUDE || p->facts[0].nonzero <= taps)
        return false;
    if (imf_vector_terms(p, s, terms))
        return true;
    s->rank = 2;
    if (p->exact || p->whole_if_opaque || p->facts[0].nonzero <= 2 * taps ||
        !imf_vector_terms(p, s, terms))
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
    const struct imf_kernel *k = p->kernel[0];
    *d = (struct imf_dense){.width = k->width,
                            .height = k->height,
                            .cx = k->cx,
                            .cy = k->cy,
                            .channels = p->channels,
                            .samples = p->width * p->channels,
                            .in = p->in,
                            .out = p->out,
                            .end = s->end};
    imf_vector_end_make(&d->end, p);
    for (int i = 0; i < k->width * k->height; i++)
        d->tap[i] = (float)k->taps[i];
}
