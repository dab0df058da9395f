/*
 * weights.h - how much of a combination each pixel takes
 *
 * w(x, y) = amount * mask(x, y), of a mask's sample or of full scale less the sample, as a fraction.
 */
#ifndef IMF_PLAN_WEIGHTS_H
#define IMF_PLAN_WEIGHTS_H

#include "filter/mask.h"

struct imf_weights {
    double amount;
    const struct imf_mask_plane *mask; /* borrowed: of the image's size; NULL: 1 everywhere */
    bool invert;
};

#endif
