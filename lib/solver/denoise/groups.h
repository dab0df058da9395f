/* groups.h - cosine transforms of groups of blocks that are alike, on vectors */
#ifndef IMF_SOLVER_DENOISE_GROUPS_H
#define IMF_SOLVER_DENOISE_GROUPS_H

#include "solver/denoise/cosine.h"

/* A tile of an image with the problem's reach around it, as planes. */
struct imf_groups {
    const struct imf_denoise_grid *grid;
    struct imf_denoise_sides sides;
    struct imf_denoise_order order; /* of equal blocks */
    int colors, reach, width, height;
    size_t pitch, size; /* floats of a row and of a plane */
    float *image[IMF_CHANNELS_MAX], *estimate[IMF_CHANNELS_MAX];
    float *sum[IMF_CHANNELS_MAX], *weight[IMF_CHANNELS_MAX];
    float *guide; /* integers of which distances are */
    float *row;   /* of the tile's interleaved samples, for the caller */
    struct imf_shrink shrink;
    int across;       /* groups of a row */
    uint8_t *members; /* where each group's blocks begin, as 16 * row + column of its search */
};

/* Floats of memory for a tile. */
size_t imf_groups_floats(const struct imf_problem *p, int width, int height);
/* Lay out a tile's planes in memory of zeros. The caller fills `image` and `guide`. */
void imf_groups_open(struct imf_groups *g, const struct imf_job *job, int width, int height,
                     float *memory);
/* Set `estimate` inside the reach. */
void imf_groups_run(struct imf_groups *g);

#endif
