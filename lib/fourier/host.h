/*
 * host.h - discrete Fourier transforms on the host, in double precision or floats (no OpenCL)
 * IMF_FFT_BATCH transforms of the same length run side by side, each in one element of a vector. Any length
 * works, up to 2^22 if it has prime factors above 7; products of 2, 3, 5 and 7 are fastest.
 */
#ifndef IMF_FOURIER_HOST_H
#define IMF_FOURIER_HOST_H

#include "fourier/rader.h"
#include "fourier/real.h"

/* A point of each of these transforms. */
struct imf_fft_batch {
    imf_real re[IMF_FFT_BATCH], im[IMF_FFT_BATCH];
};

/* Factors and twiddles of a length. Immutable: threads share it. */
struct imf_fft_host;
enum imf_status imf_fft_host_create(struct imf_fft_host **out, int length, struct imf_error *err);
void imf_fft_host_free(struct imf_fft_host **fft);

/* Points of scratch memory that a transform needs as `work`, for each thread; 0: `work` may be NULL. */
size_t imf_fft_host_work(const struct imf_fft_host *fft);
/* position[k]: the position where the forward transform leaves frequency k. */
const int *imf_fft_host_positions(const struct imf_fft_host *fft);

/* In place, for each transform: x[position[k]] = sum of x[j] exp(-2 pi i j k / length), not scaled. */
void imf_fft_host_forward(const struct imf_fft_host *fft, struct imf_fft_batch *x,
                          struct imf_fft_batch *work);
/* x[j] = sum of x[position[k]] exp(2 pi i j k / length), not scaled either. */
void imf_fft_host_backward(const struct imf_fft_host *fft, struct imf_fft_batch *x,
                           struct imf_fft_batch *work);

/* A single transform in natural order: out[k] = sum of in[j * stride]
 * exp(-2 pi i j k / length). It takes as long as a batch, and may work in
 * place; the only error is IMF_ERR_MEMORY. */
enum imf_status imf_fft_host_run(const struct imf_fft_host *fft, const struct imf_complex *in,
                                 ptrdiff_t stride, struct imf_complex *out, struct imf_error *err);

/* A transform of prime length by its convolution, whose kernel is transformed already: in natural
 * order. Freed on failure, too. */
struct imf_fft_host_prime {
    struct imf_fft_rader rader;
    struct imf_fft_host *fft; /* of the convolution's length */
};
enum imf_status imf_fft_host_prime(struct imf_fft_host_prime *out, int prime, int length,
                                   struct imf_error *err);
void imf_fft_host_prime_free(struct imf_fft_host_prime *p);

#endif
