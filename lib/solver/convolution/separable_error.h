/* separable_error.h - how far the floats of a separable filter may stray */
#ifndef IMF_SOLVER_CONVOLUTION_SEPARABLE_ERROR_H
#define IMF_SOLVER_CONVOLUTION_SEPARABLE_ERROR_H

#include "solver/solver.h"

/*
 * Bound of the absolute error of the result before rounding, where the terms' sums are floats:
 * columns first, or in two_passes rows first. paired: mirrored samples are added before they are
 * multiplied. More than one term: in one pass, of a kernel of at most IMF_TERMS_SIDE columns.
 */
double imf_separable_error(const struct imf_problem *p, const struct imf_terms *t, bool two_passes,
                           bool paired);

#endif
