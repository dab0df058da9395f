/* rounding.c - bounds of rounding errors in float32 sums */
#include "base/image/rounding.h"

#include <float.h>
#include <math.h>

double imf_float_ulp(double v) {
    int exponent;
    frexp(v, &exponent);
    return ldexp(1, exponent - FLT_MANT_DIG);
}

double imf_rounding_variance(const double *taps, size_t n, double in_max) {
    double sum = 0, variance = 0, ulp = 0,
           end = 0; /* from `end` on the distance between floats grows */
    for (size_t i = 0; i < n; i++) {
        if (taps[i] == 0)
            continue;
        sum += fabs(taps[i]) * in_max;
        if (sum >= end) {
            ulp = imf_float_ulp(sum);
            end = ldexp(ulp, FLT_MANT_DIG);
        }
        variance += ulp * ulp / 12;
    }
    return variance;
}

double imf_rounding_taps(const double *taps, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(taps[i] - (double)(float)taps[i]);
    return sum;
}

double imf_rounding_products(const double *taps, size_t n, double in_max) {
    double variance = 0;
    for (size_t i = 0; i < n; i++)
        variance += imf_rounding_variance(&taps[i], 1, in_max);
    return variance;
}
