/* layout.h - the surfaces that a chain is run on, and the bytes that they and its solvers take */
#ifndef IMF_PLAN_LAYOUT_H
#define IMF_PLAN_LAYOUT_H

#include "plan/bands.h"

/* Lay out surface i (0: the image, i + 1: the output of pass i) of such bands without storage. last:
 * what the last one holds. */
enum imf_status imf_layout(const struct imf_bands *bands, int i, enum imf_sample last,
                           struct imf_surface *s, struct imf_error *err);

/* Bytes of the surfaces that a chain needs on a device or the host (d NULL) in these bands.
 * INFINITY: one is larger than the device allocates at once, or has rows too long for its kernels.
 */
double imf_layout_surfaces(const struct imf_bands *bands, const struct imf_device *d);
/* And of what the solvers taken allocate. */
double imf_layout_bytes(const struct imf_bands *bands, const struct imf_proposal *chosen,
                        const struct imf_device *d);

#endif
