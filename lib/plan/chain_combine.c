/*
 * chain_combine.c - combining what a chain has made with the image that it began with
 *
 * A blend is a step of a point pass whose second input is the image itself: rows that a band has
 * anyway, without their halo. So the image is held no longer than the pass needs it.
 *
 * Mixing what a blend has left with the image once more only lowers the blend's weights:
 *
 *     b + v (b + w (f(b, x) - b) - b) = b + v w (f(b, x) - b)
 *
 * so that the strength, the mask and the stage before them are one step.
 */
#include "plan/chain_builder.h"

#include "plan/region.h"

#include <math.h>

/* An upper bound of |df(b, x) / dx| is 1, but for hardlight's 2. */
double imf_blend_slope(enum imf_blend_mode mode) {
    return mode == IMF_BLEND_HARDLIGHT ? 2 : 1;
}

/* f of integers is an integer. */
static bool keeps_integers(enum imf_blend_mode mode) {
    return mode == IMF_BLEND_NORMAL || mode >= IMF_BLEND_LIGHTEN;
}

/* Multiply the weights of the blend that is the pending pass's last step; false if it is not, or
 * both have a mask or regions. */
static bool join(struct imf_builder *b, enum imf_blend_mode mode, const struct imf_weights *w) {
    struct imf_weights *own = &b->point.weights;
    if (!b->pending || b->at != IMF_AT_BLEND || mode != IMF_BLEND_NORMAL ||
        (own->mask && w->mask) || (own->regions && w->regions))
        return false;
    own->amount *= w->amount;
    if (w->mask) {
        own->mask = w->mask;
        own->invert = w->invert;
    }
    if (w->regions) {
        own->regions = w->regions;
        own->across = w->across;
        own->down = w->down;
    }
    return true;
}

static bool blend(struct imf_builder *b, enum imf_blend_mode mode, const struct imf_weights *w) {
    struct imf_chain *c = b->chain;
    double amount = fabs(w->amount), straight = fabs(1 - w->amount);
    if (!join(b, mode, w)) {
        if (b->pending && b->second >= -1 && !imf_builder_flush(b))
            return false;
        struct imf_point *p = imf_builder_point(b, IMF_AT_BLEND);
        if (!p)
            return false;
        p->blend = true;
        p->mode = mode;
        p->weights = *w;
        p->image_channels = c->channels_in;
        p->out_channels = b->channels = b->pick ? 1 + b->alpha : c->channels_in;
        p->pick = b->pick;
        if (!b->pick)
            imf_builder_border(b);
        p->image_light = b->settings->linear;
        p->apart = b->alpha_apart;
        b->second = b->backdrop;
        if (mode != IMF_BLEND_NORMAL)
            b->bound = c->full;
    }
    bool hard = !w->regions || b->settings->mask_feather == 0;
    bool selects = w->amount == 1 && !w->mask && hard && !b->alpha_apart && !b->settings->linear;
    b->integral = b->integral && selects && keeps_integers(mode);
    b->positive = b->whole_if_opaque = false;
    b->bound = fmax(b->bound, straight * c->full + amount * b->bound);
    c->high_gain = c->high_gain || amount > IMF_HIGH_GAIN;
    return true;
}

bool imf_builder_blend(struct imf_builder *b, const struct imf_stage *stage) {
    struct imf_weights w = {
        .amount = stage->amount, .invert = b->settings->mask_invert, .part = b->chain->part};
    if (stage->mask)
        w.mask = imf_mask_find(stage->mask, b->input->orientation, b->settings->mask_feather);
    return imf_builder_straighten(b) && blend(b, stage->blend, &w);
}

bool imf_builder_regions(struct imf_builder *b) {
    struct imf_weights w = {.amount = 1, .part = b->chain->part};
    const struct imf_rect image = {0, 0, b->input->width, b->input->height};
    return imf_regions_weigh(&w, &b->chain->profiles, b->regions, b->region_count, image,
                             b->settings->mask_feather) &&
           imf_builder_straighten(b) && blend(b, IMF_BLEND_NORMAL, &w);
}

bool imf_builder_gray(struct imf_builder *b, enum imf_channels which) {
    if (b->channels == 1 + b->alpha)
        return true;
    struct imf_point *p = imf_builder_straighten(b) ? imf_builder_point(b, IMF_AT_GRAY) : NULL;
    if (!p)
        return false;
    p->gray = which;
    const double *luma = imf_curve_luma(b->chain->curve);
    double *o = b->outside, below = fmin(fmin(luma[0], fmin(luma[1], luma[2])), 0);
    o[0] = which == IMF_CHANNELS_LUMA ? IMF_LUMA_BY(luma[1], luma[2], o[0], o[1], o[2])
                                      : o[which - IMF_CHANNELS_RED];
    b->bound *= 1 - 4 * below; /* weights of imaginary primaries: 1 in all, two below 0 at most */
    b->positive = b->positive && below == 0;
    p->out_channels = b->channels = b->alpha ? 2 : 1;
    b->integral = b->integral && which != IMF_CHANNELS_LUMA;
    return true;
}

bool imf_builder_pick(struct imf_builder *b) {
    struct imf_chain *c = b->chain;
    if (!imf_builder_gray(b, b->pick) || !imf_builder_flush(b))
        return false;
    if (b->integral) /* samples, as the image's */
        c->passes[b->source].out = c->in;
    return true;
}

bool imf_builder_put(struct imf_builder *b) {
    struct imf_chain *c = b->chain;
    bool other = b->pending && b->second >= -1 && b->at != IMF_AT_BLEND;
    if (other && !imf_builder_flush(b))
        return false;
    struct imf_point *p = imf_builder_point(b, IMF_AT_PUT);
    if (!p)
        return false;
    p->put = true;
    p->pick = b->pick;
    p->image_channels = p->out_channels = b->channels = c->channels_in;
    p->image_light = b->settings->linear;
    b->second = b->backdrop;
    bool luma = b->pick == IMF_CHANNELS_LUMA;
    b->bound = luma ? 2 * c->full : fmax(b->bound, c->full);
    b->integral = b->integral && !luma && !b->settings->linear;
    b->positive = b->whole_if_opaque = false;
    return true;
}
