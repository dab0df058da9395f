/*
 * scan.c - stages for scanned pages in uneven light: thresholds that follow the light
 * A sample is compared with what the samples in a window around it say of the paper there. flatten
 * divides by it: a closing takes away what is darker and narrower than its window, text, and the mean
 * in the same window rounds off the squares that it leaves.
 */
#include "filter/builtin/table.h"

static enum imf_status set_threshold(struct imf_stage *stage, enum imf_window_function function,
                                     const double *values, const char *words) {
    int reach = (int)values[0];
    stage->op = IMF_OP_WINDOW;
    stage->window_op = (struct imf_window_op){.function = function,
                                              .noun = "a local threshold",
                                              .words = words,
                                              .width = 2 * reach + 1,
                                              .height = 2 * reach + 1,
                                              .cx = reach,
                                              .cy = reach,
                                              .value = values[1],
                                              .bilevel = true};
    return IMF_OK;
}

enum imf_status imf_setup_local(struct imf_stage *stage, const double *values,
                                struct imf_error *err) {
    (void)err;
    return set_threshold(stage, IMF_WINDOW_LOCAL, values,
                         "full scale where x is above the window's mean less OFFSET, 0 elsewhere");
}

enum imf_status imf_setup_sauvola(struct imf_stage *stage, const double *values,
                                  struct imf_error *err) {
    (void)err;
    return set_threshold(stage, IMF_WINDOW_SAUVOLA, values,
                         "full scale where x is above m (1 + k (s / half scale - 1)), of the "
                         "window's mean m and spread s, 0 elsewhere");
}

enum imf_status imf_setup_flatten(struct imf_stage *stage, const double *values,
                                  struct imf_error *err) {
    const double side = 2 * values[0] + 1;
    enum imf_status status = imf_design_box(&stage->kernel[0], &side, err);
    if (status == IMF_OK)
        status = imf_setup_close(stage, values, err);
    stage->compound = IMF_PART;
    stage->window_op.words =
        "x / mean of what closing leaves: dilated, eroded, the mean, in the "
        "element below";
    return status;
}
