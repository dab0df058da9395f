/*
 * decimated_design.h - a smooth row of taps as a window at every step-th pixel and weights of these
 */
#ifndef IMF_SOLVER_CONVOLUTION_DECIMATED_DESIGN_H
#define IMF_SOLVER_CONVOLUTION_DECIMATED_DESIGN_H

#include <stdbool.h>
#include <stddef.h>

/* Most coarse samples of an output. */
#define IMF_DECIMATED_COUNT 24

/*
 * Coarse sample m is sum window[|t|] * x[m * step + t] over t = -radius..radius. With p = 0..step - 1
 * output m * step + p is sum weight[p * count + j] * (coarse sample m + j - before) over
 * j = 0..count - 1.
 */
struct imf_decimated {
    int step, radius, count, before;
    double *window; /* radius + 1 values; mirrored, they add up to 1 */
    double *weight;
    /* Bound of an output's error with samples in 0..1; the largest sum of an output's |weights| and of
     * their squares; the sum of the window's squares. */
    double error, weight_sum, weight_squares, window_squares;
    double *store;  /* owned: free() it */
    size_t missing; /* bytes that could not be allocated to find out, or 0 */
};

/* Design the filters for symmetric taps -reach..reach. Returns false, with nothing to free, if none is
 * within `allowed` (for samples in 0..1) or memory ran out. */
bool imf_decimated_design(struct imf_decimated *out, const double *taps, int reach, double allowed);
/* Make the filters with the step and count that a design has found for these taps. Returns false, with
 * nothing to free, if memory ran out. */
bool imf_decimated_make(struct imf_decimated *out, const double *taps, int reach, int step,
                        int count);

#endif
