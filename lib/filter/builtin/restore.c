/* restore.c - stages that undo a blur */
#include "filter/builtin/table.h"

/* values: the kernel, which is read already, noise, prior, iterations. */
enum imf_status imf_setup_deblur(struct imf_stage *stage, const double *values,
                                 struct imf_error *err) {
    (void)err;
    stage->op = IMF_OP_DEBLUR;
    stage->deblur =
        (struct imf_deblur){.method = values[2] != 0 ? IMF_DEBLUR_TV : IMF_DEBLUR_WIENER,
                            .kernel = stage->kernel[0],
                            .noise = values[1],
                            .iterations = (int)values[3],
                            .first_x = 1,
                            .first_y = 1};
    return IMF_OK;
}

/* values: the kernel, noise, iterations. */
enum imf_status imf_setup_rl(struct imf_stage *stage, const double *values, struct imf_error *err) {
    (void)err;
    stage->op = IMF_OP_DEBLUR;
    stage->deblur = (struct imf_deblur){.method = IMF_DEBLUR_RL,
                                        .kernel = stage->kernel[0],
                                        .noise = values[1],
                                        .iterations = (int)values[2]};
    return IMF_OK;
}
