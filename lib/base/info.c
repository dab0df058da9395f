/* info.c - what an image's shape says of its rows and samples */
#include "base/info.h"

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

double imf_info_full(const struct imf_info *info) {
    bool is_signed = info->type == IMF_TYPE_SIGNED;
    int bits = info->depth <= 16 ? info->depth : info->type_bits - is_signed;
    return imf_info_integer(info) && bits > 0 ? ldexp(1, bits) - 1 : 1;
}

void imf_info_limits(const struct imf_info *info, double *low, double *high) {
    bool integer = imf_info_integer(info);
    *high = integer ? imf_info_full(info) : INFINITY;
    *low = !integer ? -INFINITY : info->type == IMF_TYPE_SIGNED ? -*high - 1 : 0;
}
