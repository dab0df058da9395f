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

#include "base/rounding.h"
#include "device/tuning.h"
#include "solver/common/float_row.h"
#include "solver/cores.h"
#include "solver/smoothing/bilateral_rows.h"
#include "solver/solver.h"
#include "solver/strips.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 1024        /* pixels of a strip, whose rings of rows stay in a cache, */
#define REACHES 16          /* or so many times the reach, which is read at both sides */
#define SQUARE_ERROR 1.5e-7 /* five roundings of an exponent, for each squared range */
#define SUM_ERROR                                                                                  \
    1.2e-7 /* six standard deviations of rounding a float, for sums that grow evenly */
#define LOG2_E 1.4426950408889634

struct bilateral_job {
    struct imf_problem p;
    int reach;
    float *far; /* owned: for each row from 0 to reach and each column -reach..reach */
    float near;
    struct imf_pool *pool; /* borrowed, or NULL */
};

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

static size_t strip_floats(const struct imf_problem *p, int columns) {
    int reach = p->window_op->cx;
    struct imf_bilateral_layout l = imf_bilateral_deal(p->colors, reach, columns + 2 * reach);
    size_t block =
        (size_t)(IMF_BILATERAL_BLOCK + 2 * reach) * IMF_BILATERAL_WIDTH * (size_t)(p->colors + 1);
    return (size_t)(reach + 1) * (imf_bilateral_values(&l) + imf_bilateral_sums(&l)) + block +
           imf_bilateral_values(&l) + (size_t)columns * (size_t)p->channels +
           5 * IMF_BILATERAL_WIDTH;
}

static void bilateral_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    const struct imf_window_op *window = p->window_op;
    (void)d;
    out->error = imf_bilateral_error(p, IMF_BILATERAL_POWER_ERROR);
    if (p->in == IMF_F64 || p->out == IMF_F64)
        imf_proposal_refuse(out, "this takes no float64 samples");
    else if (p->colors > IMF_BILATERAL_COLORS)
        imf_proposal_refuse(out, "more than %d channels", IMF_BILATERAL_COLORS);
    else if (out->error > p->tolerance || p->in_max > 1e15)
        imf_proposal_refuse(out, "weights like these need more than float32");
    else {
        const struct imf_vector_rates *r = &imf_vector_rates;
        int cores = imf_cores();
        double pairs = acos(-1.0) / 2 * window->cx * window->cx;
        double ns = pairs * (r->weight + r->weight_color * p->colors) + r->lanes * p->channels;
        /* A strip also computes the columns beside it and half of the pairs of the rows above. */
        struct imf_strips s = imf_strips_cut(p->width, p->height, strip_columns(p), 4 * window->cx);
        double columns = imf_min(s.width, p->width) + 2.0 * window->cx;
        double ms = s.count * columns * (s.rows + window->cx / 2.0) * ns * 1e-6;
        out->feasible = true;
        out->ms = imf_cores_ms(ms, imf_min(cores, s.count));
        out->bytes =
            cores * sizeof(float) * (double)strip_floats(p, imf_min(p->width, strip_columns(p)));
        out->bands = IMF_BANDS_FEW;
        snprintf(out->description, sizeof out->description, "bilateral, radius %d, pairs of rows",
                 window->cx);
    }
}

static enum imf_status bilateral_make(void **job, const struct imf_problem *p,
                                      const struct imf_proposal *proposal, struct imf_queue *queue,
                                      struct imf_error *err) {
    (void)proposal, (void)queue;
    struct bilateral_job *j = *job = malloc(sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    double sigma = p->window_op->value, range = p->window_op->range * p->unit;
    *j = (struct bilateral_job){.p = *p, .reach = p->window_op->cx};
    j->near = (float)(LOG2_E / 2 / range / range);
    size_t count = (size_t)(j->reach + 1) * (size_t)(2 * j->reach + 1);
    float *far = j->far = malloc(count * sizeof *far);
    if (!far)
        return imf_fail_memory(err, count * sizeof *far);
    for (int dy = 0; dy <= j->reach; dy++)
        for (int dx = -j->reach; dx <= j->reach; dx++)
            *far++ = (float)(-LOG2_E / 2 * (dx / sigma * (dx / sigma) + dy / sigma * (dy / sigma)));
    return IMF_OK;
}

static void bilateral_use_pool(void *job, struct imf_pool *pool) {
    ((struct bilateral_job *)job)->pool = pool;
}

static void bilateral_destroy(void **job) {
    free(((struct bilateral_job *)*job)->far);
    free(*job);
    *job = NULL;
}

/* ---- running --------------------------------------------------------------------------------- */

struct pass {
    const struct bilateral_job *job;
    const struct imf_surface *in, *out;
    struct imf_strips strips; /* of pixels */
};

struct work {
    const struct bilateral_job *j;
    const struct imf_surface *in, *out;
    struct imf_patch strip;
    struct imf_bilateral_layout layout;
    float *values, *sums; /* rings of reach + 1 rows */
    float *spare, *planes, *row;
};

static size_t slot(const struct work *w, int y) {
    return (size_t)(y - w->strip.y + w->j->reach) % (size_t)(w->j->reach + 1);
}

static float *values_of(const struct work *w, int y) {
    return w->values + slot(w, y) * imf_bilateral_values(&w->layout);
}

static float *sums_of(const struct work *w, int y) {
    return w->sums + slot(w, y) * imf_bilateral_sums(&w->layout);
}

static void load(const struct work *w, int y) {
    imf_bilateral_load(&w->layout, values_of(w, y), w->in, w->strip.x - w->j->reach, y, w->planes);
    memset(sums_of(w, y), 0, imf_bilateral_sums(&w->layout) * sizeof(float));
}

/* Compare row y, which may be above the strip, with itself and the rows below it. */
static void compare(const struct work *w, int y) {
    int reach = w->j->reach;
    for (int dy = imf_max(0, w->strip.y - y); dy <= reach; dy++) {
        int half = (int)sqrt((double)reach * reach - (double)dy * dy);
        imf_bilateral_pairs(&w->layout, values_of(w, y), sums_of(w, y), values_of(w, y + dy),
                            sums_of(w, y + dy), w->j->far + dy * (2 * reach + 1) + reach,
                            dy ? -half : 1, half, w->spare);
    }
}

static void store(const struct work *w, int y) {
    const struct imf_problem *p = &w->j->p;
    int channels = p->channels, n = w->strip.n;
    imf_bilateral_store(&w->layout, sums_of(w, y), values_of(w, y), w->j->reach, n, w->row,
                        channels);
    const void *from = imf_sample_at(w->in, y, (ptrdiff_t)w->strip.x * channels);
    for (int c = p->colors; c < channels; c++) /* alpha, which is kept */
        for (int i = 0; i < n; i++)
            w->row[(size_t)i * (size_t)channels + (size_t)c] =
                (float)imf_sample_get(from, w->in->sample, (ptrdiff_t)i * channels + c);
    char *to = (char *)imf_surface_row(w->out, y) +
               (size_t)w->strip.x * (size_t)channels * imf_sample_size(w->out->sample);
    imf_float_row_store(to, w->out->sample, w->row, n * channels, &p->epilogue);
}

static void run_item(void *data, int item, void *memory) {
    struct pass *pass = data;
    const struct bilateral_job *j = pass->job;
    struct work w = {.j = j, .in = pass->in, .out = pass->out};
    w.strip = imf_strips_at(&pass->strips, item);
    w.layout = imf_bilateral_deal(j->p.colors, j->reach, w.strip.n + 2 * j->reach);
    w.layout.near = j->near;
    size_t rows = (size_t)j->reach + 1;
    w.values = memory;
    w.sums = w.values + rows * imf_bilateral_values(&w.layout);
    w.spare = w.sums + rows * imf_bilateral_sums(&w.layout);
    w.planes = w.spare + (size_t)(IMF_BILATERAL_BLOCK + 2 * j->reach) * IMF_BILATERAL_WIDTH *
                             (size_t)(j->p.colors + 1);
    w.row = w.planes + imf_bilateral_values(&w.layout);
    for (int y = w.strip.y - j->reach; y < w.strip.y; y++)
        load(&w, y);
    for (int y = w.strip.y - j->reach; y < w.strip.end; y++) {
        load(&w, y + j->reach);
        compare(&w, y);
        if (y >= w.strip.y)
            store(&w, y);
    }
}

static enum imf_status bilateral_run(void *job, const struct imf_surface *in,
                                     const struct imf_surface *out, struct imf_error *err) {
    struct pass pass = {.job = job, .in = in, .out = out};
    const struct bilateral_job *j = job;
    pass.strips = imf_strips_cut(j->p.width, out->height, strip_columns(&j->p), 4 * j->reach);
    return imf_work(j->pool, pass.strips.count,
                    strip_floats(&j->p, pass.strips.width) * sizeof(float), run_item, &pass, err);
}

const struct imf_solver imf_solver_bilateral = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_BILATERAL,
    .propose = bilateral_propose,
    .old_make = bilateral_make,
    .old_run = bilateral_run,
    .old_destroy = bilateral_destroy,
    .old_use_pool = bilateral_use_pool,
};
