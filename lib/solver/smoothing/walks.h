/*
 * walks.h - work-items that walk down columns or along rows and keep a window's running sum
 */
#ifndef IMF_SOLVER_SMOOTHING_WALKS_H
#define IMF_SOLVER_SMOOTHING_WALKS_H

#include "base/surface.h"
#include "device/program.h"

struct imf_walks {
    int side, channels; /* pixels of a window's side, samples of a pixel */
    size_t group;       /* work-items of a group */
};

/* Outputs of a walk: a third of what it reads is its first window. */
static inline int imf_walk_length(const struct imf_walks *w) {
    return imf_max(32, 2 * w->side);
}

/* Down the columns of so many samples, to so many rows. */
static inline struct imf_grid imf_walks_down(const struct imf_walks *w, size_t samples, int rows) {
    size_t length = (size_t)imf_walk_length(w);
    return imf_grid_over(samples, ((size_t)rows - 1) / length + 1, w->group);
}

/* Along rows of so many samples; neighbouring work-items have the channels of a pixel. */
static inline struct imf_grid imf_walks_along(const struct imf_walks *w, size_t samples, int rows) {
    size_t length = (size_t)imf_walk_length(w), channels = (size_t)w->channels;
    size_t items = ((samples / channels - 1) / length + 1) * channels;
    return imf_grid_over(items, (size_t)rows, w->group);
}

#endif
