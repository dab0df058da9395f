/*
 * pass.h - planning the passes over memory of a transform of one or two dimensions (no OpenCL
 * calls); cl/fft_transform.cl documents a pass
 */
#ifndef IMF_FOURIER_PASS_H
#define IMF_FOURIER_PASS_H

#include "fourier/tables.h"

#define IMF_FFT_PASSES 3

/* struct fft_layout, fft_pass and fft_transform of cl/fft_transform.cl. */
struct imf_fft_layout {
    imf_long line, element, outer;
};
struct imf_fft_pass {
    struct imf_fft_layout from, to;
    struct imf_fft_axis axis;
    int32_t lines, outer, from_temp, to_temp, order, steps, grain;
};
struct imf_fft_transform {
    struct imf_fft_pass pass[IMF_FFT_PASSES];
    int32_t passes, batch;
    imf_long size;
    int32_t work, backwards;
};

struct imf_fft_passes {
    struct imf_fft_transform z;
    struct imf_fft_plan plan[IMF_FFT_PASSES]; /* of each pass */
    bool temp;                                /* some pass needs temp */
    bool primes, convolutions; /* some have prime stages; some of these are convolutions */
    size_t floats, ints;       /* of the tables */
};

/* nx x ny values (ny = 1: one dimension), `batch` times. */
struct imf_fft_shape_passes {
    int nx, ny, batch;
    unsigned radices;
    bool skip_x, skip_y; /* axes that chirp.h transforms */
};

/* Fails when a length is no product of the radices, or the whole has more than 2^31 - 1 values. */
enum imf_status imf_fft_passes_make(struct imf_fft_passes *p, const struct imf_fft_shape_passes *s,
                                    struct imf_error *err);

/* Twiddle factors of stages and between steps and what prime stages need (p->floats), and for each
 * axis the order of the last stage's elements and its inverse, forwards and backwards (p->ints). */
enum imf_status imf_fft_passes_tables(const struct imf_fft_passes *p, float *twiddles,
                                      int32_t *orders, struct imf_error *err);

#endif
