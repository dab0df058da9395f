/* contrast.c - the stage of local contrast: contrast-limited adaptive histogram equalization */
#include "filter/builtin/table.h"

#include <math.h>

enum imf_status imf_setup_clahe(struct imf_stage *stage, const double *values,
                                struct imf_error *err) {
    (void)err;
    stage->op = IMF_OP_CLAHE;
    stage->clahe = (struct imf_clahe){.across = (int)floor(values[0] / IMF_SIZE),
                                      .down = (int)fmod(values[0], IMF_SIZE),
                                      .limit = values[1],
                                      .first_x = 1,
                                      .first_y = 1};
    return IMF_OK;
}
