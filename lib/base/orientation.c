/* orientation.c - between stored places and those of the upright picture */
#include "base/orientation.h"

struct imf_turn imf_turn_of(int orientation) {
    static const struct imf_turn turns[] = {
        [2] = {false, true, false}, [3] = {false, true, true}, [4] = {false, false, true},
        [5] = {true, false, false}, [6] = {true, true, false}, [7] = {true, true, true},
        [8] = {true, false, true},
    };
    return orientation >= 1 && orientation <= 8 ? turns[orientation] : turns[0];
}

bool imf_turn_is_none(struct imf_turn turn) {
    return !turn.swap && !turn.flip_x && !turn.flip_y;
}

void imf_turn_offset_back(struct imf_turn turn, double *x, double *y) {
    double across = turn.flip_x ? -*x : *x, down = turn.flip_y ? -*y : *y;
    *x = turn.swap ? down : across;
    *y = turn.swap ? across : down;
}

void imf_turn_pixel_back(struct imf_turn turn, int width, int height, int *x, int *y) {
    int across = turn.flip_x ? width - 1 - *x : *x, down = turn.flip_y ? height - 1 - *y : *y;
    *x = turn.swap ? down : across;
    *y = turn.swap ? across : down;
}
