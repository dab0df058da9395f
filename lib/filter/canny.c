/* canny.c - the stage of edges after Canny */
#include "filter/builtin.h"

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
