/* orientation.c - from the upright picture to the stored one */
#include "base/image/orientation.h"

struct imf_orientation imf_orientation_of(int orientation) {
    static const struct imf_orientation all[] = {
        [2] = {false, true, false}, [3] = {false, true, true}, [4] = {false, false, true},
        [5] = {true, false, false}, [6] = {true, true, false}, [7] = {true, true, true},
        [8] = {true, false, true},
    };
    return orientation >= 1 && orientation <= 8 ? all[orientation] : all[0];
}

bool imf_orientation_is_upright(struct imf_orientation o) {
    return !o.swap && !o.flip_x && !o.flip_y;
}

void imf_offset_to_stored(struct imf_orientation o, double *x, double *y) {
    double across = o.flip_x ? -*x : *x, down = o.flip_y ? -*y : *y;
    *x = o.swap ? down : across;
    *y = o.swap ? across : down;
}

void imf_sides_to_stored(struct imf_orientation o, int *first_x, int *first_y) {
    double x = *first_x, y = *first_y;
    imf_offset_to_stored(o, &x, &y);
    *first_x = (int)x;
    *first_y = (int)y;
}

void imf_pixel_to_stored(struct imf_orientation o, int width, int height, int *x, int *y) {
    int across = o.flip_x ? width - 1 - *x : *x, down = o.flip_y ? height - 1 - *y : *y;
    *x = o.swap ? down : across;
    *y = o.swap ? across : down;
}
