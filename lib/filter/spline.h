/*
 * spline.h - a monotone cubic through points: the function of "curve"
 *
 * Between two points it is a cubic whose slopes there are the means of the secants beside them, limited as by F. N.
 * Fritsch and R. E. Carlson, "Monotone Piecewise Cubic Interpolation" (SIAM J. Numer. Anal. 17, 1980): it is nowhere
 * above or below both points. Beyond the first and the last point it is flat.
 */
#ifndef IMF_FILTER_SPLINE_H
#define IMF_FILTER_SPLINE_H

#include "base/error.h"
#include "filter/kernel/taps.h"

#define IMF_SPLINE_POINTS 256
#define IMF_SPLINE_LARGEST 1000

/*
 * It is the first point's y, and what each piece adds: t (slope + t (bend + t twist)) of t, which is x - at, but 0 to
 * the piece's width. x and y are shares of full scale.
 */
struct imf_spline {
    int pieces;
    double low, high; /* the least and the largest y */
    double steepest;  /* magnitude of a slope, at most */
    double number[]; /* the first y, then IMF_PIECE for each piece: at, width, slope, bend, twist */
};
#define IMF_PIECE 5

/* Through the points of a kernel of rows (x, y), for the caller to free. *wrong: why these are none, or NULL. */
enum imf_status imf_spline_make(struct imf_spline **out, const struct imf_kernel *points,
                                const char **wrong, struct imf_error *err);

#endif
