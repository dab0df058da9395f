/* erode_dilate_rows.h - the inner loops of solver/morphology/erode_dilate.c */
#ifndef IMF_SOLVER_MORPHOLOGY_ERODE_DILATE_ROWS_H
#define IMF_SOLVER_MORPHOLOGY_ERODE_DILATE_ROWS_H

#include "base/image/samples.h"

#include <stdbool.h>

/* to[i] = the minimum, or the maximum, of at[0][i], at[1][i]... for 0 <= i < n; not IMF_F64. `to` is
 * none of them. */
void imf_erode_dilate_rows(enum imf_sample sample, bool dilate, void *to, const void *const *at,
                           int count, int n);

#endif
