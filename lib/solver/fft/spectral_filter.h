/* spectral_filter.h - what the solvers of transfer functions on devices share */
#ifndef IMF_SOLVER_FFT_SPECTRAL_FILTER_H
#define IMF_SOLVER_FFT_SPECTRAL_FILTER_H

#include "solver/fft/args.h"
#include "solver/solver.h"

/* Set out->error for transforms there and back, `doublings` the logarithm of their points or what
 * the error is like; false: that is over the tolerance, and `out` says so. */
bool imf_spectral_accurate(struct imf_proposal *out, const struct imf_problem *p, double doublings);

/* What cl/parts/transfer.cl takes; points: of a transform. */
void imf_spectral_gain_set(struct imf_spectral_gain *g, const struct imf_transfer *t,
                           double points);

/* The square of a frequency, the nearest one on the circle where 1 is 0 again, in the kernel's
 * units. */
int64_t imf_frequency_square(double f);

/* A table of struct imf_blend, the gap of a period nx along x, then of ny along y, and one of the
 * taps of the waves that go on, likewise; count: how many of x and of y. */
enum imf_status imf_spectral_gaps(struct imf_buffer **blends, struct imf_buffer **taps,
                                  int32_t count[2], struct imf_queue *queue,
                                  const struct imf_problem *p, int nx, int ny,
                                  struct imf_error *err);

#endif
