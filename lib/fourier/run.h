/*
 * run.h - what every program that transforms on a device needs: its text, axes and twiddles
 */
#ifndef IMF_FOURIER_RUN_H
#define IMF_FOURIER_RUN_H

#include "base/surface.h"
#include "device/program.h"
#include "fourier/plan.h"

/* struct fft_axis of cl/parts/fft_stages.cl. */
struct imf_fft_axis {
    int32_t length, valid, origin, taps, stages, radix[IMF_FFT_STAGES], twiddles, primes,
        prime_tables;
};

/* The parts of a program that transforms lines; primes: some have prime stages. */
const char *const *imf_fft_parts(bool primes);

void imf_fft_axis_set(struct imf_fft_axis *axis, const struct imf_fft_plan *plan);

/* The twiddle factors of one or two plans (y may be NULL) in one buffer; sets axis->twiddles. */
enum imf_status imf_fft_twiddle_buffer(struct imf_queue *queue, const struct imf_fft_plan *x,
                                       const struct imf_fft_plan *y, struct imf_fft_axis *axis_x,
                                       struct imf_fft_axis *axis_y, struct imf_buffer **out,
                                       struct imf_error *err);

#endif
