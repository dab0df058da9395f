/* running_sums.h - the inner loops of sums over windows, in the same time for any size */
#ifndef IMF_SOLVER_SMOOTHING_RUNNING_SUMS_H
#define IMF_SOLVER_SMOOTHING_RUNNING_SUMS_H

#include "base/image/samples.h"

/* Add n samples of row `comes` to the columns' sums and sums of squares, and subtract those of row `goes`
 * unless it is NULL. Floats are multiplied by `scale` and rounded to integers. */
void imf_running_add(double *sums, double *squares, enum imf_sample sample, const void *comes,
                     const void *goes, double scale, int n);
/* Sums of `side` neighbouring pixels of two rows: to[i] = the sum of from[i + k * channels]. */
void imf_running_slide(double *const to[2], double *const from[2], int side, int channels, int n);

#endif
