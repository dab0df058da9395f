/* host.h - what the host's solvers share */
#ifndef IMF_SOLVER_CONVOLUTION_HOST_H
#define IMF_SOLVER_CONVOLUTION_HOST_H

#include "solver/solver.h"

/* sum += tap * row */
void imf_host_add(double *restrict sum, const double *restrict row, double tap, size_t count);
/* What becomes of sums of one kernel before they are rounded: the scale and the epilogue. */
void imf_host_end(const struct imf_epilogue *e, double *sum, size_t count);
/* Row `row` of the output from its sums; sum1 NULL unless magnitude or phase. */
void imf_host_finish(const struct imf_problem *p, double *sum, const double *sum1,
                     const struct imf_surface *out, int row);

/* solver/convolution/host_factors.c: kernels as products of a column and a row, for those who cannot wait.
 * False when the kernel is no such sum to float64's precision; on success the caller frees
 * terms->store. */
bool imf_host_factors(const struct imf_problem *p, struct imf_terms *terms);
/* Rows from..to - 1; scratch: so many values. */
size_t imf_host_factored_scratch(const struct imf_problem *p, const struct imf_terms *terms);
void imf_host_factored(const struct imf_problem *p, const struct imf_terms *terms,
                       const struct imf_surface *in, const struct imf_surface *out, int from,
                       int to, double *scratch);

#endif
