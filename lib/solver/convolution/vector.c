/*
 * vector.c - small kernels on the host's cores, in loops that compilers vectorise
 *
 * On a device a small job takes mostly the start of the driver. These loops (vector_rows.c) need no
 * start, and for small kernels are about as fast.
 *
 * Sums are computed
 *   - tap by tap, without taps that are 0, mirrored taps as pairs;
 *   - or as a column and then a row as in separable.c, or as the sum of two or three such products;
 *   - or over all taps, for several output rows at once (vector_dense.c),
 * whichever has the least estimate, in 16-bit integers or floats. With S = (largest sample) * (sum of
 * |taps|) no partial sum exceeds S: exact sums of bytes take 16 bits if S <= 32767, other exact sums
 * floats, which hold every integer below 2^24.
 *
 * Exact quotients. A numerator over an integer scale is a tie or at least 1 / (2 * scale) away from
 * one, and a float's quotient is off by at most 2^-24 of itself: below 2^23 no quotient is moved onto
 * a tie. Scales that are powers of two only change the exponent.
 *
 * Exact magnitudes. Floats decide those that become bytes: up to 512 they are at least 2.4e-4 from a
 * tie (direct.c), larger ones saturate. Roots for 16 bits are corrected in integers. Thresholds
 * compare squares. Magnitudes that stay floats are roots of floats.
 *
 * Real problems are computed in floats: vector_taps.c bounds their errors.
 */
#include "base/image/rounding.h"
#include "solver/convolution/sums.h"
#include "solver/convolution/vector_taps.h"
#include "solver/cores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Work of less than IMF_ALONE_MS stays on the caller's thread, and an item of larger work takes about this. */
#define ITEM_MS 0.15

/* Least rows of a dense item, in kernel heights: rows of its halo are widened twice. */
#define DENSE_KERNELS 4

struct vector {
    struct imf_vector_rows rows;
    struct imf_dense dense;
};

/* ---- choosing -------------------------------------------------------------------------------- */

static bool power_of_two(double v) {
    int exponent;
    return frexp(v, &exponent) == 0.5;
}

/* Returns false, with the reason in `out`, if sums, numerators or roots need more than float32. */
static bool choose_exact(const struct imf_problem *p, struct imf_vector_shape *s,
                         struct imf_proposal *out) {
    const struct imf_epilogue *e = &p->epilogue;
    double sum = imf_largest_sum(p), scale = fabs(e->scale);
    double most = sum + (fabs(e->add) + fabs(e->offset)) * scale;
    out->error = 0;
    s->narrow = p->in == IMF_U8 && sum <= 32767;
    if (p->kind == IMF_MAGNITUDE) {
        bool bytes = p->out == IMF_U8 && fabs(e->offset) <= 256 && sum < IMF_WHOLE_FLOATS;
        if (sum < IMF_WHOLE_FLOATS && p->out == IMF_F32 && !e->threshold) {
            out->error = imf_problem_end_error(p, sum);
            return true;
        }
        s->end.squares = scale == 1 && e->threshold && sum < IMF_WHOLE_FLOATS;
        if (s->end.squares)
            return true;
        s->end.root = !bytes;
        if (scale == 1 && !e->threshold && (bytes || (p->out == IMF_U16 && sum < 1 << 21)))
            return true;
        imf_proposal_refuse(out, "an exact magnitude like this needs more than float32");
        return false;
    }
    s->end.narrow = s->narrow && p->out == IMF_U8 && scale == 1 && !e->threshold && most <= 32767;
    if (most < IMF_WHOLE_FLOATS / (power_of_two(scale) ? 1 : 2) &&
        (!e->threshold || e->level * scale < IMF_WHOLE_FLOATS))
        return true;
    imf_proposal_refuse(out, "exact sums do not fit float32");
    return false;
}

/*
 * Milliseconds of one core: samples * ns * 1e-6, where the nanoseconds of a sample are
 *     end + taps * product + pairs * pair           of samples of the image, 16 bits or floats
 *     + floats, unless all is in 16 bits
 *     + the same of the sums between column and row
 *     + divide, exact and scaled    + root, magnitudes
 * in the rates of struct imf_vector_rates; of dense kernels
 *     end + floats + dense_sample + taps * dense
 */
static double sums_ns(const struct imf_vector_rows *w) {
    const struct imf_vector_rates *r = &imf_vector_rates;
    bool apart = w->kind == IMF_VECTOR_SEPARABLE;
    double ns = 0;
    for (int i = 0; i < 2 * IMF_TERMS_MAX; i++) {
        const struct imf_vector_sum *s = &w->sum[i]; /* without taps, if there is no such sum */
        bool middle = apart && i % 2;
        double product = w->narrow ? r->narrow : middle ? r->middle : r->real;
        double sum =
            product * (s->count - s->pairs) + (middle ? r->middle_pair : r->pair) * s->pairs;
        if (apart && !middle) /* columns that neighbouring strips sum, too */
            sum *= 1 + (double)(w->left + w->right) / IMF_VECTOR_STRIP;
        ns += sum;
    }
    return ns;
}

static double cost(const struct imf_problem *p, const struct imf_vector_shape *s, double sums) {
    const struct imf_vector_rates *r = &imf_vector_rates;
    double ns = r->end + (s->end.narrow ? 0 : r->floats) + sums;
    if (p->exact && fabs(p->epilogue.scale) != 1)
        ns += r->divide;
    if (p->kind == IMF_MAGNITUDE)
        ns += r->root;
    return (double)p->width * p->height * p->channels * ns * 1e-6;
}

/* Take a shape if it is within the tolerance and costs less than what was taken before. */
static void consider(const struct imf_problem *p, const struct imf_vector_shape *s, double error,
                     struct imf_vector_shape *best, struct imf_proposal *out) {
    double allowed = s->rank > 1 ? p->tolerance_even : p->tolerance; /* terms may cancel */
    if (out->feasible ? error > allowed || best->ms <= s->ms
                      : imf_refuse_error(out, error, allowed))
        return;
    *best = *s;
    out->feasible = true;
    out->error = error;
}

static void consider_listed(const struct imf_problem *p, struct imf_vector_shape s,
                            const struct imf_terms *terms, double exact_error,
                            struct imf_vector_shape *best, struct imf_proposal *out) {
    struct imf_vector_rows w;
    if (!imf_vector_fill(p, &s, terms, &w))
        return;
    s.ms = cost(p, &s, sums_ns(&w));
    consider(p, &s, p->exact ? exact_error : imf_vector_error(p, terms, &w), best, out);
}

static void consider_dense(const struct imf_problem *p, struct imf_vector_shape s,
                           struct imf_vector_shape *best, struct imf_proposal *out) {
    const struct imf_kernel *k = p->kernel[0];
    int taps = k->width * k->height;
    if (p->kind == IMF_MAGNITUDE || imf_max(k->width, k->height) > IMF_DENSE_SIDE ||
        (k->width - 1) * p->channels > IMF_VECTOR_REACH)
        return;
    s.kind = IMF_VECTOR_DENSE;
    s.narrow = s.end.narrow = false;
    s.ms = cost(p, &s, imf_vector_rates.dense_sample + taps * imf_vector_rates.dense);
    consider(p, &s, p->exact ? 0 : imf_vector_error(p, NULL, NULL), best, out);
}

/* The cheapest shape; sets out->feasible, or else out->why. */
static void choose(const struct imf_problem *p, struct imf_vector_shape *best,
                   struct imf_proposal *out) {
    struct imf_vector_shape s = {.kind = IMF_VECTOR_PLAIN};
    struct imf_terms terms = {0};
    if (p->exact && !choose_exact(p, &s, out))
        return;
    double exact_error = out->error;
    imf_proposal_refuse(out, "the kernel is too large");
    if (imf_vector_find_terms(p, &s, &terms)) {
        s.kind = IMF_VECTOR_SEPARABLE;
        consider_listed(p, s, &terms, exact_error, best, out);
        free(terms.store);
    }
    out->missing = terms.missing;
    s.kind = p->kind == IMF_MAGNITUDE ? IMF_VECTOR_MAGNITUDE : IMF_VECTOR_PLAIN;
    s.rank = 0;
    consider_listed(p, s, NULL, exact_error, best, out);
    consider_dense(p, s, best, out);
}

static size_t scratch_bytes(const struct imf_problem *p, const void *shape, int width) {
    (void)width;
    return ((const struct imf_vector_shape *)shape)->kind == IMF_VECTOR_DENSE ? imf_dense_bytes(p)
                                                                              : 0;
}

static void vector_propose(const struct imf_problem *p, const struct imf_device *d,
                           struct imf_proposal *out) {
    struct imf_vector_shape s;
    (void)d;
    choose(p, &s, out);
    if (!out->feasible)
        return;
    _Static_assert(sizeof s <= IMF_SHAPE, "a shape");
    memcpy(out->shape.bytes, &s, sizeof s);
    imf_proposal_strips(out, p, s.ms, p->width * p->channels);
    char rank[24] = "";
    if (s.rank > 1)
        snprintf(rank, sizeof rank, ", rank %d", s.rank);
    snprintf(out->description, sizeof out->description, "vector %d%s%d%s%s%s", p->kernel[0]->width,
             s.kind == IMF_VECTOR_SEPARABLE ? " + " : "x", p->kernel[0]->height, rank,
             p->exact ? ", exact, " : ", ", s.narrow ? "16-bit integers" : "float32");
}

/* ---- running --------------------------------------------------------------------------------- */

static struct imf_strips vector_cut(const struct imf_job *job, int height) {
    const struct imf_vector_shape *s = imf_job_shape(job);
    const struct imf_problem *p = &job->p;
    double rows = s->ms < IMF_ALONE_MS ? p->height : ceil(ITEM_MS / s->ms * p->height);
    if (s->kind == IMF_VECTOR_DENSE && s->ms >= IMF_ALONE_MS) {
        double share = ceil((double)p->height / imf_cores());
        rows = fmin(fmax(rows, DENSE_KERNELS * p->kernel[0]->height), share);
        rows = ceil(rows / IMF_DENSE_ROWS) * IMF_DENSE_ROWS;
    }
    return imf_strips_rows(p->width * p->channels, height, (int)fmin(p->height, rows));
}

static enum imf_status vector_prepare(struct imf_job *job, struct imf_error *err) {
    const struct imf_vector_shape *s = imf_job_shape(job);
    const struct imf_problem *p = &job->p;
    struct vector *v = job->own;
    struct imf_terms terms = {0};
    if (s->kind == IMF_VECTOR_SEPARABLE && !imf_problem_terms(p, s->allowed, &terms))
        return imf_fail_memory(err, imf_tap_count(p->kernel[0]) * sizeof(double));
    if (s->kind == IMF_VECTOR_DENSE)
        imf_vector_fill_dense(p, s, &v->dense);
    else
        imf_vector_fill(p, s, &terms, &v->rows);
    free(terms.store);
    return IMF_OK;
}

static void vector_strip(const struct imf_host_strip *s) {
    const struct vector *v = s->job->own;
    const struct imf_vector_shape *shape = imf_job_shape(s->job);
    if (shape->kind == IMF_VECTOR_DENSE)
        imf_vector_dense(&v->dense, &s->job->p, s->in, s->out, s->at.y, s->at.end, s->scratch);
    else
        imf_vector_rows(&v->rows, s->in, s->out, s->at.y, s->at.end);
}

const struct imf_solver imf_solver_vector = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .local = true,
    .kinds = 1u << IMF_CONVOLUTION | 1u << IMF_MAGNITUDE,
    .propose = vector_propose,
    .own = sizeof(struct vector),
    .prepare = vector_prepare,
    .cut = vector_cut,
    .scratch_bytes = scratch_bytes,
    .strip = vector_strip,
};
