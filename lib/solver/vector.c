/*
 * vector.c - small kernels on the host's cores, in loops that compilers vectorise
 *
 * What a small job takes on a device is mostly the start of its driver. These loops (vector_rows.c)
 * start with the program, and for small kernels are about as fast; the float64 reference (host.c)
 * is what they are held to.
 *
 * Sums are the literal ones of direct.c, or of a column and then a row as in separable.c (also two
 * or three of these) where that is fewer products, in 16-bit integers or floats. With S = (largest sample) * (sum of |taps|) no
 * partial sum exceeds S: exact ones take 16 bits for bytes when S <= 32767, else floats, which hold
 * every integer below 2^24.
 *
 * Exact quotients. A numerator over an integer scale is at least 1 / (2 * scale) away from a tie
 * that it is not, and a float's quotient is off by at most 2^-24 of itself: below 2^23 none is
 * moved onto a tie. Scales that are powers of two only change the exponent.
 *
 * Exact magnitudes. Those of a byte's scale are decided by floats: up to 512 they come no nearer to
 * a tie than 2.4e-4 (direct.c), larger ones saturate. Others need the next integer put right. A
 * threshold is compared with by squares, and those that become floats are roots of floats.
 *
 * Real problems, in floats: their bounds are those of direct.c and separable_error.c, and products
 * are rounded before they are added. Where pairs of float samples are added first, half an ulp of a
 * sample, times the tap, for each.
 */
#include "base/parallel.h"
#include "base/rounding.h"
#include "device/tuning.h"
#include "solver/separable_error.h"
#include "solver/solver.h"
#include "solver/vector_rows.h"

#include <math.h>
#include <stdlib.h>

/* Threads take about 0.02 ms to start: less work than this stays on the caller's, and an item of
 * more takes some such parts. */
#define ALONE_MS 0.3
#define ITEM_MS 0.15

/* Of the tolerance, for what a sum of products leaves of the kernel. */
#define RESIDUAL 0.125

struct vector_job {
    struct imf_vector_rows rows;
    int item;    /* rows that a thread takes at a time */
    int threads; /* 0: as many as cores */
};

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

static double largest_sum(const struct imf_problem *p) {
    return p->in_max *
           fmax(p->facts[0].abs_sum, p->kind == IMF_MAGNITUDE ? p->facts[1].abs_sum : 0);
}

/* ---- errors of real problems ----------------------------------------------------------------- */

static double direct_error(const struct imf_problem *p, const struct imf_vector_rows *w) {
    double squares = 0;
    for (int i = 0; i < imf_problem_kernels(p); i++) {
        double taps[IMF_VECTOR_TAPS], error = p->in_max * p->facts[i].rounding;
        const struct imf_vector_sum *s = &w->sum[i];
        size_t n = (size_t)s->count;
        for (int t = 0; t < s->count; t++)
            taps[t] = (double)s->tap[t] * (t < s->pairs ? 2 : 1);
        error += IMF_SIGMAS * sqrt(imf_rounding_variance(taps, n, p->in_max) +
                                   imf_rounding_products(taps, n, p->in_max));
        if (p->in == IMF_F32 && s->pairs)
            error += imf_float_ulp(p->in_max) / 2 * p->facts[i].abs_sum;
        squares += error * error;
    }
    return sqrt(squares) / fabs(p->epilogue.scale) + imf_problem_end_error(p, largest_sum(p));
}

static double separable_error(const struct imf_problem *p, const struct imf_vector_rows *w,
                              const struct imf_terms *terms) {
    size_t height = (size_t)p->kernel[0]->height, width = (size_t)p->kernel[0]->width;
    double error = 0, variance = 0;
    for (int r = 0; r < terms->rank; r++) {
        const struct imf_term *t = &terms->term[r];
        double column = 0, row = 0, squares = 0;
        for (size_t i = 0; i < height; i++)
            column += fabs(t->column[i]);
        for (size_t j = 0; j < width; j++) {
            row += fabs(t->row[j]);
            squares += t->row[j] * t->row[j];
        }
        variance += imf_rounding_products(t->column, height, p->in_max) * squares +
                    imf_rounding_products(t->row, width, p->in_max * column);
        if (p->in == IMF_F32 && w->sum[2 * r].pairs)
            error += imf_float_ulp(p->in_max) / 2 * column * row;
        if (w->sum[2 * r + 1].pairs)
            error += imf_float_ulp(p->in_max * column) / 2 * row;
    }
    return (error + IMF_SIGMAS * sqrt(variance)) / fabs(p->epilogue.scale) +
           imf_separable_error(p, terms, false, false);
}

/* ---- choosing -------------------------------------------------------------------------------- */

static bool power_of_two(double v) {
    int exponent;
    return frexp(v, &exponent) == 0.5;
}

/* Exact sums, numerators and roots are what this can do. */
static bool choose_exact(const struct imf_problem *p, struct imf_vector_rows *w,
                         struct imf_proposal *out) {
    const struct imf_epilogue *e = &p->epilogue;
    double sum = largest_sum(p), scale = fabs(e->scale);
    double most = sum + (fabs(e->add) + fabs(e->offset)) * scale;
    out->error = 0;
    w->narrow = p->in == IMF_U8 && sum <= 32767;
    if (p->kind == IMF_MAGNITUDE) {
        bool bytes = p->out == IMF_U8 && fabs(e->offset) <= 256 && sum < IMF_WHOLE_FLOATS;
        if (sum < IMF_WHOLE_FLOATS && p->out == IMF_F32 && !e->threshold) {
            out->error = imf_problem_end_error(p, sum);
            return true;
        }
        w->end.squares = scale == 1 && e->threshold && sum < IMF_WHOLE_FLOATS;
        if (w->end.squares)
            return true;
        w->end.root = !bytes;
        if (scale == 1 && !e->threshold && (bytes || (p->out == IMF_U16 && sum < 1 << 21)))
            return true;
        imf_proposal_refuse(out, "an exact magnitude like this needs more than float32");
        return false;
    }
    w->end.narrow = w->narrow && p->out == IMF_U8 && scale == 1 && !e->threshold && most <= 32767;
    if (most < IMF_WHOLE_FLOATS / (power_of_two(scale) ? 1 : 2) &&
        (!e->threshold || e->level * scale < IMF_WHOLE_FLOATS))
        return true;
    imf_proposal_refuse(out, "exact sums do not fit float32");
    return false;
}

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

static bool take_literally(const struct imf_problem *p, struct imf_vector_rows *w) {
    bool fits = true;
    w->kind = p->kind == IMF_MAGNITUDE ? IMF_VECTOR_MAGNITUDE : IMF_VECTOR_PLAIN;
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

/* As one product or, of real kernels, a sum of some, where that is fewer taps. */
static bool find_terms(const struct imf_problem *p, struct imf_terms *terms) {
    const struct imf_kernel *k = p->kernel[0];
    size_t taps = (size_t)k->width + (size_t)k->height;
    double allowed = RESIDUAL * p->tolerance_even * fabs(p->epilogue.scale) / p->in_max;
    if (p->kind == IMF_MAGNITUDE || p->facts[0].nonzero <= taps)
        return false;
    if (imf_problem_term(p, terms))
        return true;
    if (p->exact || p->whole_if_opaque || p->facts[0].nonzero <= 2 * taps ||
        !imf_kernel_terms(k, allowed, terms))
        return false;
    if (p->facts[0].nonzero > (size_t)terms->rank * taps)
        return true;
    free(terms->store);
    terms->store = NULL;
    return false;
}

static bool take_apart(const struct imf_problem *p, const struct imf_terms *terms,
                       struct imf_vector_rows *w) {
    const struct imf_kernel *k = p->kernel[0];
    bool fits = (k->width - 1) * p->channels <= IMF_VECTOR_REACH;
    w->kind = IMF_VECTOR_SEPARABLE;
    w->terms = terms->rank;
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

/*
 * Milliseconds of one core: samples * ns * 1e-6, where the nanoseconds of a sample are
 *     end + taps * product + pairs * pair           of samples of the image, 16 bits or floats
 *     + floats, unless all is in 16 bits
 *     + the same of the sums between column and row
 *     + divide, exact and scaled    + root, magnitudes
 * in the rates of struct imf_vector_rates.
 */
static double cost(const struct imf_problem *p, const struct imf_vector_rows *w) {
    const struct imf_vector_rates *r = &imf_vector_rates;
    double ns = r->end + (w->end.narrow ? 0 : r->floats);
    bool apart = w->kind == IMF_VECTOR_SEPARABLE;
    for (int i = 0; i < 2 * IMF_RANK_MAX; i++) {
        const struct imf_vector_sum *s = &w->sum[i]; /* of no taps, if there is none */
        bool middle = apart && i % 2;
        double product = w->narrow ? r->narrow : middle ? r->middle : r->real;
        double sum =
            product * (s->count - s->pairs) + (middle ? r->middle_pair : r->pair) * s->pairs;
        if (apart && !middle) /* what a strip's neighbours sum, too */
            sum *= 1 + (double)(w->left + w->right) / IMF_VECTOR_STRIP;
        ns += sum;
    }
    if (p->exact && fabs(p->epilogue.scale) != 1)
        ns += r->divide;
    if (p->kind == IMF_MAGNITUDE)
        ns += r->root;
    return (double)p->width * p->height * p->channels * ns * 1e-6;
}

/* How it would be done; false, with the reason in `out`, where this cannot. */
static bool choose(const struct imf_problem *p, struct imf_vector_rows *w,
                   struct imf_proposal *out) {
    struct imf_terms terms = {0};
    *w = (struct imf_vector_rows){.in = p->in, .out = p->out, .samples = p->width * p->channels};
    if (p->in == IMF_F64 || p->out == IMF_F64) {
        imf_proposal_refuse(out, "this takes no float64 samples");
        return false;
    }
    if (p->exact && !choose_exact(p, w, out))
        return false;
    bool apart = find_terms(p, &terms);
    bool fits = apart ? take_apart(p, &terms, w) : take_literally(p, w);
    imf_vector_end_make(&w->end, p);
    if (w->end.narrow)
        fold_sign(w);
    if (w->end.squares)
        make_squares(&w->end, &p->epilogue);
    if (!fits)
        imf_proposal_refuse(out, "the kernel is too large");
    else if (!p->exact)
        out->error = apart ? separable_error(p, w, &terms) : direct_error(p, w);
    double allowed = terms.rank > 1 ? p->tolerance_even : p->tolerance; /* terms may cancel */
    free(terms.store);
    if (fits && out->error > allowed) {
        imf_proposal_refuse(out,
                            "float32 sums would be off by up to %.2g, more than the %.2g allowed",
                            out->error, allowed);
        return false;
    }
    return fits;
}

static void vector_propose(const struct imf_problem *p, const struct imf_device *d,
                           struct imf_proposal *out) {
    struct imf_vector_rows w;
    (void)d;
    if ((double)p->width * p->channels > INT32_MAX - 4096) {
        imf_proposal_refuse(out, "rows are too long");
        return;
    }
    out->able = choose(p, &w, out);
    if (!out->able)
        return;
    double ms = cost(p, &w);
    int cores = imf_cores();
    out->ms = ms < ALONE_MS || cores == 1 ? ms : ms / cores + imf_vector_rates.start_ms;
    char rank[24] = "";
    if (w.terms > 1)
        snprintf(rank, sizeof rank, ", rank %d", w.terms);
    snprintf(out->phrase, sizeof out->phrase, "vector %d%s%d%s%s%s", p->kernel[0]->width,
             w.kind == IMF_VECTOR_SEPARABLE ? " + " : "x", p->kernel[0]->height, rank,
             p->exact ? ", exact, " : ", ", w.narrow ? "16-bit integers" : "float32");
}

/* ---- running --------------------------------------------------------------------------------- */

static enum imf_status vector_make(void **job, const struct imf_problem *p,
                                   const struct imf_proposal *proposal, struct imf_queue *queue,
                                   struct imf_error *err) {
    struct imf_proposal again = *proposal;
    (void)queue;
    struct vector_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    if (!choose(p, &j->rows, &again))
        return imf_fail(err, IMF_ERR_MEMORY, "out of memory");
    double ms = cost(p, &j->rows);
    j->item = ms < ALONE_MS ? p->height : (int)fmin(p->height, ceil(ITEM_MS / ms * p->height));
    return IMF_OK;
}

struct pass {
    const struct vector_job *job;
    const struct imf_surface *in, *out;
};

static void run_item(void *data, int item) {
    const struct pass *pass = data;
    int first = item * pass->job->item, end = imf_min(first + pass->job->item, pass->out->height);
    imf_vector_rows(&pass->job->rows, pass->in, pass->out, first, end);
}

static enum imf_status vector_run(void *job, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err) {
    struct pass pass = {job, in, out};
    (void)err;
    imf_parallel_on(pass.job->threads, (out->height - 1) / pass.job->item + 1, run_item, &pass);
    return IMF_OK;
}

static void vector_limit(void *job, int threads) {
    ((struct vector_job *)job)->threads = threads;
}

static void vector_destroy(void **job) {
    free(*job);
    *job = NULL;
}

const struct imf_solver imf_solver_vector = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_CONVOLUTION | 1u << IMF_MAGNITUDE,
    .propose = vector_propose,
    .make = vector_make,
    .run = vector_run,
    .destroy = vector_destroy,
    .limit = vector_limit,
};
