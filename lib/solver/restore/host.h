/*
 * host.h - field.h on the host: memory, and rows between transforms (fourier/real.h: of both number types)
 */
#ifndef IMF_SOLVER_RESTORE_HOST_H
#define IMF_SOLVER_RESTORE_HOST_H

#include "fourier/half_plane.h"
#include "solver/restore/field.h"

struct imf_host_field {
    struct imf_field f;           /* the first member */
    struct imf_half_plane plane;  /* owned: work */
    struct imf_half_plane kernel; /* owned: K, the blur's spectrum */
    double sum;                   /* of the blur's taps */
    imf_real *penalty;            /* owned: R at each point, in the plane's order */
    /* Owned, of total variation, or NULL: conj K times the blurred plane's spectrum. */
    struct imf_fft_batch *data;
    double *sums;            /* owned: two of each row; behind them the gains, */
    double *gain_x, *gain_y; /* |grad|^2 along the axes, of frequencies and in the plane's order */
    imf_real *values;        /* owned: what follows; of the gap, */
    imf_real *outside;       /* the blurred scene, right of the rows, then below them */
    imf_real *residual, *direction, *product;    /* of conjugate gradients, likewise */
    imf_real *scene;                             /* and planes: of all but least squares, */
    imf_real *px, *py;                           /* of total variation, */
    imf_real *before, *change, *cover, *picture; /* of Richardson and Lucy */
};

/* What a map does to row y of a plane; `row`: where it is, from or to a product. Sums are left in `sums` at y, and at y + ny. */
#define imf_host_map IMF_REAL_NAME(imf_host_map)
void imf_host_map(const struct imf_host_field *h, enum imf_map map, int y, imf_real *row);

#define imf_deblur_do IMF_REAL_NAME(imf_deblur_do)

#endif
