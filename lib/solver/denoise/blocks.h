/* blocks.h - sliding cosine transforms of a plane, on vectors */
#ifndef IMF_SOLVER_DENOISE_BLOCKS_H
#define IMF_SOLVER_DENOISE_BLOCKS_H

#include "solver/denoise/cosine.h"

#define IMF_BLOCKS_STEP 2 /* between blocks, in both directions */

/* A grid of blocks: the first begins at the first pixel of the first row. */
struct imf_blocks {
    int across, down;
    size_t pitch; /* floats from row to row; at least imf_blocks_pitch() of the widest grid */
    struct imf_shrink shrink;
    float *scratch; /* imf_blocks_scratch() of across */
};

/* Rows are read up to here. */
size_t imf_blocks_pitch(int across);
size_t imf_blocks_scratch(int across);

/* The first estimate of `image`; or, unless `first` is NULL, the second. Written are columns 6 to 2 across - 1 of rows
 * 6 to 2 down - 1: those that no block is missing for; what is before may be overwritten. `to` may be `image`. */
void imf_blocks_estimate(const struct imf_blocks *b, float *to, const float *image,
                         const float *first);

#endif
