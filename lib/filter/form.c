/*
 * form.c - what can be known of a result's form without looking at its pixels
 *
 * A threshold leaves two values. An image of 1, 2 or 4 bits uses 2, 4 or 16 values, evenly spaced
 * from 0 to full scale, which inversion and the identity map onto themselves; equalization does so
 * with two.
 */
#include "filter/form.h"

static bool is_single_tap(const struct imf_kernel *k) {
    return !k || (k->width == 1 && k->height == 1 && k->cx == 0 && k->cy == 0);
}

static bool is_identity(const struct imf_stage *s) {
    const struct imf_kernel *k = s->kernel[0];
    return s->op == IMF_OP_LINEAR && is_single_tap(k) && k->taps[0] == k->scale && k->bias == 0;
}

/* How the response of a filtering stage is shown if it is the last one. */
static enum imf_range shown(const struct imf_stage *s, const struct imf_settings *settings) {
    return settings->range != IMF_RANGE_DEFAULT ? settings->range : s->range;
}

bool imf_filter_is_pointwise(const struct imf_filter *filter, const struct imf_settings *settings) {
    for (size_t i = 0; i < filter->count; i++) {
        const struct imf_stage *s = &filter->stages[i];
        switch (s->op) {
        case IMF_OP_GRAY:
        case IMF_OP_INVERT:
        case IMF_OP_THRESHOLD:
            break;
        case IMF_OP_LINEAR:
        case IMF_OP_MAGNITUDE:
            if (!is_single_tap(s->kernel[0]) || !is_single_tap(s->kernel[1]) ||
                shown(s, settings) == IMF_RANGE_NORMALIZE)
                return false;
            break;
        default:
            return false;
        }
    }
    return true;
}

int imf_filter_bits(const struct imf_filter *filter, const struct imf_info *input,
                    const struct imf_settings *settings) {
    bool gray = input->color == IMF_COLOR_GRAY;
    int bits = gray ? input->bits : 0;
    if (settings->depth || input->alpha)
        return 0;
    for (size_t i = 0; i < filter->count; i++) {
        const struct imf_stage *s = &filter->stages[i];
        enum imf_range range = shown(s, settings);
        switch (s->op) {
        case IMF_OP_GRAY:
            bits = gray ? bits : 0;
            gray = true;
            break;
        case IMF_OP_THRESHOLD:
            bits = gray ? 1 : 0;
            break;
        case IMF_OP_TABLE:
            bits = s->table == IMF_TABLE_OTSU || bits == 1 ? gray : 0;
            break;
        case IMF_OP_INVERT: /* in linear light only black and white change places */
            bits = bits == 1 || !settings->linear ? bits : 0;
            break;
        default:
            if (!is_identity(s) || (range != IMF_RANGE_DEFAULT && range != IMF_RANGE_CLIP))
                bits = 0;
        }
    }
    return gray ? bits : 0;
}
