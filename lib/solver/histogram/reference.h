/* reference.h - operations that map each sample value by the whole image's histogram */
#ifndef IMF_SOLVER_HISTOGRAM_REFERENCE_H
#define IMF_SOLVER_HISTOGRAM_REFERENCE_H

#include "solver/problem.h"

#define IMF_HISTOGRAM_SIZE 65536 /* values of 16-bit samples, the deepest */

/* Set value[v] to the result for samples of value v = 0..full, epilogue included, where count[v]
 * samples of the image have the value v. */
void imf_histogram_op_map(double *value, const struct imf_problem *p, const uint64_t *count);
/* The greatest sample value of a problem: full scale. */
int imf_histogram_op_full(const struct imf_problem *p);

#endif
