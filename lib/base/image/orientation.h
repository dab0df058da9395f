/*
 * orientation.h - EXIF's eight orientations of a stored image
 *
 * A stored pixel's position in the upright picture: transpose (swap x and y), then mirror
 * (Exif 2.32, 4.6.4, Orientation).
 */
#ifndef IMF_BASE_IMAGE_ORIENTATION_H
#define IMF_BASE_IMAGE_ORIENTATION_H

#include <stdbool.h>

struct imf_orientation {
    bool swap, flip_x, flip_y;
};

/* EXIF's 1..8; any other number is upright. */
struct imf_orientation imf_orientation_of(int orientation);
bool imf_orientation_is_upright(struct imf_orientation o);

/* Convert an offset or frequency from the upright picture to the stored one. */
void imf_offset_to_stored(struct imf_orientation o, double *x, double *y);
/* The same of sides: which of the stored picture is the left (upper) one, 1 or -1. */
void imf_sides_to_stored(struct imf_orientation o, int *first_x, int *first_y);
/* Convert (x, y) of an upright picture of width x height to the stored position. */
void imf_pixel_to_stored(struct imf_orientation o, int width, int height, int *x, int *y);

#endif
