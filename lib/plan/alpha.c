/* alpha.c - how an image's alpha is treated, by what a filter does */
#include "filter/form.h"
#include "plan/operations.h"

#include <math.h>

/* How far a gain may be from 1: coefficients are written with few digits. */
#define NEARLY_ONE 1e-3

/* A filtering stage's kernels have a gain of nearly 1 at frequency 0 and no bias. */
static bool keeps_brightness(const struct imf_stage *s) {
    double gain = 0, bias = 0;
    if (s->op == IMF_OP_WINDOW) /* its element is no kernel of sums */
        return false;
    if (s->op == IMF_OP_TRANSFER)
        gain = imf_transfer_gain(&s->transfer, 0, 0);
    for (int i = 0; i < 2 && s->kernel[i]; i++) {
        gain = hypot(gain, imf_kernel_sum(s->kernel[i]) / s->kernel[0]->scale);
        bias = s->kernel[0]->bias;
    }
    return fabs(gain - 1) <= NEARLY_ONE && bias == 0;
}

bool imf_filter_filters(const struct imf_filter *filter) {
    for (size_t i = 0; i < filter->count; i++)
        if (!imf_op_is_point(filter->stages[i].op))
            return true;
    return false;
}

enum imf_alpha imf_alpha_choose(const struct imf_filter *filter, enum imf_alpha asked) {
    bool keeps = true, straight = false;
    for (size_t i = 0; i < filter->count; i++) {
        const struct imf_stage *s = &filter->stages[i];
        /* Directions, edges, thresholds and quotients are no weighted sums of colours; blurred ones
         * are not those of the scene where alpha hides them. */
        straight = straight || s->op == IMF_OP_PHASE || s->op == IMF_OP_CANNY ||
                   s->op == IMF_OP_CLAHE || s->op == IMF_OP_DEBLUR ||
                   (s->op == IMF_OP_WINDOW && (s->window_op.bilevel || s->compound == IMF_PART));
        keeps = keeps && (imf_op_is_point(s->op) || keeps_brightness(s));
    }
    if (!imf_filter_filters(filter) || straight)
        return IMF_ALPHA_KEEP;
    return asked ? asked : keeps ? IMF_ALPHA_PREMULTIPLY : IMF_ALPHA_KEEP;
}

bool imf_filter_reads_around(const struct imf_filter *filter, size_t from) {
    bool around = false;
    for (size_t i = from; i < filter->count; i++)
        around = around || imf_stage_reads_around(&filter->stages[i]);
    return around;
}

/* Histograms do without: they count what is visible. */
bool imf_alpha_needs_fill(const struct imf_filter *filter) {
    bool around = false;
    for (size_t i = 0; i < filter->count; i++)
        around = around || (imf_stage_reads_around(&filter->stages[i]) &&
                            filter->stages[i].op != IMF_OP_CLAHE);
    return around;
}
