/*
 * fft_tile.h - how an image is cut into tiles for convolution by transforms, what that costs, and
 * how accurate it is (no OpenCL calls)
 */
#ifndef IMF_FFT_TILE_H
#define IMF_FFT_TILE_H

#include "fft_plan.h"
#include "solver.h"

struct imf_fft_tiling {
    struct imf_fft_plan x, y;
    int valid_x, valid_y; /* outputs of a tile: length - taps + 1, or what the image needs */
    int tiles_x, pairs;   /* tiles in a row; pairs of tiles, one below the other */
    bool shared;          /* a tile is so large that all work-items share it */
    int groups;           /* work-items */
    double ms;            /* estimate */
};

/* The cheapest tiling for this problem on this device. False when no tile fits its memory. */
bool imf_fft_tiling_choose(struct imf_fft_tiling *t, const struct imf_problem *p,
                           const struct imf_device *d, int vec);

/* Bytes of scratch memory: work for each work-item, and planes. 0 on overflow. */
size_t imf_fft_tiling_scratch(const struct imf_fft_tiling *t, int vec);

/* What is subtracted from the samples before the transform: mid-range of integers, else 0. */
double imf_fft_middle(const struct imf_problem *p);

/* Bound of the absolute error of a sum of products (before scale), for n points a transform. */
double imf_fft_error(const struct imf_problem *p, double points);

/* exact: the true sum is sought this far from the computed one. */
double imf_fft_window(double error);

/* exact: a float, sum * E_MUL + NEAR_ADD, decides pixels that are further than imf_fft_tie from a
 * tie: that covers the sum's error and the roundings. Where the scale is large, few are closer, and
 * imf_fft_near_tie says that this is worthwhile. */
double imf_fft_tie(const struct imf_problem *p, double error);
bool imf_fft_near_tie(const struct imf_problem *p, double error);

/* exact: the share of pixels whose sum must be taken again, tap by tap, for an exact result. */
double imf_fft_doubtful(const struct imf_problem *p, double error);

#endif
