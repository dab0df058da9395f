// alpha.cl - copy the image's alpha, the last channel, into the output

#ifndef C_IN
#define C_IN 2
#endif
#ifndef C_OUT
#define C_OUT C_IN
#endif
#ifndef RESCALE
#define RESCALE 1.0f // between 8-bit and 16-bit scale
#endif

__kernel void copy_alpha(__global const IN_T *in, long in_origin, int in_pitch, __global OUT_T *out,
                         long out_origin, int out_pitch, int width)
{
    int x = get_global_id(0);
    long y = get_global_id(1);
    if (x >= width)
        return;
    float v = (float)in[in_origin + y * in_pitch + (long)x * C_IN + C_IN - 1];
    out[out_origin + y * out_pitch + (long)x * C_OUT + C_OUT - 1] = saturate_float(v * RESCALE);
}
