/* stages.c - stages of transfer functions, unsharp masks and edges */
#include "filter/builtin/table.h"

enum imf_status imf_setup_unsharp(struct imf_stage *stage, const double *values,
                                  struct imf_error *err) {
    if (values[2] == 0)
        return imf_design_unsharp(&stage->kernel[0], values, err);
    stage->op = IMF_OP_UNSHARP;
    stage->amount = values[1];
    stage->threshold = values[2];
    return imf_design_gaussian(&stage->kernel[0], values, err);
}

static enum imf_status setup_transfer(struct imf_stage *stage, enum imf_transfer_kind kind,
                                      double low, double high, const double *type_and_order) {
    stage->op = IMF_OP_TRANSFER;
    stage->transfer = (struct imf_transfer){.kind = kind,
                                            .low = low,
                                            .high = high,
                                            .type = (enum imf_transfer_type)type_and_order[0],
                                            .order = (int)type_and_order[1]};
    return IMF_OK;
}

/* A response around the mean is no signed one. */
static void set_mean(struct imf_stage *stage, double keep) {
    stage->transfer.keeps_mean = keep != 0;
    if (keep != 0)
        stage->range = IMF_RANGE_CLIP;
}

enum imf_status imf_setup_highpass(struct imf_stage *stage, const double *values,
                                   struct imf_error *err) {
    (void)err;
    enum imf_status status = setup_transfer(stage, IMF_HIGHPASS, values[0], 0, values + 1);
    set_mean(stage, values[3]);
    return status;
}

enum imf_status imf_setup_lowpass(struct imf_stage *stage, const double *values,
                                  struct imf_error *err) {
    (void)err;
    return setup_transfer(stage, IMF_LOWPASS, values[0], 0, values + 1);
}

enum imf_status imf_setup_bandpass(struct imf_stage *stage, const double *values,
                                   struct imf_error *err) {
    (void)err;
    enum imf_status status = setup_transfer(stage, IMF_BANDPASS, values[0], values[1], values + 2);
    set_mean(stage, values[4]);
    return status;
}

enum imf_status imf_setup_bandstop(struct imf_stage *stage, const double *values,
                                   struct imf_error *err) {
    (void)err;
    return setup_transfer(stage, IMF_BANDSTOP, values[0], values[1], values + 2);
}

enum imf_status imf_setup_notch(struct imf_stage *stage, const double *values,
                                struct imf_error *err) {
    (void)err;
    stage->op = IMF_OP_TRANSFER;
    stage->transfer = (struct imf_transfer){.kind = IMF_NOTCH,
                                            .type = IMF_GAUSSIAN,
                                            .u = values[0],
                                            .v = values[1],
                                            .radius = values[2]};
    return IMF_OK;
}

enum imf_status imf_setup_notch_auto(struct imf_stage *stage, const double *values,
                                     struct imf_error *err) {
    (void)values, (void)err;
    stage->op = IMF_OP_DESCREEN;
    stage->descreen = (struct imf_descreen){.strength = 1};
    return IMF_OK;
}

enum imf_status imf_setup_descreen(struct imf_stage *stage, const double *values,
                                   struct imf_error *err) {
    (void)err;
    stage->op = IMF_OP_DESCREEN;
    stage->descreen = (struct imf_descreen){.strength = values[0], .harmonics = true};
    return IMF_OK;
}

enum imf_status imf_setup_canny(struct imf_stage *stage, const double *values,
                                struct imf_error *err) {
    (void)err;
    stage->op = IMF_OP_CANNY;
    stage->canny = (struct imf_canny){.low = values[0],
                                      .high = values[1],
                                      .sigma = values[2],
                                      .aperture = 3 + 2 * (int)values[3],
                                      .squares = values[4] != 0,
                                      .first_x = 1,
                                      .first_y = 1};
    return IMF_OK;
}
