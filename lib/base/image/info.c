/* info.c - what an image's shape says of its rows and samples */
#include "base/image/info.h"

#include <math.h>

enum imf_sample imf_info_sample(const struct imf_info *info) {
    return info->depth == 8    ? IMF_U8
           : info->depth == 16 ? IMF_U16
           : info->depth == 32 ? IMF_F32
                               : IMF_F64;
}

bool imf_info_integer(const struct imf_info *info) {
    return info->depth <= 16 || info->type == IMF_TYPE_UNSIGNED || info->type == IMF_TYPE_SIGNED;
}

/* Bits of an integer's magnitude: 0 of one signed bit, which holds 0 and -1. */
static int magnitude_bits(const struct imf_info *info) {
    return info->depth <= 16 ? info->depth : info->type_bits - (info->type == IMF_TYPE_SIGNED);
}

double imf_info_full(const struct imf_info *info) {
    int bits = magnitude_bits(info);
    return imf_info_integer(info) && bits > 0 ? ldexp(1, bits) - 1 : 1;
}

void imf_info_limits(const struct imf_info *info, double *low, double *high) {
    bool integer = imf_info_integer(info);
    *high = integer ? ldexp(1, magnitude_bits(info)) - 1 : INFINITY;
    *low = !integer ? -INFINITY : info->type == IMF_TYPE_SIGNED ? -*high - 1 : 0;
}
