/*
 * walks.h - work-items that walk down columns or along rows and keep a window's running sum
 *
 * Both filters begin with the sums of samples and of their squares down the columns
 * (cl/parts/column_sums.cl): the job's first program and its first two buffers.
 */
#ifndef IMF_SOLVER_SMOOTHING_WALKS_H
#define IMF_SOLVER_SMOOTHING_WALKS_H

#include "solver/common/window.h"

enum { IMF_WALKS_SUMS, IMF_WALKS_SQUARES, IMF_WALKS_BUFFERS };

struct imf_walks {
    struct imf_job *job;
    int length; /* outputs of a walk */
};

/* With windows of so many pixels a side. */
struct imf_walks imf_walks_of(struct imf_job *job, int side);
/* Down the columns of so many samples, to so many rows. */
struct imf_grid imf_walks_down(const struct imf_walks *w, size_t samples, int rows);
/* Along rows of so many samples; neighbouring work-items have the channels of a pixel. */
struct imf_grid imf_walks_along(const struct imf_walks *w, size_t samples, int rows);

/* Set the bytes of both buffers, for so many rows of sums; false: they exceed a size_t. */
bool imf_walks_sizes(const struct imf_problem *p, int rows, size_t bytes[]);
/* Add up the columns, with the problem's reach at both ends of a row. */
enum imf_status imf_walks_columns(const struct imf_walks *w, const struct imf_surface *in, int rows,
                                  struct imf_error *err);

#endif
