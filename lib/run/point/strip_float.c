/* strip_float.c - the steps of a point pass in floats, in a third of the time that doubles take for blends */
#define REAL float
#define NAMED(name) name##_float
#define BITS uint32_t
#define ROUNDER 0x1.8p23f
#include "run/point/strip.h"

void imf_point_weigh(const struct imf_weights *by, float *w, int x, int y, int n, int merged) {
    weigh_float(by, w, x, y, n, merged);
}
