/*
 * strip.h - the steps of a point pass on strips of pixels, in doubles or in floats
 *
 * Pixels are split into a plane for each channel. Each step is a loop over a plane, which compilers
 * vectorise; then the planes are interleaved again.
 *
 * The file that includes this defines REAL, the type, and NAMED(name), the name of a function for
 * it; BITS, an integer of its size; and ROUNDER, which leaves a REAL's bits no room for a fraction.
 */
#ifndef IMF_RUN_POINT_STRIP_H
#define IMF_RUN_POINT_STRIP_H

#include "base/clones.h"
#include "run/point/rows.h"

#include <string.h>
#include <tgmath.h>

#define INLINE static inline __attribute__((always_inline))
#define STRIP 384

/* The planes' pixels do not depend on each other. */
#ifdef __clang__
#define EACH _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < n; i++)
#else
#define EACH _Pragma("GCC ivdep") for (int i = 0; i < n; i++)
#endif

/* ---- in and out ------------------------------------------------------------------------------ */

/* Callers pass a constant for `channels`. Samples of a pixel lie side by side only here and in
 * the stores, so that the steps between are compiled once for any number of channels. */
#define LOAD(type)                                                                                 \
    do {                                                                                           \
        type apart[4][STRIP];                                                                      \
        const type *a = from;                                                                      \
        for (int i = 0; i < n && channels > 1; i++)                                                \
            for (int c = 0; c < channels; c++)                                                     \
                apart[c][i] = a[i * channels + c];                                                 \
        for (int c = 0; c < channels; c++)                                                         \
            for (int i = 0; i < n; i++)                                                            \
                v[c][i] = (REAL)(channels > 1 ? apart[c] : a)[i];                                  \
    } while (0)

INLINE void load_some(REAL v[4][STRIP], enum imf_sample sample, const void *restrict from, int n,
                      int channels) {
    if (sample == IMF_U8)
        LOAD(uint8_t);
    else if (sample == IMF_U16)
        LOAD(uint16_t);
    else if (sample == IMF_F32)
        LOAD(float);
    else
        LOAD(double);
}

/* The integer nearest to v, 0..65535, ties to even, in the lowest bits. */
INLINE BITS rounded(REAL v) {
    BITS bits;
    v += ROUNDER;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

#define STORE(type)                                                                                \
    for (int i = 0; i < n; i++)                                                                    \
        for (int c = 0; c < channels; c++)                                                         \
    ((type *)to)[i * channels + c] = (type)v[c][i]
/* gcc 12 tests values a second time for a literal bound. */
#define STORE_WHOLE(type)                                                                          \
    do {                                                                                           \
        type apart[4][STRIP], *a = to;                                                             \
        for (int c = 0; c < channels; c++)                                                         \
            for (int i = 0; i < n; i++) {                                                          \
                REAL x = v[c][i] > 0 ? v[c][i] : 0;                                                \
                (channels > 1 ? apart[c] : a)[i] = (type)rounded(x < most ? x : most);             \
            }                                                                                      \
        for (int i = 0; i < n && channels > 1; i++)                                                \
            for (int c = 0; c < channels; c++)                                                     \
                a[i * channels + c] = apart[c][i];                                                 \
    } while (0)

INLINE void store_some(REAL v[4][STRIP], enum imf_sample sample, void *restrict to, int n,
                       REAL most, int channels) {
    if (sample == IMF_U8)
        STORE_WHOLE(uint8_t);
    else if (sample == IMF_U16)
        STORE_WHOLE(uint16_t);
    else if (sample == IMF_F32)
        STORE(float);
    else
        STORE(double);
}

/* Call `some` with a constant number of channels. */
#define OF_CHANNELS(some, ...)                                                                     \
    switch (channels) {                                                                            \
    case 1:                                                                                        \
        some(__VA_ARGS__, 1);                                                                      \
        break;                                                                                     \
    case 2:                                                                                        \
        some(__VA_ARGS__, 2);                                                                      \
        break;                                                                                     \
    case 3:                                                                                        \
        some(__VA_ARGS__, 3);                                                                      \
        break;                                                                                     \
    default:                                                                                       \
        some(__VA_ARGS__, 4);                                                                      \
    }

IMF_CLONES static void NAMED(load)(REAL v[4][STRIP], enum imf_sample sample, const void *from,
                                   int n, int channels){OF_CHANNELS(load_some, v, sample, from, n)}

IMF_CLONES static void NAMED(store)(REAL v[4][STRIP], enum imf_sample sample, void *to, int n,
                                    REAL most, int channels) {
    OF_CHANNELS(store_some, v, sample, to, n, most)
}

/* ---- steps that devices have in another way --------------------------------------------------- */

#define STEP INLINE
#define NUMBER REAL
#define MORE const struct imf_point_rows *rows,
#define DIVIDE(a, b) ((a) / (b))
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#define SPLINE(step, k) (REAL)(rows->point.steps[step].map.spline->number[k])
#define MOST(a, b) ((a) > (b) ? (a) : (b))
_Static_assert(IMF_CHANNELS_LUMA == 1 && IMF_CHANNELS_BLUE == 4 && IMF_CHANNELS_CHROMA == 5 &&
                   IMF_CHANNELS_ALPHA == 6 && IMF_BLEND_OVERLAY == 1 && IMF_BLEND_SUBTRACT == 10 &&
                   IMF_BLEND_LUMINOSITY == 14,
               "steps.cl has them as numbers");
/* Not every step needs all that each of them is given. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "run/point/steps.cl"

/* Colours to linear light. */
INLINE void linearize(PLANES) {
    const struct imf_curve *curve = rows->point.curve;
    const size_t values = (size_t)imf_sample_max(rows->point.image) + 1;
    for (int c = 0; c < colors; c++) {
        int which = imf_curve_of(curve, c, colors);
        const double *linear = rows->linear ? rows->linear + (size_t)which * values : NULL;
        if (linear)
            EACH v[c][i] = (REAL)linear[(int)v[c][i]];
        else
            for (int i = 0; i < n; i++) /* a function's call: no vectors */
                v[c][i] = (REAL)(rows->point.full *
                                 imf_curve_any_light(curve, which, (double)(v[c][i] / full)));
    }
}

/* The way back takes a power. For bytes there may be a table of the values at which the curve passes
 * from one byte to the next. */
INLINE void delinearize(PLANES) {
    const struct imf_curve *by = rows->point.curve;
    const REAL byte = full / 255;
    const bool floats = rows->point.image == IMF_F32 || rows->point.image == IMF_F64;
    double (*from_light)(const struct imf_curve *, int, double) =
        floats ? imf_curve_of_any_light : imf_curve_from_light;
    for (int c = 0; c < colors; c++) {
        int which = imf_curve_of(by, c, colors);
        const struct imf_point_curve *curve = rows->curve ? &rows->curve[which] : NULL;
        bool dense = curve && curve->dense;
        for (int i = 0; i < n && !curve; i++)
            v[c][i] = full * (REAL)from_light(by, which, (double)(v[c][i] / full));
        for (int i = 0; i < n && curve; i++) {
            double x = (double)limited(v[c][i], full);
            int part = imf_min((int)(x * curve->scale), IMF_CURVE_PARTS - 1);
            int start = curve->start[part];
            while (dense && x >= curve->at[start + 1])
                start++;
            v[c][i] = (REAL)(start + (x >= curve->at[start + 1])) * byte;
        }
    }
}

/* To the whole scale; a range of less than flat is 0. Exact quotients are ties where they are. */
INLINE void normalize(PLANES, REAL flat, bool whole, REAL scale) {
    const REAL low = (REAL)rows->low, spread = (REAL)(rows->high - rows->low);
    for (int c = 0; c < colors; c++)
        EACH v[c][i] = spread >= flat ? (v[c][i] - low) * full / spread : 0;
    for (int i = 0; i < n && alpha; i++)
        v[colors][i] /= scale;
}

/* ---- weights of a blend ------------------------------------------------------------------------ */

/* The mask's weights of n pixels, each for `merged` samples. */
#define MASK(type)                                                                                 \
    for (int i = 0; i < n; i++) {                                                                  \
        REAL part = (REAL)((const type *)m->at)[at + (size_t)i] / max;                             \
        REAL weight = amount * (by->invert ? 1 - part : part);                                     \
        for (int c = 0; c < merged; c++)                                                           \
            w[i * merged + c] = weight;                                                            \
    }

INLINE void mask_some(const struct imf_weights *by, REAL *restrict w, size_t at, int n,
                      int merged) {
    const struct imf_mask_plane *m = by->mask;
    const REAL amount = (REAL)by->amount, max = m->sample == IMF_U8 ? 255 : 65535;
    if (m->sample == IMF_U8)
        MASK(uint8_t)
    else
        MASK(uint16_t)
}

/* Of n pixels from pixel x of row y of the part on, or of `merged` samples each. */
IMF_CLONES static void NAMED(weigh)(const struct imf_weights *by, REAL *restrict w, int x, int y,
                                    int n, int merged) {
    const struct imf_mask_plane *m = by->mask;
    REAL sum[STRIP];
    for (int i = 0; i < n * merged && !m; i++)
        w[i] = (REAL)by->amount;
    if (m) {
        size_t at = (size_t)(by->part.y + y) * (size_t)m->width + (size_t)(by->part.x + x);
        int channels = merged;
        OF_CHANNELS(mask_some, by, w, at, n)
    }
    if (!by->regions)
        return;
    memset(sum, 0, sizeof sum);
    for (int k = 0; k < by->regions; k++) {
        const double *across = by->across + (ptrdiff_t)k * by->part.width + x;
        const REAL down = (REAL)by->down[(ptrdiff_t)k * by->part.height + y];
        for (int i = 0; i < n; i++)
            sum[i] += (REAL)across[i] * down;
    }
    for (int i = 0; i < n * merged; i++)
        w[i] *= LEAST(sum[i / merged], 1);
}

/* ---- rows -------------------------------------------------------------------------------------- */

/* Returns how many channels the pixels have in the end. */
IMF_CLONES static int NAMED(steps)(const struct imf_point_rows *s, REAL (*v)[STRIP],
                                   REAL (*b)[STRIP], const REAL *w, int n) {
    const struct imf_point *p = &s->point;
    int colors = s->colors, channels = p->in_channels;
    if (p->second_light)
        linearize(s, b, b, w, n, s->others, s->others, s->others, s->alpha, (REAL)p->full);
    for (int k = 0; k < p->count; k++) {
        const struct imf_operation *op = &p->steps[k];
        int to = colors + op->channels - channels;
        switch (op->kind) {
#define RUN(kind, name, holds, value, step, ...)                                                   \
    case IMF_##kind:                                                                               \
        step(s, v, b, w, n, colors, to, s->others, s->alpha, __VA_ARGS__);                         \
        break;
            IMF_POINT_OPERATIONS(RUN)
        case IMF_SOLVE:
            break;
        }
        colors = to;
        channels = op->channels;
    }
    return colors + s->alpha;
}

void NAMED(imf_point_row)(const struct imf_point_rows *s, const void *from, const void *second,
                          void *to, int width, int y) {
    const struct imf_operation *blend = imf_point_find(&s->point, IMF_BLEND);
    const struct imf_weights *by = blend ? &blend->blend.weights : NULL;
    const size_t pixel = (size_t)(s->colors + s->alpha) * imf_sample_size(s->in);
    const size_t other = (size_t)(s->others + s->alpha) * imf_sample_size(s->second);
    const int vectors = IMF_SLACK * s->merged, most = IMF_SLACK * (STRIP / vectors);
    REAL v[4][STRIP], b[4][STRIP], w[STRIP];
    char *out = to;
    if (by)
        NAMED(weigh)(&(struct imf_weights){.amount = by->amount}, w, 0, 0, STRIP, 1);
    bool uneven = by && (by->mask || by->regions);
    for (int x = 0; x < width; x += most) {
        int pixels = imf_min(most, width - x), n = pixels * s->merged, first = x * s->merged;
        NAMED(load)(v, s->in, (const char *)from + (size_t)first * pixel, n, s->colors + s->alpha);
        if (second)
            NAMED(load)
        (b, s->second, (const char *)second + (size_t)first * other, n, s->others + s->alpha);
        if (uneven)
            NAMED(weigh)(by, w, x, y, pixels, s->merged);
        int channels = NAMED(steps)(s, v, b, w, n);
        NAMED(store)(v, s->out, out, n, (REAL)imf_sample_max(s->out), channels);
        out += (size_t)n * (size_t)channels * imf_sample_size(s->out);
    }
}

#endif
