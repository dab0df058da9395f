/*
 * tile.h - how an image is cut into tiles for convolution by transforms, and what that costs
 * (no OpenCL calls)
 */
#ifndef IMF_SOLVER_FFT_TILE_H
#define IMF_SOLVER_FFT_TILE_H

#include "fourier/plan.h"
#include "solver/fft/error.h"

struct imf_fft_tiling {
    struct imf_fft_plan x, y;
    int valid_x, valid_y; /* outputs of a tile: length - taps + 1, or what the image needs */
    int tiles_x;          /* tiles in a row */
    int pairs;            /* of tiles, one below the other; single tiles that ride alone */
    bool shared;          /* a tile is so large that all work-items share it */
    int groups;           /* work-items */
    double ms;            /* estimate */
    struct imf_fft_bound bound;
    double error; /* of sums, at most */
};

/* The cheapest tiling for this problem on this device. False when no tile fits its memory. */
bool imf_fft_tiling_choose(struct imf_fft_tiling *t, const struct imf_problem *p,
                           const struct imf_device *d);

/* Rows of the result that a row of pairs of tiles yields: bands that end between such rows have the
 * same tiles as the image has at once. */
int imf_fft_tiling_step(const struct imf_fft_tiling *t);

/* Bytes of scratch memory: work for each work-item, and planes. 0 on overflow. */
size_t imf_fft_tiling_scratch(const struct imf_fft_tiling *t);

#endif
