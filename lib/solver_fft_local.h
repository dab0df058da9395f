/* solver_fft_local.h - tiles of the GPU's convolution by transforms: lengths, cost, accuracy */
#ifndef IMF_SOLVER_FFT_LOCAL_H
#define IMF_SOLVER_FFT_LOCAL_H

#include "solver.h"

struct imf_fft_local_tiling {
    int nx, ny;              /* powers of two */
    int valid_x, valid_y;    /* outputs of a tile */
    int tiles_x, pairs;      /* tiles in a row; pairs of tiles, one below the other */
    int chunk;               /* pairs a launch */
    int pitch_in, pitch_out; /* complex values of a row of spectra, before and after `rows` */
    double ms;               /* estimate */
};

/* The cheapest tiling. False when none fits the device's memory. */
bool imf_fft_local_choose(struct imf_fft_local_tiling *best, const struct imf_problem *p,
                          const struct imf_device *d);

/* Elements of a tile. */
double imf_fft_local_points(const struct imf_fft_local_tiling *t);

/* Bytes of a pair's spectra, or SIZE_MAX. */
size_t imf_fft_local_bytes(const struct imf_fft_local_tiling *t, const struct imf_problem *p);

/* Bound of a sum of products of taps and samples less their middle. */
double imf_fft_local_largest(const struct imf_problem *p);

/* Bound of the absolute error of a sum of products, before scale. */
double imf_fft_local_error(const struct imf_problem *p, const struct imf_fft_local_tiling *t);

/* exact: a float decides pixels unless it is near a tie; and how near is that, in pixels? */
bool imf_fft_local_near_tie(const struct imf_problem *p, const struct imf_fft_local_tiling *t);
double imf_fft_local_tie(const struct imf_problem *p, const struct imf_fft_local_tiling *t);

/* exact: the share of pixels that must be summed again. */
double imf_fft_local_doubtful(const struct imf_problem *p, const struct imf_fft_local_tiling *t);

int imf_round_up(int n, int multiple);

#endif
