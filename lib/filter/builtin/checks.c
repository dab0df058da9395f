/* checks.c - why values of a spec that are each in bounds do not fit each other */
#include "filter/builtin/table.h"

#include <math.h>

const char *imf_check_band(const double *values) {
    return values[0] < values[1] ? NULL : "LOW must be below HIGH";
}

const char *imf_check_canny(const double *values) {
    return values[0] <= values[1] ? NULL : "LOW must not be above HIGH";
}

const char *imf_check_dog(const double *values) {
    return values[0] != values[1] ? NULL : "S1 and S2 must differ: two equal blurs leave nothing";
}

const char *imf_check_levels(const double *values) {
    return fabs(values[1] - values[0]) >= 1e-6 ? NULL
                                               : "BLACK and WHITE must differ by 0.000001 or more";
}

const char *imf_check_shares(const double *values) {
    return values[0] + values[1] < 1 ? NULL : "BLACK and WHITE together must be below 1";
}

const char *imf_check_blend(const double *values) {
    return values[1] <= 1 || values[0] == IMF_BLEND_NORMAL
               ? NULL
               : "AMOUNT must not be above 1: only normal goes further than the chain's result";
}

const char *imf_check_notch(const double *values) {
    return values[0] != 0 || values[1] != 0
               ? NULL
               : "U and V must not both be 0: that is the image's mean (highpass removes it)";
}
