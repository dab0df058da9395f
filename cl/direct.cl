// direct.cl - convolution as its definition says: every tap of every sample
//
// The plain version: a work-item per sample and a loop over the taps. What makes it fast:
//
// 1. Flat rows. The input's margins are filled, so a row of W pixels of C channels is one run of
//    W * C samples, and tap column j is the sample j * C further on. No edge code, any C.
// 2. Vectors. A work-item owns VEC neighbouring samples; the taps are literals, and loops over them
//    are unrolled, so zero taps vanish and the rest are immediate operands.
// 3. A column of outputs. A work-item walks down its column, and each input row, loaded and
//    converted once, is added to the TAPS_H outputs that need it, which stay in registers:
//    `sum[a]` belongs to the output row a - (TAPS_H - 1) rows from the one whose last input row
//    this is. Loads and conversions fall by a factor of TAPS_H.
// 4. Symmetry. Where the kernel equals its mirror image (or its negative), samples under a pair of
//    equal taps are added (subtracted) first, in integers, which halves the products.
// 5. The narrowest arithmetic that is exact: 16-bit integers where no partial sum can overflow
//    them, floats where integer sums stay below 2^24.
//
// DIRECT_ANY is the variant for kernels too large to unroll: taps come from memory.

#ifndef CHANNELS
#define CHANNELS 1 // samples a pixel
#endif
#ifndef TAPS_W
#define TAPS_W 1 // kernel size
#endif
#ifndef TAPS_H
#define TAPS_H 1
#endif
#ifndef TAPS
#define TAPS 1.0f // TAPS_H rows of TAPS_W taps, top row first
#endif
#ifndef SYMMETRY
#define SYMMETRY 0 // 1: columns mirror each other, -1: with opposite sign, 0: neither
#endif
#ifndef MAGNITUDE
#define MAGNITUDE 0 // 1: a second kernel, TAPS2 and SYMMETRY2, and the length of the two sums
#endif
#ifndef DIRECTION
#define DIRECTION 0 // MAGNITUDE: 1: instead the direction of the two sums, 0..2 pi as 0..E_FULL
#endif
#ifndef TAPS2
#define TAPS2 1.0f
#endif
#ifndef SYMMETRY2
#define SYMMETRY2 0
#endif
#ifndef ACC
#define ACC float // type of the sums: short, int, long or float
#endif
#ifndef ROOT
#define ROOT 0 // exact magnitudes: 1: a float root decides all that are visible, 2: all below 2^22
#endif
#ifndef GROUP
#define GROUP 1 // work-items a work-group
#endif
#ifndef DIRECT_ANY
#define DIRECT_ANY 0 // 1: taps come from memory
#endif
#ifndef GENERIC_ROWS
#define GENERIC_ROWS 4 // output rows that a work-item computes together, with taps from memory
#endif

// Sums of two samples, exactly.
#if IN == 8
#define PAIR short
#elif IN == 16
#define PAIR int
#else
#define PAIR float
#endif

typedef V(ACC) vacc;
typedef V(PAIR) vpair;

inline vout finish(vacc sum)
{
#if EXACT
    return finish_exact(TO(SUM_T)(sum));
#else
    return finish_float(TO(float)(sum));
#endif
}

// The direction of a gradient, counter-clockwise in 0..E_FULL, as in lib/solver/edges/phase.c: beside an
// axis the arc tangent of the lesser component over the greater, elsewhere by reflections. y grows
// downwards.
inline vfloat direction(vfloat x, vfloat y)
{
    vfloat a = fabs(x), b = fabs(y), most = max(a, b);
    vfloat z = min(a, b) / (most > 0.0f ? most : (vfloat)1.0f), zz = z * z;
    vfloat t = (vfloat)0.00108413f;
    t = t * zz - 0.00534827635f;
    t = t * zz + 0.0126724998f;
    t = t * zz - 0.0210615192f;
    t = t * zz + 0.0315251151f;
    t = t * zz - 0.0530262366f;
    t = (t * zz + 0.159154326f) * z;
    t = b > a ? 0.25f - t : t;
    t = x < 0.0f ? 0.5f - t : t;
    t = (y > 0.0f ? 1.0f - t : t) * E_FULL;
    return t < E_FULL ? t : (vfloat)0.0f;
}

inline vout finish2(vacc a, vacc b)
{
#if DIRECTION
    return finish_mapped(direction(TO(float)(a), TO(float)(b)));
#elif EXACT && ROOT == 1
    vfloat x = TO(float)(a), y = TO(float)(b);
    return finish_mapped(sqrt(x * x + y * y));
#elif EXACT && ROOT == 2
    // The root t is off by one at most, so that |a^2 + b^2 - t^2| < 2^24: arithmetic modulo 2^32
    // gives it exactly, though the squares overflow. t is corrected as in common.cl.
    vfloat x = TO(float)(a), y = TO(float)(b);
    vint t = TO(int)(sqrt(x * x + y * y) + 0.5f);
    V(uint) p = AS(uint)(TO(int)(a)), q = AS(uint)(TO(int)(b)), r = AS(uint)(t);
    vint d = AS(int)(p * p + q * q - r * r);
    t = d > t ? t + 1 : d <= -t && t > 0 ? t - 1 : t;
    return finish_mapped(TO(float)(t));
#elif EXACT
    return finish_magnitude_exact(TO(int)(a), TO(int)(b));
#else
    return finish_magnitude(TO(float)(a), TO(float)(b));
#endif
}

// x * y + 0 is x * y to the compiler only if the zero is negative.
#define NOTHING ((vacc)(ACC)(-0.0f))

#if !DIRECT_ANY

__constant ACC taps[] = {TAPS};
#if MAGNITUDE
__constant ACC taps2[] = {TAPS2};
#endif

// A row of the kernels' reach, as the operands of the products: samples, or sums of mirrored pairs.
#define OPERANDS(symmetry) ((symmetry) ? (TAPS_W + 1) / 2 : TAPS_W)

inline vacc operand(const __global IN_T *p, int j, int symmetry)
{
    vpair x = TO(PAIR)(load_in(p + j * CHANNELS));
    if (symmetry && 2 * j + 1 < TAPS_W) {
        vpair mirrored = TO(PAIR)(load_in(p + (TAPS_W - 1 - j) * CHANNELS));
        x = symmetry > 0 ? x + mirrored : x - mirrored;
    }
    return TO(ACC)(x);
}

inline void add_row(vacc *sum, __constant ACC *w, int symmetry, const __global IN_T *p)
{
#pragma unroll
    for (int j = 0; j < OPERANDS(symmetry); j++) {
        vacc x = operand(p, j, symmetry);
#pragma unroll
        for (int a = 0; a < TAPS_H; a++) {
            ACC tap = w[(TAPS_H - 1 - a) * TAPS_W + j];
            if (tap != 0)
                sum[a] += tap * x;
        }
    }
}

inline void shift(vacc *sum)
{
#pragma unroll
    for (int a = 0; a < TAPS_H - 1; a++)
        sum[a] = sum[a + 1];
    sum[TAPS_H - 1] = NOTHING;
}

// in: at the first tap of pixel (0, 0); n: samples a row; rows: output rows a work-item.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
direct(const __global IN_T *in, ulong in_start, ulong in_pitch, __global OUT_T *out,
       ulong out_start, ulong out_pitch, int n, int height, int rows)
{
    int i = (int)get_global_id(0) * VEC;
    int y = (int)get_global_id(1) * rows;
    if (i >= n)
        return;
    int count = min(rows, height - y);
    in += in_start + (ulong)y * in_pitch + i;
    out += out_start + (ulong)y * out_pitch + i;

    vacc sum[TAPS_H];
#if MAGNITUDE
    vacc sum2[TAPS_H];
#endif
#pragma unroll
    for (int a = 0; a < TAPS_H; a++) {
        sum[a] = NOTHING;
#if MAGNITUDE
        sum2[a] = NOTHING;
#endif
    }
#pragma unroll 1
    for (int t = 1 - TAPS_H; t < count; t++) {
        add_row(sum, taps, SYMMETRY, in);
#if MAGNITUDE
        add_row(sum2, taps2, SYMMETRY2, in);
#endif
        if (t >= 0) {
#if MAGNITUDE
            store_out(out, finish2(sum[0], sum2[0]));
#else
            store_out(out, finish(sum[0]));
#endif
            out += out_pitch;
        }
        shift(sum);
#if MAGNITUDE
        shift(sum2);
#endif
        in += in_pitch;
    }
}

#else

// Any size: taps from memory, GENERIC_ROWS output rows at a time so that a sample loaded once
// serves each of them. The table has GENERIC_ROWS - 1 rows of zeros above and below the kernel's
// own, which spares every bounds check. Row sums are kept apart and added up last: rounding errors
// then grow with a row's length plus the number of rows, not with their product.
inline void row_sums(vacc *sum, const __global ACC *w, int taps_w, const __global IN_T *in)
{
    vacc part[GENERIC_ROWS];
#pragma unroll
    for (int r = 0; r < GENERIC_ROWS; r++)
        part[r] = NOTHING;
    for (int j = 0; j < taps_w; j++) {
        vacc x = TO(ACC)(load_in(in + j * CHANNELS));
#pragma unroll
        for (int r = 0; r < GENERIC_ROWS; r++)
            part[r] += w[(GENERIC_ROWS - 1 - r) * taps_w + j] * x;
    }
#pragma unroll
    for (int r = 0; r < GENERIC_ROWS; r++)
        sum[r] += part[r];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
direct(const __global IN_T *in, ulong in_start, ulong in_pitch, __global OUT_T *out,
       ulong out_start, ulong out_pitch, int n, int height, const __global ACC *w,
       const __global ACC *w2, int taps_w, int taps_h)
{
    int i = (int)get_global_id(0) * VEC;
    int y = (int)get_global_id(1) * GENERIC_ROWS;
    if (i >= n)
        return;
    int count = min(GENERIC_ROWS, height - y);
    in += in_start + (ulong)y * in_pitch + i;
    out += out_start + (ulong)y * out_pitch + i;
    vacc sum[GENERIC_ROWS];
#if MAGNITUDE
    vacc sum2[GENERIC_ROWS];
#endif
#pragma unroll
    for (int r = 0; r < GENERIC_ROWS; r++) {
        sum[r] = NOTHING;
#if MAGNITUDE
        sum2[r] = NOTHING;
#endif
    }
    // Input row t, tap row t - r of output row r.
    for (int t = 0; t < taps_h + count - 1; t++) {
        row_sums(sum, w + (size_t)t * taps_w, taps_w, in);
#if MAGNITUDE
        row_sums(sum2, w2 + (size_t)t * taps_w, taps_w, in);
#endif
        in += in_pitch;
    }
#pragma unroll
    for (int r = 0; r < GENERIC_ROWS; r++) {
        if (r < count) {
#if MAGNITUDE
            store_out(out, finish2(sum[r], sum2[r]));
#else
            store_out(out, finish(sum[r]));
#endif
            out += out_pitch;
        }
    }
}

#endif
