/* composition.c - what is left of the two convolutions behind a composed one, and its rim */
#include "plan/composition.h"

#include <stdlib.h>

void imf_composition_free(struct imf_composition **composition) {
    if (!*composition)
        return;
    imf_kernel_free(&(*composition)->kernel[0]);
    imf_kernel_free(&(*composition)->kernel[1]);
    free(*composition);
    *composition = NULL;
}

int imf_composition_reach(const struct imf_composition *composition) {
    struct imf_margin m = composition->second.reach;
    return composition->rim ? imf_max(m.top, m.bottom) + 1 : 0;
}

void imf_rim_strips(int width, int height, struct imf_margin m, struct imf_rect out[4]) {
    int inner = height - m.top - m.bottom;
    out[0] = (struct imf_rect){0, 0, width, m.top};
    out[1] = (struct imf_rect){0, height - m.bottom, width, m.bottom};
    out[2] = (struct imf_rect){0, m.top, m.left, inner};
    out[3] = (struct imf_rect){width - m.right, m.top, m.right, inner};
}

/* The part of an axis of `size` that `count` outputs from `first` on take: as far as margins of
 * `before` and `behind` reach and, beyond an end, as far back as its edge repeats. */
static void span(int *first, int *count, int before, int behind, int size) {
    int from = *first - before, to = *first + *count + behind;
    int begin = to > size ? imf_min(from, size - 1 - behind) : from;
    int end = from < 0 ? imf_max(to, before + 1) : to;
    *first = imf_max(begin, 0);
    *count = imf_min(end, size) - *first;
}

struct imf_rect imf_rim_source(int width, int height, struct imf_margin m, struct imf_rect strip) {
    span(&strip.x, &strip.width, m.left, m.right, width);
    span(&strip.y, &strip.height, m.top, m.bottom, height);
    return strip;
}
