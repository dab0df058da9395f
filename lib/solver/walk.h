/*
 * walk.h - how far the work-items of cl/direct_gpu.cl walk down an image
 */
#ifndef IMF_SOLVER_WALK_H
#define IMF_SOLVER_WALK_H

#include "device/runtime.h"

#include <stdbool.h>

/* Work-items of a group. With 255 registers each, four groups share a unit's 65536. */
#define IMF_WALK_GROUP 64

/*
 * Output rows a work-item: whole turns of the kernel's `side` rows, of which the first side - 1 give
 * nothing. height: the image's; groups: work-groups across it; filled: sums take most registers,
 * so that few groups are resident.
 */
int imf_walk_rows(int side, int height, size_t groups, bool filled, const struct imf_device *d);

#endif
