/* region.h - where the regions that change are, and how much each pixel around them does */
#ifndef IMF_PLAN_LOWERING_REGION_H
#define IMF_PLAN_LOWERING_REGION_H

#include "plan/lowering/chain.h"

/* Rectangles of the image as it is stored that share no pixel, and together have those of settings->regions,
 * cut off at its sides. IMF_ERR_ARGUMENT: one has no pixel of the image. The caller frees *out. */
enum imf_status imf_regions_place(struct imf_rect **out, size_t *count,
                                  const struct imf_settings *settings, const struct imf_info *input,
                                  struct imf_error *err);

/* The profiles of regions for the pixels of `part` of an image of that size, blurred by a Gaussian: part.width values
 * across for each region, then part.height down. The caller frees them; NULL without memory. */
double *imf_regions_profiles(const struct imf_rect *regions, size_t count, struct imf_rect part,
                             struct imf_rect image, double feather);

#endif
