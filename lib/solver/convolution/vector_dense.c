/*
 * vector_dense.c - kernels with few zero taps: several output rows at a time
 *
 * Loops over a row's samples (vector_rows.c) load a sample for each product, and half of these loads
 * cross cache lines. Four neighbouring output rows need the same samples: each loaded sample is
 * multiplied by the taps of up to four kernel rows, and all sums stay in registers until the last
 * tap.
 *
 *      input row r, column j  ->  sum of output row y     += tap[r - y    ][j] * sample
 *                                 sum of output row y + 1 += tap[r - y - 1][j] * sample, ...
 *
 * Input rows are widened to floats once, into a ring of the rows that four output rows read; rows of
 * the ring do not displace each other in the cache, as an image's rows would. Products are added row
 * by row and column by column, whatever the vectors' width, and not contracted: every processor gives
 * the same bits.
 */
#include "solver/convolution/vector_dense.h"

#include "base/clones.h"
#include "solver/strips.h"

#define ROWS IMF_DENSE_ROWS

/* ---- sums ------------------------------------------------------------------------------------ */

/* Input rows of a strip, and the sums of ROWS output rows. */
struct block {
    const float
        *row[IMF_DENSE_SIDE + ROWS - 1]; /* the sample under the first tap of the first output */
    float (*sum)[IMF_VECTOR_STRIP];
    const float *tap;
    int width, height, step;
};

/* Column j of an input row: its samples times the taps of output rows a to d. Each further output row
 * takes the tap one kernel row above. */
#define LOAD(j)                                                                                    \
    const unaligned *v = (const unaligned *)(samples + (ptrdiff_t)(j)*step);                       \
    vector v0 = v[0], v1 = v[1]
#define TAKE(a, o, j) a##0 += tap[(j) - (o)*width] * v0, a##1 += tap[(j) - (o)*width] * v1
#define A TAKE(a, 0, j)
#define B TAKE(b, 1, j)
#define C TAKE(c, 2, j)
#define D TAKE(d, 3, j)
#define ROW(takes)                                                                                 \
    for (int j = 0; j < width; j++) {                                                              \
        LOAD(j);                                                                                   \
        takes;                                                                                     \
    }

/* Two vectors of samples at a time: their eight sums stay in registers. With vectors that the compiler
 * chooses, or that the target lacks, the sums would be in memory. */
#define SUMS(name, target, bytes)                                                                  \
    target static void name(const struct block *b, int n) {                                        \
        typedef float vector __attribute__((vector_size(bytes)));                                  \
        typedef float unaligned __attribute__((vector_size(bytes), aligned(4), may_alias));        \
        enum { LANES = (bytes) / sizeof(float) };                                                  \
        int width = b->width, height = b->height, step = b->step;                                  \
        for (int i = 0; i < n; i += 2 * LANES) {                                                   \
            vector a0 = {0}, a1 = a0, b0 = a0, b1 = a0, c0 = a0, c1 = a0, d0 = a0, d1 = a0;        \
            for (int r = 0; r < height + ROWS - 1; r++) {                                          \
                const float *samples = b->row[r] + i, *tap = b->tap + r * width;                   \
                switch ((r < height ? 0 : r - height + 1) * ROWS + imf_min(r, ROWS - 1)) {         \
                case 0 * ROWS + 3:                                                                 \
                    ROW((A, B, C, D)) break;                                                       \
                case 0 * ROWS + 2:                                                                 \
                    ROW((A, B, C)) break;                                                          \
                case 0 * ROWS + 1:                                                                 \
                    ROW((A, B)) break;                                                             \
                case 0 * ROWS + 0:                                                                 \
                    ROW((A)) break;                                                                \
                case 1 * ROWS + 3:                                                                 \
                    ROW((B, C, D)) break;                                                          \
                case 1 * ROWS + 2:                                                                 \
                    ROW((B, C)) break;                                                             \
                case 1 * ROWS + 1:                                                                 \
                    ROW((B)) break;                                                                \
                case 2 * ROWS + 3:                                                                 \
                    ROW((C, D)) break;                                                             \
                case 2 * ROWS + 2:                                                                 \
                    ROW((C)) break;                                                                \
                default:                                                                           \
                    ROW((D)) break;                                                                \
                }                                                                                  \
            }                                                                                      \
            unaligned *to[ROWS];                                                                   \
            for (int o = 0; o < ROWS; o++)                                                         \
                to[o] = (unaligned *)(b->sum[o] + i);                                              \
            to[0][0] = a0, to[0][1] = a1, to[1][0] = b0, to[1][1] = b1;                            \
            to[2][0] = c0, to[2][1] = c1, to[3][0] = d0, to[3][1] = d1;                            \
        }                                                                                          \
    }
SUMS(dense_sums_16, , 16)
#if defined __x86_64__ && !defined IMF_DENSE_OLDEST
SUMS(dense_sums_32, __attribute__((target("avx2"))), 32)
#endif

static void dense_sums(const struct block *b, int n) {
#if defined __x86_64__ && !defined IMF_DENSE_OLDEST
    if (__builtin_cpu_supports("avx2")) {
        dense_sums_32(b, n);
        return;
    }
#endif
    dense_sums_16(b, n);
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct work {
    const struct imf_dense *d;
    const struct imf_problem *p;
    const struct imf_kernel *k;
    const struct imf_surface *in;
    int x, n; /* the strip's first sample, and its samples with padding */
    float *ring;
    float sum[ROWS][IMF_VECTOR_STRIP];
};

static size_t ring_pitch(const struct imf_problem *p) {
    return (size_t)imf_padded(IMF_VECTOR_STRIP + (p->kernel[0]->width - 1) * p->channels);
}

static size_t ring_rows(const struct imf_problem *p) {
    return (size_t)(p->kernel[0]->height + ROWS - 1);
}

size_t imf_dense_bytes(const struct imf_problem *p) {
    return sizeof(struct work) + ring_rows(p) * ring_pitch(p) * sizeof(float);
}

/* An input row in floats, from the sample under the first tap of the strip's first output on. */
static float *ring_row(const struct work *w, int row) {
    return w->ring + (size_t)(row + w->k->cy) % ring_rows(w->p) * ring_pitch(w->p);
}

static void widen_row(struct work *w, int row) {
    const struct imf_problem *p = w->p;
    const void *from = imf_sample_at(w->in, row, w->x - (ptrdiff_t)w->k->cx * p->channels);
    const struct imf_vector_taps one = {&from, &from, &(float){1}, 0, 1};
    imf_vector_sum(ring_row(w, row), p->in, &one,
                   imf_padded(w->n + (w->k->width - 1) * p->channels));
}

static void run_strip(struct work *w, const struct imf_surface *out, int first, int end) {
    const struct imf_problem *p = w->p;
    int height = w->k->height, widened = first - w->k->cy;
    struct block b = {.sum = w->sum,
                      .tap = w->d->tap,
                      .width = w->k->width,
                      .height = height,
                      .step = p->channels};
    w->n = imf_padded(imf_min(IMF_VECTOR_STRIP, p->width * p->channels - w->x));
    for (int y = first; y < end; y += ROWS) {
        int rows = imf_min(ROWS, end - y), top = y - w->k->cy, bottom = top + rows + height - 1;
        for (; widened < bottom; widened++)
            widen_row(w, widened);
        for (int r = 0; r < height + ROWS - 1;
             r++) /* of rows that do not exist: any row; their sums are not stored */
            b.row[r] = ring_row(w, imf_min(top + r, bottom - 1));
        dense_sums(&b, w->n);
        for (int r = 0; r < rows; r++) {
            char *to = imf_surface_row(out, y + r);
            imf_vector_finish(&w->d->end, p->out, to + (size_t)w->x * imf_sample_size(p->out),
                              w->sum[r], w->n);
        }
    }
}

void imf_vector_dense(const struct imf_dense *d, const struct imf_problem *p,
                      const struct imf_surface *in, const struct imf_surface *out, int first,
                      int end, void *store) {
    struct work *w = store;
    w->d = d;
    w->p = p;
    w->k = p->kernel[0];
    w->in = in;
    w->ring = (float *)(w + 1);
    for (w->x = 0; w->x < p->width * p->channels; w->x += IMF_VECTOR_STRIP)
        run_strip(w, out, first, end);
}
