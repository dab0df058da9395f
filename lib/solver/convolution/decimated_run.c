/*
 * decimated_run.c - rows filtered on a coarse grid; solver/convolution/decimated.c says how
 *
 * An item is a block of rows in a strip of columns. Coarse rows are made one after the other, in a ring
 * of as many as a row of the result needs.
 */
#include "solver/convolution/decimated_run.h"
#include "solver/cores.h"

#include <stdlib.h>
#include <string.h>

/* Samples that are made of the coarse rows at once: with those of all taps they fit a cache. */
#define PIECE 512

/* ---- an item's memory, in floats ------------------------------------------------------------- */

/* Coarse columns of a line, with those that windows reach beyond the coarse samples. */
static int spread(const struct imf_decimated_job *j) {
    return imf_decimated_coarse(&j->axis[IMF_X], j->strip) +
           2 * j->axis[IMF_X].radius / j->axis[IMF_X].step + 1;
}

static size_t line_floats(const struct imf_decimated_job *j) {
    return (size_t)(spread(j) * j->axis[IMF_X].step * j->p.channels + 1);
}

static size_t row_floats(const struct imf_decimated_job *j) {
    return (size_t)(j->strip * j->axis[IMF_X].step * j->p.channels + 1);
}

static size_t coarse_floats(const struct imf_decimated_job *j) {
    return (size_t)(imf_decimated_coarse(&j->axis[IMF_X], j->strip) * j->p.channels);
}

size_t imf_decimated_bytes(const struct imf_decimated_job *j) {
    size_t rows = (size_t)j->axis[IMF_Y].count + 1;
    size_t taps =
        2 * (size_t)imf_max(j->axis[IMF_Y].radius, j->axis[IMF_X].radius) + IMF_DECIMATED_COUNT;
    return (2 * line_floats(j) + coarse_floats(j) + rows * row_floats(j)) * sizeof(float) +
           taps * (2 * sizeof(void *) + sizeof(float));
}

/* ---- running --------------------------------------------------------------------------------- */

struct pass {
    const struct imf_decimated_job *job;
    const struct imf_surface *in, *out;
    int strips;
};

/* An item: rows first..end - 1 of the result, coarse columns from `cell` on. */
struct work {
    const struct imf_decimated_job *j;
    const struct imf_surface *in, *out;
    int first, end, cell, cells;
    float *line, *phases, *coarse, *rows;
    struct imf_vector_taps taps;
};

static void add(struct imf_vector_taps *t, const void *at, const void *other, float tap) {
    t->at[t->count] = at;
    t->other[t->count] = other;
    t->tap[t->count++] = tap;
}

/* Sum the window of coarse row `row` into the line, which begins with the first sample of the first
 * coarse column's window; samples beyond the image's margins are 0. */
static void sum_rows(const struct work *w, int row) {
    const struct imf_decimated_job *j = w->j;
    const struct imf_decimated *y = &j->axis[IMF_Y], *x = &j->axis[IMF_X];
    const struct imf_margin reach = j->p.reach;
    struct imf_vector_taps t = w->taps;
    int channels = j->p.channels, begin = (w->cell - x->before) * x->step - x->radius;
    int from = imf_max(begin, -reach.left), to = begin + spread(j) * x->step;
    to = imf_min(to, j->p.width + reach.right);
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
            add(&t, a + at, b + at, j->tap[IMF_Y][d]);
        }
        if (!single)
            t.pairs = t.count;
    }
    int n = imf_max(to - from, 0) * channels;
    memset(w->line, 0, before * sizeof(float));
    memset(w->line + before + n, 0, (line_floats(j) - before - (size_t)n) * sizeof(float));
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
    const struct imf_decimated_job *j = w->j;
    const struct imf_decimated *x = &j->axis[IMF_X];
    int channels = j->p.channels, length = spread(j), made = imf_decimated_coarse(x, w->cells);
    struct imf_vector_taps t = w->taps;
    DEAL(deal_out, w->phases, w->line, x->step, length, channels);
    for (int d = x->radius; d >= 0; d--) {
        int left = x->radius - d, right = x->radius + d;
        left = left % x->step * length + left / x->step;
        right = right % x->step * length + right / x->step;
        t.pairs += d > 0;
        add(&t, w->phases + left * channels, w->phases + right * channels, j->tap[IMF_X][d]);
    }
    imf_vector_sum(w->coarse, IMF_F32, &t, made * channels);
    for (int p = 0; p < x->step; p++) {
        t.pairs = t.count = 0;
        for (int i = 0; i < x->count; i++)
            add(&t, w->coarse + i * channels, w->coarse, j->weight[IMF_X][p * x->count + i]);
        imf_vector_sum(w->phases + p * w->cells * channels, IMF_F32, &t, w->cells * channels);
    }
    DEAL(deal_back, row, w->phases, x->step, w->cells, channels);
}

/* Make the result's rows from coarse row `cell` of the block to the next; rows[] is a ring. */
static void finish_rows(const struct work *w, int cell) {
    const struct imf_decimated_job *j = w->j;
    const struct imf_decimated *y = &j->axis[IMF_Y];
    int channels = j->p.channels, step = j->axis[IMF_X].step, column = w->cell * step;
    int n = (imf_min(column + w->cells * step, j->p.width) - column) * channels;
    int row = w->first + cell * y->step, rows = imf_min(y->step, w->end - row);
    size_t size = imf_sample_size(w->out->sample), length = row_floats(j);
    float sums[PIECE];
    for (int at = 0; at < n; at += PIECE)
        for (int p = 0; p < rows; p++) {
            struct imf_vector_taps t = w->taps;
            char *to = imf_surface_row(w->out, row + p);
            for (int i = 0; i < y->count; i++)
                add(&t, w->rows + (size_t)((cell + i) % y->count) * length + at, w->rows,
                    j->weight[IMF_Y][p * y->count + i]);
            imf_vector_sum(sums, IMF_F32, &t, imf_min(PIECE, n - at));
            imf_vector_finish(&j->end, w->out->sample, to + (size_t)(column * channels + at) * size,
                              sums, imf_min(PIECE, n - at));
        }
}

static void run_item(void *data, int item, void *memory) {
    struct pass *pass = data;
    const struct imf_decimated_job *j = pass->job;
    const struct imf_decimated *y = &j->axis[IMF_Y];
    int first = item / pass->strips * j->block, cell = item % pass->strips * j->strip;
    int all = (j->p.width - 1) / j->axis[IMF_X].step + 1;
    struct work w = {.j = j,
                     .in = pass->in,
                     .out = pass->out,
                     .first = first,
                     .end = imf_min(first + j->block, pass->out->height),
                     .cell = cell,
                     .cells = imf_min(j->strip, all - cell)};
    size_t taps = 2 * (size_t)imf_max(y->radius, j->axis[IMF_X].radius) + IMF_DECIMATED_COUNT;
    w.taps.at = memory;
    w.taps.other = w.taps.at + taps;
    w.taps.tap = (float *)(w.taps.other + taps);
    w.line = w.taps.tap + taps;
    w.phases = w.line + line_floats(j);
    w.coarse = w.phases + line_floats(j);
    w.rows = w.coarse + coarse_floats(j);
    int cells = (w.end - first - 1) / y->step + 1;
    for (int i = 0; i < imf_decimated_coarse(y, cells); i++) {
        sum_rows(&w, first + (i - y->before) * y->step);
        filter_row(&w, w.rows + (size_t)(i % y->count) * row_floats(j));
        if (i >= y->count - 1)
            finish_rows(&w, i - (y->count - 1));
    }
}

enum imf_status imf_decimated_run(void *job, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err) {
    const struct imf_decimated_job *j = job;
    int all = (j->p.width - 1) / j->axis[IMF_X].step + 1;
    struct pass pass = {.job = j, .in = in, .out = out, .strips = (all - 1) / j->strip + 1};
    int blocks = (out->height - 1) / j->block + 1;
    return imf_work(j->pool, blocks * pass.strips, imf_decimated_bytes(j), run_item, &pass, err);
}
