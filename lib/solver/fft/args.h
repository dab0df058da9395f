/*
 * args.h - structs that are arguments of the programs of transforms
 *
 * Each mirrors a struct in cl/ field by field (test_mirrors.c compares them on a device). Lengths and
 * positions are in samples unless cl/ says otherwise.
 */
#ifndef IMF_SOLVER_FFT_ARGS_H
#define IMF_SOLVER_FFT_ARGS_H

#include "fourier/gpu_plane.h"
#include "fourier/tables.h"

/* struct fft_sizes of cl/fft.cl. */
struct imf_fft_sizes {
    imf_long in_origin, in_pitch, out_origin, out_pitch, middle_sum[2];
    float middle, error, shift[2];
    int32_t width, height, tiles_x, pairs, last_row, last_column;
    struct imf_fft_axis x, y;
};

/* struct fft_gpu_sizes of cl/fft_gpu.cl. */
struct imf_fft_gpu_sizes {
    imf_long in_start, out_start, middle_sum;
    float middle, error;
    int32_t in_pitch, out_pitch, width, height, columns, last_row, pitch_in, pitch_out, rows_length;
    int32_t tiles_x, valid_x, valid_y, taps_w, taps_h, pair, lines, capacity;
};

/* struct spectral_filter_sizes of cl/spectral_filter.cl. */
struct imf_spectral_filter_sizes {
    imf_long in_origin, in_pitch, out_origin, out_pitch;
    float middle, mean, outside[4];
    int32_t width, height, channel, bands, work, taps[2];
    struct imf_fft_axis x, y;
};

/* struct gain of cl/parts/transfer.cl. */
struct imf_spectral_gain {
    imf_long least, most, centre;
    float inverse, norm;
    int32_t type, order, band, notch, reject, keeps_mean;
};

/* struct spectral_filter_gpu_sizes of cl/spectral_filter_gpu.cl. */
struct imf_spectral_filter_gpu_sizes {
    imf_long in_origin, in_pitch, out_origin, out_pitch;
    float middle, mean, outside[4];
    int32_t width, height, gap, pitch, taps[2];
    struct imf_gpu_axis x, outer, inner;
};

#endif
