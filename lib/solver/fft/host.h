/* host.h - what transforms on the host take */
#ifndef IMF_SOLVER_FFT_HOST_H
#define IMF_SOLVER_FFT_HOST_H

#include "fourier/plan.h"
#include "solver/problem.h"

/* Milliseconds of one core for transforming every channel of the image along x and y, there and
 * back. */
double imf_fft_host_ms(const struct imf_problem *p, const struct imf_fft_plan *x,
                       const struct imf_fft_plan *y);

#endif
