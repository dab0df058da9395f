/*
 * form.h - properties of a result that follow from the filter and the input's format
 */
#ifndef IMF_FILTER_FORM_H
#define IMF_FILTER_FORM_H

#include "filter/filter.h"

/* Does each pixel of the result depend on the same pixel of the input only? */
bool imf_filter_is_pointwise(const struct imf_filter *filter, const struct imf_settings *settings);

/* As imf_info.bits, of the result for such an input. */
int imf_filter_bits(const struct imf_filter *filter, const struct imf_info *input,
                    const struct imf_settings *settings);

#endif
