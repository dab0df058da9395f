/*
 * plane.h - the planes of a deconvolution, their transforms and products (fourier/real.h: of both
 * number types)
 */
#ifndef IMF_SOLVER_RESTORE_PLANE_H
#define IMF_SOLVER_RESTORE_PLANE_H

#include "fourier/half_plane.h"
#include "solver/restore/deblur.h"

struct imf_deblur_plane {
    const struct imf_deblur_run *run;
    int channel;                  /* that is worked on */
    double mean;                  /* of it; the plane holds differences from it */
    double sum;                   /* of the blur's taps */
    struct imf_half_plane plane;  /* work */
    struct imf_half_plane kernel; /* K, the blur's spectrum */
    imf_real *penalty;            /* R = noise / scene power at each point, in the plane's order */
    size_t ring;                  /* values in the gap: right of the rows, then below them */
    imf_real *outside;            /* blurred scene there */
    imf_real *residual, *direction, *product; /* of conjugate gradients, likewise */
    double *sums;                             /* of each row, for sums that no thread changes */
};

#define imf_deblur_plane_open IMF_REAL_NAME(imf_deblur_plane_open)
#define imf_deblur_plane_close IMF_REAL_NAME(imf_deblur_plane_close)
#define imf_deblur_plane_complete IMF_REAL_NAME(imf_deblur_plane_complete)
#define imf_deblur_picture_row IMF_REAL_NAME(imf_deblur_picture_row)
#define imf_deblur_blurred_row IMF_REAL_NAME(imf_deblur_blurred_row)
#define imf_deblur_result_row IMF_REAL_NAME(imf_deblur_result_row)
#define imf_deblur_restored IMF_REAL_NAME(imf_deblur_restored)
#define imf_deblur_tv IMF_REAL_NAME(imf_deblur_tv)
#define imf_deblur_rl IMF_REAL_NAME(imf_deblur_rl)
#define imf_deblur_do IMF_REAL_NAME(imf_deblur_do)
enum imf_status imf_deblur_do(const struct imf_deblur_run *run, struct imf_error *err);

/* Transform the kernel and set the penalty. On failure nothing is owned. */
enum imf_status imf_deblur_plane_open(struct imf_deblur_plane *d, const struct imf_deblur_run *run,
                                      struct imf_error *err);
void imf_deblur_plane_close(struct imf_deblur_plane *d);

/* The channel's row y of the picture, less `mean`. */
void imf_deblur_picture_row(const struct imf_deblur_plane *d, int y, imf_real *row);
/* Row y of the plane: of the picture and, beside and below it, of `outside`; for imf_half_plane_load(). */
void imf_deblur_blurred_row(void *user, int y, imf_real *row);
/* Row y of the result, less `mean`: finish its samples and write them. */
void imf_deblur_result_row(const struct imf_deblur_plane *d, int y, const imf_real *row);

/* Begin with the channel: find `outside` such that the scene estimated from picture and outside has it. */
enum imf_status imf_deblur_plane_complete(struct imf_deblur_plane *d, int iterations,
                                          struct imf_error *err);
/* Points of a block of columns become those of the scene of least squares: times conj K / (|K|^2 + R)
 * and `scale`. */
void imf_deblur_restored(const struct imf_deblur_plane *d, int block, struct imf_fft_batch *points,
                         double scale);

/* Sharpen or restore the channel by the methods of these files. */
enum imf_status imf_deblur_tv(struct imf_deblur_plane *d, struct imf_error *err);
enum imf_status imf_deblur_rl(struct imf_deblur_plane *d, struct imf_error *err);

#endif
