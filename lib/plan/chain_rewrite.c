/*
 * chain_rewrite.c - stages that are cheaper as others
 *
 * A large unsharp mask or difference of Gaussians is not as smooth as its parts. These can be
 * decimated, and take a third of the time of the transforms that the whole would need.
 */
#include "plan/chain_builder.h"

#include <math.h>

/* From these sides on, decimated blurs and a point pass are cheaper than all taps: of an unsharp mask, and of a
 * difference of two blurs. */
#define MASK_SIDE 33
#define DIFFERENCE_SIDE 65

/* (c x + r(x)) / s = x + a (x - B(x)) with a = c / s - 1 and B = -r / (s a). */
static bool unsharp_mask(struct imf_builder *b, const struct imf_stage *stage,
                         struct imf_kernel *outer, double amount) {
    struct imf_stage mask = *stage;
    mask.op = IMF_OP_UNSHARP;
    mask.kernel[0] = outer;
    mask.amount = amount;
    mask.threshold = 0;
    outer->scale *= -amount;
    if (!imf_builder_unsharp(b, &mask)) {
        imf_kernel_free(&outer);
        return false;
    }
    b->chain->passes[b->second].kernel = outer;
    return true;
}

/* Append a kernel that becomes the pass's. */
static bool convolve_owned(struct imf_builder *b, const struct imf_stage *stage,
                           struct imf_kernel *k) {
    struct imf_stage one = *stage;
    one.kernel[0] = k;
    if (!imf_builder_convolve(b, &one)) {
        imf_kernel_free(&k);
        return false;
    }
    b->chain->passes[b->source].kernel = k;
    return true;
}

/* inner(x) - B(x) with B = -outer. */
static bool difference(struct imf_builder *b, const struct imf_stage *stage,
                       struct imf_kernel *outer, struct imf_kernel *inner) {
    if (!imf_builder_premultiply(b) || !imf_builder_flush(b)) {
        imf_kernel_free(&outer);
        imf_kernel_free(&inner);
        return false;
    }
    const struct imf_builder before = *b;
    outer->scale *= -1;
    if (!convolve_owned(b, stage, outer)) {
        imf_kernel_free(&inner);
        return false;
    }
    int blurred = b->source;
    double bound = b->bound;
    b->source = before.source;
    b->bound = before.bound;
    b->positive = before.positive;
    b->integral = before.integral;
    b->whole_if_opaque = before.whole_if_opaque;
    if (!convolve_owned(b, stage, inner))
        return false;
    b->bound = fmax(b->bound, bound);
    return imf_builder_subtract(b, blurred, false);
}

/* A large unsharp mask or difference of Gaussians is not as smooth as its parts, which can be
 * decimated. */
bool imf_builder_linear(struct imf_builder *b, const struct imf_stage *stage) {
    const struct imf_kernel *k = stage->kernel[0];
    struct imf_kernel *outer, *inner;
    int side = imf_min(k->width, k->height);
    if (side < MASK_SIDE || imf_kernel_is_integer(k) || !imf_kernel_split(k, &outer, &inner))
        return imf_builder_convolve(b, stage);
    double amount = inner->taps[0] / k->scale - 1;
    if (inner->width * inner->height > 1 && side >= DIFFERENCE_SIDE)
        return difference(b, stage, outer, inner);
    bool masks = inner->width * inner->height == 1 && amount != 0;
    imf_kernel_free(&inner);
    if (masks)
        return unsharp_mask(b, stage, outer, amount);
    imf_kernel_free(&outer);
    return imf_builder_convolve(b, stage);
}
