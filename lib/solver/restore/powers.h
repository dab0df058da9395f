/* powers.h - a picture's mean spectral power */
#ifndef IMF_SOLVER_RESTORE_POWERS_H
#define IMF_SOLVER_RESTORE_POWERS_H

#include "base/image/surface.h"
#include "base/thread_pool.h"

/* Powers at frequencies: `count` of each. */
struct imf_powers {
    int count;
    double mean;                           /* of the power at all frequencies */
    double *power, *log_f, *blur, *weight; /* blur: |K|^2 */
};

/* Windows of a picture. */
struct imf_windows {
    const struct imf_surface *in;
    int width, height; /* of a window */
    double *hann_x, *hann_y;
    int x, y, channel;
    double mean, squares;
};

/* Windows along an axis, at most. */
#define IMF_WINDOWS_GRID 3
/* The bands of rows that windows of a picture read: how many, the first row of each, and how many rows one has. */
int imf_windows_rows(int height, int starts[IMF_WINDOWS_GRID], int *side);

/* Room for so many frequencies; free `power`. */
enum imf_status imf_powers_open(struct imf_powers *p, size_t most, struct imf_error *err);

/* Mean |spectrum|^2 of a sample in Hann windows of the first `colors` channels, rows of width / 2 + 1, into a new array,
 * which the caller frees; white noise has its variance. */
enum imf_status imf_windows_powers(double **out, struct imf_windows *w,
                                   const struct imf_surface *in, int colors, struct imf_pool *pool,
                                   struct imf_error *err);
/* The frequency of a bin; *weight: how many frequencies it stands for, 0 where no law holds. */
double imf_windows_frequency(const struct imf_windows *w, int kx, int ky, double *weight);

#endif
