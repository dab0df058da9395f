/*
 * extend.h - how an image is made periodic, for filters that are products in the frequency domain
 *
 * A product of spectra is a circular convolution, so along each axis the image gets a gap behind it
 * that leads from what lies beyond its end to what lies before its beginning:
 *
 *      0               size                         period
 *      |     image      | beyond the end ~> before 0 |     image again ...
 *
 * Each part of the gap is at least as long as the filter reaches (extend.c says how far that is),
 * however small the image. With wrapped edges there is no gap, whatever the size. The reference and
 * the devices share this, so that they filter the same periodic image.
 */
#ifndef IMF_SOLVER_EXTEND_H
#define IMF_SOLVER_EXTEND_H

#include "solver/solver.h"

/* A sample of the gap: (1 - weight) * first + weight * second. Mirrored by cl/frequency.cl. */
struct imf_blend {
    int32_t first, second; /* positions within the image, or -1: the constant */
    float weight;
};

/* Samples beyond an edge that the filter's result owes something to. */
double imf_extend_reach(const struct imf_transfer *t, int size);

/* Say, in `size` bytes, that an image is too large,
 * or the filter reaches too far beyond its edges. */
void imf_extend_too_long(char *text, size_t size, const struct imf_problem *p);

/* The period of an axis of `size` samples: 0 where it would exceed IMF_FFT_MAX. */
int imf_extend_period(const struct imf_transfer *t, int size, enum imf_edge edge);

/* Fill period - size entries, one for each sample of the gap. */
void imf_extend_blends(struct imf_blend *out, int size, int period, enum imf_edge edge);

#endif
