// digits.cl - premultiplied colours as digits, and from their sums to straight colours
//
// Products of colours and alpha, and alpha itself, are written as digits of BITS bits, lowest first, each
// a channel of its own: COLOR_PLACES of each colour in turn, then ALPHA_PLACES. Sums of these, by an
// integer kernel, are put together in 64 bits; colours are quotients of such sums, rounded once. The
// arguments are those of point.cl, in whose place these kernels run.

#ifndef BITS
#define BITS 16 // of a digit
#endif
#ifndef COLORS
#define COLORS 3
#endif
#ifndef COLOR_PLACES
#define COLOR_PLACES 2 // digits of a colour times alpha
#endif
#ifndef ALPHA_PLACES
#define ALPHA_PLACES 1 // digits of alpha
#endif
#ifndef PREMULTIPLY
#define PREMULTIPLY 0 // 1: samples to digits, 0: sums of digits to samples
#endif
#ifndef X_ALPHA_SCALE
#define X_ALPHA_SCALE 1L // divides the output's alpha
#endif
#ifndef X_OFFSET
#define X_OFFSET 0L // after |v| (E_ABS) and v * X_SIGN2
#endif
#ifndef LEVEL_PARTS
#define LEVEL_PARTS 1L // E_THRESHOLD: the level is X_LEVEL + X_LEVEL_PART / LEVEL_PARTS
#endif
#ifndef X_LEVEL_PART
#define X_LEVEL_PART 0L
#endif

#define CHANNELS (COLORS * COLOR_PLACES + ALPHA_PLACES)

inline void write_digits(__global OUT_T *to, uint v, int places)
{
    for (int k = 0; k < places; k++)
        to[k] = (OUT_T)(v >> BITS * k & ((1u << BITS) - 1));
}

inline void split(__global OUT_T *q, __global const IN_T *p)
{
    uint alpha = (uint)p[COLORS];
    for (int c = 0; c < COLORS; c++) {
        float v = (float)p[c];
        v = E_ABS ? fabs(v) : v;
        v = v * E_MUL2 + E_ADD2;
        v = !E_THRESHOLD ? v : v >= E_LEVEL ? E_FULL : 0.0f;
        write_digits(q + c * COLOR_PLACES, (uint)v * alpha, COLOR_PLACES);
    }
    write_digits(q + COLORS * COLOR_PLACES, alpha, ALPHA_PLACES);
}

inline long whole(__global const IN_T *digits, int places)
{
    long sum = 0;
    for (int k = places - 1; k >= 0; k--)
        sum = sum * (1 << BITS) + (long)(int)digits[k];
    return sum;
}

// n / by to nearest, ties to even, within 0..E_FULL; by > 0. A quotient of floats leads to one of the
// two nearest integers, or next to them; the remainder tells which is right.
inline int quotient(long n, long by)
{
    n = clamp(n, 0L, by * (long)E_FULL);
    int q = convert_int_rte((float)n / (float)by);
    long twice = 2 * (n - q * by);
    int odd = q & 1;
    return q + (twice + odd > by) - (-twice + odd > by);
}

inline float colour(long n, long alpha)
{
    n = E_ABS ? max(n, -n) : n;
    n = n * X_SIGN2 + X_OFFSET * alpha;
#if E_THRESHOLD
    // Beyond a step of the level its part does not matter.
    n = clamp(n - X_LEVEL * alpha, -alpha, alpha);
    return n * LEVEL_PARTS >= X_LEVEL_PART * alpha ? E_FULL : 0.0f;
#else
    return (float)quotient(n, alpha);
#endif
}

inline void join(__global OUT_T *q, __global const IN_T *p)
{
    long alpha = whole(p + COLORS * COLOR_PLACES, ALPHA_PLACES);
    // Under an alpha of less than half a step colours are 0.
    bool visible = 2 * alpha >= X_ALPHA_SCALE;
    for (int c = 0; c < COLORS; c++)
        q[c] = (OUT_T)colour(visible ? whole(p + c * COLOR_PLACES, COLOR_PLACES) : 0,
                             visible ? alpha : 1);
    q[COLORS] = (OUT_T)quotient(alpha, X_ALPHA_SCALE);
}

__kernel void point(__global const IN_T *in, long in_origin, int in_pitch,
                    __global const float *second, long second_origin, int second_pitch,
                    __global OUT_T *out, long out_origin, int out_pitch, int width,
                    __global const float *table, __global const float *range)
{
    int x = get_global_id(0);
    long y = get_global_id(1);
    if (x >= width)
        return;
    in += in_origin + y * in_pitch;
    out += out_origin + y * out_pitch;
    if (PREMULTIPLY)
        split(out + (long)x * CHANNELS, in + (long)x * (COLORS + 1));
    else
        join(out + (long)x * (COLORS + 1), in + (long)x * CHANNELS);
}
