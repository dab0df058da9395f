/* srgb.c - the sRGB curve */
#include "base/srgb.h"

#include <math.h>

double imf_srgb_to_linear(double v) {
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

double imf_srgb_from_linear(double v) {
    return v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
}
