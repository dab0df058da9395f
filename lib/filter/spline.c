/* spline.c - a monotone cubic through points */
#include "filter/spline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOSEST 1e-6

static const char *points_wrong(const struct imf_kernel *k) {
    if (k->picture || k->width != 2)
        return "is no list of points X,Y";
    if (k->height < 2)
        return "is one point: a curve has two or more";
    if (k->height > IMF_SPLINE_POINTS)
        return "has too many points (256 at most)";
    for (int i = 0; i < 2 * k->height; i++)
        if (fabs(k->taps[i]) > IMF_SPLINE_LARGEST)
            return "has a point beyond -1000 to 1000 times full scale";
    for (int i = 1; i < k->height; i++)
        if (!(k->taps[2 * i] - k->taps[2 * i - 2] >= CLOSEST))
            return "does not go from left to right: each X must be above the one before, by "
                   "0.000001 or "
                   "more";
    return NULL;
}

/* The slopes at the points. */
static void find_slopes(double *slope, const double *at, int count) {
    double before = 0;
    for (int i = 0; i < count; i++, at += 2) {
        double secant = i + 1 < count ? (at[3] - at[1]) / (at[2] - at[0]) : before;
        slope[i] = i == 0 ? secant : secant * before > 0 ? (secant + before) / 2 : 0;
        before = secant;
    }
    at -= 2 * count;
    for (int i = 0; i + 1 < count; i++, at += 2) {
        double secant = (at[3] - at[1]) / (at[2] - at[0]);
        double long_by = hypot(slope[i], slope[i + 1]) / (3 * fabs(secant));
        for (int k = i; k < i + 2; k++)
            slope[k] = secant == 0 ? 0 : long_by > 1 ? slope[k] / long_by : slope[k];
    }
}

/* The largest slope of slope + 2 bend t + 3 twist t^2 is at an end, or where that turns. */
static double steepest(double width, const double *c) {
    double most = fmax(fabs(c[0]), fabs(c[0] + width * (2 * c[1] + 3 * width * c[2])));
    double turn = c[2] != 0 ? -c[1] / (3 * c[2]) : 0;
    return turn > 0 && turn < width ? fmax(most, fabs(c[0] + c[1] * turn)) : most;
}

enum imf_status imf_spline_make(struct imf_spline **out, const struct imf_kernel *points,
                                const char **wrong, struct imf_error *err) {
    double slope[IMF_SPLINE_POINTS];
    *out = NULL;
    if ((*wrong = points_wrong(points)))
        return IMF_OK;
    const double *at = points->taps;
    int pieces = points->height - 1;
    size_t bytes = sizeof **out + (size_t)(1 + IMF_PIECE * pieces) * sizeof *at;
    struct imf_spline *s = *out = malloc(bytes);
    if (!s)
        return imf_fail_memory(err, bytes);
    *s = (struct imf_spline){.pieces = pieces, .low = at[1], .high = at[1]};
    find_slopes(slope, at, pieces + 1);
    double *number = s->number;
    *number++ = at[1];
    for (int i = 0; i < pieces; i++, at += 2, number += IMF_PIECE) {
        double width = at[2] - at[0], secant = (at[3] - at[1]) / width;
        const double piece[IMF_PIECE] = {at[0], width, slope[i],
                                         (3 * secant - 2 * slope[i] - slope[i + 1]) / width,
                                         (slope[i] + slope[i + 1] - 2 * secant) / (width * width)};
        memcpy(number, piece, sizeof piece);
        s->steepest = fmax(s->steepest, steepest(width, piece + 2));
        s->low = fmin(s->low, at[3]);
        s->high = fmax(s->high, at[3]);
    }
    return IMF_OK;
}
