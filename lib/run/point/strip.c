/*
 * strip.c - the steps of a point pass on a strip of pixels, in doubles
 *
 * The curve back from linear light takes a power. For bytes it is a table of the values at which
 * the curve passes from one byte to the next.
 */
#define REAL double
#define NAMED(name) name
#define BITS uint64_t
#define ROUNDER 0x1.8p52
#define ROOT sqrt
#include "run/point/strip_loops.h"

/* ---- steps that floats do not take ----------------------------------------------------------- */

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

INLINE void quotient(double full, double *restrict v, const double *restrict blurred, int n) {
    for (int i = 0; i < n; i++) {
        double x = v[i] > 0 ? v[i] : 0, by = blurred[i];
        by = by > full / IMF_LIFT ? by : full / IMF_LIFT;
        x = full * x / by;
        v[i] = x < full ? x : full;
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

/* Colours to linear light. */
INLINE void linearize(const struct imf_point_steps *s, double v[4][STRIP], int colors, int n) {
    const struct imf_point *p = s->point;
    for (int c = 0; c < colors; c++) {
        const double *linear =
            s->linear + imf_curve_of(p->curve, c, colors) * ((size_t)p->full + 1);
        for (int i = 0; i < n; i++)
            v[c][i] = linear[(int)v[c][i]];
    }
}

/* Run all steps; w holds the second input's pixels, weight those of a blend. */
IMF_CLONES static void steps(const struct imf_point_steps *s, double v[4][STRIP],
                             double w[4][STRIP], const double weight[STRIP], int n) {
    const struct imf_point *p = s->point;
    int in_channels = p->in_channels, colors = in_channels - p->alpha;
    if (p->take_alpha)
        take_alpha(v[in_channels - 1], w[p->image_channels - 1], n);
    if (p->linearize)
        linearize(s, v, colors, n);
    for (int c = 0; c < in_channels && p->unsharp; c++)
        if (p->quotient)
            quotient(p->full, v[c], w[c], n);
        else
            unsharp(p, v[c], w[c], n);
    if (p->unpremultiply)
        unpremultiply(p, v, n);
    if (p->gray)
        gray(p, v, n);
    colors = p->gray ? 1 : colors;
    for (int c = 0; c < colors; c++) {
        if (p->normalize)
            stretch(s, v[c], n);
        if (p->epilogue)
            epilogue(&p->e, v[c], n);
    }
    for (int i = 0; i < n && p->normalize && p->alpha; i++)
        v[colors][i] /= p->alpha_scale;
    if (p->image_light)
        linearize(s, w, p->image_channels - p->alpha, n);
    if (p->blend || p->put)
        colors = combine(p, v, colors, w, weight, n);
    double *alpha = v[colors]; /* if the pixels have one */
    for (int c = 0; c < colors; c++) {
        for (int i = 0; i < n && p->premultiply; i++)
            v[c][i] *= alpha[i] / p->full;
        if (p->delinearize)
            delinearize(s, imf_curve_of(p->curve, c, colors), v[c], n);
    }
    for (int c = s->curve ? colors : 0; c < p->out_channels && p->rescale != 1; c++)
        for (int i = 0; i < n; i++)
            v[c][i] *= p->rescale;
}

void imf_point_strip(const struct imf_point_steps *s, const struct imf_point_strip *at, int n) {
    const struct imf_point *p = s->point;
    double v[4][STRIP], w[4][STRIP], weight[STRIP];
    load_strip(v, s->in, at->from, p->in_channels, n);
    if (p->unsharp || imf_point_reads_image(p))
        load_strip(w, s->second, at->second, p->unsharp ? p->in_channels : p->image_channels, n);
    if (p->blend)
        weigh(s, weight, at->x, at->y, n);
    steps(s, v, w, weight, n);
    store_strip(v, s->out, at->to, s->most, p->out_channels, n);
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
