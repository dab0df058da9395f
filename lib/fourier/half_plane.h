/*
 * half_plane.h - transforms of real planes on the host, in double precision or floats (no OpenCL)
 *
 * A real plane's spectrum is stored for kx = 0..width/2; the other frequencies are conjugates.
 */
#ifndef IMF_FOURIER_HALF_PLANE_H
#define IMF_FOURIER_HALF_PLANE_H

#include "base/thread_pool.h"
#include "fourier/host.h"

struct imf_half_plane {
    int width, height;                      /* of the real plane */
    struct imf_fft_host *along_x, *along_y; /* owned, as is data: */
    struct imf_fft_batch *data;             /* column blocks one after the other, `height` points
                                                 each, of IMF_FFT_BATCH neighbouring kx */
    struct imf_fft_batch *scratch;          /* owned: of the threads, kept from pass to pass */
    size_t scratch_points;
};

/* Fill row y of the real plane, or consume it; `width` values. Called from several threads. */
typedef void imf_half_plane_row(void *user, int y, imf_real *row);

/* Column blocks that a plane of this width has. */
int imf_half_plane_blocks(int width);
/* Bytes of a plane and of each thread's scratch memory; threads 0: as many as there are cores. */
double imf_half_plane_bytes(int width, int height, int threads);

/* Allocate; data is not filled. On failure nothing is owned. */
enum imf_status imf_half_plane_open(struct imf_half_plane *out, int width, int height,
                                    struct imf_error *err);
void imf_half_plane_free(struct imf_half_plane *p);

/* Rows 0..rows - 1 of the real plane, each transformed along x, on the threads of `pool` (NULL: of
 * one made for the call). */
enum imf_status imf_half_plane_load(struct imf_half_plane *p, int rows, imf_half_plane_row *source,
                                    void *user, struct imf_pool *pool, struct imf_error *err);
/* The inverse, not scaled: each row is passed to `sink`, which may change it. */
enum imf_status imf_half_plane_store(struct imf_half_plane *p, int rows, imf_half_plane_row *sink,
                                     void *user, struct imf_pool *pool, struct imf_error *err);
/* The inverse, each row passed to `change`, and transformed again: what lies between two products in the
 * frequency domain. All rows. */
enum imf_status imf_half_plane_turn(struct imf_half_plane *p, imf_half_plane_row *change,
                                    void *user, struct imf_pool *pool, struct imf_error *err);
/* Call work(user, block, points, scratch) for each column block; scratch: imf_fft_host_work() of
 * along_y. */
typedef void imf_half_plane_columns(void *user, int block, struct imf_fft_batch *points,
                                    struct imf_fft_batch *scratch);
enum imf_status imf_half_plane_each(struct imf_half_plane *p, imf_half_plane_columns *work,
                                    void *user, struct imf_pool *pool, struct imf_error *err);

/* The whole transform, for imf_half_plane_at(). */
enum imf_status imf_half_plane_make(struct imf_half_plane *out, int width, int height,
                                    imf_half_plane_row *source, void *user, struct imf_pool *pool,
                                    struct imf_error *err);
/* The value at any frequency; kx and ky count modulo width and height. */
struct imf_complex imf_half_plane_at(const struct imf_half_plane *p, int kx, int ky);

#endif
