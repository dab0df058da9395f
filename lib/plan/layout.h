/* layout.h - the surfaces of a chain, and the bytes that they and its solvers take */
#ifndef IMF_PLAN_LAYOUT_H
#define IMF_PLAN_LAYOUT_H

#include "plan/bands.h"

/* Lay out surface i (0: the image, i + 1: the output of pass i) for these bands, without storage.
 * `last` is the last surface's sample type. */
enum imf_status imf_layout(const struct imf_bands *bands, int i, enum imf_sample last,
                           struct imf_surface *s, struct imf_error *err);

/* Bytes of the surfaces, and of rows beside them, that a chain needs in these bands on a device, or on the host if d is NULL.
 * INFINITY: a surface is larger than the device allocates at once, or its rows are too long for
 * kernels. */
double imf_layout_surfaces(const struct imf_bands *bands, const struct imf_device *d);
/* The same with what the chosen solvers allocate. */
double imf_layout_bytes(const struct imf_bands *bands, const struct imf_proposal *chosen,
                        const struct imf_device *d);

#endif
