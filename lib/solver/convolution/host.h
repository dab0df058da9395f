/* host.h - shared by the plain C solvers of sums */
#ifndef IMF_SOLVER_CONVOLUTION_HOST_H
#define IMF_SOLVER_CONVOLUTION_HOST_H

#include "solver/solver.h"

/* Store row `row` of the output from its sums; sum1 is NULL unless magnitude or phase. */
void imf_host_finish(const struct imf_problem *p, double *sum, const double *sum1,
                     const struct imf_surface *out, int row);

#endif
