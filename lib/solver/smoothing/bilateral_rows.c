/*
 * bilateral_rows.c - the inner loops of solver/smoothing/bilateral.c, on vectors
 *
 * A weight is 2^t, t = far - near * d^2. With n the integer nearest to t and f = t - n in -1/2..1/2,
 * 2^f is a polynomial of degree 5, within 2.2e-7 (least squares with weights raised where the error was
 * largest), and n is added to the float's exponent.
 *
 * Two neighbouring pixels at once are compared with the pixels around them, whose values and sums are
 * loaded and stored once for both. A lane has an even number of columns.
 *
 * Sums are of differences, because these and their rounding errors are smaller than those of samples.
 * The 2 * reach + 1 differences of a row are added up first, then the rows.
 */
#include "solver/smoothing/bilateral_rows.h"

#include "base/clones.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define LEAST -100.0f   /* lower exponents give denormal weights */
#define MAGIC 0x1.8p23f /* floats of this size have no fraction */

typedef float vector __attribute__((vector_size(4 * IMF_BILATERAL_WIDTH), may_alias));
typedef int32_t vector_int __attribute__((vector_size(4 * IMF_BILATERAL_WIDTH), may_alias));

struct imf_bilateral_layout imf_bilateral_deal(int colors, int reach, int columns) {
    int each = ((columns - 1) / (2 * IMF_BILATERAL_WIDTH) + 1) * 2;
    return (struct imf_bilateral_layout){.colors = colors,
                                         .reach = reach,
                                         .columns = columns,
                                         .each = each,
                                         .positions = each + 2 * reach};
}

size_t imf_bilateral_values(const struct imf_bilateral_layout *l) {
    return (size_t)l->positions * IMF_BILATERAL_WIDTH * (size_t)l->colors;
}

size_t imf_bilateral_sums(const struct imf_bilateral_layout *l) {
    return (size_t)l->positions * IMF_BILATERAL_WIDTH * (size_t)(l->colors + 1);
}

/* ---- between rows of pixels and lanes -------------------------------------------------------- */

/* A row of samples to a plane for each colour. */
#define SPREAD(type, member)                                                                       \
    do {                                                                                           \
        const type *at = from;                                                                     \
        for (int i = 0; i < n; i++)                                                                \
            for (int c = 0; c < colors; c++)                                                       \
                planes[(size_t)c * pitch + (size_t)i] = (float)at[(ptrdiff_t)i * channels + c];    \
    } while (0)

INLINE void spread(const void *restrict from, enum imf_sample sample, float *restrict planes,
                   size_t pitch, int n, int colors, int channels) {
    IMF_EACH_NARROW(sample, SPREAD);
}

IMF_CLONES static void spread_row(const void *from, enum imf_sample sample, float *planes,
                                  size_t pitch, int n, int colors, int channels) {
    if (channels == 1)
        spread(from, sample, planes, pitch, n, 1, 1);
    else if (channels == 3 && colors == 3)
        spread(from, sample, planes, pitch, n, 3, 3);
    else
        spread(from, sample, planes, pitch, n, colors, channels);
}

/* A plane's row to lanes. */
INLINE void deal(const float *restrict plane, float *restrict to, int positions, int each,
                 size_t step) {
    for (int k = 0; k < positions; k++, to += step)
        for (int lane = 0; lane < IMF_BILATERAL_WIDTH; lane++)
            to[lane] = plane[lane * each + k];
}

void imf_bilateral_load(const struct imf_bilateral_layout *l, float *values,
                        const struct imf_surface *in, int x, int y, float *planes) {
    size_t pitch = (size_t)IMF_BILATERAL_WIDTH * (size_t)l->positions;
    ptrdiff_t first = (ptrdiff_t)x * in->channels * (ptrdiff_t)imf_sample_size(in->sample);
    spread_row((const char *)imf_surface_row(in, y) + first, in->sample, planes + l->reach, pitch,
               l->columns, l->colors, in->channels);
    /* Beyond the strip's ends any values do: their sums are not read. */
    int end = l->reach + l->columns, all = l->each * IMF_BILATERAL_WIDTH + 2 * l->reach;
    for (int c = 0; c < l->colors; c++) {
        float *plane = planes + (size_t)c * pitch;
        for (int i = 0; i < l->reach; i++)
            plane[i] = plane[l->reach];
        for (int i = end; i < all; i++)
            plane[i] = plane[end - 1];
        deal(plane, values + c * IMF_BILATERAL_WIDTH, l->positions, l->each,
             (size_t)l->colors * IMF_BILATERAL_WIDTH);
    }
}

/* Add the sums of columns that two lanes have to those of the lane that owns them. */
static void gather(const struct imf_bilateral_layout *l, float *sums) {
    int vectors = l->colors + 1, home = l->each * IMF_BILATERAL_WIDTH;
    for (int k = 0; k < l->positions; k++) {
        if (k == l->reach)
            k += l->each; /* skip the columns that the lane owns */
        for (int lane = 0; lane < IMF_BILATERAL_WIDTH && k < l->positions; lane++) {
            int column = lane * l->each + k - l->reach;
            if (column < 0 || column >= home)
                continue;
            float *to =
                sums +
                (size_t)(column % l->each + l->reach) * (size_t)vectors * IMF_BILATERAL_WIDTH +
                column / l->each;
            const float *from = sums + (size_t)k * (size_t)vectors * IMF_BILATERAL_WIDTH + lane;
            for (int i = 0; i < vectors; i++)
                to[i * IMF_BILATERAL_WIDTH] += from[i * IMF_BILATERAL_WIDTH];
        }
    }
}

/* Replace sums of differences by means: value + difference / weight. */
INLINE void divide(float *restrict sums, const float *restrict values, int positions, int colors) {
    for (int k = 0; k < positions;
         k++, sums += IMF_BILATERAL_WIDTH * (colors + 1), values += IMF_BILATERAL_WIDTH * colors)
        for (int lane = 0; lane < IMF_BILATERAL_WIDTH; lane++) {
            float share =
                1 /
                (1 + sums[colors * IMF_BILATERAL_WIDTH + lane]); /* the pixel's own weight is 1 */
            for (int c = 0; c < colors; c++)
                sums[c * IMF_BILATERAL_WIDTH + lane] = values[c * IMF_BILATERAL_WIDTH + lane] +
                                                       sums[c * IMF_BILATERAL_WIDTH + lane] * share;
        }
}

IMF_CLONES static void divide_row(float *sums, const float *values, int positions, int colors) {
    if (colors == 1)
        divide(sums, values, positions, 1);
    else if (colors == 3)
        divide(sums, values, positions, 3);
    else
        divide(sums, values, positions, colors);
}

/* Copy n pixels of a lane, `step` floats apart, to a row. */
INLINE void collect(const float *restrict at, size_t step, float *restrict row, int n, int colors,
                    int channels) {
    for (int i = 0; i < n; i++, at += step, row += channels)
        for (int c = 0; c < colors; c++)
            row[c] = at[c * IMF_BILATERAL_WIDTH];
}

void imf_bilateral_store(const struct imf_bilateral_layout *l, float *sums, const float *values,
                         int first, int n, float *row, int channels) {
    size_t step = (size_t)(l->colors + 1) * IMF_BILATERAL_WIDTH, own = (size_t)l->reach;
    gather(l, sums);
    divide_row(sums + own * step, values + own * (size_t)l->colors * IMF_BILATERAL_WIDTH, l->each,
               l->colors);
    for (int lane = first / l->each, i = 0; i < n; lane++) {
        int k = first + i - lane * l->each, some = imf_min(l->each - k, n - i);
        const float *at = sums + (own + (size_t)k) * step + lane;
        float *to = row + (size_t)i * (size_t)channels;
        if (l->colors == 3 && channels == 3)
            collect(at, step, to, some, 3, 3);
        else
            collect(at, step, to, some, l->colors, channels);
        i += some;
    }
}

/* ---- pairs of pixels ------------------------------------------------------------------------- */

struct rows {
    const vector *values, *other;
    vector *sums, *other_sums, *spare;
    const float *far;
    int reach, each, from, to;
    float near;
};

/* *at = 2^*at, never denormal. */
INLINE void power(vector *at) {
    vector t = *at;
    vector_int more = t > LEAST;
    t = (vector)(((vector_int)t & more) | ((vector_int)((vector){0} + LEAST) & ~more));
    vector rounded = t + MAGIC, f = t - (rounded - MAGIC), p;
    p = f * 0.00132764771f + 0.00967554282f;
    p = p * f + 0.0555071309f;
    p = p * f + 0.240221202f;
    p = p * f + 0.693146944f;
    p = p * f + 1.00000012f;
    *at = (vector)((vector_int)p + ((vector_int)rounded << 23));
}

/* Add a pair to the sums of a pixel and, with the sign changed, of the other. */
INLINE void weigh(const struct rows *r, int colors, const vector *middle, const vector *other,
                  float far, vector *sums, vector *mirrored) {
    vector d[IMF_BILATERAL_COLORS], apart = {0};
    for (int c = 0; c < colors; c++) {
        d[c] = other[c] - middle[c];
        apart = c ? apart + d[c] * d[c] : d[c] * d[c];
    }
    vector weight = far - apart * r->near;
    power(&weight);
    for (int c = 0; c < colors; c++) {
        sums[c] += weight * d[c];
        mirrored[c] -= weight * d[c];
    }
    sums[colors] += weight;
    mirrored[colors] += weight;
}

/* Compare positions k and k + 1 with all positions that they reach. */
INLINE void positions(const struct rows *r, int colors, int k, vector *spare) {
    const int width = r->to - r->from, vectors = colors + 1;
    const vector *value = r->values + (size_t)(k + r->reach) * (size_t)colors;
    const vector *other = r->other + (size_t)(k + r->reach + r->from) * (size_t)colors;
    const float *far = r->far + r->from;
    vector *to = r->sums + (size_t)(k + r->reach) * (size_t)vectors;
    vector middle[2][IMF_BILATERAL_COLORS], sums[2][IMF_BILATERAL_COLORS + 1];
    for (int m = 0; m < 2; m++) {
        for (int c = 0; c < colors; c++)
            middle[m][c] = value[m * colors + c];
        for (int c = 0; c < vectors; c++)
            sums[m][c] = (vector){0};
    }
    /* The first and the last are in reach of only one of the two. */
    weigh(r, colors, middle[0], other, far[0], sums[0], spare);
    other += colors, spare += vectors;
    for (int i = 1; i <= width; i++, other += colors, spare += vectors) {
        vector mirrored[IMF_BILATERAL_COLORS + 1];
        for (int c = 0; c < vectors; c++)
            mirrored[c] = spare[c];
        for (int m = 0; m < 2; m++)
            weigh(r, colors, middle[m], other, far[i - m], sums[m], mirrored);
        for (int c = 0; c < vectors; c++)
            spare[c] = mirrored[c];
    }
    weigh(r, colors, middle[1], other, far[width], sums[1], spare);
    for (int m = 0; m < 2; m++)
        for (int c = 0; c < vectors; c++)
            to[m * vectors + c] += sums[m][c];
}

INLINE void block(const struct rows *r, int colors, int first, int end) {
    int width = r->to - r->from;
    vector *spare = r->spare;
    memset(spare, 0, (size_t)((end - first + width) * (colors + 1)) * sizeof *spare);
    for (int k = first; k < end; k += 2, spare += 2 * (colors + 1))
        positions(r, colors, k, spare);
    vector *to = r->other_sums + (size_t)(first + r->reach + r->from) * (size_t)(colors + 1);
    for (int i = 0; i < (end - first + width) * (colors + 1); i++)
        to[i] += r->spare[i];
}

INLINE void blocks(const struct rows *r, int colors) {
    for (int k = 0; k < r->each; k += IMF_BILATERAL_BLOCK)
        block(r, colors, k, imf_min(k + IMF_BILATERAL_BLOCK, r->each));
}

IMF_CLONES static void pairs(const struct rows *r, int colors) {
    if (colors == 1)
        blocks(r, 1);
    else if (colors == 2)
        blocks(r, 2);
    else if (colors == 3)
        blocks(r, 3);
    else
        blocks(r, 4);
}

void imf_bilateral_pairs(const struct imf_bilateral_layout *l, const float *values, float *sums,
                         const float *other, float *other_sums, const float *far, int from, int to,
                         float *spare) {
    const struct rows r = {.values = (const vector *)values,
                           .other = (const vector *)other,
                           .sums = (vector *)sums,
                           .other_sums = (vector *)other_sums,
                           .spare = (vector *)spare,
                           .far = far,
                           .reach = l->reach,
                           .each = l->each,
                           .from = from,
                           .to = to,
                           .near = l->near};
    pairs(&r, l->colors);
}
