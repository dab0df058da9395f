// column_sums.cl - sums of samples and of their squares down the columns of windows
//
// Running sums, of integers, over walks so long that adding up the first window costs little.

#ifndef SIDE
#define SIDE 3 // of a window: 2R + 1
#endif
#ifndef SCALE
#define SCALE 1.0f // samples to integers
#endif
#if IN == 8
#define SQUARES uint // of up to 1023 bytes
#else
#define SQUARES long
#endif

inline int value_of(IN_T v)
{
#if IN == 32
    return convert_int_rte(v * SCALE);
#else
    return v;
#endif
}

// in: the first sample that is read; all: samples of a row; height: rows of sums.
__kernel void column_sums(__global const IN_T *in, long in_start, long in_pitch,
                             __global int *sums, __global SQUARES *squares, int all, int height,
                             int strip)
{
    int i = get_global_id(0), y = get_global_id(1) * strip, end = min(y + strip, height), sum = 0;
    SQUARES square = 0;
    if (i >= all)
        return;
    in += in_start + y * in_pitch + i;
    for (int k = 0; k < SIDE - 1; k++) {
        int v = value_of(in[k * in_pitch]);
        sum += v;
        square += (SQUARES)v * v;
    }
    for (; y < end; y++, in += in_pitch) {
        int comes = value_of(in[(SIDE - 1) * in_pitch]), goes = value_of(in[0]);
        sum += comes;
        square += (SQUARES)comes * comes;
        sums[(long)y * all + i] = sum;
        squares[(long)y * all + i] = square;
        sum -= goes;
        square -= (SQUARES)goes * goes;
    }
}
