/* canny.h - the integer parameters of Canny's edges, on the host and on devices */
#ifndef IMF_SOLVER_EDGES_CANNY_H
#define IMF_SOLVER_EDGES_CANNY_H

#include "filter/builtin/table.h"
#include "solver/problem.h"

#define IMF_CANNY_APERTURE 7                   /* the largest */
#define IMF_CANNY_RADIUS (4 * IMF_CANNY_SIGMA) /* the largest of the Gaussian */
#define IMF_CANNY_BITS 12                      /* the Gaussian's weights add up to 1 << this */

/* tan(22.5 degrees) * 32768 */
#define IMF_CANNY_TANGENT 13573

/* The direction across the edge, in which a gradient is compared with its neighbours. */
enum imf_canny_direction { IMF_CANNY_ALONG_X, IMF_CANNY_ALONG_Y, IMF_CANNY_FALLS, IMF_CANNY_RISES };

struct imf_canny_parameters {
    int scale;                             /* values are samples times this, rounded */
    int radius;                            /* of the Gaussian; 0: values are not smoothed */
    uint32_t weight[IMF_CANNY_RADIUS + 1]; /* by distance from the middle */
    int half;                              /* of the aperture */
    int smooth[IMF_CANNY_APERTURE], derive[IMF_CANNY_APERTURE];
    int64_t low, high; /* thresholds of norms, or for L2 of their squares */
};

void imf_canny_parameters(struct imf_canny_parameters *n, const struct imf_problem *p);

#endif
