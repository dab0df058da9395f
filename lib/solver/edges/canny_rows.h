/* canny_rows.h - Canny's steps before hysteresis, for a strip of the image at a time */
#ifndef IMF_SOLVER_EDGES_CANNY_ROWS_H
#define IMF_SOLVER_EDGES_CANNY_ROWS_H

#include "solver/edges/canny.h"
#include "solver/strips.h"

/* Bytes of a map: no edge; an edge if it touches one; an edge whose neighbours have not been visited; an
 * edge whose neighbours have. */
enum { IMF_CANNY_NONE = 0, IMF_CANNY_WEAK = 1, IMF_CANNY_STRONG = 2, IMF_CANNY_EDGE = 4 };

/* Most samples of a strip's row. */
#define IMF_CANNY_STRIP 512

struct imf_canny_rows {
    const struct imf_problem *p;
    const struct imf_canny_parameters *n;
    const struct imf_surface *in;
    unsigned char *map; /* pixel (0, 0) */
    size_t pitch;
};

/* Whether gradients fit 16 bits. */
bool imf_canny_narrow(const struct imf_problem *p);
/* Fill a strip of the map; at.x and at.n are pixels, at.n * channels at most IMF_CANNY_STRIP. */
void imf_canny_strip(const struct imf_canny_rows *r, struct imf_strip_area at);

#endif
