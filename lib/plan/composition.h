/*
 * composition.h - what is left of the two convolutions behind a composed one, and its rim
 *
 * A composed kernel is right wherever the second one reads no response beyond the image's edge. The
 * rim, where it does, is four strips as wide as the second kernel's margin; each takes the first
 * response in a slightly larger rectangle. Rectangles are in pixels of the image.
 */
#ifndef IMF_PLAN_COMPOSITION_H
#define IMF_PLAN_COMPOSITION_H

#include "solver/solver.h"

struct imf_composition {
    struct imf_problem first, second;
    struct imf_kernel *kernel[2]; /* of the composed problem; owned */
    bool rim;                     /* edges need the two steps */
};

void imf_composition_free(struct imf_composition **composition);
/* Rows of the source above and below the composed kernel's own that the rim takes, at most. */
int imf_composition_reach(const struct imf_composition *composition);

struct imf_rect {
    int x, y, width, height;
};

/* Top, bottom, left, right of an image, where a kernel with margin m reads beyond its edge; empty
 * ones have no width or height. */
void imf_rim_strips(int width, int height, struct imf_margin m, struct imf_rect out[4]);
/* Where the first response is needed for a strip: as far as the second kernel, of margin m,
 * reaches. */
struct imf_rect imf_rim_source(int width, int height, struct imf_margin m, struct imf_rect strip);

#endif
