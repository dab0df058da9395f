/*
 * strip.c - the inner loops of run/point/rows.c
 *
 * Pixels are split into a plane of float64 for each channel. Each step is one loop over a plane,
 * which compilers vectorise; then the planes are interleaved again. Operations and their order are
 * those of point.c, so results are the same bits.
 *
 * The curve back from linear light takes a power. For bytes it is a table of the values at which
 * the curve passes from one byte to the next.
 */
#include "run/point/rows.h"

#include "base/clones.h"

#include <math.h>

#define INLINE static inline __attribute__((always_inline))
#define STRIP IMF_POINT_STRIP

/* ---- in and out ------------------------------------------------------------------------------ */

/* Callers pass a constant for `channels`. Samples of a pixel lie side by side only here and in
 * STORE, so that the steps between are compiled once for any number of channels. */
#define LOAD(name, type)                                                                           \
    INLINE void name(double v[4][STRIP], const type *restrict from, int channels, int n) {         \
        for (int i = 0; i < n; i++)                                                                \
            for (int c = 0; c < channels; c++)                                                     \
                v[c][i] = (double)from[i * channels + c];                                          \
    }
LOAD(load_bytes, uint8_t)
LOAD(load_words, uint16_t)
LOAD(load_floats, float)
LOAD(load_doubles, double)

INLINE void load_some(double v[4][STRIP], enum imf_sample sample, const void *from, int channels,
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

/* The integer nearest to v, 0..2^51, ties to even: the sum has no bits left for a fraction. */
#define ROUND(v) ((int)((v) + 0x1.8p52 - 0x1.8p52))

#define STORE(name, type, most)                                                                    \
    INLINE void name(type *restrict to, double v[4][STRIP], int channels, int n) {                 \
        type whole[4][STRIP];                                                                      \
        for (int c = 0; c < channels; c++)                                                         \
            for (int i = 0; i < n; i++) {                                                          \
                double x = v[c][i] > 0 ? v[c][i] : 0;                                              \
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
    INLINE void name(type *restrict to, double v[4][STRIP], int channels, int n) {                 \
        for (int i = 0; i < n; i++)                                                                \
            for (int c = 0; c < channels; c++)                                                     \
                to[i * channels + c] = (type)v[c][i];                                              \
    }
STORE_REAL(store_floats, float)
STORE_REAL(store_doubles, double)

INLINE void store_some(double v[4][STRIP], enum imf_sample sample, void *to, int channels, int n) {
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

IMF_CLONES static void load_strip(double v[4][STRIP], enum imf_sample sample, const void *from,
                                  int channels, int n) {
    EACH(load_some, v, sample, from);
}

IMF_CLONES static void store_strip(double v[4][STRIP], enum imf_sample sample, void *to,
                                   int channels, int n) {
    EACH(store_some, v, sample, to);
}

/* ---- steps ----------------------------------------------------------------------------------- */

INLINE void unsharp(const struct imf_point *p, double *restrict v, const double *restrict blurred,
                    int n) {
    double amount = p->amount, level = p->level;
    bool alone = p->difference;
    for (int i = 0; i < n; i++) {
        double d = v[i] - blurred[i], far = fabs(d) - level;
        d = amount * copysign(far > 0 ? far : 0, d);
        v[i] = alone ? d : v[i] + d;
    }
}

INLINE void unpremultiply(const struct imf_point *p, double v[4][STRIP], int n) {
    int alpha = p->in_channels - 1;
    double full = p->full, scale = p->alpha_scale, *restrict a = v[alpha];
    for (int c = 0; c < alpha; c++)
        for (int i = 0; i < n; i++)
            v[c][i] = a[i] >= 0.5 * scale ? v[c][i] / (a[i] / full) : 0;
    for (int i = 0; i < n; i++)
        a[i] /= scale;
}

INLINE void gray(const struct imf_point *p, double v[4][STRIP], int n) {
    for (int i = 0; i < n; i++)
        v[0][i] = 0.2126 * v[0][i] + 0.7152 * v[1][i] + 0.0722 * v[2][i];
    for (int i = 0; i < n && p->alpha; i++)
        v[1][i] = v[p->in_channels - 1][i];
}

INLINE void epilogue(const struct imf_epilogue *e, double *restrict v, int n) {
    double multiply = e->multiply, offset = e->offset, level = e->level, full = e->full;
    for (int i = 0; i < n && e->absolute; i++)
        v[i] = fabs(v[i]);
    for (int i = 0; i < n; i++)
        v[i] = multiply * v[i] + offset;
    for (int i = 0; i < n && e->threshold; i++)
        v[i] = v[i] >= level ? full : 0;
}

INLINE void delinearize(const struct imf_point_steps *s, int which, double *restrict v, int n) {
    const struct imf_point_curve *curve = s->curve ? &s->curve[which] : NULL;
    double full = s->point->full;
    bool dense = curve && curve->dense;
    for (int i = 0; i < n && !curve; i++)
        v[i] = full * imf_curve_from_light(s->point->curve, which, v[i] / full);
    for (int i = 0; i < n && curve; i++) {
        double x = v[i] > 0 ? v[i] : 0;
        x = x < full ? x : full;
        int part = imf_min((int)(x * curve->scale), IMF_CURVE_PARTS - 1), b = curve->start[part];
        while (dense && x >= curve->at[b + 1])
            b++;
        v[i] = b + (x >= curve->at[b + 1]);
    }
}

INLINE void stretch(const struct imf_point_steps *s, double *restrict v, int n) {
    double low = s->low, spread = s->high - s->low, full = s->point->full;
    bool flat = !(spread >= s->point->flat);
    for (int i = 0; i < n; i++)
        v[i] = flat ? 0 : (v[i] - low) * full / spread;
}

/* ---- a strip --------------------------------------------------------------------------------- */

/* Run all steps; w holds the blurred pixels if there is an unsharp step. */
IMF_CLONES static void steps(const struct imf_point_steps *s, double v[4][STRIP],
                             double w[4][STRIP], int n) {
    const struct imf_point *p = s->point;
    int in_channels = p->in_channels, colors = in_channels - p->alpha;
    for (int c = 0; c < colors && s->linear; c++) {
        const double *linear =
            s->linear + imf_curve_of(p->curve, c, colors) * ((size_t)p->full + 1);
        for (int i = 0; i < n; i++)
            v[c][i] = linear[(int)v[c][i]];
    }
    for (int c = 0; c < in_channels && p->unsharp; c++)
        unsharp(p, v[c], w[c], n);
    if (p->unpremultiply)
        unpremultiply(p, v, n);
    if (p->gray)
        gray(p, v, n);
    colors = p->gray ? 1 : colors;
    double *alpha = v[colors]; /* if the pixels have one */
    for (int c = 0; c < colors; c++) {
        if (p->normalize)
            stretch(s, v[c], n);
        if (p->epilogue)
            epilogue(&p->e, v[c], n);
        for (int i = 0; i < n && p->premultiply; i++)
            v[c][i] *= alpha[i] / p->full;
        if (p->delinearize)
            delinearize(s, imf_curve_of(p->curve, c, colors), v[c], n);
    }
    for (int i = 0; i < n && p->normalize && p->alpha; i++)
        alpha[i] /= p->alpha_scale;
    for (int c = s->curve ? colors : 0; c < p->out_channels && p->rescale != 1; c++)
        for (int i = 0; i < n; i++)
            v[c][i] *= p->rescale;
}

void imf_point_strip(const struct imf_point_steps *s, const void *from, const void *second,
                     void *to, int n) {
    const struct imf_point *p = s->point;
    double v[4][STRIP], w[4][STRIP];
    load_strip(v, s->in, from, p->in_channels, n);
    if (p->unsharp)
        load_strip(w, s->second, second, p->in_channels, n);
    steps(s, v, w, n);
    store_strip(v, s->out, to, p->out_channels, n);
}

/* ---- the curve back from light --------------------------------------------------------------- */

static double byte_of(const struct imf_point *p, int which, double v) {
    v = p->rescale * (p->full * imf_curve_from_light(p->curve, which, v / p->full));
    return rint(fmin(fmax(v, 0), 255));
}

/* The relative distance within which imf_curve_to_light() inverts imf_curve_from_light(). */
#define CLOSE 1e-12

void imf_point_curve_make(struct imf_point_curve *curve, const struct imf_point *p, int which) {
    curve->scale = IMF_CURVE_PARTS / p->full;
    curve->at[0] = 0;
    curve->at[256] = INFINITY;
    for (int b = 1; b < 256; b++) {
        double about = p->full * imf_curve_to_light(p->curve, which, (b - 0.5) / 255);
        double low = about * (1 - CLOSE), high = about * (1 + CLOSE);
        for (double middle; middle = (low + high) / 2, middle > low && middle < high;)
            *(byte_of(p, which, middle) >= b ? &high : &low) = middle;
        curve->at[b] = high;
    }
    curve->dense = false;
    for (int i = 0, b = 0; i < IMF_CURVE_PARTS; i++) {
        while (curve->at[b + 1] <= i / curve->scale)
            b++;
        curve->start[i] = (uint8_t)b;
        curve->dense = curve->dense || (b < 255 && curve->at[b + 2] <= (i + 1) / curve->scale);
    }
}
