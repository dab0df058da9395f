/*
 * extend.h - how an image is made periodic, for filters that are products in the frequency domain
 *
 * A product of spectra is a circular convolution. So along each axis a gap is appended to the image,
 * which leads from the samples beyond its end to those before its beginning:
 *
 *      0               size                         period
 *      |     image      | beyond the end ~> before 0 |     image again ...
 *
 * Each part of the gap is at least as long as the filter's reach (extend.c), however small the image.
 * With wrapped edges there is no gap. The reference and the devices share this code, so that they
 * filter the same periodic image.
 */
#ifndef IMF_SOLVER_FFT_EXTEND_H
#define IMF_SOLVER_FFT_EXTEND_H

#include "solver/solver.h"

/* A sample of the gap: (1 - weight) * first + weight * second + the sum of wave[i] * fit[i], where fit are
 * c and s of extend_wave.c at the end of the line, then at its beginning. Mirrored by
 * cl/parts/transfer.cl. */
struct imf_blend {
    int32_t first, second; /* positions in the image; -1: the constant */
    float weight;
    float wave[4];
};

/* A notch's wave along an axis. */
struct imf_wave {
    int taps;     /* samples at each end of a line that the wave is fitted to; 0: no wave */
    double omega; /* radians for each sample */
};

/* Number of samples beyond an edge that affect the filter's result. */
double imf_extend_reach(const struct imf_transfer *t, int size);

/* Write to `text` (size bytes) that the image is too large or the filter reaches too far beyond its
 * edges. */
void imf_extend_too_long(char *text, size_t size, const struct imf_problem *p);

/* The period of an axis of `size` samples; 0 if it exceeded IMF_FFT_MAX. */
int imf_extend_period(const struct imf_transfer *t, int size, enum imf_edge edge);

/* The wave that is continued beyond the ends of an axis of `size` samples; frequency: the transfer
 * function's u or v. */
struct imf_wave imf_extend_wave(const struct imf_transfer *t, double frequency, int size,
                                enum imf_edge edge);

/* Fill two taps for each of wave.taps samples, from the end of a line inwards: the sums of their
 * products with the samples are c and s. */
void imf_extend_taps(double *out, struct imf_wave wave);

/* Set b->wave for the sample of the gap that lies `after` samples after a line's end and `before` samples
 * before its beginning. */
void imf_extend_wave_on(struct imf_blend *b, struct imf_wave wave, int after, int before);

/* Fill period - size entries, one for each sample of the gap. */
void imf_extend_blends(struct imf_blend *out, int size, int period, enum imf_edge edge,
                       struct imf_wave wave);

#endif
