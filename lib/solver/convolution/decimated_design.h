/*
 * decimated_design.h - a smooth row of taps as a window at every step-th pixel and weights of these
 */
#ifndef IMF_SOLVER_CONVOLUTION_DECIMATED_DESIGN_H
#define IMF_SOLVER_CONVOLUTION_DECIMATED_DESIGN_H

#include <stdbool.h>

/* Coarse samples that an output is made of, at most. */
#define IMF_DECIMATED_COUNT 24

/*
 * Coarse sample m is sum window[|t|] * x[m * step + t] over t = -radius..radius. With p = 0..step - 1
 * output m * step + p is sum weight[p * count + j] * (coarse sample m + j - before) over
 * j = 0..count - 1.
 */
struct imf_decimated {
    int step, radius, count, before;
    double *window; /* radius + 1, adding up to 1 with the mirrored ones */
    double *weight;
    /* What outputs may be off by, with samples in 0..1; the largest sums of |weights| and of their
     * squares of an output; the sum of the window's squares. */
    double error, weight_sum, weight_squares, window_squares;
    double *store; /* owned: free() it */
};

/* For taps that are their own mirror image, reach..0..reach. False, and nothing owned, where no such
 * filter comes within `allowed` (of samples in 0..1), or memory ran out. */
bool imf_decimated_design(struct imf_decimated *out, const double *taps, int reach, double allowed);
/* The filter of a step and a count of weights that a design has found for these taps. False, and
 * nothing owned, when memory ran out. */
bool imf_decimated_make(struct imf_decimated *out, const double *taps, int reach, int step,
                        int count);

#endif
