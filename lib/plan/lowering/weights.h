/*
 * weights.h - how much of a combination each pixel takes
 *
 * w(x, y) = amount * mask(x, y) * min(1, sum over regions of across(x) * down(y))
 *
 * A region is a rectangle, blurred by a Gaussian or not: the product of a profile across and one
 * down. Regions share no pixel, so that their sum is their union, blurred. A mask's sample, or full scale less the sample, counts as a fraction of full scale.
 */
#ifndef IMF_PLAN_LOWERING_WEIGHTS_H
#define IMF_PLAN_LOWERING_WEIGHTS_H

#include "filter/mask.h"

struct imf_rect {
    int x, y, width, height; /* pixels */
};

struct imf_weights {
    double amount;
    const struct imf_mask_plane *mask; /* borrowed; NULL: 1 everywhere */
    bool invert;
    struct imf_rect part; /* of the image, and of the mask: the weights' pixels are its */
    int regions;          /* 0: 1 everywhere */
    const double *across; /* borrowed: part.width values for each region, */
    const double *down;   /* and part.height */
};

#endif
