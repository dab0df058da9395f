/*
 * tile.h - how an image is cut into tiles for convolution by transforms, and the cost
 * (without OpenCL)
 */
#ifndef IMF_SOLVER_FFT_TILE_H
#define IMF_SOLVER_FFT_TILE_H

#include "fourier/plan.h"
#include "solver/fft/error.h"

struct imf_fft_tiling {
    struct imf_fft_plan x, y;
    int valid_x, valid_y; /* outputs of a tile: length - taps + 1, or what the image needs */
    int tiles_x;          /* tiles in a row */
    int pairs;            /* of tiles, one below the other; or single tiles (imf_fft_bound.alone) */
    bool shared;          /* all work-items share the plane of one large tile */
    int groups;           /* work-items */
    double ms;            /* estimate */
    struct imf_fft_bound bound;
    double error; /* of sums, at most */
};

/* Find the cheapest tiling; false if no tile fits the device's memory. */
bool imf_fft_tiling_choose(struct imf_fft_tiling *t, const struct imf_problem *p,
                           const struct imf_device *d);

/* Output rows of a row of pairs of tiles: bands of multiples of it have the same tiles as the whole
 * image. */
int imf_fft_tiling_step(const struct imf_fft_tiling *t);

/* Bytes of scratch memory: columns of each work-item, and planes; 0 on overflow. */
size_t imf_fft_tiling_scratch(const struct imf_fft_tiling *t);

#endif
