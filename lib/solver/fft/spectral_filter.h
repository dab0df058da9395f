/* spectral_filter.h - shared by the solvers of transfer functions on devices */
#ifndef IMF_SOLVER_FFT_SPECTRAL_FILTER_H
#define IMF_SOLVER_FFT_SPECTRAL_FILTER_H

#include "solver/fft/args.h"
#include "solver/solver.h"

/* Set out->error for a forward and an inverse transform; doublings: log2 of their points, or a number
 * with the same error. Returns false, with the reason in `out`, if it exceeds the tolerance. */
bool imf_spectral_accurate(struct imf_proposal *out, const struct imf_problem *p, double doublings);

/* Fill the struct for cl/parts/transfer.cl; points: of a transform. */
void imf_spectral_gain_set(struct imf_spectral_gain *g, const struct imf_transfer *t,
                           double points);

/* Squared distances, with period 1, of a frequency along an axis from 0 and from a notch's two centres, in
 * the units of cl/parts/transfer.cl; centre: u or v of the transfer function. */
#define IMF_SQUARES 3
void imf_frequency_squares(int64_t out[IMF_SQUARES], double f, double centre);

/* Samples' middle, which is subtracted, what is added for it, and the constant outside of the edges. */
void imf_spectral_values(const struct imf_problem *p, float *middle, float *mean, float outside[4]);

/* Upload tables of the gaps: struct imf_blend of the period nx along x, then of ny along y; and the taps
 * of the waves, likewise; count: taps of x and of y. */
enum imf_status imf_spectral_gaps(const struct imf_job *job, struct imf_buffer **blends,
                                  struct imf_buffer **taps, int32_t count[2], int nx, int ny,
                                  struct imf_error *err);

#endif
