/* float_row.h - what follows a sum, for solvers whose results are rows of floats */
#ifndef IMF_SOLVER_COMMON_FLOAT_ROW_H
#define IMF_SOLVER_COMMON_FLOAT_ROW_H

#include "solver/problem.h"

/* The epilogue but for its scale and add, then `n` samples of the output, not IMF_F64, from `row`
 * on; v is overwritten. */
void imf_float_row_store(void *row, enum imf_sample sample, float *v, int n,
                         const struct imf_epilogue *e);

#endif
