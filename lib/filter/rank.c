/*
 * rank.c - stages of windows: ranks of the samples in a structuring element
 *
 * The least and the greatest are ranks like the median.
 */
#include "filter/builtin.h"

static struct imf_neighbourhood rank_in(const struct imf_kernel *k, double percentile,
                                        const char *words) {
    return (struct imf_neighbourhood){.name = "rank",
                                      .words = words,
                                      .width = k->width,
                                      .height = k->height,
                                      .cx = k->cx,
                                      .cy = k->cy,
                                      .element = k,
                                      .value = percentile,
                                      .selects = true};
}

static enum imf_status set_rank(struct imf_stage *stage, double percentile, const char *words) {
    stage->op = IMF_OP_NEIGHBOURHOOD;
    stage->neighbourhood = rank_in(stage->kernel[0], percentile, words);
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
    return set_rank(stage, 0, "the least of the samples in the element below");
}

enum imf_status imf_setup_dilate(struct imf_stage *stage, const double *values,
                                 struct imf_error *err) {
    (void)values, (void)err;
    return set_rank(stage, 100, "the greatest of the samples in the element below");
}
