/* guided_rows.h - the inner loops of solver/smoothing/guided.c */
#ifndef IMF_SOLVER_SMOOTHING_GUIDED_ROWS_H
#define IMF_SOLVER_SMOOTHING_GUIDED_ROWS_H

#include "base/image/samples.h"

/* Slopes and offsets are integers in steps of 1 over this. */
#define IMF_GUIDED_STEPS 1073741824.0

/* Add `sign` times a row of slopes and offsets to their sums. */
void imf_guided_move(double *slopes, double *offsets, int32_t *const lines[2], double sign, int n);

struct imf_guided_fit {
    double share; /* 1 / the samples of a window */
    double eps;   /* squared, in the units of squared sums */
    double steps; /* steps of an offset for a unit of the sums */
};
/* Compute the lines of windows from their sums and sums of squares. */
void imf_guided_fit(const struct imf_guided_fit *f, const double *sums, const double *squares,
                    int32_t *slopes, int32_t *offsets, int n);
/* slopes * slope * sample + offsets * offset */
void imf_guided_mix(float *to, const double *slopes, const double *offsets, double slope,
                    double offset, enum imf_sample sample, const void *row, int n);

#endif
