/* scaling.c - a kernel's scale, bias and flip, as text gives them */
#include "filter/flt/scaling.h"

#include <float.h>
#include <math.h>

#define LARGEST_GAIN 1e15
#define LARGEST_BIAS 1e6

const char *imf_scaling_set_scale(struct imf_scaling *scaling, double scale) {
    if (scale == 0)
        return "cannot be the scale: the sum is divided by it";
    if (!(fabs(scale) <= IMF_TAP_LARGEST && fabs(scale) >= 1 / IMF_TAP_LARGEST))
        return "is out of range (a scale's size is 1e-30 to 1e30)";
    scaling->scale_given = true;
    scaling->scale_auto = false;
    scaling->scale = scale;
    return NULL;
}

const char *imf_scaling_set_bias(struct imf_scaling *scaling, double bias) {
    if (!(fabs(bias) <= LARGEST_BIAS))
        return "is out of range (a bias is a fraction of full scale, at most 1e6)";
    scaling->bias_given = true;
    scaling->bias = bias;
    return NULL;
}

const char *imf_scaling_read_scale(struct imf_scaling *scaling, struct imf_span s) {
    double scale;
    if (imf_span_is(s, "auto")) {
        scaling->scale_given = scaling->scale_auto = true;
        return NULL;
    }
    if (imf_number_parse(s, &scale))
        return "is neither a number nor \"auto\"";
    return imf_scaling_set_scale(scaling, scale);
}

const char *imf_scaling_read_bias(struct imf_scaling *scaling, struct imf_span s) {
    double bias;
    const char *wrong = imf_fraction_parse(s, &bias);
    return wrong ? wrong : imf_scaling_set_bias(scaling, bias);
}

struct imf_scaling imf_scaling_over(const struct imf_scaling *under,
                                    const struct imf_scaling *over) {
    struct imf_scaling t = *under;
    if (over->scale_given) {
        t.scale_given = true;
        t.scale_auto = over->scale_auto;
        t.scale = over->scale;
    }
    if (over->bias_given) {
        t.bias_given = true;
        t.bias = over->bias;
    }
    t.flip = t.flip || over->flip;
    return t;
}

const char *imf_scaling_apply(const struct imf_scaling *scaling, struct imf_kernel *k) {
    double size = imf_kernel_abs_sum(k);
    k->bias = scaling->bias_given ? scaling->bias : 0;
    k->scale = scaling->scale_given && !scaling->scale_auto ? scaling->scale : 1;
    if (scaling->scale_auto) {
        /* Decimal fractions like 0.1 0.2 -0.3 add up to 0 but for their rounding. */
        double sum = imf_kernel_sum(k);
        double rounding = scaling->rounding > 0 ? scaling->rounding : DBL_EPSILON;
        k->scale = fabs(sum) > 4 * rounding * size ? sum : 1;
    }
    if (!(size / fabs(k->scale) <= LARGEST_GAIN))
        return "the coefficients are too large for the scale (their sizes may add up to 1e15 "
               "times the scale)";
    if (scaling->flip)
        imf_kernel_flip(k);
    return NULL;
}
