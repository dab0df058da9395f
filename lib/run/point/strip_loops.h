/*
 * strip_loops.h - the inner loops of run/point/rows.c, in doubles or in floats
 *
 * Pixels are split into a plane for each channel. Each step is one loop over a plane, which
 * compilers vectorise; then the planes are interleaved again. Operations and their order are those
 * of point.c, so that results of doubles are the same bits.
 *
 * The file that includes this defines REAL, the type, and NAMED(name), the name of a function for
 * it; BITS, an integer of its size; ROUNDER, which leaves a REAL's bits no room for a fraction; ROOT,
 * its square root.
 */
#ifndef IMF_RUN_POINT_STRIP_LOOPS_H
#define IMF_RUN_POINT_STRIP_LOOPS_H

#include "run/point/rows.h"

#include "base/clones.h"
#include "run/point/blend.h"
#include "run/point/point.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define STRIP IMF_POINT_STRIP

/* ---- in and out ------------------------------------------------------------------------------ */

/* Callers pass a constant for `channels`. Samples of a pixel lie side by side only here and in
 * STORE, so that the steps between are compiled once for any number of channels. */
#define LOAD(name, type)                                                                           \
    INLINE void name(REAL v[4][STRIP], const type *restrict from, int channels, int n) {           \
        for (int i = 0; i < n; i++)                                                                \
            for (int c = 0; c < channels; c++)                                                     \
                v[c][i] = (REAL)from[i * channels + c];                                            \
    }
LOAD(load_bytes, uint8_t)
LOAD(load_words, uint16_t)
LOAD(load_floats, float)
LOAD(load_doubles, double)

INLINE void load_some(REAL v[4][STRIP], enum imf_sample sample, const void *from, int channels,
                      int n) {
    if (sample == IMF_U8)
        load_bytes(v, from, channels, n);
    else if (sample == IMF_U16)
        load_words(v, from, channels, n);
    else if (sample == IMF_F32)
        load_floats(v, from, channels, n);
    else
        load_doubles(v, from, channels, n);
}

/* The integer nearest to v, 0..65535, ties to even, in the lowest bits. */
INLINE BITS NAMED(rounded)(REAL v) {
    BITS bits;
    v += ROUNDER;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

#define STORE(name, type)                                                                          \
    INLINE void name(type *restrict to, REAL v[4][STRIP], REAL most, int channels, int n) {        \
        type whole[4][STRIP];                                                                      \
        for (int c = 0; c < channels; c++)                                                         \
            for (int i = 0; i < n; i++) {                                                          \
                REAL x = v[c][i] > 0 ? v[c][i] : 0;                                                \
                x = x < most ? x : most;                                                           \
                whole[c][i] = (type)NAMED(rounded)(x);                                             \
            }                                                                                      \
        for (int i = 0; i < n; i++)                                                                \
            for (int c = 0; c < channels; c++)                                                     \
                to[i * channels + c] = whole[c][i];                                                \
    }
STORE(store_bytes, uint8_t)
STORE(store_words, uint16_t)

#define STORE_REAL(name, type)                                                                     \
    INLINE void name(type *restrict to, REAL v[4][STRIP], int channels, int n) {                   \
        for (int i = 0; i < n; i++)                                                                \
            for (int c = 0; c < channels; c++)                                                     \
                to[i * channels + c] = (type)v[c][i];                                              \
    }
STORE_REAL(store_floats, float)
STORE_REAL(store_doubles, double)

INLINE void store_some(REAL v[4][STRIP], enum imf_sample sample, void *to, REAL most, int channels,
                       int n) {
    if (sample == IMF_U8)
        store_bytes(to, v, most, channels, n);
    else if (sample == IMF_U16)
        store_words(to, v, most, channels, n);
    else if (sample == IMF_F32)
        store_floats(to, v, channels, n);
    else
        store_doubles(to, v, channels, n);
}

/* Call `some` with a constant number of channels. */
#define EACH(some, ...)                                                                            \
    do {                                                                                           \
        if (channels == 1)                                                                         \
            some(__VA_ARGS__, 1, n);                                                               \
        else if (channels == 2)                                                                    \
            some(__VA_ARGS__, 2, n);                                                               \
        else if (channels == 3)                                                                    \
            some(__VA_ARGS__, 3, n);                                                               \
        else                                                                                       \
            some(__VA_ARGS__, 4, n);                                                               \
    } while (0)

IMF_CLONES static void NAMED(load_strip)(REAL v[4][STRIP], enum imf_sample sample, const void *from,
                                         int channels, int n) {
    EACH(load_some, v, sample, from);
}

/* Integers are limited to `most`. */
IMF_CLONES static void NAMED(store_strip)(REAL v[4][STRIP], enum imf_sample sample, void *to,
                                          REAL most, int channels, int n) {
    EACH(store_some, v, sample, to, most);
}

/* ---- steps ----------------------------------------------------------------------------------- */

INLINE void take_alpha(REAL *restrict to, const REAL *restrict image, int n) {
    for (int i = 0; i < n; i++)
        to[i] = image[i];
}

/* `to` may be the first of the colours v. */
INLINE void pick(const struct imf_point *p, enum imf_channels which, REAL *to, REAL v[4][STRIP],
                 int n) {
    const REAL green = (REAL)imf_curve_luma(p->curve)[1], blue = (REAL)imf_curve_luma(p->curve)[2];
    const REAL *one = v[which == IMF_CHANNELS_LUMA ? 0 : which - IMF_CHANNELS_RED];
    for (int i = 0; i < n; i++)
        to[i] = which == IMF_CHANNELS_LUMA ? IMF_LUMA_BY(green, blue, v[0][i], v[1][i], v[2][i])
                                           : one[i];
}

INLINE void gray(const struct imf_point *p, REAL v[4][STRIP], int n) {
    pick(p, p->gray, v[0], v, n);
    for (int i = 0; i < n && p->alpha; i++)
        v[1][i] = v[p->in_channels - 1][i];
}

INLINE void epilogue(const struct imf_epilogue *e, REAL *restrict v, int n) {
    REAL multiply = (REAL)e->multiply, offset = (REAL)e->offset;
    REAL level = (REAL)e->level, full = (REAL)e->full;
    for (int i = 0; i < n && e->absolute; i++)
        v[i] = (REAL)fabs((double)v[i]);
    for (int i = 0; i < n; i++)
        v[i] = multiply * v[i] + offset;
    for (int i = 0; i < n && e->threshold; i++)
        v[i] = v[i] >= level ? full : 0;
}

/* ---- blends ---------------------------------------------------------------------------------- */

/* The regions' weights of pixels x.. of row y of the part. */
INLINE void add_regions(const struct imf_weights *w, REAL *restrict to, int x, int y, int n) {
    for (int i = 0; i < n; i++)
        to[i] = 0;
    for (int k = 0; k < w->regions; k++) {
        const double *across = w->across + (ptrdiff_t)k * w->part.width + x;
        const REAL down = (REAL)w->down[(ptrdiff_t)k * w->part.height + y];
        for (int i = 0; i < n; i++)
            to[i] += (REAL)across[i] * down;
    }
    for (int i = 0; i < n; i++)
        to[i] = to[i] < 1 ? to[i] : 1;
}

/* The mask's weights of n pixels, each for `merged` samples; before regions. */
#define MASK(type, merged)                                                                         \
    do {                                                                                           \
        const type *from = (const type *)m->at + at;                                               \
        for (int i = 0; i < n; i++) {                                                              \
            REAL part = (REAL)from[i] / max, weight = amount * (w->invert ? 1 - part : part);      \
            for (int c = 0; c < (merged); c++)                                                     \
                to[i * (merged) + c] = weight;                                                     \
        }                                                                                          \
    } while (0)
#define MASK_EACH(type)                                                                            \
    do {                                                                                           \
        if (merged == 1)                                                                           \
            MASK(type, 1);                                                                         \
        else if (merged == 3)                                                                      \
            MASK(type, 3);                                                                         \
        else                                                                                       \
            MASK(type, merged);                                                                    \
    } while (0)

INLINE void weigh_pixels(const struct imf_weights *w, REAL *restrict to, int x, int y, int merged,
                         int n) {
    const struct imf_mask_plane *m = w->mask;
    REAL amount = (REAL)w->amount, max = (REAL)(m && m->sample == IMF_U8 ? 255 : 65535);
    size_t at = m ? (size_t)(w->part.y + y) * (size_t)m->width + (size_t)(w->part.x + x) : 0;
    if (m && m->sample == IMF_U8)
        MASK_EACH(uint8_t);
    else if (m)
        MASK_EACH(uint16_t);
    else
        for (int i = 0; i < n * merged; i++)
            to[i] = amount;
}

/* The weights of the strip's n pixels, of row y of the part from x on, or of samples that are its
 * pixels. */
IMF_CLONES static void NAMED(weigh)(const struct imf_point_steps *s, REAL *restrict to, int x,
                                    int y, int n) {
    const struct imf_weights *w = &s->point->weights;
    int merged = s->merged;
    REAL regions[STRIP];
    weigh_pixels(w, to, x / merged, y, merged, n / merged);
    if (!w->regions)
        return;
    add_regions(w, regions, x / merged, y, n / merged);
    for (int i = 0; i < n / merged; i++)
        for (int c = 0; c < merged; c++)
            to[i * merged + c] *= regions[i];
}

INLINE REAL limit(REAL v, REAL high) {
    REAL positive = v > 0 ? v : 0;
    return positive < high ? positive : high;
}

/* v becomes the mode's f(b, v). */
INLINE void mode_plane(enum imf_blend_mode mode, REAL *restrict v, const REAL *restrict b,
                       REAL full, int n) {
    switch (mode) {
#define RATIO(mode, formula)                                                                       \
    case mode:                                                                                     \
        for (int i = 0; i < n; i++) {                                                              \
            REAL below = b[i] / full, above = limit(v[i], full) / full;                            \
            v[i] = full * (formula);                                                               \
        }                                                                                          \
        break;
#define SUM(mode, formula)                                                                         \
    case mode:                                                                                     \
        for (int i = 0; i < n; i++) {                                                              \
            REAL below = b[i], above = limit(v[i], full);                                          \
            v[i] = formula;                                                                        \
        }                                                                                          \
        break;
        IMF_BLEND_RATIOS(RATIO, below, above, ROOT)
        IMF_BLEND_SUMS(SUM, below, above, full)
    default:
        break;
    }
}

/* As blend() in point.c has it. */
INLINE void blend_apart(const struct imf_point *p, REAL *restrict v, const REAL *restrict b,
                        const REAL *restrict above, const REAL *restrict below,
                        const REAL *restrict weight, int n) {
    const REAL full = (REAL)p->full, least = (REAL)0.5;
    REAL f[STRIP];
    for (int i = 0; i < n; i++)
        f[i] = p->mode == IMF_BLEND_NORMAL ? v[i] : limit(v[i], full);
    mode_plane(p->mode, v, b, full, n);
    for (int i = 0; i < n; i++) {
        REAL under = below[i], over = above[i], w = weight[i];
        REAL s = f[i] + under / full * (v[i] - f[i]), mixed = under + w * (over - under);
        v[i] = under == 0 && mixed != 0 ? s
               : mixed >= least         ? (under * b[i] + w * (over * s - under * b[i])) / mixed
                                        : b[i] + w * (s - b[i]);
    }
}

/* Combine v, of `colors` colours, with b, of `count`, whose alpha is `below`. */
INLINE void blend(const struct imf_point *p, REAL v[4][STRIP], int colors, REAL (*b)[STRIP],
                  int count, const REAL *below, const REAL weight[STRIP], int n) {
    const REAL full = (REAL)p->full;
    for (int c = count; c > 0 && colors < count; c--)
        for (int i = 0; i < n && (c < count || p->alpha); i++)
            v[c][i] = v[c < count ? 0 : colors][i];
    for (int c = 0; c < count && p->apart; c++)
        blend_apart(p, v[c], b[c], v[count], below, weight, n);
    for (int c = 0; c < count && !p->apart; c++) {
        mode_plane(p->mode, v[c], b[c], full, n);
        for (int i = 0; i < n; i++)
            v[c][i] = b[c][i] + weight[i] * (v[c][i] - b[c][i]);
    }
    for (int i = 0; i < n && p->apart; i++)
        v[count][i] = below[i] + weight[i] * (v[count][i] - below[i]);
}

/* As put() in point.c has it. */
INLINE void put(const struct imf_point *p, REAL v[4][STRIP], REAL b[4][STRIP], const REAL *was,
                int n) {
    const REAL full = (REAL)p->full;
    int one = (int)p->pick - IMF_CHANNELS_RED;
    REAL x[STRIP];
    for (int i = 0; i < n && p->alpha; i++)
        v[3][i] = v[1][i];
    for (int i = 0; i < n; i++)
        x[i] = one < 0 ? limit(v[0][i], full) - was[i] : v[0][i];
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < n; i++)
            v[c][i] = one < 0 ? b[c][i] + x[i] : c == one ? x[i] : b[c][i];
}

/* The steps that read the image's pixels b; returns how many colours v has. */
INLINE int combine(const struct imf_point *p, REAL v[4][STRIP], int colors, REAL b[4][STRIP],
                   const REAL weight[STRIP], int n) {
    int count = p->image_channels - p->alpha;
    REAL picked[1][STRIP];
    if (p->pick)
        pick(p, p->pick, picked[0], b, n);
    if (p->blend && p->pick)
        blend(p, v, 1, picked, 1, b[3], weight, n);
    else if (p->blend)
        blend(p, v, colors, b, count, b[count], weight, n);
    if (p->put)
        put(p, v, b, picked[0], n);
    return p->out_channels - p->alpha;
}

#endif
