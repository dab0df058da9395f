/* patterns.h - the field's test patterns as functions of a point */
#ifndef PATTERNS_H
#define PATTERNS_H

#include <stdint.h>

/* Value 0..1 of channel c (of n) at pixel (x, y) of a w x h picture. */
typedef double pattern_fn(int x, int y, int c, int w, int h);

pattern_fn zone_plate, siemens_star, slanted_edge, text_page, white_noise, gray_gradient,
    colour_ramps, impulse_grid, bars, alpha_disc, colour_card, scene, speckled_scene, grainy_scene,
    moire_scene, printed_scene, scanned_page;

/* A hash of three integers, uniform in 0..1: the pictures' only source of randomness. */
double hash01(int32_t a, int32_t b, int32_t c);

#endif
