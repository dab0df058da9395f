// guided.cl - the guided filter by box sums, in the same time for any radius
//
// lib/solver/smoothing/guided_reference.c has the definition. Four kernels: sums of samples and their squares
// down the columns (parts/column_sums.cl); these sums along the rows, and each window's line; sums of slopes and offsets down
// the columns; these along the rows, and the results. All are running sums over walks so long that
// adding up the first window costs little.
//
// All sums are of integers, so that additions and subtractions cancel exactly: bytes and words, floats
// in steps of 1 / SCALE, slopes and offsets in steps of 2^-30.

#ifndef CHANNELS
#define CHANNELS 1
#endif
#ifndef EPS
#define EPS 1.0f // squared, in units of integers squared
#endif
#ifndef STEPS
#define STEPS 1.0f // of an offset, for a unit of the integers
#endif
#ifndef OFFSET
#define OFFSET 1.0f // a sample's unit, for a step of the sum of offsets
#endif

#define SLOPES 1073741824.0f
#define COUNT (SIDE * SIDE)
#define SHARE (1.0f / COUNT)

// The variance is computed about an integer near the mean, so that little cancels.
inline int2 line_of(long sum, long square)
{
    int middle = convert_int_rte((float)sum * SHARE);
    long rest = sum - (long)middle * COUNT;
    float r = (float)rest;
    float spread = (float)(square - middle * ((long)middle * COUNT + 2 * rest));
    float variance = (spread - r * r * SHARE) * SHARE;
    float flat = variance > 0.0f ? EPS / (variance + EPS) : 1.0f; // 1 - the slope
    float mean = (float)middle + r * SHARE;
    return (int2)(convert_int((1.0f - flat) * SLOPES), convert_int(flat * mean * STEPS));
}

// fitted: samples of a row of lines.
__kernel void guided_fit(__global const int *sums, __global const SQUARES *squares, int all,
                         __global int2 *lines, int fitted, int strip)
{
    int channel = get_global_id(0) % CHANNELS, x = get_global_id(0) / CHANNELS * strip;
    int end = min(x + strip, fitted / CHANNELS);
    long row = get_global_id(1), sum = 0, square = 0;
    if (x >= end)
        return;
    sums += row * all + (long)x * CHANNELS + channel;
    squares += row * all + (long)x * CHANNELS + channel;
    lines += row * fitted + (long)x * CHANNELS + channel;
    for (int k = 0; k < SIDE - 1; k++) {
        sum += sums[k * CHANNELS];
        square += squares[k * CHANNELS];
    }
    for (; x < end; x++) {
        sum += sums[(SIDE - 1) * CHANNELS];
        square += squares[(SIDE - 1) * CHANNELS];
        *lines = line_of(sum, square);
        sum -= sums[0];
        square -= squares[0];
        sums += CHANNELS;
        squares += CHANNELS;
        lines += CHANNELS;
    }
}

__kernel void guided_lines(__global const int2 *lines, __global long2 *totals, int fitted,
                           int height, int strip)
{
    int i = get_global_id(0), y = get_global_id(1) * strip, end = min(y + strip, height);
    long2 total = (long2)(0, 0);
    if (i >= fitted)
        return;
    lines += (long)y * fitted + i;
    for (int k = 0; k < SIDE - 1; k++)
        total += convert_long2(lines[(long)k * fitted]);
    for (; y < end; y++, lines += fitted) {
        total += convert_long2(lines[(long)(SIDE - 1) * fitted]);
        totals[(long)y * fitted + i] = total;
        total -= convert_long2(lines[0]);
    }
}

__kernel void guided_mix(__global const long2 *totals, int fitted, __global const IN_T *in,
                         long in_origin, long in_pitch, __global OUT_T *out, long out_origin,
                         long out_pitch, int width, int strip)
{
    int channel = get_global_id(0) % CHANNELS, x = get_global_id(0) / CHANNELS * strip;
    int end = min(x + strip, width);
    long row = get_global_id(1), at = (long)x * CHANNELS + channel;
    long2 total = (long2)(0, 0);
    if (x >= end)
        return;
    totals += row * fitted + at;
    in += in_origin + row * in_pitch + at;
    out += out_origin + row * out_pitch + at;
    for (int k = 0; k < SIDE - 1; k++)
        total += totals[k * CHANNELS];
    for (; x < end; x++) {
        total += totals[(SIDE - 1) * CHANNELS];
        *out = finish_float((float)total.x * (SHARE / SLOPES) * (float)*in + (float)total.y * OFFSET);
        total -= totals[0];
        totals += CHANNELS;
        in += CHANNELS;
        out += CHANNELS;
    }
}
