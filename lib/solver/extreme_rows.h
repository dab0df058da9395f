/* extreme_rows.h - the inner loops of solver/extreme.c */
#ifndef IMF_SOLVER_EXTREME_ROWS_H
#define IMF_SOLVER_EXTREME_ROWS_H

#include "base/samples.h"

#include <stdbool.h>

/* to[i] = the least, or the greatest, of at[0][i], at[1][i]... for 0 <= i < n; not IMF_F64. `to` is
 * none of them. */
void imf_extreme_rows(enum imf_sample sample, bool greatest, void *to, const void *const *at,
                      int count, int n);

#endif
