/* table.h - what a whole image's histogram makes of each value of its samples */
#ifndef IMF_SOLVER_HISTOGRAM_TABLE_H
#define IMF_SOLVER_HISTOGRAM_TABLE_H

#include "solver/problem.h"

#define IMF_TABLE_SIZE 65536 /* values of the deepest samples */

/* value[v]: what the problem makes of samples v = 0..full, its epilogue included, when count[v] of
 * all have that value. */
void imf_table_fill(double *value, const struct imf_problem *p, const uint64_t *count);
/* Values 0..full are a problem's. */
int imf_table_full(const struct imf_problem *p);

#endif
