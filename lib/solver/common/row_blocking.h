/*
 * row_blocking.h - rows of the image that a work-item of cl/direct_gpu.cl computes
 */
#ifndef IMF_SOLVER_COMMON_ROW_BLOCKING_H
#define IMF_SOLVER_COMMON_ROW_BLOCKING_H

#include "device/runtime.h"

#include <stdbool.h>

/* Work-items of a group. With 255 registers each, four groups fit a unit's 65536. */
#define IMF_ROW_BLOCKING_GROUP 64

/*
 * Output rows of a block: its input rows are a multiple of the kernel's `side`, and the first side - 1
 * of them give no output. height: the image's; groups: work-groups across it; filled: sums take most
 * registers, so that few groups are resident.
 */
int imf_row_blocking(int side, int height, size_t groups, bool filled, const struct imf_device *d);

#endif
