/* noise.h - how much noise an image has */
#ifndef IMF_SOLVER_DENOISE_NOISE_H
#define IMF_SOLVER_DENOISE_NOISE_H

#include "base/image/surface.h"

/*
 * *sigma: the standard deviation of white noise in the first `colors` channels of a surface in the
 * host's memory, on the scale of its samples, of which `full` is full scale. Texture counts as noise:
 * of photographs without any, 0.5 to 3 of 255 are found. 0: less than 3 pixels wide or high, or most
 * of it is flat or at either end of the scale. `weigh`: the channel after the colours is alpha, and what is near a pixel
 * where that rounds to 0 does not count. Margins are not read. first_x, first_y: 1 where windows are laid from the
 * left, and from the upper side on, or -1 for the other one. IMF_ERR_MEMORY, with 0.
 */
enum imf_status imf_noise_sigma(double *sigma, const struct imf_surface *s, int colors, bool weigh,
                                double full, int first_x, int first_y, struct imf_error *err);

#endif
