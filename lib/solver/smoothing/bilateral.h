/* bilateral.h - shared by the bilateral filters in floats */
#ifndef IMF_SOLVER_SMOOTHING_BILATERAL_H
#define IMF_SOLVER_SMOOTHING_BILATERAL_H

#include "solver/problem.h"

/* Bound of a result's error if differences are floats, sums are added up row by row, and weights have
 * the relative error `power` in addition to that of rounding their exponents. */
double imf_bilateral_error(const struct imf_problem *p, double power);

#endif
