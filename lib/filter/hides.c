/*
 * hides.c - whether a filter may be meant to hide something
 *
 * Copies of the image that a file carries, a gain map, say, show what a blur has removed. What a
 * region or a mask limits is often hidden by other means, too.
 */
#include "filter/filter.h"
#include "imfilter_program.h"

/* A mean of several pixels. */
static bool averages(const struct imf_kernel *k) {
    int taps = 0;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)k->width * k->height; i++) {
        if (k->taps[i] < 0)
            return false;
        taps += k->taps[i] > 0;
    }
    return taps > 1;
}

static bool blurs(const struct imf_stage *s) {
    switch (s->op) {
    case IMF_OP_LINEAR:
        return averages(s->kernel[0]);
    case IMF_OP_TRANSFER:
        return s->transfer.kind == IMF_LOWPASS;
    default:
        return false;
    }
}

bool imf_filter_masks(const struct imf_filter *filter) {
    for (size_t i = 0; i < filter->count; i++)
        if (filter->stages[i].mask)
            return true;
    return false;
}

bool imf_filter_hides(const struct imf_filter *filter) {
    for (size_t i = 0; i < filter->count; i++)
        if (filter->stages[i].mask || blurs(&filter->stages[i]))
            return true;
    return false;
}
