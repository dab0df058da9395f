/* guided.h - what ways of the guided filter share */
#ifndef IMF_SOLVER_SMOOTHING_GUIDED_H
#define IMF_SOLVER_SMOOTHING_GUIDED_H

#include "solver/problem.h"

/* Of guided:R:EPS: R, and the side of its windows. */
int imf_guided_radius(const struct imf_problem *p);
int imf_guided_side(const struct imf_problem *p);

/* What samples are multiplied by to be summed as integers: a power of 2, so that it divides as it
 * multiplies; sums of squares stay below 2^53. */
double imf_guided_scale(const struct imf_problem *p);

/* How far results may be off where a window's line is, by `line` in units of the largest sample. */
double imf_guided_error(const struct imf_problem *p, double line);

#endif
