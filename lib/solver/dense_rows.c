/*
 * dense_rows.c - kernels of any taps, without zeros to skip: several output rows at a time
 *
 * The plain version loads a sample for each product, most of them across two cache lines, and so
 * waits for loads. Four neighbouring output rows need the same samples: a sample that is loaded once
 * is multiplied by the taps of up to four kernel rows, which is four products a load. Taps of five
 * columns and the four sums stay in registers, where there are 32.
 *
 *      input row r, column j  ->  sum of output row y   += tap[r - y    ][j] * sample
 *                                 sum of output row y+1 += tap[r - y - 1][j] * sample, ...
 *
 * Input rows are widened to floats once, into a ring of as many as four output rows read, whose
 * rows lie side by side in a cache where an image's would displace each other. Each
 * output's products are added row by row and column by column, whatever the vectors' width, and
 * not contracted: every clone gives the same bits.
 */
#include "solver/dense_rows.h"

#include "base/clones.h"
#include "solver/strips.h"

#include <string.h>

#define ROWS IMF_DENSE_ROWS
#define COLUMNS 5 /* taps of a row side by side */

/* ---- sums ------------------------------------------------------------------------------------ */

/* A product of each row's tap with the sample of column k. */
#define EACH1(k) a += t[0][k] * p[k][i];
#define EACH2(k) EACH1(k) b += t[1][k] * p[k][i];
#define EACH4(k) EACH2(k) c += t[2][k] * p[k][i], d += t[3][k] * p[k][i];

#define LOOP1(terms)                                                                               \
    for (int i = 0; i < n; i++) {                                                                  \
        float a = sum[0][i];                                                                       \
        terms;                                                                                     \
        sum[0][i] = a;                                                                             \
    }
#define LOOP2(terms)                                                                               \
    for (int i = 0; i < n; i++) {                                                                  \
        float a = sum[0][i], b = sum[1][i];                                                        \
        terms;                                                                                     \
        sum[0][i] = a, sum[1][i] = b;                                                              \
    }
#define LOOP4(terms)                                                                               \
    for (int i = 0; i < n; i++) {                                                                  \
        float a = sum[0][i], b = sum[1][i], c = sum[2][i], d = sum[3][i];                          \
        terms;                                                                                     \
        sum[0][i] = a, sum[1][i] = b, sum[2][i] = c, sum[3][i] = d;                                \
    }

/* To `rows` rows of sums, products of up to COLUMNS taps of each with samples from `at` on. */
#define ADD_TO(name, rows, LOOP, EACH)                                                             \
    IMF_CLONES static void name(float(*restrict sum)[IMF_VECTOR_STRIP], const float *restrict at,  \
                                int step, const float(*restrict tap)[COLUMNS], int columns,        \
                                int n) {                                                           \
        const float *p[COLUMNS];                                                                   \
        float t[rows][COLUMNS];                                                                    \
        n &= -IMF_SLACK;                                                                           \
        for (int k = 0; k < COLUMNS; k++)                                                          \
            p[k] = at + (k < columns ? k : 0) * step;                                              \
        memcpy(t, tap, sizeof t);                                                                  \
        if (columns == 5)                                                                          \
            LOOP(EACH(0) EACH(1) EACH(2) EACH(3) EACH(4))                                          \
        else if (columns == 4)                                                                     \
            LOOP(EACH(0) EACH(1) EACH(2) EACH(3))                                                  \
        else if (columns == 3)                                                                     \
            LOOP(EACH(0) EACH(1) EACH(2))                                                          \
        else if (columns == 2)                                                                     \
            LOOP(EACH(0) EACH(1))                                                                  \
        else                                                                                       \
            LOOP(EACH(0))                                                                          \
    }
ADD_TO(dense_one, 1, LOOP1, EACH1)
ADD_TO(dense_two, 2, LOOP2, EACH2)
ADD_TO(dense_four, 4, LOOP4, EACH4)

IMF_CLONES static void dense_widen_bytes(float *restrict to, const uint8_t *restrict from, int n) {
    n &= -IMF_SLACK;
    for (int i = 0; i < n; i++)
        to[i] = from[i];
}

IMF_CLONES static void dense_widen_words(float *restrict to, const uint16_t *restrict from, int n) {
    n &= -IMF_SLACK;
    for (int i = 0; i < n; i++)
        to[i] = from[i];
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct work {
    const struct imf_dense *d;
    const struct imf_surface *in;
    int x, n; /* of the strip: its first sample, how many with padding */
    size_t pitch;
    float *ring;
    float sum[ROWS][IMF_VECTOR_STRIP];
};

static size_t ring_pitch(const struct imf_dense *d) {
    return (size_t)imf_padded(IMF_VECTOR_STRIP + (d->width - 1) * d->channels);
}

static size_t ring_rows(const struct imf_dense *d) {
    return (size_t)(d->height + ROWS - 1);
}

size_t imf_dense_bytes(const struct imf_dense *d) {
    return sizeof(struct work) + ring_rows(d) * ring_pitch(d) * sizeof(float);
}

/* The samples of an input row from the first tap of the strip's first sample on, as floats. */
static float *ring_row(const struct work *w, int row) {
    return w->ring + (size_t)(row + w->d->cy) % ring_rows(w->d) * w->pitch;
}

static void widen_row(struct work *w, int row) {
    const struct imf_dense *d = w->d;
    const void *from = imf_sample_at(w->in, row, w->x - (ptrdiff_t)d->cx * d->channels);
    int n = imf_padded(w->n + (d->width - 1) * d->channels);
    float *to = ring_row(w, row);
    if (d->in == IMF_U8)
        dense_widen_bytes(to, from, n);
    else if (d->in == IMF_U16)
        dense_widen_words(to, from, n);
    else
        memcpy(to, from, (size_t)n * sizeof *to);
}

/* Add input row `row` to the sums of output rows y + from..y + to. */
static void add_row(struct work *w, int row, int y, int from, int to) {
    const struct imf_dense *d = w->d;
    const float *samples = ring_row(w, row);
    for (int o = from; o <= to;) {
        int rows = to - o >= 3 ? 4 : to - o >= 1 ? 2 : 1;
        for (int j = 0, columns; j < d->width; j += columns) {
            float tap[ROWS][COLUMNS] = {{0}};
            int rest = d->width - j, at = j * d->channels;
            columns = imf_min(rest == 6 || rest == 7 ? rest - 3 : rest, COLUMNS);
            for (int r = 0; r < rows; r++) {
                int kernel_row = row + d->cy - y - o - r;
                memcpy(tap[r], d->tap + kernel_row * d->width + j, (size_t)columns * sizeof(float));
            }
            const float(*taps)[COLUMNS] = (const float(*)[COLUMNS])tap;
            (rows == 4   ? dense_four
             : rows == 2 ? dense_two
                         : dense_one)(w->sum + o, samples + at, d->channels, taps, columns, w->n);
        }
        o += rows;
    }
}

static void run_strip(struct work *w, const struct imf_surface *out, int first, int end) {
    const struct imf_dense *d = w->d;
    int some = imf_min(IMF_VECTOR_STRIP, d->samples - w->x), widened = first - d->cy;
    w->n = imf_padded(some);
    for (int y = first; y < end; y += ROWS) {
        int rows = imf_min(ROWS, end - y), top = y - d->cy, bottom = top + rows + d->height - 1;
        for (; widened < bottom; widened++)
            widen_row(w, widened);
        for (int r = 0; r < rows; r++)
            memset(w->sum[r], 0, (size_t)w->n * sizeof(float));
        for (int row = top; row < bottom; row++)
            add_row(w, row, y, imf_max(0, row - top - d->height + 1), imf_min(rows - 1, row - top));
        for (int r = 0; r < rows; r++) {
            char *to = imf_surface_row(out, y + r);
            imf_vector_finish(&d->end, d->out, to + (size_t)w->x * imf_sample_size(d->out),
                              w->sum[r], w->n);
        }
    }
}

void imf_dense_rows(const struct imf_dense *d, const struct imf_surface *in,
                    const struct imf_surface *out, int first, int end, void *store) {
    struct work *w = store;
    w->d = d;
    w->in = in;
    w->pitch = ring_pitch(d);
    w->ring = (float *)(w + 1);
    for (w->x = 0; w->x < d->samples; w->x += IMF_VECTOR_STRIP)
        run_strip(w, out, first, end);
}
