/* planes.h - pixels to planes of floats in luma and colour differences, and back */
#ifndef IMF_SOLVER_DENOISE_PLANES_H
#define IMF_SOLVER_DENOISE_PLANES_H

#include "solver/denoise/denoise.h"

/* The colours of n pixels of a row, from `row` on, to plane[c][at]; and to guide[at], unless it is NULL, integers of
 * which distances are: `scale` is imf_denoise_guide(). */
void imf_planes_load(float *const *plane, float *guide, float scale, size_t at, const void *row,
                     enum imf_sample sample, int channels, int colors, size_t n);
/* And from the planes to interleaved samples; of channels that are no colours those of `row`. The planes are
 * overwritten. */
void imf_planes_store(float *to, float *const *plane, size_t at, const void *row,
                      enum imf_sample sample, int channels, int colors, size_t n);

#endif
