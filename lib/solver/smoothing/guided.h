/* guided.h - shared by the guided filters in running sums */
#ifndef IMF_SOLVER_SMOOTHING_GUIDED_H
#define IMF_SOLVER_SMOOTHING_GUIDED_H

#include "solver/problem.h"

/* R of guided:R:EPS, and the side of its windows. */
int imf_guided_radius(const struct imf_problem *p);
int imf_guided_side(const struct imf_problem *p);

/* Factor of samples before they are rounded to integers: a power of 2 for which sums of squares stay
 * below 2^53. */
double imf_guided_scale(const struct imf_problem *p);

/* Bound of a result's error if a window's line has the error `line`, in units of the largest sample. */
double imf_guided_error(const struct imf_problem *p, double line);

#endif
