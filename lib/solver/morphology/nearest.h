/* nearest.h - for each pixel of a window that is not visible the nearest one that is */
#ifndef IMF_SOLVER_MORPHOLOGY_NEAREST_H
#define IMF_SOLVER_MORPHOLOGY_NEAREST_H

#include "base/thread_pool.h"
#include "filter/filter.h"

#define IMF_NEAREST_NONE INT32_MIN

/* Which pixel is nearest, and what is done with that. */
struct imf_nearest {
    struct imf_fill fill; /* what counts as nearest */
    int width, height;    /* of the window */
    int32_t *near;  /* of each pixel: 0 if it is visible, IMF_NEAREST_NONE if not; overwritten */
    int first, end; /* rows whose pixels are asked for */
    /* Called for each of these that is not visible, from several threads: the nearest one is (from_x, from_y), or from_x is
     * -1 where there is none within reach. */
    void (*take)(const void *data, int x, int y, int from_x, int from_y);
    const void *data;
};

enum imf_status imf_nearest_find(const struct imf_nearest *n, struct imf_pool *pool,
                                 struct imf_error *err);

#endif
