// local_threshold.cl - a sample against the mean and the spread of the window around it
//
// lib/solver/smoothing/local_threshold.h has the definition. Sums down the columns (parts/column_sums.cl), then
// these along the rows, and the decision. Both walk and keep running sums of integers.

#ifndef CHANNELS
#define CHANNELS 1
#endif
#ifndef SAUVOLA
#define SAUVOLA 0
#endif
#ifndef ADD
#define ADD 0 // to the difference of a sample and its window's mean, times COUNT
#endif
#ifndef K
#define K 0.0 // SAUVOLA
#endif
#ifndef HALF
#define HALF 127.5f // SAUVOLA: of full scale
#endif

#define COUNT (SIDE * SIDE)

#if SAUVOLA
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Rounded by itself: no compiler joins it with a sum that follows, which the host does not.
inline double product(double a, double b) { return fma(a, b, 0.0); }
#endif

inline bool passes(int v, long sum, long squares)
{
#if SAUVOLA
    double mean = (double)sum / COUNT, variance = (double)squares / COUNT - product(mean, mean);
    double spread = sqrt(variance > 0 ? variance : 0);
    return v > mean * (1 + product(K, spread / HALF - 1));
#else
    return (long)v * COUNT - sum + ADD > 0;
#endif
}

__kernel void local_threshold(__global const int *sums, __global const SQUARES *squares, int all,
                              __global const IN_T *in, long in_origin, long in_pitch,
                              __global OUT_T *out, long out_origin, long out_pitch, int width,
                              int strip)
{
    int channel = get_global_id(0) % CHANNELS, x = get_global_id(0) / CHANNELS * strip;
    int end = min(x + strip, width);
    long row = get_global_id(1), at = (long)x * CHANNELS + channel, sum = 0, square = 0;
    if (x >= end)
        return;
    sums += row * all + at;
    squares += row * all + at;
    in += in_origin + row * in_pitch + at;
    out += out_origin + row * out_pitch + at;
    for (int k = 0; k < SIDE - 1; k++) {
        sum += sums[k * CHANNELS];
        square += squares[k * CHANNELS];
    }
    for (; x < end; x++) {
        sum += sums[(SIDE - 1) * CHANNELS];
        square += squares[(SIDE - 1) * CHANNELS];
        *out = finish_float(passes(value_of(*in), sum, square) ? E_FULL : 0.0f);
        sum -= sums[0];
        square -= squares[0];
        sums += CHANNELS;
        squares += CHANNELS;
        in += CHANNELS;
        out += CHANNELS;
    }
}
