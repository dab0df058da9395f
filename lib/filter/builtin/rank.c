/*
 * rank.c - stages of windows: ranks of the samples in a structuring element
 * Minimum and maximum are ranks like the median, and the other filters of morphology consist of these
 * two. An opening's second pass uses the element rotated by 180 degrees, so that opening is
 * idempotent.
 */
#include "filter/builtin/table.h"

static struct imf_window_op rank_in(const struct imf_kernel *k, double percentile,
                                    const char *words) {
    return (struct imf_window_op){.function = IMF_WINDOW_RANK,
                                  .words = words,
                                  .noun = percentile == 0     ? "an erosion"
                                          : percentile == 50  ? "a median"
                                          : percentile == 100 ? "a dilation"
                                                              : "a percentile",
                                  .width = k->width,
                                  .height = k->height,
                                  .cx = k->cx,
                                  .cy = k->cy,
                                  .element = k,
                                  .value = percentile,
                                  .selects = true};
}

static enum imf_status set_rank(struct imf_stage *stage, double percentile, const char *words) {
    stage->op = IMF_OP_WINDOW;
    stage->window_op = rank_in(stage->kernel[0], percentile, words);
    return IMF_OK;
}

enum imf_status imf_setup_median(struct imf_stage *stage, const double *values,
                                 struct imf_error *err) {
    (void)values, (void)err;
    return set_rank(stage, 50, "the median of the samples in the element below");
}

enum imf_status imf_setup_percentile(struct imf_stage *stage, const double *values,
                                     struct imf_error *err) {
    (void)err;
    return set_rank(stage, values[0], "the percentile of the samples in the element below");
}

enum imf_status imf_setup_erode(struct imf_stage *stage, const double *values,
                                struct imf_error *err) {
    (void)values, (void)err;
    return set_rank(stage, 0, "the minimum of the samples in the element below");
}

enum imf_status imf_setup_dilate(struct imf_stage *stage, const double *values,
                                 struct imf_error *err) {
    (void)values, (void)err;
    return set_rank(stage, 100, "the maximum of the samples in the element below");
}

/* Minimum and maximum, in this order or the other; the second in the rotated element where it
 * follows the first. */
static enum imf_status set_both(struct imf_stage *stage, double first, enum imf_compound compound,
                                const char *words) {
    const struct imf_kernel *k = stage->kernel[0];
    stage->op = IMF_OP_WINDOW;
    stage->compound = compound;
    stage->window_op = rank_in(k, first, words);
    stage->second = rank_in(k, 100 - first, words);
    if (compound != IMF_APART) {
        stage->second.turned = true;
        stage->second.cx = k->width - 1 - k->cx;
        stage->second.cy = k->height - 1 - k->cy;
    }
    return IMF_OK;
}

enum imf_status imf_setup_open(struct imf_stage *stage, const double *values,
                               struct imf_error *err) {
    (void)values, (void)err;
    return set_both(stage, 0, IMF_AFTER, "opening: erode, then dilate, in the element below");
}

enum imf_status imf_setup_close(struct imf_stage *stage, const double *values,
                                struct imf_error *err) {
    (void)values, (void)err;
    return set_both(stage, 100, IMF_AFTER, "closing: dilate, then erode, in the element below");
}

enum imf_status imf_setup_gradient(struct imf_stage *stage, const double *values,
                                   struct imf_error *err) {
    (void)values, (void)err;
    return set_both(stage, 0, IMF_APART,
                    "morphological gradient: dilated - eroded, in the element below");
}

enum imf_status imf_setup_tophat(struct imf_stage *stage, const double *values,
                                 struct imf_error *err) {
    (void)values, (void)err;
    return set_both(stage, 0, IMF_ABOVE, "top hat: x - opened, in the element below");
}

enum imf_status imf_setup_blackhat(struct imf_stage *stage, const double *values,
                                   struct imf_error *err) {
    (void)values, (void)err;
    return set_both(stage, 100, IMF_BELOW, "black hat: closed - x, in the element below");
}
