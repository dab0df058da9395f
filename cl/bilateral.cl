// bilateral.cl - the bilateral filter as lib/solver/smoothing/bilateral_reference.c defines it
//
// A work-item computes one pixel from all pixels within REACH of it. Sums are of differences from the
// pixel's own colours, because their rounding errors are smaller, and are added up row by row.

#ifndef CHANNELS
#define CHANNELS 1
#endif
#ifndef COLORS
#define COLORS 1 // of these, from the first on, that are filtered
#endif
#ifndef REACH
#define REACH 1
#endif
#ifndef FAR
#define FAR 1.0f // of a squared distance: how often its weight is halved
#endif
#ifndef NEAR
#define NEAR 1.0f // of a squared difference, likewise
#endif

__kernel void bilateral(__global const IN_T *in, long in_origin, long in_pitch, __global OUT_T *out,
                        long out_origin, long out_pitch, int width)
{
    long x = get_global_id(0), y = get_global_id(1);
    int most = 0; // columns that a row's weights reach to either side
    float own[COLORS], sums[COLORS], weights = 0.0f;
    if (x >= width)
        return;
    in += in_origin + y * in_pitch + x * CHANNELS;
    out += out_origin + y * out_pitch + x * CHANNELS;
    for (int c = 0; c < COLORS; c++) {
        own[c] = (float)in[c];
        sums[c] = 0.0f;
    }
    for (int dy = -REACH; dy <= REACH; dy++) {
        __global const IN_T *row = in + dy * in_pitch;
        float part[COLORS], partial = 0.0f;
        for (; (most + 1) * (most + 1) + dy * dy <= REACH * REACH; most++)
            ;
        for (; most * most + dy * dy > REACH * REACH; most--)
            ;
        for (int c = 0; c < COLORS; c++)
            part[c] = 0.0f;
        for (int dx = -most; dx <= most; dx++) {
            float apart[COLORS], unlike = 0.0f;
            for (int c = 0; c < COLORS; c++) {
                apart[c] = (float)row[dx * CHANNELS + c] - own[c];
                unlike += apart[c] * apart[c];
            }
            float weight = exp2(-FAR * (float)(dx * dx + dy * dy) - NEAR * unlike);
            partial += weight;
            for (int c = 0; c < COLORS; c++)
                part[c] += weight * apart[c];
        }
        weights += partial;
        for (int c = 0; c < COLORS; c++)
            sums[c] += part[c];
    }
    for (int c = 0; c < CHANNELS; c++)
        out[c] = finish_float(c < COLORS ? own[c % COLORS] + sums[c % COLORS] / weights : (float)in[c]);
}
