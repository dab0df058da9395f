/* masks.h - a filter's masks as an image needs them: turned as it is stored, and blurred */
#ifndef IMF_RUN_MASKS_H
#define IMF_RUN_MASKS_H

#include "filter/filter.h"

/* Make the planes of this orientation and feather, unless another plan did. Threads may call it at
 * once. */
enum imf_status imf_masks_prepare(const struct imf_filter *filter, int orientation, double feather,
                                  struct imf_error *err);

#endif
