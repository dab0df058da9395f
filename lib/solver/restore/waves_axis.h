/* waves_axis.h - functions along an axis that vary slowly, as values at nodes */
#ifndef IMF_SOLVER_RESTORE_WAVES_AXIS_H
#define IMF_SOLVER_RESTORE_WAVES_AXIS_H

#include "base/error.h"

#define IMF_WAVE_LEVELS 5 /* distances of nodes: 1, 2, 4 and 8 times the finest; one for all */

/* Nodes of a level, each an average of the finest ones; their equations of least squares. */
struct imf_wave_level {
    int nodes;
    int *lower;     /* of each of the finest nodes: the level's node before it, */
    double *weight; /* and how much of that it is: the rest is of the next */
    double (
        *factor)[3]; /* L D L' of the products of the nodes' functions, two below the diagonal */
};

/*
 * Cells of `spacing` samples cover the axis and as much beyond either end. Between two nodes, at the
 * ends of a cell, a function goes from one value to the other like half a period of a cosine.
 */
struct imf_wave_axis {
    int size, spacing, cells;
    int start;      /* samples of the first cell that lie before the axis */
    double *weight; /* owned, as are the levels: of each sample of a cell, that of the first node */
    struct imf_wave_level level[IMF_WAVE_LEVELS];
};

/* On failure nothing is owned. */
enum imf_status imf_wave_axis_make(struct imf_wave_axis *out, int size, int spacing,
                                   struct imf_error *err);
void imf_wave_axis_free(struct imf_wave_axis *a);

/*
 * Arrays are outer x nodes x inner. Gather sums of products with the finest nodes' functions to those
 * with the level's; solve for the level's values, in place; and spread them to the finest nodes.
 */
void imf_wave_gather(const struct imf_wave_axis *a, int level, double *out, const double *in,
                     size_t outer, size_t inner);
void imf_wave_solve(const struct imf_wave_axis *a, int level, double *values, size_t outer,
                    size_t inner);
void imf_wave_spread(const struct imf_wave_axis *a, int level, double *out, const double *in,
                     size_t outer, size_t inner);

#endif
