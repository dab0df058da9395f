/*
 * strip_loops.h - the inner loops of run/point/rows.c, in doubles or in floats
 *
 * Pixels are split into a plane for each channel. Each step is one loop over a plane, which
 * compilers vectorise; then the planes are interleaved again. Operations and their order are those
 * of point.c, so that results of doubles are the same bits.
 *
 * The file that includes this defines REAL, the type, and NAMED(name), the name of a function for
 * it; ROUNDER, which leaves a REAL's bits no room for a fraction; ROOT, its square root.
 */
#ifndef IMF_RUN_POINT_STRIP_LOOPS_H
#define IMF_RUN_POINT_STRIP_LOOPS_H

#include "run/point/rows.h"

#include "base/clones.h"
#include "run/point/blend.h"

#include <math.h>

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

/* The integer nearest to v, 0..65535, ties to even. */
#define ROUND(v) ((int)((v) + ROUNDER - ROUNDER))

#define STORE(name, type, most)                                                                    \
    INLINE void name(type *restrict to, REAL v[4][STRIP], int channels, int n) {                   \
        type whole[4][STRIP];                                                                      \
        for (int c = 0; c < channels; c++)                                                         \
            for (int i = 0; i < n; i++) {                                                          \
                REAL x = v[c][i] > 0 ? v[c][i] : 0;                                                \
                x = x < (most) ? x : (most);                                                       \
                whole[c][i] = (type)ROUND(x);                                                      \
            }                                                                                      \
        for (int i = 0; i < n; i++)                                                                \
            for (int c = 0; c < channels; c++)                                                     \
                to[i * channels + c] = whole[c][i];                                                \
    }
STORE(store_bytes, uint8_t, 255)
STORE(store_words, uint16_t, 65535)

#define STORE_REAL(name, type)                                                                     \
    INLINE void name(type *restrict to, REAL v[4][STRIP], int channels, int n) {                   \
        for (int i = 0; i < n; i++)                                                                \
            for (int c = 0; c < channels; c++)                                                     \
                to[i * channels + c] = (type)v[c][i];                                              \
    }
STORE_REAL(store_floats, float)
STORE_REAL(store_doubles, double)

INLINE void store_some(REAL v[4][STRIP], enum imf_sample sample, void *to, int channels, int n) {
    if (sample == IMF_U8)
        store_bytes(to, v, channels, n);
    else if (sample == IMF_U16)
        store_words(to, v, channels, n);
    else if (sample == IMF_F32)
        store_floats(to, v, channels, n);
    else
        store_doubles(to, v, channels, n);
}

/* Call `some` with a constant number of channels. */
#define EACH(some, v, sample, at)                                                                  \
    do {                                                                                           \
        if (channels == 1)                                                                         \
            some(v, sample, at, 1, n);                                                             \
        else if (channels == 2)                                                                    \
            some(v, sample, at, 2, n);                                                             \
        else if (channels == 3)                                                                    \
            some(v, sample, at, 3, n);                                                             \
        else                                                                                       \
            some(v, sample, at, 4, n);                                                             \
    } while (0)

IMF_CLONES static void NAMED(load_strip)(REAL v[4][STRIP], enum imf_sample sample, const void *from,
                                         int channels, int n) {
    EACH(load_some, v, sample, from);
}

IMF_CLONES static void NAMED(store_strip)(REAL v[4][STRIP], enum imf_sample sample, void *to,
                                          int channels, int n) {
    EACH(store_some, v, sample, to);
}

/* ---- steps ----------------------------------------------------------------------------------- */

INLINE void gray(const struct imf_point *p, REAL v[4][STRIP], int n) {
    const REAL r = (REAL)0.2126, g = (REAL)0.7152, b = (REAL)0.0722;
    for (int i = 0; i < n; i++)
        v[0][i] = r * v[0][i] + g * v[1][i] + b * v[2][i];
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

#define MASK(type)                                                                                 \
    do {                                                                                           \
        const type *from = (const type *)m->at + at;                                               \
        for (int i = 0; i < n; i++)                                                                \
            to[i] *= w->invert ? 1 - (REAL)from[i] / max : (REAL)from[i] / max;                    \
    } while (0)

/* The weights of pixels x.. of row y of the part. */
INLINE void weigh_pixels(const struct imf_weights *w, REAL *restrict to, int x, int y, int n) {
    const struct imf_mask_plane *m = w->mask;
    REAL amount = (REAL)w->amount, max = (REAL)(m && m->sample == IMF_U8 ? 255 : 65535),
         some[STRIP];
    size_t at = m ? (size_t)(w->part.y + y) * (size_t)m->width + (size_t)(w->part.x + x) : 0;
    for (int i = 0; i < n; i++)
        to[i] = amount;
    if (m && m->sample == IMF_U8)
        MASK(uint8_t);
    else if (m)
        MASK(uint16_t);
    if (!w->regions)
        return;
    add_regions(w, some, x, y, n);
    for (int i = 0; i < n; i++)
        to[i] *= some[i];
}

/* Repeat each value `merged` times. */
INLINE void spread(REAL *restrict to, const REAL *restrict from, int merged, int n) {
    for (int i = 0; i < n; i++)
        for (int c = 0; c < merged; c++)
            to[i * merged + c] = from[i];
}

/* The weights of the strip's n pixels, or of samples that are its pixels. */
IMF_CLONES static void NAMED(weigh)(const struct imf_point_steps *s, REAL *restrict to, int x,
                                    int y, int n) {
    const struct imf_weights *w = &s->point->weights;
    REAL pixels[STRIP];
    int merged = s->merged, count = n / merged;
    if (merged == 1) {
        weigh_pixels(w, to, x, y, n);
        return;
    }
    weigh_pixels(w, pixels, x / merged, y, count);
    if (merged == 3)
        spread(to, pixels, 3, count);
    else
        spread(to, pixels, merged, count);
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

/* As blend() in point.c has it; `f` is room for a plane. */
INLINE void blend_apart(const struct imf_point *p, REAL *restrict v, const REAL *restrict b,
                        const REAL *restrict above, const REAL *restrict below,
                        const REAL *restrict weight, REAL *restrict f, int n) {
    const REAL full = (REAL)p->full, least = (REAL)0.5;
    for (int i = 0; i < n; i++)
        f[i] = p->mode == IMF_BLEND_NORMAL ? v[i] : limit(v[i], full);
    mode_plane(p->mode, v, b, full, n);
    for (int i = 0; i < n; i++) {
        REAL under = below[i] / full, over = above[i] / full;
        REAL s = f[i] + under * (v[i] - f[i]), w = weight[i];
        REAL mixed = under + w * (over - under);
        v[i] = mixed * full >= least ? (under * b[i] + w * (over * s - under * b[i])) / mixed
                                     : b[i] + w * (s - b[i]);
    }
}

/* Combine v, of `colors` colours, with the image's pixels b. */
INLINE void blend(const struct imf_point *p, REAL v[4][STRIP], REAL b[4][STRIP],
                  const REAL weight[STRIP], int colors, int n) {
    const REAL full = (REAL)p->full;
    int count = p->image_channels - p->alpha;
    REAL f[STRIP];
    for (int c = count; c > 0 && colors < count; c--)
        for (int i = 0; i < n && (c < count || p->alpha); i++)
            v[c][i] = v[c < count ? 0 : colors][i];
    for (int c = 0; c < count && p->apart; c++)
        blend_apart(p, v[c], b[c], v[count], b[count], weight, f, n);
    for (int c = 0; c < count && !p->apart; c++) {
        mode_plane(p->mode, v[c], b[c], full, n);
        for (int i = 0; i < n; i++)
            v[c][i] = b[c][i] + weight[i] * (v[c][i] - b[c][i]);
    }
    for (int i = 0; i < n && p->apart; i++) {
        REAL under = b[count][i] / full, over = v[count][i] / full;
        v[count][i] = full * (under + weight[i] * (over - under));
    }
}

#endif
