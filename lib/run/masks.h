/* masks.h - a filter's masks as an image needs them: turned as it is stored, and blurred */
#ifndef IMF_RUN_MASKS_H
#define IMF_RUN_MASKS_H

#include "filter/filter.h"

/* Make the samples of the planes that a plan of these has, unless another run did. IMF_ERR_LIMIT: that takes
 * more than max_memory. Threads may call it at once. */
enum imf_status imf_masks_make(const struct imf_filter *filter, int orientation,
                               const struct imf_settings *settings, struct imf_error *err);

#endif
