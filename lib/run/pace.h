/* pace.h - how long the host takes for a filter, compared to the estimate by the shipped rates */
#ifndef IMF_RUN_PACE_H
#define IMF_RUN_PACE_H

#include "device/open/context.h"
#include "imfilter.h"

/*
 * The factor, as it was measured on this machine once: the filter is run on a small image of the kind that came first, on
 * all cores, for 20 to 100 ms as a rule. 1 where the result cannot be kept in the context's cache directory: then nothing is measured,
 * so that one machine and cache always choose the same.
 */
double imf_pace(struct imf_context *ctx, const struct imf_filter *filter,
                const struct imf_info *input, const struct imf_settings *settings);

#endif
