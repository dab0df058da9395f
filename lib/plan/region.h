/* region.h - the parts of a picture that change, and what of it has to be computed for them */
#ifndef IMF_PLAN_REGION_H
#define IMF_PLAN_REGION_H

#include "plan/chain.h"

/* Rectangles of the image as it is stored that share no pixel, and together have those of settings->regions,
 * cut off at its sides. IMF_ERR_ARGUMENT: one has no pixel of the image. The caller frees *out. */
enum imf_status imf_regions_place(struct imf_rect **out, size_t *count,
                                  const struct imf_settings *settings, const struct imf_info *input,
                                  struct imf_error *err);

/* The part of the image that the chain reads for these regions, `feather` included; `chain` is that
 * of the whole image. */
struct imf_rect imf_regions_part(const struct imf_chain *chain, const struct imf_rect *regions,
                                 size_t count, double feather);

/* Set the weights' regions, for the pixels of w->part, in an image of that size. *store holds their
 * profiles, and is the caller's to free. False without memory. */
bool imf_regions_weigh(struct imf_weights *w, double **store, const struct imf_rect *regions,
                       size_t count, struct imf_rect image, double feather);

#endif
