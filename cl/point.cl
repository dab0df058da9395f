// point.cl - point passes: each output pixel from the same pixel of one or two surfaces
//
// The steps are those of struct imf_point, in its order; the host sets a define for each step. C_IN
// channels are read, C_OUT written; with ALPHA the last one is alpha.
//
// If no step depends on a sample's channel or on other samples (FLAT), a row is a run of samples and a
// work-item takes VEC of them, which fills a CPU's vectors.

#ifndef C_IN
#define C_IN 1
#endif
#ifndef C_OUT
#define C_OUT C_IN
#endif
#ifndef ALPHA
#define ALPHA 0
#endif
#ifndef FLAT
#define FLAT 0 // 1: the program has point_flat instead of point
#endif
#ifndef TAKE_ALPHA
#define TAKE_ALPHA 0 // alpha is the image's, the second input
#endif
#ifndef LINEARIZE
#define LINEARIZE 0
#endif
#ifndef CURVES
#define CURVES 0 // of linear light: 0: sRGB's, whose `table` maps every sample value to it;
                 // 1, for all colours, or 3: `table` has its POINTS of each
#endif
#ifndef LUMA_GREEN
#define LUMA_GREEN 0.7152f // weights in luminance; red's is the rest
#endif
#ifndef LUMA_BLUE
#define LUMA_BLUE 0.0722f
#endif
#ifndef UNSHARP
#define UNSHARP 0
#endif
#ifndef DIFFERENCE
#define DIFFERENCE 0 // UNSHARP: what would be added is all
#endif
#ifndef QUOTIENT
#define QUOTIENT 0 // UNSHARP: the sample's share of the other, which is LEAST at least
#endif
#ifndef LEAST
#define LEAST 1.0f
#endif
#ifndef AMOUNT
#define AMOUNT 1.0f // unsharp's
#endif
#ifndef UNSHARP_LEVEL
#define UNSHARP_LEVEL 0.0f // differences count by what exceeds it, so that nothing jumps
#endif
#ifndef UNPREMULTIPLY
#define UNPREMULTIPLY 0
#endif
#ifndef ALPHA_SCALE
#define ALPHA_SCALE 1.0f // UNPREMULTIPLY, NORMALIZE: divides the output's alpha
#endif
#ifndef GRAY
#define GRAY 0 // of enum imf_channels: colours to this one
#endif
#ifndef NORMALIZE
#define NORMALIZE 0
#endif
#ifndef FLAT_SPREAD
#define FLAT_SPREAD 0.0f // NORMALIZE: a response of less spread is flat
#endif
#ifndef STRETCH_WHOLE
#define STRETCH_WHOLE 0 // NORMALIZE: the response is of integers: exact ties, and only they, are ties
#endif
#ifndef EPILOGUE
#define EPILOGUE 0
#endif
#ifndef SECOND
#define SECOND 32 // bits of a sample of the second input: 8, 16 or 32, which is a float
#endif
#ifndef BLEND
#define BLEND 0 // by blend.cl; the second input is the image, of C_IMAGE channels
#endif
#ifndef C_IMAGE
#define C_IMAGE C_OUT
#endif
#ifndef IMAGE_LIGHT
#define IMAGE_LIGHT 0 // BLEND, PUT: the image is put into linear light
#endif
#ifndef APART
#define APART 0 // BLEND: alpha was filtered
#endif
#ifndef PUT
#define PUT 0 // what was picked goes back to the image's colours
#endif
#ifndef BLEND_AMOUNT
#define BLEND_AMOUNT 1.0f
#endif
#ifndef MASK
#define MASK 0 // BLEND: bits of a sample of the mask; 0: there is none
#endif
#ifndef MASK_INVERT
#define MASK_INVERT 0
#endif
#ifndef REGIONS
#define REGIONS 0 // BLEND: how many profiles there are across, PART_WIDTH values each, and then down
#endif
#ifndef PART_WIDTH
#define PART_WIDTH 1
#endif
#ifndef PART_HEIGHT
#define PART_HEIGHT 1
#endif
#ifndef PREMULTIPLY
#define PREMULTIPLY 0
#endif
#ifndef DELINEARIZE
#define DELINEARIZE 0
#endif
#ifndef RESCALE
#define RESCALE 1.0f // between 8-bit and 16-bit scale
#endif

#define COLORS_IN (C_IN - ALPHA)
#define COLORS (GRAY ? 1 : COLORS_IN) // of the steps up to the blend
#define COLORS_IMAGE (C_IMAGE - ALPHA)
// As channel_of() of run/point/point.c.
#define LUMA(v) ((v)[0] + LUMA_GREEN * ((v)[1] - (v)[0]) + LUMA_BLUE * ((v)[2] - (v)[0]))
#define PICKED(which, v) (which == 1 ? LUMA(v) : (v)[which - 2])
#define COLORS_OUT (C_OUT - ALPHA)

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

#define POINTS 65536
#define IN_STEP (CURVES ? (POINTS - 1) / (int)E_FULL : 1) // from a sample's light to the next one's
#define CURVE_OF(table, c, colors) ((table) + (CURVES < 3 ? 0 : (colors) == 1 ? POINTS : POINTS * (c)))

// The sRGB curve from linear light: u^(1 / 2.4) is q^(5 / 3), q the fourth root of u, and q leaves the
// steep end of the curve to the roots. The polynomial interpolates 1.055 q^(5/3) - 0.055 at Chebyshev
// points of the q that occur. Within 7e-5 of an 8-bit step of the curve, in floats.
#define DEFINE_FROM_LINEAR(name, type)                                                             \
    inline type name(type u)                                                                       \
    {                                                                                              \
        type q = sqrt(sqrt(u)), v = 0.0810656871f;                                                 \
        v = v * q - 0.472705041f;                                                                  \
        v = v * q + 1.21939479f;                                                                   \
        v = v * q - 1.84888143f;                                                                   \
        v = v * q + 1.87148858f;                                                                   \
        v = v * q - 1.44102576f;                                                                   \
        v = v * q + 1.53543556f;                                                                   \
        v = v * q + 0.113042745f;                                                                  \
        v = v * q - 0.0578150774f;                                                                 \
        return u <= 0.0031308f ? u * 12.92f : v;                                                   \
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

#define DEFINE_NORMALIZE(type)                                                                     \
    inline type normalize(type v, __global const float *range)                                     \
    {                                                                                              \
        float low = range[0], spread = range[1] - low;                                             \
        return spread >= FLAT_SPREAD ? (v - low) * (E_FULL / spread) : (type)0.0f;                 \
    }

// A response of integers, as an integer and a fraction that is not near a tie unless the exact quotient
// is a tie, so that rounding floats does not change the result.
inline float normalize_whole(float v, __global const float *range)
{
    int low = (int)range[0], spread = (int)range[1] - low, d = (int)v - low;
    if ((float)spread < FLAT_SPREAD)
        return 0.0f;
    int q = (int)((float)d * (E_FULL / (float)spread) + 0.5f); // off by one at most
    long rest = ((long)d * (int)E_FULL - (long)q * spread) * 2;
    int up = rest > spread ? 1 : rest < -(long)spread ? -1 : 0;
    rest -= 2 * (long)spread * up;
    float part = (float)rest / (2.0f * (float)spread);
    bool tie = rest == spread || rest == -(long)spread;
    return (float)(q + up) + (tie ? part > 0.0f ? 0.5f : -0.5f : clamp(part, -0.49f, 0.49f));
}

#if FLAT

DEFINE_NORMALIZE(vfloat)
DEFINE_FROM_LINEAR(from_linear, vfloat)

inline vfloat load_flat(__global const IN_T *p, __global const float *table)
{
#if LINEARIZE
    vfloat v;
#pragma unroll
    for (int l = 0; l < VEC; l++)
        ((float *)&v)[l] = table[(int)p[l] * IN_STEP];
    return v;
#else
    return TO_FLOAT(load_in(p));
#endif
}

__kernel void point_flat(__global const IN_T *in, long in_origin, int in_pitch,
                         __global const SECOND_T *second, long second_origin, int second_pitch,
                         __global OUT_T *out, long out_origin, int out_pitch, int width,
                         __global const float *table, __global const float *range,
                         __global const MASK_T *mask, long mask_origin, int mask_pitch,
                         __global const float *profiles, int row)
{
    int i = (int)get_global_id(0) * VEC;
    long y = get_global_id(1);
    if (i >= width * C_IN)
        return;
    vfloat v = load_flat(in + in_origin + y * in_pitch + i, table);
#if UNSHARP
    vfloat blurred = *(__global const vfloat_any *)(second + second_origin + y * second_pitch + i);
#endif
#if UNSHARP && QUOTIENT
    v = fmin(E_FULL * fmax(v, (vfloat)0.0f) / fmax(blurred, (vfloat)LEAST), (vfloat)E_FULL);
#elif UNSHARP
    vfloat d = v - blurred;
    d = AMOUNT * copysign(fmax(fabs(d) - UNSHARP_LEVEL, (vfloat)0.0f), d);
    v = DIFFERENCE ? d : v + d;
#endif
#if NORMALIZE && STRETCH_WHOLE
#pragma unroll
    for (int l = 0; l < VEC; l++)
        ((float *)&v)[l] = normalize_whole(((const float *)&v)[l], range);
#elif NORMALIZE
    v = normalize(v, range);
#endif
#if EPILOGUE
#if E_ABS
    v = fabs(v);
#endif
    v = v * E_MUL2 + E_ADD2;
#if E_THRESHOLD
    v = v >= E_LEVEL ? (vfloat)E_FULL : (vfloat)0.0f;
#endif
#endif
#if DELINEARIZE && CURVES
#pragma unroll
    for (int l = 0; l < VEC; l++)
        ((float *)&v)[l] = look_up(((const float *)&v)[l], table);
#elif DELINEARIZE
    // Below 0 and above full scale the result saturates.
    v = from_linear(clamp(v * (1.0f / E_FULL), 0.0f, 1.0f)) * E_FULL;
#endif
    store_out(out + out_origin + y * out_pitch + i, saturate_float(v * RESCALE));
}

#else

DEFINE_NORMALIZE(float)
DEFINE_FROM_LINEAR(from_linear, float4)

// The curve's values of the colours' light; beyond full scale they saturate.
inline float4 to_curve(float4 u, __global const float *table)
{
#if CURVES
    for (int c = 0; c < COLORS_OUT; c++)
        ((float *)&u)[c] = look_up(((const float *)&u)[c], CURVE_OF(table, c, COLORS_OUT));
    return u;
#else
    return from_linear(clamp(u * (1.0f / E_FULL), 0.0f, 1.0f)) * E_FULL;
#endif
}

// A quotient of integers must be exact if it is a tie between two samples. GPUs' divisions are off by an
// ulp or two: the remainder is divided once more.
inline float divide(float v, float by)
{
    float q = v / by;
#if DIVIDE_TWICE
    q += fma(-q, by, v) / by;
#endif
    return q;
}

#if BLEND || PUT

// As run/point/point.c has it: combine v with the colours b, `count` of them, whose alpha is `below`.
inline void blend(float *v, const float *b, int count, float below, float weight)
{
    float alpha = v[COLORS], above = APART ? alpha : E_FULL;
    float mixed = below + weight * (above - below);
    for (int c = count - 1; c >= 0; c--) {
        float x = v[COLORS < count ? 0 : c], s = BLEND_MODE ? clamp(x, 0.0f, E_FULL) : x;
        float f = blended(b[c], x);
        s = APART ? s + divide(below, E_FULL) * (f - s) : f;
        v[c] = below == 0.0f && mixed != 0.0f ? s
               : APART && mixed >= 0.5f
                   ? divide(below * b[c] + weight * (above * s - below * b[c]), mixed)
                   : b[c] + weight * (s - b[c]);
    }
    if (ALPHA)
        v[count] = APART ? mixed : alpha;
}

#endif

__kernel void point(__global const IN_T *in, long in_origin, int in_pitch,
                    __global const SECOND_T *second, long second_origin, int second_pitch,
                    __global OUT_T *out, long out_origin, int out_pitch, int width,
                    __global const float *table, __global const float *range,
                    __global const MASK_T *mask, long mask_origin, int mask_pitch,
                    __global const float *profiles, int row)
{
    int x = get_global_id(0);
    long y = get_global_id(1);
    if (x >= width)
        return;
    __global const IN_T *p = in + in_origin + y * in_pitch + (long)x * C_IN;
    __global OUT_T *q = out + out_origin + y * out_pitch + (long)x * C_OUT;
    float v[5]; // there may be no alpha
    for (int c = 0; c < C_IN; c++) {
#if LINEARIZE
        v[c] = c < COLORS_IN ? CURVE_OF(table, c, COLORS_IN)[(int)p[c] * IN_STEP] : (float)p[c];
#else
        v[c] = (float)p[c];
#endif
    }
#if TAKE_ALPHA
    v[C_IN - 1] = (float)second[second_origin + y * second_pitch + (long)x * C_IMAGE + C_IMAGE - 1];
#endif
#if UNSHARP
    __global const float *blurred = second + second_origin + y * second_pitch + (long)x * C_IN;
    for (int c = 0; c < C_IN; c++) {
#if QUOTIENT
        v[c] = fmin(E_FULL * fmax(v[c], 0.0f) / fmax(blurred[c], LEAST), E_FULL);
#else
        float d = v[c] - blurred[c];
        d = AMOUNT * copysign(fmax(fabs(d) - UNSHARP_LEVEL, 0.0f), d);
        v[c] = DIFFERENCE ? d : v[c] + d;
#endif
    }
#endif
#if UNPREMULTIPLY
    float opacity = divide(v[C_IN - 1], E_FULL);
    for (int c = 0; c < COLORS_IN; c++)
        v[c] = v[C_IN - 1] >= 0.5f * ALPHA_SCALE ? divide(v[c], opacity) : 0.0f;
    v[C_IN - 1] = divide(v[C_IN - 1], ALPHA_SCALE);
#endif
#if GRAY
    v[0] = PICKED(GRAY, v);
    if (ALPHA)
        v[1] = v[C_IN - 1];
#endif
    for (int c = 0; c < COLORS; c++) {
#if NORMALIZE
        v[c] = STRETCH_WHOLE ? normalize_whole(v[c], range) : normalize(v[c], range);
#endif
#if EPILOGUE
        v[c] = E_ABS ? fabs(v[c]) : v[c];
        v[c] = v[c] * E_MUL2 + E_ADD2;
        v[c] = !E_THRESHOLD ? v[c] : v[c] >= E_LEVEL ? E_FULL : 0.0f;
#endif
    }
#if NORMALIZE && ALPHA
    v[COLORS] = divide(v[COLORS], ALPHA_SCALE);
#endif
#if BLEND || PUT
    __global const SECOND_T *image = second + second_origin + y * second_pitch + (long)x * C_IMAGE;
    float b[5], below = APART ? (float)image[C_IMAGE - 1] : E_FULL;
    for (int c = 0; c < COLORS_IMAGE; c++)
#if IMAGE_LIGHT
        b[c] = CURVE_OF(table, c, COLORS_IMAGE)[(int)image[c] * IN_STEP];
#else
        b[c] = (float)image[c];
#endif
    float picked = PICK ? PICKED(PICK, b) : b[0];
#endif
#if BLEND
    float weight = BLEND_AMOUNT;
#if MASK
    float part = divide((float)mask[mask_origin + y * mask_pitch + x], MASK == 8 ? 255.0f : 65535.0f);
    weight *= MASK_INVERT ? 1.0f - part : part;
#endif
#if REGIONS
    float regions = 0.0f;
    for (int k = 0; k < REGIONS; k++)
        regions += profiles[(long)k * PART_WIDTH + x] *
                   profiles[(long)REGIONS * PART_WIDTH + (long)k * PART_HEIGHT + row + y];
    weight *= fmin(regions, 1.0f);
#endif
    blend(v, PICK ? &picked : b, PICK ? 1 : COLORS_IMAGE, below, weight);
#endif
#if PUT
    put(v, b, picked);
#endif
#if PREMULTIPLY
    for (int c = 0; c < COLORS_OUT; c++)
        v[c] *= divide(v[C_OUT - 1], E_FULL); // 1 where it is opaque
#endif
#if DELINEARIZE
    float4 u = 0.0f;
    for (int c = 0; c < COLORS_OUT; c++)
        ((float *)&u)[c] = v[c];
    u = to_curve(u, table);
    for (int c = 0; c < COLORS_OUT; c++)
        v[c] = ((const float *)&u)[c];
#endif
    for (int c = 0; c < C_OUT; c++)
        q[c] = saturate_float(v[c] * RESCALE);
}

#endif
