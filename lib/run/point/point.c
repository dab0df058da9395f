/* point.c - point passes in double precision, the reference for cl/point.cl */
#include "run/point/point.h"

#include "run/point/blend.h"

#include <math.h>

void imf_point_range(const struct imf_point *p, const struct imf_surface *s, double *low,
                     double *high) {
    int colors = p->in_channels - p->alpha;
    *low = INFINITY;
    *high = -INFINITY;
    for (int y = 0; y < s->height; y++) {
        const void *row = imf_surface_row(s, y);
        for (int x = 0; x < s->width; x++)
            for (int c = 0; c < colors; c++) {
                ptrdiff_t at = (ptrdiff_t)x * s->channels;
                double v = imf_sample_get(row, s->sample, at + c);
                if (p->weigh && imf_sample_get(row, s->sample, at + colors) <= 0.5)
                    continue;
                *low = fmin(*low, v);
                *high = fmax(*high, v);
            }
    }
}

/* ---- blends --------------------------------------------------------------------------------- */

static double clamp(double v, double high) {
    return fmin(fmax(v, 0), high);
}

/* What the mode makes of the backdrop's colour and the source's, which normal takes as it is. */
static double blended(enum imf_blend_mode mode, double backdrop, double source, double full) {
    double s = clamp(source, full), b = backdrop, below = b / full, above = s / full;
    switch (mode) {
#define RATIO(mode, formula)                                                                       \
    case mode:                                                                                     \
        return full * (formula);
#define SUM(mode, formula)                                                                         \
    case mode:                                                                                     \
        return formula;
        IMF_BLEND_RATIOS(RATIO, below, above, sqrt)
        IMF_BLEND_SUMS(SUM, b, s, full)
    default:
        return source;
    }
}

/* The image's pixel, in the light that the chain works in. */
static void image_pixel(const struct imf_point *p, double *b, const double *image) {
    int count = p->image_channels - p->alpha;
    for (int c = 0; c < p->image_channels; c++)
        b[c] = c < count && p->image_light
                   ? p->full * imf_curve_to_light(p->curve, imf_curve_of(p->curve, c, count),
                                                  image[c] / p->full)
                   : image[c];
}

static double channel_of(const struct imf_point *p, enum imf_channels which, const double *v) {
    const double *luma = imf_curve_luma(p->curve);
    return which == IMF_CHANNELS_LUMA ? IMF_LUMA_BY(luma[1], luma[2], v[0], v[1], v[2])
                                      : v[which - IMF_CHANNELS_RED];
}

/*
 * Combine v, of `colors` colours, with b, of `count`, whose alpha is `below`. One colour counts
 * as that many equal ones. Where alpha was filtered, v is a layer of its own: where the image is
 * transparent, there is no backdrop (W3C, section 10), and colours are mixed premultiplied. Below half a step of alpha a
 * quotient would say little, and colours are mixed as they are, unless one of them is hidden.
 */
static void blend(const struct imf_point *p, double *v, int colors, const double *b, int count,
                  double below, double weight) {
    double full = p->full, alpha = p->alpha ? v[colors] : full;
    for (int c = count - 1; c > 0 && colors < count; c--)
        v[c] = v[0];
    double above = p->apart ? alpha : full, mixed = below + weight * (above - below);
    for (int c = 0; c < count; c++) {
        double s = p->mode == IMF_BLEND_NORMAL ? v[c] : clamp(v[c], full);
        double f = blended(p->mode, b[c], v[c], full);
        s = p->apart ? s + below / full * (f - s) : f;
        v[c] = below == 0 && mixed != 0 ? s
               : mixed >= 0.5 && p->apart
                   ? (below * b[c] + weight * (above * s - below * b[c])) / mixed
                   : b[c] + weight * (s - b[c]);
    }
    if (p->alpha)
        v[count] = p->apart ? mixed : alpha;
}

/* Put v[0] back into the colours b, of which it was `was`: the luma's change, as it would be shown, is
 * added to all of them, and they saturate; any other channel replaces its own. */
static void put(const struct imf_point *p, double *v, const double *b, double was) {
    double one = v[0], alpha = v[1], change = clamp(one, p->full) - was;
    for (int c = 0; c < 3; c++)
        v[c] = p->pick == IMF_CHANNELS_LUMA           ? b[c] + change
               : c == (int)p->pick - IMF_CHANNELS_RED ? one
                                                      : b[c];
    v[3] = alpha;
}

/* The weight of a pixel of the part. */
static double weight_at(const struct imf_weights *w, ptrdiff_t x, ptrdiff_t y) {
    const struct imf_mask_plane *m = w->mask;
    double weight = w->amount, regions = 0;
    if (m) {
        ptrdiff_t at = (w->part.y + y) * m->width + w->part.x + x;
        double v = imf_sample_get(m->at, m->sample, at) / imf_sample_max(m->sample);
        weight *= w->invert ? 1 - v : v;
    }
    for (ptrdiff_t i = 0; i < w->regions; i++)
        regions += w->across[i * w->part.width + x] * w->down[i * w->part.height + y];
    return w->regions ? weight * fmin(regions, 1) : weight;
}

/* ---- pixels --------------------------------------------------------------------------------- */

void imf_point_pixel(const struct imf_point *p, double *v, const struct imf_point_more *more) {
    double low = more->low, high = more->high;
    int colors = p->in_channels - p->alpha, alpha = p->in_channels - 1;
    if (p->take_alpha)
        v[alpha] = more->second[p->image_channels - 1];
    for (int c = 0; c < colors && p->linearize; c++)
        v[c] = p->full *
               imf_curve_to_light(p->curve, imf_curve_of(p->curve, c, colors), v[c] / p->full);
    for (int c = 0; c < p->in_channels && p->unsharp; c++) {
        double other = more->second[c], d = v[c] - other;
        if (p->quotient) {
            v[c] = fmin(p->full * fmax(v[c], 0) / fmax(other, p->full / IMF_LIFT), p->full);
            continue;
        }
        d = p->amount * copysign(fmax(fabs(d) - p->level, 0), d);
        v[c] = p->difference ? d : v[c] + d;
    }
    if (p->unpremultiply) {
        for (int c = 0; c < colors; c++)
            v[c] = v[alpha] >= 0.5 * p->alpha_scale ? v[c] / (v[alpha] / p->full) : 0;
        v[alpha] /= p->alpha_scale;
    }
    if (p->gray) {
        v[0] = channel_of(p, p->gray, v);
        if (p->alpha)
            v[1] = v[alpha];
        colors = 1;
        alpha = 1;
    }
    for (int c = 0; c < colors; c++) {
        if (p->normalize)
            v[c] = high - low >= p->flat ? (v[c] - low) * p->full / (high - low) : 0;
        if (p->epilogue)
            v[c] = imf_epilogue_apply(&p->e, v[c]);
    }
    if (p->normalize && p->alpha)
        v[alpha] /= p->alpha_scale;
    if (p->blend || p->put) {
        double b[4], picked = 0;
        image_pixel(p, b, more->second);
        int count = p->image_channels - p->alpha;
        double below = p->apart ? b[count] : p->full;
        if (p->pick)
            picked = channel_of(p, p->pick, b);
        if (p->blend)
            blend(p, v, colors, p->pick ? &picked : b, p->pick ? 1 : count, below, more->weight);
        if (p->put)
            put(p, v, b, picked);
        colors = p->out_channels - p->alpha;
        alpha = p->out_channels - 1;
    }
    for (int c = 0; c < colors; c++) {
        if (p->premultiply)
            v[c] *= v[alpha] / p->full;
        if (p->delinearize)
            v[c] = p->full * imf_curve_from_light(p->curve, imf_curve_of(p->curve, c, colors),
                                                  v[c] / p->full);
    }
    for (int c = 0; c < p->out_channels; c++)
        v[c] *= p->rescale;
}

/* The difference of two surfaces is the only step. */
static bool is_difference(const struct imf_point *p) {
    return p->difference && p->level == 0 && !p->take_alpha && !p->linearize && !p->unpremultiply &&
           !p->gray && !p->normalize && !p->epilogue && !p->blend && !p->put && !p->premultiply &&
           !p->delinearize && p->rescale == 1;
}

static void subtract_row(void *to, enum imf_sample out, const void *a, enum imf_sample in,
                         const void *b, enum imf_sample second, double by, size_t count) {
    enum { SOME = 512 };
    double v[SOME], w[SOME];
    for (size_t i = 0; i < count; i += SOME) {
        size_t n = count - i < SOME ? count - i : SOME;
        imf_samples_widen(v, a, in, (ptrdiff_t)i, n);
        imf_samples_widen(w, b, second, (ptrdiff_t)i, n);
        for (size_t k = 0; k < n; k++)
            v[k] = by * (v[k] - w[k]);
        imf_samples_narrow((char *)to + i * imf_sample_size(out), out, v, n);
    }
}

void imf_point_run_host(const struct imf_point *p, const struct imf_point_io *io) {
    const struct imf_surface *in = io->in, *second = io->second, *out = io->out;
    double other[4] = {0};
    struct imf_point_more more = {.second = other};
    if (p->normalize)
        imf_point_range(p, in, &more.low, &more.high);
    ptrdiff_t n = p->in_channels, m = p->out_channels,
              o = imf_point_reads_image(p) ? p->image_channels : n;
    for (int y = 0; y < in->height; y++) {
        const void *from = imf_surface_row(in, y);
        const void *beside = second ? imf_surface_row(second, y) : NULL;
        void *to = imf_surface_row(out, y);
        if (is_difference(p)) {
            subtract_row(to, out->sample, from, in->sample, beside, second->sample, p->amount,
                         (size_t)in->width * (size_t)n);
            continue;
        }
        for (ptrdiff_t x = 0; x < in->width; x++) {
            double v[4];
            for (ptrdiff_t c = 0; c < n; c++)
                v[c] = imf_sample_get(from, in->sample, x * n + c);
            for (ptrdiff_t c = 0; c < o && beside; c++)
                other[c] = imf_sample_get(beside, second->sample, x * o + c);
            more.weight = weight_at(&p->weights, x, (ptrdiff_t)io->row + y);
            imf_point_pixel(p, v, &more);
            for (ptrdiff_t c = 0; c < m; c++)
                imf_sample_put(to, out->sample, x * m + c, v[c]);
        }
    }
}

#define COPY(type)                                                                                 \
    for (ptrdiff_t x = 0; x < in->width; x++)                                                      \
    ((type *)to)[x * m + m - 1] = ((const type *)from)[x * n + n - 1]

void imf_alpha_copy_host(const struct imf_surface *in, const struct imf_surface *out,
                         double rescale) {
    ptrdiff_t n = in->channels, m = out->channels;
    bool same = in->sample == out->sample;
    for (int y = 0; y < in->height; y++) {
        const void *from = imf_surface_row(in, y);
        void *to = imf_surface_row(out, y);
        if (same && in->sample == IMF_U8)
            COPY(uint8_t);
        else if (same && in->sample == IMF_U16)
            COPY(uint16_t);
        else
            for (ptrdiff_t x = 0; x < in->width; x++)
                imf_sample_put(to, out->sample, x * m + m - 1,
                               rescale * imf_sample_get(from, in->sample, x * n + n - 1));
    }
}
