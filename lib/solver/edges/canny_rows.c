/*
 * canny_rows.c - Canny's steps 1 to 3 (canny.c), in loops that compilers vectorise
 *
 * A strip goes down its rows and keeps the last rows of smoothed values, as many as the aperture has,
 * and the last three of gradients. Integers are as narrow as possible: for bytes and an aperture of 3
 * (without smoothing also 5) the gradient, its size and the comparisons take 16 bits, which makes it
 * fast; others take 32, their squares 64. That part is written once (canny_gradient.h) and compiled for
 * each width.
 *
 * Bytes that are not smoothed stay as they are: 1/16 of the units of thresholds.
 */
#include "solver/edges/canny_rows.h"
#include "base/clones.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define CHANNELS 4
#define HALF (IMF_CANNY_APERTURE / 2)
#define BLOCK 32
/* Samples of a row of values with a pixel and half the aperture at both ends. */
#define VALUES (IMF_CANNY_STRIP + 2 * CHANNELS * (HALF + 1) + BLOCK)
#define SUMS (VALUES + 2 * CHANNELS * IMF_CANNY_RADIUS + BLOCK)
#define PIXELS (IMF_CANNY_STRIP + 2)
#define ROWS 3

struct span {
    int first, n; /* samples of a row */
};

static bool is_smooth(const struct imf_canny_parameters *n) {
    return n->radius > 0;
}

/* Values are the bytes of the image. */
static bool is_plain(const struct imf_canny_rows *r) {
    return r->p->in == IMF_U8 && !is_smooth(r->n);
}

bool imf_canny_narrow(const struct imf_problem *p) {
    static const int gain[] = {4, 48, 640};
    int most = p->canny->sigma > 0 ? 255 * 16 : 255;
    return p->in == IMF_U8 && gain[p->canny->aperture / 2 - 1] * most * 2 <= INT16_MAX;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The nearest integer, ties to even: floats from 1.5 * 2^23 on, and doubles from 1.5 * 2^52 on, have no
 * fraction. */
#define VALUE_OF(name, type, whole)                                                                \
    INLINE uint32_t name(type v, type full, type scale) {                                          \
        v = v > 0 ? v : 0;                                                                         \
        v = (v < full ? v : full) * scale;                                                         \
        return (uint32_t)(int)(v + whole - whole);                                                 \
    }

VALUE_OF(value_of, float, 0x1.8p23f)
VALUE_OF(value_of_double, double, 0x1.8p52)

#define WIDEN(type, value)                                                                         \
    do {                                                                                           \
        const type *v = row;                                                                       \
        for (int i = 0; i < n; i++)                                                                \
            to[i] = (uint16_t)(value);                                                             \
    } while (0)

/* Convert a row of samples to values. */
IMF_CLONES static void widen(uint16_t *restrict to, enum imf_sample sample, const void *row, int n,
                             float full, float scale) {
    if (sample == IMF_U8)
        WIDEN(uint8_t, v[i]);
    else if (sample == IMF_U16)
        WIDEN(uint16_t, v[i]);
    else if (sample == IMF_F32)
        WIDEN(float, value_of(v[i], full, scale));
    else
        WIDEN(double, value_of_double(v[i], full, scale));
}

#define ADD_PAIR(type, value)                                                                      \
    do {                                                                                           \
        const type *v = a, *w = b;                                                                 \
        for (int i = 0; i < n; i++)                                                                \
            sum[i] += weight * (uint32_t)(value);                                                  \
    } while (0)

/* Add two rows at the same distance from the middle, times their weight. */
IMF_CLONES static void add_pair(uint32_t *restrict sum, enum imf_sample sample, const void *a,
                                const void *b, int n, uint32_t weight, float full, float scale) {
    if (sample == IMF_U8)
        ADD_PAIR(uint8_t, (uint16_t)(v[i] + w[i]));
    else if (sample == IMF_U16)
        ADD_PAIR(uint16_t, v[i] + w[i]);
    else if (sample == IMF_F32)
        ADD_PAIR(float, value_of(v[i], full, scale) + value_of(w[i], full, scale));
    else
        ADD_PAIR(double, value_of_double(v[i], full, scale) + value_of_double(w[i], full, scale));
}

/* Smooth the sums down of bytes across: 32 bits suffice. */
IMF_CLONES static void across_bytes(uint16_t *restrict to, const uint32_t *restrict sum, int n,
                                    const struct imf_canny_parameters *k, int step) {
    const int bits = 2 * IMF_CANNY_BITS - 4;
    for (int x = 0; x < n; x += BLOCK) {
        uint32_t acc[BLOCK];
        for (int i = 0; i < BLOCK; i++)
            acc[i] = (1u << (bits - 1)) + k->weight[0] * sum[x + i];
        for (int r = 1; r <= k->radius; r++)
            for (int i = 0; i < BLOCK; i++)
                acc[i] += k->weight[r] * (sum[x + i - r * step] + sum[x + i + r * step]);
        for (int i = 0; i < BLOCK; i++)
            to[x + i] = (uint16_t)(acc[i] >> bits);
    }
}

IMF_CLONES static void across(uint16_t *restrict to, const uint32_t *restrict sum, int n,
                              const struct imf_canny_parameters *k, int step) {
    const int bits = 2 * IMF_CANNY_BITS;
    for (int x = 0; x < n; x += BLOCK) {
        uint64_t acc[BLOCK];
        for (int i = 0; i < BLOCK; i++)
            acc[i] = (1u << (bits - 1)) + (uint64_t)k->weight[0] * sum[x + i];
        for (int r = 1; r <= k->radius; r++)
            for (int i = 0; i < BLOCK; i++)
                acc[i] += (uint64_t)k->weight[r] * (sum[x + i - r * step] + sum[x + i + r * step]);
        for (int i = 0; i < BLOCK; i++)
            to[x + i] = (uint16_t)(acc[i] >> bits);
    }
}

/* Make the values of row y, which may be beyond the image. */
static void value_row(const struct imf_canny_rows *r, int y, struct span span, uint16_t *to) {
    const struct imf_canny_parameters *k = r->n;
    enum imf_sample sample = r->in->sample;
    int step = r->p->channels, reach = k->radius * step, n = span.n + 2 * reach;
    float full = (float)r->p->epilogue.full, scale = (float)k->scale;
    uint32_t sum[SUMS];
    if (!is_smooth(k)) {
        widen(to, sample, imf_sample_at(r->in, y, span.first), span.n, full, scale);
        return;
    }
    memset(sum, 0, (size_t)(n + BLOCK) * sizeof *sum);
    for (int i = 0; i <= k->radius;
         i++) /* the middle row is paired with itself: its weight is even */
        add_pair(sum, sample, imf_sample_at(r->in, y - i, span.first - reach),
                 imf_sample_at(r->in, y + i, span.first - reach), n,
                 i ? k->weight[i] : k->weight[0] / 2, full, scale);
    (sample == IMF_U8 ? across_bytes : across)(to, sum + reach, span.n, k, step);
}

/* ---- gradients ------------------------------------------------------------------------------- */

static const int smooth[][IMF_CANNY_APERTURE] = {
    {1, 2, 1}, {1, 4, 6, 4, 1}, {1, 6, 15, 20, 15, 6, 1}};
static const int derive[][IMF_CANNY_APERTURE] = {
    {-1, 0, 1}, {-1, -2, 0, 2, 1}, {-1, -4, -5, 0, 5, 4, 1}};

/* Whether the gradient's lesser component is below the tangent times the greater. For 16 bits the high
 * half of the product suffices: only 0 is on the line. */
#define BELOW_NARROW(least, most)                                                                  \
    ((uint16_t)(least) <= (uint16_t)((uint16_t)(most) * (2u * IMF_CANNY_TANGENT) >> 16))
#define BELOW_WIDE(least, most) ((int64_t)(least)*32768 < (int64_t)(most)*IMF_CANNY_TANGENT)

#define NAME(what) what##_narrow
#define PART int16_t
#define SIZE int16_t
#define BELOW BELOW_NARROW
#define SQUARES 0
#include "solver/edges/canny_gradient.h"

#define NAME(what) what##_narrow_squares
#define PART int16_t
#define SIZE int32_t
#define BELOW BELOW_NARROW
#define SQUARES 1
#include "solver/edges/canny_gradient.h"

#define NAME(what) what##_wide
#define PART int32_t
#define SIZE int32_t
#define BELOW BELOW_WIDE
#define SQUARES 0
#include "solver/edges/canny_gradient.h"

#define NAME(what) what##_wide_squares
#define PART int32_t
#define SIZE int64_t
#define BELOW BELOW_WIDE
#define SQUARES 1
#include "solver/edges/canny_gradient.h"

void imf_canny_strip(const struct imf_canny_rows *r, struct imf_strip_area at) {
    bool narrow = imf_canny_narrow(r->p);
    if (r->p->canny->squares)
        (narrow ? strip_narrow_squares : strip_wide_squares)(r, at);
    else
        (narrow ? strip_narrow : strip_wide)(r, at);
}
