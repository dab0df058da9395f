/*
 * denoise.h - what the solvers that remove noise share
 *
 * reference.c has the definition.
 */
#ifndef IMF_SOLVER_DENOISE_DENOISE_H
#define IMF_SOLVER_DENOISE_DENOISE_H

#include "solver/solver.h"

#define IMF_BLOCK IMF_DENOISE_BLOCK
#define IMF_BLOCK_AREA (IMF_BLOCK * IMF_BLOCK)
#define IMF_GROUP_MOST 16 /* blocks of a group */

/* Distances of blocks are those of luma in steps of sigma / IMF_GUIDE_STEPS, as integers from 0 to IMF_GUIDE_MOST;
 * where sigma is so small that these would not do, in larger steps. Floats hold sums of such squares. */
#define IMF_GUIDE_STEPS 8
#define IMF_GUIDE_MOST 511

/* Of a sample in float32, in parts of the largest: the worst that was measured was 1.6e-6, of samples at either end amid
 * noise, behind weights that differ by a factor of 1000. */
#define IMF_DENOISE_ERROR 4e-6

/* job->own begins with sigma on the scale of the samples: given, or measured by the last run. */
static inline double imf_denoise_sigma(const struct imf_job *job) {
    return *(const double *)job->own;
}
/* Set it, from a surface in host memory where it is to be measured. */
enum imf_status imf_denoise_measure(struct imf_job *job, const struct imf_surface *in,
                                    struct imf_error *err);

/* What the solvers' proposals have in common: bands, their step. ns: nanoseconds of a core for each
 * of the colours' samples. */
void imf_denoise_propose(const struct imf_problem *p, struct imf_proposal *out, double ns);
/* Whether float32 suffices; otherwise `out` has the reason. */
bool imf_denoise_floats_do(const struct imf_problem *p, struct imf_proposal *out);
/* Members of struct imf_solver; `run` of the host's, which cut strips. */
void imf_denoise_tell(const struct imf_job *job, char *text, size_t size);
enum imf_status imf_denoise_run(struct imf_job *job, const struct imf_surface *in,
                                const struct imf_surface *out, struct imf_error *err);

/* Which part of a coefficient is kept, by sigma. struct denoise_shrink of cl/denoise_gpu.cl. */
struct imf_shrink {
    float scale, shift; /* of the first estimate: scale * x^2 - shift, within 0..1 */
    float power;        /* of the second: sigma^2 */
};

static inline struct imf_shrink imf_shrink_of(double sigma) {
    const double low = IMF_DENOISE_NOISE * IMF_DENOISE_NOISE,
                 high = IMF_DENOISE_KEPT * IMF_DENOISE_KEPT;
    return (struct imf_shrink){.scale = (float)(1 / ((high - low) * sigma * sigma)),
                               .shift = (float)(low / (high - low)),
                               .power = (float)(sigma * sigma)};
}

/* Along a side of the image as it is stored: planes have the reach before it. */
struct imf_denoise_side {
    int before; /* a search begins so many pixels before its block, */
    int behind; /* and its last block so many behind it */
    int first; /* the pixel of a plane at which the first block's search begins, less than the grid's step */
};
struct imf_denoise_sides {
    struct imf_denoise_side x, y;
};
struct imf_denoise_sides imf_denoise_sides(const struct imf_problem *p);
/* How many blocks' searches begin along a plane's side of `n` pixels and end `inset` pixels before its end. */
int imf_denoise_along(const struct imf_denoise_grid *grid, struct imf_denoise_side side, int n,
                      int inset);
/* How many of them begin less than `inset` pixels inside. */
int imf_denoise_skipped(const struct imf_denoise_grid *grid, struct imf_denoise_side side,
                        int inset);

/* Of equal blocks the first in the order of the upright picture is taken, which begins at the block itself, goes on
 * behind it and ends before it, row by row. The order of one that is at (x, y) of a search is
 * (x << shift_x | y << shift_y) ^ own. */
struct imf_denoise_order {
    int32_t shift_x, shift_y, own;
};
struct imf_denoise_order imf_denoise_order_of(const struct imf_denoise *denoise);

/* struct denoise_sizes of cl/denoise_gpu.cl. */
struct imf_denoise_sizes {
    imf_long in_origin, in_pitch, out_origin, out_pitch; /* samples */
    int32_t width, height, reach;                 /* of planes, which have the reach around */
    int32_t out_width, across, down;              /* across, down: groups */
    int32_t first_x, first_y, before_x, before_y; /* as struct imf_denoise_side has them */
};

/* basis[k][x]: the orthonormal cosine transform of IMF_BLOCK samples. */
void imf_denoise_basis(double basis[IMF_BLOCK][IMF_BLOCK]);
/* Factors of the first three colours in luma and two colour differences, orthonormal. */
extern const double imf_denoise_colors[3][3];
/* The factor from the sum of the first three colours, or else the first channel, to the integers of which distances
 * are. Sum and product are rounded to float32, by all solvers, so that they find the same groups. */
float imf_denoise_guide(const struct imf_problem *p, double sigma);

#endif
