/* host.h - what convolution and transfer functions by transforms on the host share */
#ifndef IMF_SOLVER_FFT_HOST_H
#define IMF_SOLVER_FFT_HOST_H

#include "fourier/half_plane.h"
#include "solver/solver.h"

/* A run: the image's channels, one after the other, on a plane. */
struct imf_host_transform {
    const struct imf_job *job;
    const struct imf_surface *in, *out;
    const void *own;             /* the solver's */
    struct imf_half_plane plane; /* opened and freed by the solver */
    int channel;                 /* that is on the plane */
    double grid;                 /* sums are rounded to multiples of it; 0: they are not */
};

/* Lengths of the transforms: the beginning of a proposal's shape. */
struct imf_host_lengths {
    int nx, ny;
};

/* Propose transforms of out->shape's lengths, at most 0 if there are none: time on all cores, and bytes of a
 * plane. Returns false if there is no such transform; the solver says why. */
bool imf_host_transform_propose(struct imf_proposal *out, const struct imf_problem *p);

/* Fill `rows` rows of the plane by load(t, ...), transform them, let filter(t, ...) transform and change the
 * blocks of columns, and store the result's rows, for each channel. */
enum imf_status imf_host_transform_run(struct imf_host_transform *t, int rows,
                                       imf_half_plane_row *load, imf_half_plane_columns *filter,
                                       struct imf_error *err);

#endif
