/*
 * orientation.h - EXIF's eight ways in which an image's rows may lie
 *
 * A stored pixel's place in the upright picture: change x and y over, if so told, then mirror
 * (Exif 2.32, 4.6.4, Orientation).
 */
#ifndef IMF_BASE_ORIENTATION_H
#define IMF_BASE_ORIENTATION_H

#include <stdbool.h>

struct imf_turn {
    bool swap, flip_x, flip_y;
};

/* Of an orientation 1..8; anything else is upright. */
struct imf_turn imf_turn_of(int orientation);
bool imf_turn_is_none(struct imf_turn turn);

/* An offset (or frequency) of the upright picture to the stored one's. */
void imf_turn_offset_back(struct imf_turn turn, double *x, double *y);
/* The stored place of the pixel that is at (x, y) of an upright picture of width x height. */
void imf_turn_pixel_back(struct imf_turn turn, int width, int height, int *x, int *y);

#endif
