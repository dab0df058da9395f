/*
 * strip_float.c - the steps of a point pass on a strip of pixels, in floats
 *
 * Blends of floats in doubles take three times as long, and their passes are all that --strength,
 * --mask and --channels add to a chain.
 */
#define REAL float
#define NAMED(name) name##_float
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

/* What --strength and --mask add to most chains, without a detour through planes. */
IMF_CLONES static void mix_bytes(uint8_t *restrict to, const float *restrict v,
                                 const uint8_t *restrict b, const float *restrict weight,
                                 float most, int n) {
    for (int i = 0; i < n; i++) {
        float below = b[i];
        to[i] = (uint8_t)ROUND(limit(below + weight[i] * (v[i] - below), most));
    }
}

static bool mixes_bytes(const struct imf_point_steps *s) {
    const struct imf_point *p = s->point;
    return p->blend && p->mode == IMF_BLEND_NORMAL && !p->put && p->rescale == 1 &&
           p->in_channels == 1 && p->image_channels == 1 && !p->epilogue && s->in == IMF_F32 &&
           s->second == IMF_U8 && s->out == IMF_U8;
}

void imf_point_strip_float(const struct imf_point_steps *s, const struct imf_point_strip *at,
                           int n) {
    const struct imf_point *p = s->point;
    float v[4][STRIP], w[4][STRIP], weight[STRIP];
    if (p->blend)
        weigh_float(s, weight, at->x, at->y, n);
    if (mixes_bytes(s)) {
        mix_bytes((uint8_t *)at->to, (const float *)at->from, (const uint8_t *)at->second, weight,
                  (float)s->most, n);
        return;
    }
    load_strip_float(v, s->in, at->from, p->in_channels, n);
    if (p->blend || p->put)
        load_strip_float(w, s->second, at->second, p->image_channels, n);
    steps_float(p, v, w, weight, n);
    store_strip_float(v, s->out, at->to, (float)s->most, p->out_channels, n);
}
