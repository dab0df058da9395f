// point.cl - point passes: each output pixel from the same pixel of one or two surfaces
//
// STEPS is the list of them, calls of the functions in run/point/steps.cl and below. C_IN channels are read, C_OUT written; with
// ALPHA the last one is alpha.
//
// If all channels are treated alike, a row is a run of samples, of C_IN 1, and a work-item takes VEC of them,
// which fills a CPU's vectors.

#ifndef STEPS
#define STEPS rescale(PIXELS(C_IN - ALPHA, C_OUT - ALPHA), E_FULL, 1.0f);
#endif
#ifndef C_IN
#define C_IN 1
#endif
#ifndef C_OUT
#define C_OUT C_IN
#endif
#ifndef ALPHA
#define ALPHA 0
#endif
#ifndef CURVES
#define CURVES 0 // of linear light: 0: sRGB's, whose `table` maps every sample value to it;
                 // 1, for all colours, or 3: `table` has its POINTS of each
#endif
#ifndef C_SECOND
#define C_SECOND 0 // channels of the second input
#endif
#ifndef SECOND
#define SECOND 32 // bits of a sample of it: 8, 16 or 32, which is a float
#endif
#ifndef SECOND_LIGHT
#define SECOND_LIGHT 0 // it is put into linear light
#endif
#ifndef AMOUNT
#define AMOUNT 1.0f // of a blend
#endif
#ifndef MASK
#define MASK 0 // bits of a sample of the mask; 0: there is none
#endif
#ifndef MASK_INVERT
#define MASK_INVERT 0
#endif
#ifndef REGIONS
#define REGIONS 0 // how many profiles there are across, PART_WIDTH values each, and then down
#endif
#ifndef PART_WIDTH
#define PART_WIDTH 1
#endif
#ifndef PART_HEIGHT
#define PART_HEIGHT 1
#endif

#if SECOND == 8
#define SECOND_T uchar
#elif SECOND == 16
#define SECOND_T ushort
#else
#define SECOND_T float
#endif
#if MASK == 8
#define MASK_T uchar
#else
#define MASK_T ushort
#endif
#if VEC == 1
#define LIGHT_T float4 // a pixel's colours
#else
#define LIGHT_T vfloat
#endif

#define POINTS 65536
#define IN_STEP (CURVES ? (POINTS - 1) / (int)E_FULL : 1) // from a sample's light to the next one's
#define CURVE_OF(table, c, colors) ((table) + (CURVES < 3 ? 0 : (colors) == 1 ? POINTS : POINTS * (c)))

// The sRGB curve from linear light: u^(1 / 2.4) is q^(5 / 3), q the fourth root of u, and q leaves the
// steep end of the curve to the roots. The polynomial interpolates 1.055 q^(5/3) - 0.055 at Chebyshev
// points of the q that occur. Within 7e-5 of an 8-bit step of the curve, in floats.
inline LIGHT_T from_linear(LIGHT_T u)
{
    LIGHT_T q = sqrt(sqrt(u)), v = 0.0810656871f;
    v = v * q - 0.472705041f;
    v = v * q + 1.21939479f;
    v = v * q - 1.84888143f;
    v = v * q + 1.87148858f;
    v = v * q - 1.44102576f;
    v = v * q + 1.53543556f;
    v = v * q + 0.113042745f;
    v = v * q - 0.0578150774f;
    return u <= 0.0031308f ? u * 12.92f : v;
}

#if CURVES
// The curve's value of a light, both in 0..full scale; the curve is linear between its points.
inline float look_up(float u, __global const float *points)
{
    int i = 0;
    u = clamp(u, points[0], points[POINTS - 1]);
#pragma unroll
    for (int step = POINTS / 2; step > 0; step /= 2)
        i += points[i + step] <= u ? step : 0;
    i = min(i, POINTS - 2);
    float low = points[i], spread = points[i + 1] - low;
    float part = spread > 0.0f ? (u - low) / spread : 0.0f;
    return ((float)i + part) * (E_FULL / (float)(POINTS - 1));
}
#endif

// A response of integers, as an integer and a fraction that is not near a tie unless the exact quotient
// is a tie, so that rounding floats does not change the result.
inline float normalize_whole(float v, __global const float *range, float flat)
{
    int low = (int)range[0], spread = (int)range[1] - low, d = (int)v - low;
    if ((float)spread < flat)
        return 0.0f;
    int q = (int)((float)d * (E_FULL / (float)spread) + 0.5f); // off by one at most
    long rest = ((long)d * (int)E_FULL - (long)q * spread) * 2;
    int up = rest > spread ? 1 : rest < -(long)spread ? -1 : 0;
    rest -= 2 * (long)spread * up;
    float part = (float)rest / (2.0f * (float)spread);
    bool tie = rest == spread || rest == -(long)spread;
    return (float)(q + up) + (tie ? part > 0.0f ? 0.5f : -0.5f : clamp(part, -0.49f, 0.49f));
}

// ---- steps that the host has in another way

// Colours, which are samples of the image.
STEP void linearize(PLANES)
{
    for (int c = 0; c < colors; c++)
        for (int l = 0; l < VEC; l++)
            ((float *)v[c])[l] = CURVE_OF(table, c, colors)[(int)((float *)v[c])[l] * IN_STEP];
}

// Instead of all steps, of integers: what the host has made of each value of colours, then of alpha.
STEP void map(PLANES, int values)
{
    for (int c = 0; c < colors + alpha; c++)
        for (int l = 0; l < VEC; l++)
            ((float *)v[c])[l] = table[(int)((float *)v[c])[l] + (c < colors ? 0 : values)];
}

// Beyond full scale colours saturate.
STEP void delinearize(PLANES)
{
#if CURVES
    for (int c = 0; c < colors; c++)
        for (int l = 0; l < VEC; l++)
            ((float *)v[c])[l] = look_up(((float *)v[c])[l], CURVE_OF(table, c, colors));
#elif VEC == 1
    float4 u = 0.0f;
    for (int c = 0; c < colors; c++)
        ((float *)&u)[c] = v[c][0];
    u = from_linear(clamp(u * (1.0f / full), 0.0f, 1.0f)) * full;
    for (int c = 0; c < colors; c++)
        v[c][0] = ((float *)&u)[c];
#else
    v[0][0] = from_linear(clamp(v[0][0] * (1.0f / full), 0.0f, 1.0f)) * full;
#endif
}

// `whole`: exact ties, and only they, are ties, if the result is rounded to the image's depth.
STEP void normalize(PLANES, float flat, int whole, float scale)
{
    float low = range[0], spread = range[1] - low;
    for (int c = 0; c < colors; c++) {
#if OUT != 32
        if (whole && OUT_MAX == (int)full) {
            for (int l = 0; l < VEC; l++)
                ((float *)v[c])[l] = normalize_whole(((float *)v[c])[l], range, flat);
            continue;
        }
#endif
        v[c][0] = spread >= flat ? (v[c][0] - low) * (full / spread) : (REAL)0.0f;
    }
    if (alpha)
        v[colors][0] = DIVIDE(v[colors][0], scale);
}

// ---- pixels

#define PIXELS(colors, to) table, range, v, b, &w, 1, colors, to, C_SECOND - ALPHA, ALPHA

__kernel void point(__global const IN_T *in, long in_origin, int in_pitch,
                    __global const SECOND_T *second, long second_origin, int second_pitch,
                    __global OUT_T *out, long out_origin, int out_pitch, int width,
                    __global const float *table, __global const float *range,
                    __global const MASK_T *mask, long mask_origin, int mask_pitch,
                    __global const float *profiles, int row)
{
    int x = (int)get_global_id(0) * VEC;
    long y = get_global_id(1);
    if (x >= width)
        return;
    __global const IN_T *p = in + in_origin + y * in_pitch + (long)x * C_IN;
    __global OUT_T *q = out + out_origin + y * out_pitch + (long)x * C_OUT;
    REAL v[5][1], b[5][1], w = AMOUNT; // there may be no alpha
    for (int c = 0; c < C_IN; c++)
        v[c][0] = TO_FLOAT(load_in(p + c));
#if C_SECOND
    __global const SECOND_T *s = second + second_origin + y * second_pitch + (long)x * C_SECOND;
    for (int c = 0; c < C_SECOND; c++)
#if SECOND == 32
        b[c][0] = *(__global const vfloat_any *)(s + c);
#else
        b[c][0] = (float)s[c];
#endif
#endif
#if SECOND_LIGHT
    linearize(table, range, b, b, &w, 1, C_SECOND - ALPHA, 0, 0, ALPHA, E_FULL);
#endif
#if MASK
    float part = DIVIDE((float)mask[mask_origin + y * mask_pitch + x], MASK == 8 ? 255.0f : 65535.0f);
    w *= MASK_INVERT ? 1.0f - part : part;
#endif
#if REGIONS
    float regions = 0.0f;
    for (int k = 0; k < REGIONS; k++)
        regions += profiles[(long)k * PART_WIDTH + x] *
                   profiles[(long)REGIONS * PART_WIDTH + (long)k * PART_HEIGHT + row + y];
    w *= fmin(regions, 1.0f);
#endif
    STEPS
    for (int c = 0; c < C_OUT; c++)
        store_out(q + c, saturate_float(v[c][0]));
}
