/* float_row.h - the epilogue of rows of floats */
#ifndef IMF_SOLVER_COMMON_FLOAT_ROW_H
#define IMF_SOLVER_COMMON_FLOAT_ROW_H

#include "solver/problem.h"

/* Apply the epilogue without its scale and add, and store n samples (not IMF_F64) from `row` on; v is
 * overwritten. */
void imf_float_row_store(void *row, enum imf_sample sample, float *v, int n,
                         const struct imf_epilogue *e);

#endif
