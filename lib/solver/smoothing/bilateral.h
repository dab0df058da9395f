/* bilateral.h - what ways of filtering bilaterally share */
#ifndef IMF_SOLVER_SMOOTHING_BILATERAL_H
#define IMF_SOLVER_SMOOTHING_BILATERAL_H

#include "solver/problem.h"

/* How far results may be off when floats hold differences, their sums are added up row by row, and
 * weights are off by `power`, relatively, beside what rounding their exponents makes of it. */
double imf_bilateral_error(const struct imf_problem *p, double power);

#endif
