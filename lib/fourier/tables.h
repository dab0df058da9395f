/*
 * tables.h - what every program that transforms on a device is given: the parts of its text, axes,
 * twiddle factors, and the tables of prime stages (cl/parts/fft_primes.cl)
 */
#ifndef IMF_FOURIER_TABLES_H
#define IMF_FOURIER_TABLES_H

#include "base/image/surface.h"
#include "device/program.h"
#include "fourier/plan.h"

/* struct fft_axis of cl/parts/fft_stages.cl. */
struct imf_fft_axis {
    int32_t length, valid, origin, taps, stages, radix[IMF_FFT_STAGES], twiddles, primes,
        prime_tables;
};

/* struct fft_prime of cl/parts/fft_primes.cl. */
struct imf_fft_prime {
    int32_t radix, orders, factors;
    struct imf_fft_axis axis;
};

/* The parts of a program that transforms lines; primes: some have prime stages. */
const char *const *imf_fft_parts(bool primes);

void imf_fft_axis_set(struct imf_fft_axis *axis, const struct imf_fft_plan *plan);

/* Floats that the tables of a plan's prime stages take. */
size_t imf_fft_prime_floats(const struct imf_fft_plan *plan);

/* Fill them, from position `first` of the axis' twiddle factors on. */
enum imf_status imf_fft_prime_tables(const struct imf_fft_plan *plan, float *twiddles, size_t first,
                                     struct imf_error *err);

/* Elements that the widest prime stage works in, beside the line itself; 0 without one. */
int imf_fft_prime_spare(const struct imf_fft_plan *plan);

/* The twiddle factors of one or two plans (y may be NULL) in one buffer; sets axis->twiddles. */
enum imf_status imf_fft_twiddle_buffer(struct imf_queue *queue, const struct imf_fft_plan *x,
                                       const struct imf_fft_plan *y, struct imf_fft_axis *axis_x,
                                       struct imf_fft_axis *axis_y, struct imf_buffer **out,
                                       struct imf_error *err);

#endif
