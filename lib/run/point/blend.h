/*
 * blend.h - blend modes: what becomes of the backdrop's colour b and the source's colour s
 *
 * Source: W3C, Compositing and Blending Level 1, whose sections are named; `subtract` is not among
 * its modes. The backdrop is the image that a chain began with, the source what the chain has made
 * of it. Numbers are whole, so that the formulas are those of floats and of doubles.
 */
#ifndef IMF_RUN_POINT_BLEND_H
#define IMF_RUN_POINT_BLEND_H

#include "filter/filter.h"

#define IMF_SCREEN(b, s) ((b) + (s) - (b) * (s))
/* D of soft-light; `root` is the square root. */
#define IMF_SOFT(b, root) (4 * (b) <= 1 ? ((16 * (b)-12) * (b) + 4) * (b) : root(b))

/* EACH(mode, formula) for the modes whose colours are 0..1. */
#define IMF_BLEND_RATIOS(EACH, b, s, root)                                                         \
    EACH(IMF_BLEND_MULTIPLY, (b) * (s))      /* 10.1.2 */                                          \
    EACH(IMF_BLEND_SCREEN, IMF_SCREEN(b, s)) /* 10.1.3 */                                          \
    /* 10.1.4: hard-light with b and s exchanged */                                                \
    EACH(IMF_BLEND_OVERLAY, 2 * (b) <= 1 ? 2 * (b) * (s) : IMF_SCREEN(2 * (b)-1, s))               \
    /* 10.1.9 */                                                                                   \
    EACH(IMF_BLEND_HARDLIGHT, 2 * (s) <= 1 ? 2 * (s) * (b) : IMF_SCREEN(b, 2 * (s)-1))             \
    /* 10.1.10 */                                                                                  \
    EACH(IMF_BLEND_SOFTLIGHT, 2 * (s) <= 1 ? (b) - (1 - 2 * (s)) * (b) * (1 - (b))                 \
                                           : (b) + (2 * (s)-1) * (IMF_SOFT(b, root) - (b)))

/* For those whose colours may be on any scale, of which `full` is full scale: integers stay so. */
#define IMF_BLEND_SUMS(EACH, b, s, full)                                                           \
    EACH(IMF_BLEND_DARKEN, (b) < (s) ? (b) : (s))                 /* 10.1.5 */                     \
    EACH(IMF_BLEND_LIGHTEN, (b) > (s) ? (b) : (s))                /* 10.1.6 */                     \
    EACH(IMF_BLEND_DIFFERENCE, (b) > (s) ? (b) - (s) : (s) - (b)) /* 10.1.11 */                    \
    EACH(IMF_BLEND_ADD, (b) + (s) < (full) ? (b) + (s) : (full))  /* 9.1.13, "lighter" */          \
    EACH(IMF_BLEND_SUBTRACT, (b) > (s) ? (b) - (s) : 0)

#endif
