/*
 * bilateral_rows.c - the inner loops of solver/smoothing/bilateral.c, on vectors
 *
 * A weight is a power of 2 of t = far - near * d^2. With n the integer beside t and f the rest, in
 * -1/2..1/2, 2^f is a polynomial of five powers, within 2.2e-7 of it, or where that is enough of
 * four, within 2.7e-6 (least squares with weights raised where the error was largest), and n goes
 * into the float's exponent.
 *
 * Two neighbours at once are weighed against what is beside them, whose values and sums are fetched
 * and stored once for both. A lane's columns are an even number, so that none is left alone.
 *
 * Sums are of differences, which are smaller than samples and so are their rounding errors, and are
 * added up for a row first: 2 * reach + 1 floats, and then as many rows.
 */
#include "solver/smoothing/bilateral_rows.h"

#include "base/clones.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define LEAST -100.0f   /* exponents below would lead to denormal weights */
#define MAGIC 0x1.8p23f /* leaves a float no room for a fraction */

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

/* A row of each colour. */
#define SPREAD(type)                                                                               \
    do {                                                                                           \
        const type *at = from;                                                                     \
        for (int i = 0; i < n; i++)                                                                \
            for (int c = 0; c < colors; c++)                                                       \
                planes[(size_t)c * pitch + (size_t)i] = (float)at[(ptrdiff_t)i * channels + c];    \
    } while (0)

INLINE void spread(const void *restrict from, enum imf_sample sample, float *restrict planes,
                   size_t pitch, int n, int colors, int channels) {
    if (sample == IMF_U8)
        SPREAD(uint8_t);
    else if (sample == IMF_U16)
        SPREAD(uint16_t);
    else
        SPREAD(float);
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

/* Every lane's own of a row. */
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
    /* Beyond the strip's ends anything will do: its weights are not looked at. */
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

/* Bring home the sums of columns that are other lanes' own. */
static void gather(const struct imf_bilateral_layout *l, float *sums) {
    int vectors = l->colors + 1, home = l->each * IMF_BILATERAL_WIDTH;
    for (int k = 0; k < l->positions; k++) {
        if (k == l->reach)
            k += l->each; /* these are at home */
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

/* What sums of differences and of weights make of the values, in the differences' place. */
INLINE void divide(float *restrict sums, const float *restrict values, int positions, int colors) {
    for (int k = 0; k < positions;
         k++, sums += IMF_BILATERAL_WIDTH * (colors + 1), values += IMF_BILATERAL_WIDTH * colors)
        for (int lane = 0; lane < IMF_BILATERAL_WIDTH; lane++) {
            float share =
                1 / (1 + sums[colors * IMF_BILATERAL_WIDTH + lane]); /* its own weight is 1 */
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

/* n pixels of a lane, whose vectors are `step` floats apart. */
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

/* 2^at, and never denormal. */
INLINE void power(vector *at, bool coarse) {
    vector t = *at;
    vector_int more = t > LEAST;
    t = (vector)(((vector_int)t & more) | ((vector_int)((vector){0} + LEAST) & ~more));
    vector rounded = t + MAGIC, f = t - (rounded - MAGIC), p;
    if (coarse) {
        p = f * 0.00957010128f + 0.0559178628f;
        p = p * f + 0.240247443f;
        p = p * f + 0.693121791f;
        p = p * f + 0.999999285f;
    } else {
        p = f * 0.00132764771f + 0.00967554282f;
        p = p * f + 0.0555071309f;
        p = p * f + 0.240221202f;
        p = p * f + 0.693146944f;
        p = p * f + 1.00000012f;
    }
    *at = (vector)((vector_int)p + ((vector_int)rounded << 23));
}

/* Add a pair to the sums of a pixel and, with the sign changed, of the other. */
INLINE void weigh(const struct rows *r, int colors, bool coarse, const vector *middle,
                  const vector *other, float far, vector *sums, vector *mirrored) {
    vector d[IMF_BILATERAL_COLORS], apart = {0};
    for (int c = 0; c < colors; c++) {
        d[c] = other[c] - middle[c];
        apart = c ? apart + d[c] * d[c] : d[c] * d[c];
    }
    vector weight = far - apart * r->near;
    power(&weight, coarse);
    for (int c = 0; c < colors; c++) {
        sums[c] += weight * d[c];
        mirrored[c] -= weight * d[c];
    }
    sums[colors] += weight;
    mirrored[colors] += weight;
}

/* Positions k and k + 1 with all that they reach. */
INLINE void positions(const struct rows *r, int colors, bool coarse, int k, vector *spare) {
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
    /* The first and the last are beside one of two alone. */
    weigh(r, colors, coarse, middle[0], other, far[0], sums[0], spare);
    other += colors, spare += vectors;
    for (int i = 1; i <= width; i++, other += colors, spare += vectors) {
        vector mirrored[IMF_BILATERAL_COLORS + 1];
        for (int c = 0; c < vectors; c++)
            mirrored[c] = spare[c];
        for (int m = 0; m < 2; m++)
            weigh(r, colors, coarse, middle[m], other, far[i - m], sums[m], mirrored);
        for (int c = 0; c < vectors; c++)
            spare[c] = mirrored[c];
    }
    weigh(r, colors, coarse, middle[1], other, far[width], sums[1], spare);
    for (int m = 0; m < 2; m++)
        for (int c = 0; c < vectors; c++)
            to[m * vectors + c] += sums[m][c];
}

INLINE void block(const struct rows *r, int colors, bool coarse, int first, int end) {
    int width = r->to - r->from;
    vector *spare = r->spare;
    memset(spare, 0, (size_t)((end - first + width) * (colors + 1)) * sizeof *spare);
    for (int k = first; k < end; k += 2, spare += 2 * (colors + 1))
        positions(r, colors, coarse, k, spare);
    vector *to = r->other_sums + (size_t)(first + r->reach + r->from) * (size_t)(colors + 1);
    for (int i = 0; i < (end - first + width) * (colors + 1); i++)
        to[i] += r->spare[i];
}

INLINE void blocks(const struct rows *r, int colors, bool coarse) {
    for (int k = 0; k < r->each; k += IMF_BILATERAL_BLOCK)
        block(r, colors, coarse, k, imf_min(k + IMF_BILATERAL_BLOCK, r->each));
}

#define PAIRS(name, coarse)                                                                        \
    IMF_CLONES static void name(const struct rows *r, int colors) {                                \
        if (colors == 1)                                                                           \
            blocks(r, 1, coarse);                                                                  \
        else if (colors == 2)                                                                      \
            blocks(r, 2, coarse);                                                                  \
        else if (colors == 3)                                                                      \
            blocks(r, 3, coarse);                                                                  \
        else                                                                                       \
            blocks(r, 4, coarse);                                                                  \
    }
PAIRS(fine_pairs, false)
PAIRS(coarse_pairs, true)

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
    (l->coarse ? coarse_pairs : fine_pairs)(&r, l->colors);
}
