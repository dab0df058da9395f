/*
 * bilateral.c - the bilateral filter on the host's cores
 *
 * bilateral_reference.c has the definition. Most time goes into an exponential for each pixel and each of
 * its neighbours. Here they are floats, sixteen at once, and each pair of pixels is computed once, since
 * both have the same weight for each other: a row is compared with itself and the `reach` rows below
 * it, whose sums are kept in a ring. Strips begin with the pairs of their first rows with those above.
 *
 * The error is the relative error of the weights times the distance of samples that have much weight:
 * a few ranges, for every image.
 */
#include "solver/smoothing/bilateral.h"

#include "base/image/rounding.h"
#include "device/tuning.h"
#include "solver/common/float_row.h"
#include "solver/cores.h"
#include "solver/smoothing/bilateral_rows.h"
#include "solver/solver.h"

#include <math.h>
#include <string.h>

#define COLUMNS 1024        /* pixels of a strip, whose rings of rows stay in a cache, */
#define REACHES 16          /* or so many times the reach, which is read at both sides */
#define SQUARE_ERROR 1.5e-7 /* five roundings of an exponent, for each squared range */
#define SUM_ERROR                                                                                  \
    1.2e-7 /* six standard deviations of rounding a float, for sums that grow evenly */
#define LOG2_E 1.4426950408889634

/* The most that the weights' relative errors change a mean: for pixels that are all d ranges from the
 * one in the middle, on both sides. */
static double moved(const struct imf_problem *p, double power) {
    double sigma = p->window_op->value, range = p->window_op->range * p->unit;
    double n = 2 * acos(-1.0) * sigma * sigma, worst = 0;
    double sums = SUM_ERROR * sqrt(2.0 * p->window_op->width + 1);
    double most = p->in == IMF_F32 ? p->in_max : p->in_max / 2;
    for (double d = 0.05; d < 9; d += 0.05) {
        double others = n * exp(-d * d / 2), share = others / (1 + others);
        double weight = power + SQUARE_ERROR * d * d + sums;
        worst = fmax(worst, share * fmin(d * range, most) * weight);
    }
    return worst;
}

double imf_bilateral_error(const struct imf_problem *p, double power) {
    double multiply = fabs(p->epilogue.multiply);
    return moved(p, power) * multiply +
           imf_float_ulp(p->in_max * multiply + fabs(p->epilogue.offset));
}

static int strip_columns(const struct imf_problem *p) {
    return imf_max(COLUMNS, REACHES * p->window_op->cx);
}

struct work {
    const struct imf_host_strip *s;
    int reach;
    struct imf_bilateral_layout layout;
    float *values, *sums; /* rings of reach + 1 rows */
    float *spare, *planes, *row;
    float *far; /* for each row from 0 to reach and each column -reach..reach */
};

/* Floats of the parts of a strip's scratch memory, in the order of `struct work`. */
enum { VALUES, SUMS, SPARE, PLANES, ROW, FAR, PARTS };

static void measure(const struct imf_problem *p, int columns, size_t floats[PARTS]) {
    int reach = p->window_op->cx;
    struct imf_bilateral_layout l = imf_bilateral_deal(p->colors, reach, columns + 2 * reach);
    size_t rows = (size_t)reach + 1, values = imf_bilateral_values(&l);
    floats[VALUES] = rows * values;
    floats[SUMS] = rows * imf_bilateral_sums(&l);
    floats[SPARE] =
        (size_t)(IMF_BILATERAL_BLOCK + 2 * reach) * IMF_BILATERAL_WIDTH * (size_t)(p->colors + 1);
    floats[PLANES] = values;
    floats[ROW] = (size_t)columns * (size_t)p->channels;
    floats[FAR] = rows * (size_t)(2 * reach + 1);
}

static size_t scratch_bytes(const struct imf_problem *p, const void *shape, int columns) {
    size_t floats[PARTS], all = 0;
    (void)shape;
    measure(p, columns, floats);
    for (int i = 0; i < PARTS; i++)
        all += floats[i];
    return all * sizeof(float);
}

static void bilateral_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    const struct imf_vector_rates *r = &imf_vector_rates;
    int reach = p->window_op->cx;
    (void)d;
    out->error = imf_bilateral_error(p, IMF_BILATERAL_POWER_ERROR);
    if (out->error > p->tolerance || p->in_max > 1e15) {
        imf_proposal_refuse(out, "weights like these need more than float32");
        return;
    }
    double pairs = acos(-1.0) / 2 * reach * reach;
    double ns = pairs * (r->weight + r->weight_color * p->colors) + r->lanes * p->channels;
    /* A strip also computes the columns beside it and half of the pairs of the rows above. */
    struct imf_strips s = imf_strips_cut(p->width, p->height, strip_columns(p), 4 * reach);
    double columns = imf_min(s.width, p->width) + 2.0 * reach;
    double ms = s.count * columns * (s.rows + reach / 2.0) * ns * 1e-6;
    imf_proposal_strips(out, p, ms, imf_min(p->width, strip_columns(p)));
    out->ms = imf_cores_ms(ms, imf_min(imf_cores(), s.count));
    out->bands = IMF_BANDS_FEW;
    snprintf(out->description, sizeof out->description, "bilateral, radius %d, pairs of rows",
             reach);
}

/* ---- running --------------------------------------------------------------------------------- */

static float *values_of(const struct work *w, int y) {
    size_t slot = (size_t)(y - w->s->at.y + w->reach) % (size_t)(w->reach + 1);
    return w->values + slot * imf_bilateral_values(&w->layout);
}

static float *sums_of(const struct work *w, int y) {
    size_t slot = (size_t)(y - w->s->at.y + w->reach) % (size_t)(w->reach + 1);
    return w->sums + slot * imf_bilateral_sums(&w->layout);
}

static void load(const struct work *w, int y) {
    imf_bilateral_load(&w->layout, values_of(w, y), w->s->in, w->s->at.x - w->reach, y, w->planes);
    memset(sums_of(w, y), 0, imf_bilateral_sums(&w->layout) * sizeof(float));
}

/* Compare row y, which may be above the strip, with itself and the rows below it. */
static void compare(const struct work *w, int y) {
    int reach = w->reach;
    for (int dy = imf_max(0, w->s->at.y - y); dy <= reach; dy++) {
        int half = (int)sqrt((double)reach * reach - (double)dy * dy);
        imf_bilateral_pairs(&w->layout, values_of(w, y), sums_of(w, y), values_of(w, y + dy),
                            sums_of(w, y + dy), w->far + dy * (2 * reach + 1) + reach,
                            dy ? -half : 1, half, w->spare);
    }
}

static void store(const struct work *w, int y) {
    const struct imf_host_strip *s = w->s;
    const struct imf_problem *p = &s->job->p;
    int channels = p->channels, n = s->at.n;
    ptrdiff_t first = (ptrdiff_t)s->at.x * channels;
    const void *from = imf_sample_at(s->in, y, first);
    imf_bilateral_store(&w->layout, sums_of(w, y), values_of(w, y), w->reach, n, w->row, channels);
    for (int c = p->colors; c < channels; c++) /* alpha, which is kept */
        for (int i = c; i < n * channels; i += channels)
            w->row[i] = (float)imf_sample_get(from, s->in->sample, i);
    imf_float_row_store(imf_sample_at(s->out, y, first), s->out->sample, w->row, n * channels,
                        &p->epilogue);
}

static struct imf_strips bilateral_cut(const struct imf_job *job, int height) {
    const struct imf_problem *p = &job->p;
    return imf_strips_cut(p->width, height, strip_columns(p), 4 * p->window_op->cx);
}

static void bilateral_strip(const struct imf_host_strip *s) {
    const struct imf_problem *p = &s->job->p;
    double sigma = p->window_op->value, range = p->window_op->range * p->unit;
    int reach = p->window_op->cx;
    struct work w = {.s = s, .reach = reach, .values = s->scratch};
    size_t floats[PARTS];
    measure(p, s->at.n, floats);
    w.sums = w.values + floats[VALUES];
    w.spare = w.sums + floats[SUMS];
    w.planes = w.spare + floats[SPARE];
    w.row = w.planes + floats[PLANES];
    w.far = w.row + floats[ROW];
    w.layout = imf_bilateral_deal(p->colors, reach, s->at.n + 2 * reach);
    w.layout.near = (float)(LOG2_E / 2 / range / range);
    float *far = w.far;
    for (int dy = 0; dy <= reach; dy++)
        for (int dx = -reach; dx <= reach; dx++)
            *far++ = (float)(-LOG2_E / 2 * (dx / sigma * (dx / sigma) + dy / sigma * (dy / sigma)));
    for (int y = s->at.y - reach; y < s->at.y; y++)
        load(&w, y);
    for (int y = s->at.y - reach; y < s->at.end; y++) {
        load(&w, y + reach);
        compare(&w, y);
        if (y >= s->at.y)
            store(&w, y);
    }
}

const struct imf_solver imf_solver_bilateral = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .local = true,
    .kinds = 1u << IMF_BILATERAL,
    .propose = bilateral_propose,
    .cut = bilateral_cut,
    .scratch_bytes = scratch_bytes,
    .strip = bilateral_strip,
};
