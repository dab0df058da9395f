/*
 * form.h - what follows from a filter: properties of a result, for an input's format, and memory
 */
#ifndef IMF_FILTER_FORM_H
#define IMF_FILTER_FORM_H

#include "filter/filter.h"

/* Does each pixel of the result depend on the same pixel of the input only? */
bool imf_filter_is_pointwise(const struct imf_filter *filter, const struct imf_info *input,
                             const struct imf_settings *settings);

/* As imf_info.bits, of the result for such an input. */
int imf_filter_bits(const struct imf_filter *filter, const struct imf_info *input,
                    const struct imf_settings *settings);

/* Bytes of its kernels' coefficients and of all planes of its masks. */
double imf_filter_bytes(const struct imf_filter *filter);
double imf_filter_kernel_bytes(const struct imf_filter *filter);

#endif
