/* point.c - stages of point operations */
#include "filter/builtin/table.h"

enum imf_status imf_setup_gray(struct imf_stage *stage, const double *values,
                               struct imf_error *err) {
    (void)values;
    (void)err;
    stage->op = IMF_OP_GRAY;
    return IMF_OK;
}

enum imf_status imf_setup_invert(struct imf_stage *stage, const double *values,
                                 struct imf_error *err) {
    (void)values;
    (void)err;
    stage->op = IMF_OP_INVERT;
    return IMF_OK;
}

enum imf_status imf_setup_threshold(struct imf_stage *stage, const double *values,
                                    struct imf_error *err) {
    (void)err;
    if (values[0] < 0) { /* the word */
        stage->op = IMF_OP_HISTOGRAM;
        stage->histogram_op = IMF_HISTOGRAM_OTSU;
        return IMF_OK;
    }
    stage->op = IMF_OP_THRESHOLD;
    stage->threshold = values[0];
    return IMF_OK;
}

enum imf_status imf_setup_equalize(struct imf_stage *stage, const double *values,
                                   struct imf_error *err) {
    (void)values;
    (void)err;
    stage->op = IMF_OP_HISTOGRAM;
    stage->histogram_op = IMF_HISTOGRAM_EQUALIZE;
    return IMF_OK;
}

enum imf_status imf_setup_blend(struct imf_stage *stage, const double *values,
                                struct imf_error *err) {
    (void)err;
    stage->op = IMF_OP_BLEND;
    stage->blend = (enum imf_blend_mode)values[0];
    stage->amount = values[1];
    return IMF_OK;
}
