/*
 * host.h - discrete Fourier transforms on the host, in double precision (no OpenCL)
 *
 * Plain and accurate rather than fast: for pictures of spectra and of filters, and for whatever
 * wants a reference. Any length will do, up to 2^22 where it has prime factors above 7;
 * products of 2, 3, 5 and 7 are quickest.
 */
#ifndef IMF_FOURIER_HOST_H
#define IMF_FOURIER_HOST_H

#include "base/error.h"

struct imf_complex {
    double re, im;
};

/* Lengths and twiddles of one transform; it holds scratch, so one thread uses it at a time. */
struct imf_fft_host;
enum imf_status imf_fft_host_create(struct imf_fft_host **out, int length, struct imf_error *err);
void imf_fft_host_free(struct imf_fft_host **fft);

/* out[k] = sum of in[j * stride] exp(-2 pi i j k / length), not scaled. in and out do not
 * overlap. The inverse is the transform of the conjugate, conjugated and divided by length. */
void imf_fft_host_run(struct imf_fft_host *fft, const struct imf_complex *in, ptrdiff_t stride,
                      struct imf_complex *out);

/*
 * The transform of a real plane: frequencies (kx, ky) with kx = 0..width/2, ky = 0..height-1, in
 * rows of width/2 + 1. The other half is the conjugate of this one.
 */
struct imf_half_plane {
    int width, height;        /* of the real plane */
    struct imf_complex *data; /* owned */
};

/* Fill row y, width values long, of the real plane. */
typedef void imf_row_source(void *user, int y, double *row);

enum imf_status imf_half_plane_make(struct imf_half_plane *out, int width, int height,
                                    imf_row_source *source, void *user, struct imf_error *err);
void imf_half_plane_free(struct imf_half_plane *p);
/* The value at any frequency; kx and ky count modulo width and height. */
struct imf_complex imf_half_plane_at(const struct imf_half_plane *p, int kx, int ky);

#endif
