/*
 * chain_rewrite.c - stages that are cheaper as others
 *
 * A large unsharp mask, difference or Laplacian of Gaussians is no product of a column and a row, but
 * the sum of two, which can be decimated; the whole takes transforms, on a device.
 */
#include "plan/chain_builder.h"

#include <math.h>

/* From these sides on, decimated blurs and a point pass are cheaper than all taps: of an unsharp
 * mask, and of two products. Whole processes of 12 megapixels, by transforms and so: dog:6:9 134 and
 * 146 ms, log:14 147 and 144, dog:10:20 166 and 134, dog:30:50 289 and 161, log:40 271 and 174. */
#define MASK_SIDE 33
#define DIFFERENCE_SIDE 129

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
    bool high_gain = b->chain->high_gain;
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
    /* The parts' gains cancel; what a user sees is the kernel's. */
    double gain = imf_kernel_abs_sum(stage->kernel[0]) / fabs(stage->kernel[0]->scale);
    b->chain->high_gain = high_gain || gain > IMF_HIGH_GAIN;
    return imf_builder_subtract(b, blurred, false);
}

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
