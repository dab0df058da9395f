/*
 * decimated.c - large smooth kernels on the host's cores: on a coarse grid, and back
 *
 * A blurred image is smooth, so that it can be computed on a coarse grid: a window at every few rows
 * and columns gives coarse samples, and weighted sums of a few of these give the image's samples
 * (decimated_design.h has both filters). A Gaussian of any size takes about 60 products for each
 * sample; as columns and rows (vector.c) it takes 20 sigma.
 *
 * In this order most work is done on whole rows, and least on the fine grid:
 *
 *      rows of the image -> window down columns -> 1 in `step` rows
 *          -> window along them -> 1 in `step` samples -> weights along them -> whole rows
 *          -> weights down columns -> rows of the result
 *
 * Along rows, the samples of each phase (the same position in a step) are collected first, so that all
 * sums are over neighbours in memory, by the loops of vector_rows.c.
 *
 * Both filters together reach further than the kernel, with values near 0 there: samples beyond the
 * kernel's reach are left out. Rows are made in blocks. Each block begins with a coarse row and leaves
 * out samples that its rows' kernels do not reach: results depend on blocks (`step` of the proposal),
 * but neither on bands nor on the strips of columns that threads take. Coarse rows are made one after the
 * other, in a ring of as many as a row of the result needs.
 */
#include "base/image/rounding.h"
#include "solver/convolution/decimated_design.h"
#include "solver/convolution/sums.h"
#include "solver/convolution/vector_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Smaller kernels are left to vector.c. */
#define LEAST_SIDE 33
/* Part of the tolerance for the difference from the kernel along each axis. */
#define SHARE 0.42
/* Rows of a block, in multiples of the rows that neighbouring blocks compute too; samples of a strip. */
#define BLOCK 3
#define ACROSS 3072

/* Samples that are made of the coarse rows at once: with those of all taps they fit a cache. */
#define PIECE 512

enum { Y, X, AXES };

/* All that is decided: the proposal's shape. */
struct shape {
    struct {
        int step, count, radius;
    } axis[AXES];
    int strip; /* coarse columns of an item, whose rows are the proposal's step */
};

struct filters {
    struct imf_decimated axis[AXES];
    float *tap[AXES], *weight[AXES]; /* axis[].window and .weight as floats */
    struct imf_vector_end end;
};

/* Coarse samples that `cells` steps of the fine grid need along an axis. */
static int coarse(const struct shape *s, int axis, int cells) {
    return cells + s->axis[axis].count - 1;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static bool mirrored(const double *taps, int n) {
    for (int i = 0; i < n / 2; i++)
        if (fabs(taps[i] - taps[n - 1 - i]) > 1e-12 * fabs(taps[n / 2]))
            return false;
    return true;
}

/* Variance of the rounding errors of a sum over the window, or over the weights of the worst phase. */
static double sums_variance(const struct imf_decimated *m, bool weights, double size) {
    double most = 0;
    size_t n = weights ? (size_t)m->count : (size_t)m->radius + 1;
    for (int p = 0; p < (weights ? m->step : 1); p++) {
        const double *taps = weights ? m->weight + (size_t)p * n : m->window;
        most =
            fmax(most, imf_rounding_variance(taps, n, size) + imf_rounding_products(taps, n, size));
    }
    return weights ? most : 4 * most; /* pairs are twice as large */
}

/*
 * The errors of the filters (decimated_design.h), and those of rounding, stage by stage. Each stage
 * multiplies the variance before it by the sum of its squared taps and adds the variance of its own
 * sums, half an ulp of its taps, and half an ulp of pairs of floats. Windows add up to 1, so that only
 * the weights can make sums larger than the largest sample.
 */
static double find_error(const struct imf_problem *p, const struct filters *j,
                         const double sum[AXES], bool positive) {
    static const int order[] = {Y, X, X, Y};
    double error = 0, variance = 0, size = p->in_max;
    for (int stage = 0; stage < 4; stage++) {
        const struct imf_decimated *m = &j->axis[order[stage]];
        bool weights = stage >= 2;
        double gain = weights ? m->weight_sum : 1;
        variance = variance * (weights ? m->weight_squares : m->window_squares) +
                   sums_variance(m, weights, size);
        error = (error + FLT_EPSILON / 2 * size) * gain;
        if (!weights && (stage || p->in == IMF_F32))
            error += imf_float_ulp(size) / 2;
        size *= gain;
    }
    for (int a = 0; a < AXES; a++)
        error += p->in_max * (positive ? 1 : 2) * j->axis[a].error *
                 (sum[!a] + (a ? 4 * j->axis[!a].error : 0));
    return (error + IMF_SIGMAS * sqrt(variance)) / fabs(p->epilogue.scale) +
           imf_problem_end_error(p, size);
}

static void clear(struct filters *j) {
    for (int a = 0; a < AXES; a++) {
        free(j->axis[a].store);
        free(j->tap[a]);
    }
    *j = (struct filters){.axis = {{0}}};
}

static int block_rows(const struct imf_problem *p, const struct imf_decimated *m) {
    int rows = BLOCK * (m->count - 1) * m->step;
    return imf_min((rows + 63) / 64 * 64, p->height);
}

/*
 * Milliseconds of one core: samples * ns * 1e-6, where the nanoseconds of a sample are, in the rates of
 * struct imf_vector_rates and with the sums that neighbouring items compute too,
 *     (products of the window) / step down columns
 *     + (products of the window / step + weights + move) / step along rows
 *     + weights down columns + end + floats
 */
static double cost(const struct imf_problem *p, const struct shape *s, int block) {
    const struct imf_vector_rates *r = &imf_vector_rates;
    int rows = (block + s->axis[Y].step - 1) / s->axis[Y].step;
    double down = (double)coarse(s, Y, rows) / rows / s->axis[Y].step;
    double across = (double)coarse(s, X, s->strip) / s->strip;
    double ns = down * across * (r->pair * s->axis[Y].radius + r->real) +
                down * across / s->axis[X].step * (r->middle_pair * s->axis[X].radius + r->middle) +
                down * (r->middle * s->axis[X].count + r->move * (1 + across)) +
                r->middle * s->axis[Y].count + r->end + r->floats;
    return (double)p->width * p->height * p->channels * ns * 1e-6;
}

/* Design the filters. Returns false, with the reason in `out` and nothing to free, if it cannot. */
static bool choose(const struct imf_problem *p, struct filters *j, struct imf_proposal *out) {
    const struct imf_kernel *k = p->kernel[0];
    struct imf_terms terms = {0};
    bool positive = p->in != IMF_F32 || p->positive;
    *j = (struct filters){.axis = {{0}}};
    if (p->exact || p->whole_if_opaque || imf_min(k->width, k->height) < LEAST_SIDE ||
        k->cx * 2 + 1 != k->width || k->cy * 2 + 1 != k->height || !imf_problem_term(p, &terms)) {
        imf_proposal_refuse(out, "the kernel is not large and smooth");
        out->missing = terms.missing;
        return false;
    }
    const double *taps[] = {terms.term[0].column, terms.term[0].row};
    const int side[] = {k->height, k->width};
    double sum[AXES] = {imf_sum_abs(taps[Y], (size_t)side[Y]),
                        imf_sum_abs(taps[X], (size_t)side[X])};
    bool fits = true;
    for (int a = 0; a < AXES && fits; a++)
        fits = mirrored(taps[a], side[a]) &&
               imf_decimated_design(&j->axis[a], taps[a], side[a] / 2,
                                    SHARE * p->tolerance_even * fabs(p->epilogue.scale) /
                                        (p->in_max * sum[!a]) * (positive ? 1 : 0.5));
    free(terms.store);
    if (fits)
        out->error = find_error(p, j, sum, positive);
    if (fits && out->error <= p->tolerance_even)
        return true;
    out->missing = j->axis[Y].missing + j->axis[X].missing;
    clear(j);
    imf_proposal_refuse(out, "the kernel is not smooth enough for the %.2g allowed",
                        p->tolerance_even);
    return false;
}

/* ---- an item's memory, in floats ------------------------------------------------------------- */

/* Coarse columns of a line, with those that windows reach beyond the coarse samples. */
static int spread(const struct shape *s) {
    return coarse(s, X, s->strip) + 2 * s->axis[X].radius / s->axis[X].step + 1;
}

static size_t line_floats(const struct imf_problem *p, const struct shape *s) {
    return (size_t)(spread(s) * s->axis[X].step * p->channels + 1);
}

static size_t row_floats(const struct imf_problem *p, const struct shape *s) {
    return (size_t)(s->strip * s->axis[X].step * p->channels + 1);
}

static size_t coarse_floats(const struct imf_problem *p, const struct shape *s) {
    return (size_t)(coarse(s, X, s->strip) * p->channels);
}

static size_t most_taps(const struct shape *s) {
    return 2 * (size_t)imf_max(s->axis[Y].radius, s->axis[X].radius) + IMF_DECIMATED_COUNT;
}

static size_t scratch_bytes(const struct imf_problem *p, const void *shape, int cells) {
    const struct shape *s = shape;
    (void)cells; /* all strips have room for as many as the first */
    size_t rows = (size_t)s->axis[Y].count + 1;
    return (2 * line_floats(p, s) + coarse_floats(p, s) + rows * row_floats(p, s)) * sizeof(float) +
           most_taps(s) * (2 * sizeof(void *) + sizeof(float));
}

/* ---- the solver ------------------------------------------------------------------------------- */

static void decimated_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    struct shape *s = (struct shape *)out->shape.bytes;
    struct filters j;
    (void)d;
    if ((double)p->width * p->channels > INT32_MAX / 8) {
        imf_proposal_refuse(out, "rows are too long");
        return;
    }
    if (!choose(p, &j, out))
        return;
    for (int a = 0; a < AXES; a++) {
        s->axis[a].step = j.axis[a].step;
        s->axis[a].count = j.axis[a].count;
        s->axis[a].radius = j.axis[a].radius;
    }
    int strips = imf_max((int)((double)p->width * p->channels / ACROSS), 1);
    s->strip = ((p->width - 1) / s->axis[X].step) / strips + 1;
    out->step = block_rows(p, &j.axis[Y]);
    imf_proposal_strips(out, p, cost(p, s, out->step), s->strip);
    snprintf(out->description, sizeof out->description, "vector %d + %d, every %d by %d, float32",
             p->kernel[0]->width, p->kernel[0]->height, s->axis[X].step, s->axis[Y].step);
    clear(&j);
}

/* The chosen filters, whose sizes are the shape's, and their taps as floats. */
static enum imf_status decimated_prepare(struct imf_job *job, struct imf_error *err) {
    const struct shape *s = imf_job_shape(job);
    const struct imf_kernel *k = job->p.kernel[0];
    const int side[] = {k->height, k->width};
    struct filters *j = job->own;
    struct imf_terms terms;
    bool made = imf_problem_term(&job->p, &terms);
    imf_vector_end_make(&j->end, &job->p);
    for (int a = 0; a < AXES && made; a++) {
        struct imf_decimated *m = &j->axis[a];
        made = imf_decimated_make(m, a == Y ? terms.term[0].column : terms.term[0].row, side[a] / 2,
                                  s->axis[a].step, s->axis[a].count);
        size_t window = (size_t)m->radius + 1, weights = (size_t)(m->step * m->count);
        made = made && (j->tap[a] = malloc((window + weights) * sizeof(float)));
        for (size_t i = 0; made && i < window + weights; i++)
            j->tap[a][i] = (float)(i < window ? m->window[i] : m->weight[i - window]);
        j->weight[a] = made ? j->tap[a] + window : NULL;
    }
    free(terms.store);
    return made ? IMF_OK : imf_fail_memory(err, imf_tap_count(k) * sizeof(double));
}

static void decimated_release(struct imf_job *job) {
    clear(job->own);
}

/* ---- running --------------------------------------------------------------------------------- */

/* An item: rows first..end - 1 of the result, coarse columns from `cell` on. */
struct work {
    const struct filters *j;
    const struct imf_problem *p;
    const struct shape *s;
    const struct imf_surface *in, *out;
    int first, end, cell, cells;
    float *line, *phases, *coarse, *rows, *tap;
    struct imf_vector_taps taps;
};

static void add(const struct work *w, struct imf_vector_taps *t, const void *at, const void *other,
                float tap) {
    t->at[t->count] = at;
    t->other[t->count] = other;
    w->tap[t->count++] = tap;
}

/* Sum the window of coarse row `row` into the line, which begins with the first sample of the first
 * coarse column's window; samples beyond the image's margins are 0. */
static void sum_rows(const struct work *w, int row) {
    const struct filters *j = w->j;
    const struct imf_decimated *y = &j->axis[Y], *x = &j->axis[X];
    const struct imf_margin reach = w->p->reach;
    struct imf_vector_taps t = w->taps;
    int channels = w->p->channels, begin = (w->cell - x->before) * x->step - x->radius;
    int from = imf_max(begin, -reach.left), to = begin + spread(w->s) * x->step;
    to = imf_min(to, w->p->width + reach.right);
    int least = w->first - reach.top, most = w->end - 1 + reach.bottom;
    size_t size = imf_sample_size(w->in->sample), before = (size_t)((from - begin) * channels);
    for (int single = 0; single < 2; single++) {
        for (int d = 0; d <= y->radius; d++) {
            bool up = row - d >= least && row - d <= most, down = row + d <= most;
            down = down && row + d >= least && d > 0;
            if ((up && down) == single || !(up || down))
                continue;
            const char *a = (char *)imf_surface_row(w->in, up ? row - d : row + d);
            const char *b = (char *)imf_surface_row(w->in, down ? row + d : row - d);
            ptrdiff_t at = (ptrdiff_t)from * channels * (ptrdiff_t)size;
            add(w, &t, a + at, b + at, j->tap[Y][d]);
        }
        if (!single)
            t.pairs = t.count;
    }
    int n = imf_max(to - from, 0) * channels;
    memset(w->line, 0, before * sizeof(float));
    memset(w->line + before + n, 0, (line_floats(w->p, w->s) - before - (size_t)n) * sizeof(float));
    if (n > 0)
        imf_vector_sum(w->line + before, w->in->sample, &t, n);
}

/*
 * Sort a line's samples by phase, and back. Pixels of three samples are copied as four: the next
 * pixel overwrites the fourth, since copies go upwards in memory, and there is room for one more.
 */
static inline __attribute__((always_inline)) void move(float *to, const float *from, int channels) {
    if (channels == 1)
        *to = *from;
    else if (channels == 2)
        memcpy(to, from, 2 * sizeof *to);
    else
        memcpy(to, from, 4 * sizeof *to);
    for (int k = 4; k < channels; k++)
        to[k] = from[k];
}

static inline __attribute__((always_inline)) void
deal_out(float *restrict to, const float *restrict from, int step, int cells, int channels) {
    for (int p = 0; p < step; p++)
        for (int c = 0; c < cells; c++)
            move(to + (p * cells + c) * channels, from + (c * step + p) * channels, channels);
}

static inline __attribute__((always_inline)) void
deal_back(float *restrict to, const float *restrict from, int step, int cells, int channels) {
    for (int c = 0; c < cells; c++)
        for (int p = 0; p < step; p++)
            move(to + (c * step + p) * channels, from + (p * cells + c) * channels, channels);
}

/* The loops with the usual numbers of channels as constants. */
#define DEAL(how, to, from, step, cells, channels)                                                 \
    ((channels) == 1   ? how(to, from, step, cells, 1)                                             \
     : (channels) == 3 ? how(to, from, step, cells, 3)                                             \
     : (channels) == 4 ? how(to, from, step, cells, 4)                                             \
                       : how(to, from, step, cells, channels))

/* Filter the line along x: a coarse row with the result's columns. */
static void filter_row(const struct work *w, float *row) {
    const struct filters *j = w->j;
    const struct imf_decimated *x = &j->axis[X];
    int channels = w->p->channels, length = spread(w->s), made = coarse(w->s, X, w->cells);
    struct imf_vector_taps t = w->taps;
    DEAL(deal_out, w->phases, w->line, x->step, length, channels);
    for (int d = x->radius; d >= 0; d--) {
        int left = x->radius - d, right = x->radius + d;
        left = left % x->step * length + left / x->step;
        right = right % x->step * length + right / x->step;
        t.pairs += d > 0;
        add(w, &t, w->phases + left * channels, w->phases + right * channels, j->tap[X][d]);
    }
    imf_vector_sum(w->coarse, IMF_F32, &t, made * channels);
    for (int p = 0; p < x->step; p++) {
        t.pairs = t.count = 0;
        for (int i = 0; i < x->count; i++)
            add(w, &t, w->coarse + i * channels, w->coarse, j->weight[X][p * x->count + i]);
        imf_vector_sum(w->phases + p * w->cells * channels, IMF_F32, &t, w->cells * channels);
    }
    DEAL(deal_back, row, w->phases, x->step, w->cells, channels);
}

/* Make the result's rows from coarse row `cell` of the block to the next; rows[] is a ring. */
static void finish_rows(const struct work *w, int cell) {
    const struct filters *j = w->j;
    const struct imf_decimated *y = &j->axis[Y];
    int channels = w->p->channels, step = j->axis[X].step, column = w->cell * step;
    int n = (imf_min(column + w->cells * step, w->p->width) - column) * channels;
    int row = w->first + cell * y->step, rows = imf_min(y->step, w->end - row);
    size_t size = imf_sample_size(w->out->sample), length = row_floats(w->p, w->s);
    float sums[PIECE];
    for (int at = 0; at < n; at += PIECE)
        for (int p = 0; p < rows; p++) {
            struct imf_vector_taps t = w->taps;
            char *to = imf_surface_row(w->out, row + p);
            for (int i = 0; i < y->count; i++)
                add(w, &t, w->rows + (size_t)((cell + i) % y->count) * length + at, w->rows,
                    j->weight[Y][p * y->count + i]);
            imf_vector_sum(sums, IMF_F32, &t, imf_min(PIECE, n - at));
            imf_vector_finish(&j->end, w->out->sample, to + (size_t)(column * channels + at) * size,
                              sums, imf_min(PIECE, n - at));
        }
}

/* Strips of coarse columns, and blocks of rows. */
static struct imf_strips decimated_cut(const struct imf_job *job, int height) {
    const struct shape *s = imf_job_shape(job);
    int all = (job->p.width - 1) / s->axis[X].step + 1;
    return imf_strips_of(all, height, s->strip, job->proposal.step);
}

static void decimated_strip(const struct imf_host_strip *strip) {
    const struct imf_problem *p = &strip->job->p;
    const struct shape *s = imf_job_shape(strip->job);
    const struct filters *j = strip->job->own;
    struct work w = {.j = j,
                     .p = p,
                     .s = s,
                     .in = strip->in,
                     .out = strip->out,
                     .first = strip->at.y,
                     .end = strip->at.end,
                     .cell = strip->at.x,
                     .cells = strip->at.n};
    w.taps.at = strip->scratch;
    w.taps.other = w.taps.at + most_taps(s);
    w.taps.tap = w.tap = (float *)(w.taps.other + most_taps(s));
    w.line = w.tap + most_taps(s);
    w.phases = w.line + line_floats(p, s);
    w.coarse = w.phases + line_floats(p, s);
    w.rows = w.coarse + coarse_floats(p, s);
    int count = s->axis[Y].count, cells = (w.end - w.first - 1) / s->axis[Y].step + 1;
    for (int i = 0; i < coarse(s, Y, cells); i++) {
        sum_rows(&w, w.first + (i - j->axis[Y].before) * s->axis[Y].step);
        filter_row(&w, w.rows + (size_t)(i % count) * row_floats(p, s));
        if (i >= count - 1)
            finish_rows(&w, i - (count - 1));
    }
}

const struct imf_solver imf_solver_decimated = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_CONVOLUTION,
    .propose = decimated_propose,
    .own = sizeof(struct filters),
    .prepare = decimated_prepare,
    .release = decimated_release,
    .cut = decimated_cut,
    .scratch_bytes = scratch_bytes,
    .strip = decimated_strip,
};
