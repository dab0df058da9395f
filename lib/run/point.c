/* point.c - point passes in double precision, the reference for cl/point.cl */
#include "run/point.h"

#include "base/srgb.h"

#include <math.h>

static double get(const void *row, enum imf_sample sample, size_t i) {
    switch (sample) {
    case IMF_U8:
        return ((const uint8_t *)row)[i];
    case IMF_U16:
        return ((const uint16_t *)row)[i];
    case IMF_F32:
        return (double)((const float *)row)[i];
    case IMF_F64:
    default:
        return ((const double *)row)[i];
    }
}

static void put(void *row, enum imf_sample sample, size_t i, double v) {
    double whole = rint(fmin(fmax(v, 0), imf_sample_max(sample)));
    switch (sample) {
    case IMF_U8:
        ((uint8_t *)row)[i] = (uint8_t)whole;
        break;
    case IMF_U16:
        ((uint16_t *)row)[i] = (uint16_t)whole;
        break;
    case IMF_F32:
        ((float *)row)[i] = (float)v;
        break;
    case IMF_F64:
        ((double *)row)[i] = v;
        break;
    }
}

static void color_range(const struct imf_surface *s, int colors, double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (int y = 0; y < s->height; y++) {
        const void *row = imf_surface_row(s, y);
        for (int x = 0; x < s->width; x++)
            for (int c = 0; c < colors; c++) {
                double v = get(row, s->sample, (size_t)x * (size_t)s->channels + (size_t)c);
                *low = fmin(*low, v);
                *high = fmax(*high, v);
            }
    }
}

void imf_point_pixel(const struct imf_point *p, double *v, const double *blurred, double low,
                     double high) {
    int colors = p->in_channels - p->alpha, alpha = p->in_channels - 1;
    for (int c = 0; c < colors && p->linearize; c++)
        v[c] = p->full * imf_srgb_to_linear(v[c] / p->full);
    for (int c = 0; c < p->in_channels && p->unsharp; c++) {
        double d = v[c] - blurred[c];
        v[c] += p->amount * copysign(fmax(fabs(d) - p->level, 0), d);
    }
    if (p->unpremultiply) {
        v[alpha] /= p->full;
        for (int c = 0; c < colors; c++)
            v[c] = v[alpha] >= 0.5 * p->alpha_scale ? v[c] / v[alpha] : 0;
        v[alpha] /= p->alpha_scale;
    }
    if (p->gray) {
        v[0] = 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
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
        if (p->premultiply)
            v[c] *= v[alpha];
        if (p->delinearize)
            v[c] = p->full * imf_srgb_from_linear(v[c] / p->full);
    }
    if (p->premultiply)
        v[alpha] *= p->full;
    if (p->normalize && p->alpha)
        v[alpha] /= p->alpha_scale;
    for (int c = 0; c < p->out_channels; c++)
        v[c] *= p->rescale;
}

void imf_point_run_host(const struct imf_point *p, const struct imf_surface *in,
                        const struct imf_surface *second, const struct imf_surface *out) {
    double low = 0, high = 0;
    if (p->normalize)
        color_range(in, p->in_channels - p->alpha, &low, &high);
    size_t n = (size_t)p->in_channels, m = (size_t)p->out_channels;
    for (int y = 0; y < in->height; y++) {
        const void *from = imf_surface_row(in, y);
        const void *other = p->unsharp ? imf_surface_row(second, y) : NULL;
        void *to = imf_surface_row(out, y);
        for (size_t x = 0; x < (size_t)in->width; x++) {
            double v[4], blurred[4] = {0};
            for (size_t c = 0; c < n; c++) {
                v[c] = get(from, in->sample, x * n + c);
                if (other)
                    blurred[c] = get(other, second->sample, x * n + c);
            }
            imf_point_pixel(p, v, blurred, low, high);
            for (size_t c = 0; c < m; c++)
                put(to, out->sample, x * m + c, v[c]);
        }
    }
}

void imf_alpha_copy_host(const struct imf_surface *in, const struct imf_surface *out,
                         double rescale) {
    size_t n = (size_t)in->channels, m = (size_t)out->channels;
    for (int y = 0; y < in->height; y++)
        for (size_t x = 0; x < (size_t)in->width; x++)
            put(imf_surface_row(out, y), out->sample, x * m + m - 1,
                rescale * get(imf_surface_row(in, y), in->sample, x * n + n - 1));
}
