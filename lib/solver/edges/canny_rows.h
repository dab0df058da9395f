/* canny_rows.h - what may be an edge, a patch of the image at a time */
#ifndef IMF_SOLVER_EDGES_CANNY_ROWS_H
#define IMF_SOLVER_EDGES_CANNY_ROWS_H

#include "solver/common/strips.h"
#include "solver/edges/canny.h"

/* Bytes of a map: what only touching an edge makes one, what is one by itself, and what has been
 * found to be one and its neighbours with it. */
enum { IMF_CANNY_NONE = 0, IMF_CANNY_WEAK = 1, IMF_CANNY_STRONG = 2, IMF_CANNY_EDGE = 4 };

/* Samples of a patch's row, at most. */
#define IMF_CANNY_STRIP 512

struct imf_canny_rows {
    const struct imf_problem *p;
    const struct imf_canny_parameters *n;
    const struct imf_surface *in;
    unsigned char *map; /* pixel (0, 0) */
    size_t pitch;
};

/* Sums of gradients fit in 16 bits. */
bool imf_canny_narrow(const struct imf_problem *p);
/* Fill the map's patch, whose x and n are pixels, n * channels at most IMF_CANNY_STRIP. */
void imf_canny_patch(const struct imf_canny_rows *r, struct imf_patch at);

#endif
