/*
 * scaling.h - a kernel's scale, bias and flip, as text gives them
 */
#ifndef IMF_FILTER_FLT_SCALING_H
#define IMF_FILTER_FLT_SCALING_H

#include "base/number.h"
#include "filter/kernel/taps.h"

struct imf_scaling {
    bool scale_given, scale_auto, bias_given, flip;
    double scale, bias;
    double rounding; /* relative error of the coefficients; 0: that of float64 */
};

/* Set or read one of them. Return NULL, or else a phrase that follows the quoted piece in a message. */
const char *imf_scaling_set_scale(struct imf_scaling *scaling, double scale);
const char *imf_scaling_set_bias(struct imf_scaling *scaling, double bias);
const char *imf_scaling_read_scale(struct imf_scaling *scaling, struct imf_span s);
const char *imf_scaling_read_bias(struct imf_scaling *scaling, struct imf_span s);

/* `under`, with the members that `over` has given. */
struct imf_scaling imf_scaling_over(const struct imf_scaling *under,
                                    const struct imf_scaling *over);

/* Apply scale, bias and flip to a kernel without any. Returns a whole sentence on failure, or NULL. */
const char *imf_scaling_apply(const struct imf_scaling *scaling, struct imf_kernel *k);

#endif
