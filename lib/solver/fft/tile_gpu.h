/* tile_gpu.h - tiles of the GPU's convolution by transforms: lengths, cost, accuracy */
#ifndef IMF_SOLVER_FFT_TILE_GPU_H
#define IMF_SOLVER_FFT_TILE_GPU_H

#include "solver/fft/error.h"

struct imf_fft_gpu_tiling {
    int nx, ny;              /* powers of two */
    int valid_x, valid_y;    /* outputs of a tile */
    int tiles_x;             /* tiles in a row */
    int pairs;               /* of tiles, one below the other; or (split) of a tile's two parts */
    int chunk;               /* pairs of a launch */
    int pitch_in, pitch_out; /* complex values of a row of spectra, before and after `rows` */
    double ms;               /* estimate */
    struct imf_fft_bound bound;
    double error;    /* of sums, at most */
    bool near_tie;   /* exact: a float decides pixels that are not near a tie */
    double doubtful; /* exact: the share of pixels that must be summed again */
    int steps; /* exact: ends of runs of equal taps, if doubtful pixels are summed by these; else 0 */
};

/* Find the cheapest tiling; false if none fits the device's memory. */
bool imf_fft_gpu_choose(struct imf_fft_gpu_tiling *best, const struct imf_problem *p,
                        const struct imf_device *d);

/* Output rows of a pair of tiles, and the number of pairs of so many rows. */
int imf_fft_gpu_step(const struct imf_fft_gpu_tiling *t);
int imf_fft_gpu_pairs(const struct imf_fft_gpu_tiling *t, int height);

/* Elements of a tile. */
double imf_fft_gpu_points(const struct imf_fft_gpu_tiling *t);

/* tap[x - 1] - tap[x], x = 0..width; taps outside the row are 0. If it is not 0, x is a step. */
static inline double imf_fft_gpu_difference(const double *row, int width, int x) {
    return (x > 0 ? row[x - 1] : 0) - (x < width ? row[x] : 0);
}

/* The number of steps of all rows of a kernel. */
int imf_fft_gpu_steps(const struct imf_kernel *k);

/* Elements of a row of sums along rows; they overwrite spectra before `rows`. */
int imf_fft_gpu_sums_pitch(const struct imf_problem *p);

/* Bytes of a pair's spectra; SIZE_MAX on overflow. */
size_t imf_fft_gpu_bytes(const struct imf_fft_gpu_tiling *t, const struct imf_problem *p);

#endif
