/*
 * walk.h - how far the work-items of cl/direct_gpu.cl walk down an image
 */
#ifndef IMF_SOLVER_WALK_H
#define IMF_SOLVER_WALK_H

#include "device/runtime.h"

#include <stdbool.h>

/* A work-group's size; of those whose sums take most registers a unit of 65536 holds four. */
#define IMF_WALK_GROUP 64

/*
 * Output rows a work-item: whole turns of the kernel's `side` rows, of which the first side - 1 give
 * nothing. height: the image's; groups: work-groups across it; filled: sums take most registers,
 * so that few groups are resident.
 */
int imf_walk_rows(int side, int height, size_t groups, bool filled, const struct imf_device *d);

#endif
