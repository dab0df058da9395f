/*
 * strip_float.c - the steps of a point pass on a strip of pixels, in floats
 *
 * Blends of floats in doubles take three times as long, and their passes are all that --strength,
 * --mask and --channels add to a chain.
 */
#define REAL float
#define NAMED(name) name##_float
#define BITS uint32_t
#define ROUNDER 0x1.8p23f
#define ROOT sqrtf
#include "run/point/strip_loops.h"

bool imf_point_takes_floats(const struct imf_point *p) {
    bool some = p->blend || p->put || p->gray;
    return some && !p->linearize && !p->unsharp && !p->unpremultiply && !p->normalize &&
           !p->e.threshold && !p->image_light && !p->delinearize;
}

IMF_CLONES static void steps_float(const struct imf_point *p, float v[4][STRIP], float w[4][STRIP],
                                   const float weight[STRIP], int n) {
    const float full = (float)p->full, rescale = (float)p->rescale;
    int colors = p->in_channels - p->alpha;
    if (p->gray)
        gray(p, v, n);
    colors = p->gray ? 1 : colors;
    for (int c = 0; c < colors && p->epilogue; c++)
        epilogue(&p->e, v[c], n);
    if (p->blend || p->put)
        colors = combine(p, v, colors, w, weight, n);
    for (int c = 0; c < colors && p->premultiply; c++)
        for (int i = 0; i < n; i++)
            v[c][i] *= v[colors][i] / full;
    for (int c = 0; c < p->out_channels && rescale != 1; c++)
        for (int i = 0; i < n; i++)
            v[c][i] *= rescale;
}

/* ---- without a detour through planes ---- */

/* --strength and --mask, as most chains have them. */
IMF_CLONES static void mix_bytes(uint8_t *restrict to, const float *restrict v,
                                 const uint8_t *restrict b, const float *restrict weight,
                                 float most, int n) {
    for (int i = 0; i < n; i++) {
        float below = b[i];
        to[i] = (uint8_t)rounded_float(limit(below + weight[i] * (v[i] - below), most));
    }
}

/* --channels of RGB bytes, likewise. */
IMF_CLONES static void luma_of_bytes(float *restrict to, const uint8_t *restrict rgb, int n) {
    for (int i = 0; i < n; i++) {
        float r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
        to[i] = IMF_LUMA(float, r, g, b);
    }
}

/* As the colours are integers, their sums with the change are rounded where the change is. */
IMF_CLONES static void put_luma(uint8_t *restrict to, const float *restrict v,
                                const uint8_t *restrict rgb, int n) {
    uint8_t plane[3][STRIP];
    int16_t change[STRIP];
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            plane[c][i] = rgb[3 * i + c];
    for (int i = 0; i < n; i++) {
        float r = plane[0][i], g = plane[1][i], b = plane[2][i];
        change[i] = (int16_t)rounded_float(limit(v[i], 255) - IMF_LUMA(float, r, g, b));
    }
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < n; i++) {
            int16_t x = (int16_t)(plane[c][i] + change[i]);
            x = x > 0 ? x : 0;
            plane[c][i] = (uint8_t)(x < 255 ? x : 255);
        }
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            to[3 * i + c] = plane[c][i];
}

IMF_CLONES static void color_of_bytes(uint8_t *restrict to, const uint8_t *restrict rgb, int n) {
    for (int i = 0; i < n; i++)
        to[i] = rgb[3 * i];
}

IMF_CLONES static void put_color(uint8_t *restrict to, const float *restrict v,
                                 const uint8_t *restrict rgb, int color, float most, int n) {
    for (int i = 0; i < n; i++) {
        uint8_t x = (uint8_t)rounded_float(limit(v[i], most));
        to[3 * i] = color == 0 ? x : rgb[3 * i];
        to[3 * i + 1] = color == 1 ? x : rgb[3 * i + 1];
        to[3 * i + 2] = color == 2 ? x : rgb[3 * i + 2];
    }
}

static bool picks_bytes(const struct imf_point_steps *s) {
    const struct imf_point *p = s->point;
    enum imf_sample out = p->gray == IMF_CHANNELS_LUMA ? IMF_F32 : IMF_U8;
    return p->gray && !p->alpha && !p->epilogue && !p->blend && !p->put && p->rescale == 1 &&
           s->in == IMF_U8 && s->out == out;
}

static bool puts_bytes(const struct imf_point_steps *s) {
    const struct imf_point *p = s->point;
    return p->put && !p->gray && !p->alpha && !p->epilogue && !p->blend && p->rescale == 1 &&
           s->in == IMF_F32 && s->second == IMF_U8 && s->out == IMF_U8;
}

static bool mixes_bytes(const struct imf_point_steps *s) {
    const struct imf_point *p = s->point;
    return p->blend && p->mode == IMF_BLEND_NORMAL && !p->put && p->rescale == 1 &&
           p->in_channels == 1 && p->image_channels == 1 && !p->epilogue && s->in == IMF_F32 &&
           s->second == IMF_U8 && s->out == IMF_U8;
}

/* Run the steps if they are one of these. */
static bool run_on_bytes(const struct imf_point_steps *s, const struct imf_point_strip *at,
                         const float *weight, int n) {
    const struct imf_point *p = s->point;
    const uint8_t *second = (const uint8_t *)at->second, *rgb = (const uint8_t *)at->from;
    uint8_t *to = (uint8_t *)at->to;
    int color = (int)(p->put ? p->pick : p->gray) - IMF_CHANNELS_RED;
    if (mixes_bytes(s))
        mix_bytes(to, (const float *)at->from, second, weight, (float)s->most, n);
    else if (picks_bytes(s) && color < 0)
        luma_of_bytes((float *)at->to, rgb, n);
    else if (picks_bytes(s))
        color_of_bytes(to, rgb + color, n);
    else if (puts_bytes(s) && color < 0)
        put_luma(to, (const float *)at->from, second, n);
    else if (puts_bytes(s))
        put_color(to, (const float *)at->from, second, color, (float)s->most, n);
    else
        return false;
    return true;
}

void imf_point_strip_float(const struct imf_point_steps *s, const struct imf_point_strip *at,
                           int n) {
    const struct imf_point *p = s->point;
    float v[4][STRIP], w[4][STRIP], uneven[STRIP];
    const float *weight = s->even;
    if (p->blend && (p->weights.mask || p->weights.regions)) {
        weigh_float(s, uneven, at->x, at->y, n);
        weight = uneven;
    }
    if (run_on_bytes(s, at, weight, n))
        return;
    load_strip_float(v, s->in, at->from, p->in_channels, n);
    if (p->blend || p->put)
        load_strip_float(w, s->second, at->second, p->image_channels, n);
    steps_float(p, v, w, weight, n);
    store_strip_float(v, s->out, at->to, (float)s->most, p->out_channels, n);
}
