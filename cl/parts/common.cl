// common.cl - types, loads, stores and the epilogue shared by every kernel
//
// The host puts "#define" lines before this file; each one that it may set is listed here with its
// default, so that every .cl file also compiles on its own.

#ifndef VEC
#define VEC 1 // samples a work-item handles at once: 1, 4, 8 or 16
#endif
#ifndef IN
#define IN 8 // bits of an input sample: 8, 16 (unsigned) or 32 (float)
#endif
#ifndef OUT
#define OUT 8 // the same for the output
#endif
#ifndef EXACT
#define EXACT 0 // 1: integer sums, exactly rounded
#endif
#ifndef WIDE
#define WIDE 0 // 1: exact sums need 64 bits
#endif

// Exact sums by transforms.
#ifndef DOUBT
#define DOUBT 0 // EXACT: 1: errors may reach 1, so that several integers are within the error
#endif
#ifndef SPLIT
#define SPLIT 0 // EXACT: 1: the parts are the high and the low bytes of one tile's 16-bit samples
#endif
#ifndef NEAR_TIE
#define NEAR_TIE 0 // EXACT: 1: a float decides all pixels but those close to a tie
#endif
#ifndef NEAR_ADD
#define NEAR_ADD 0.0f // NEAR_TIE: added to sum * E_MUL
#endif
#ifndef NEAR_WINDOW
#define NEAR_WINDOW 0.0f // NEAR_TIE: pixels closer than this to an integer are certain
#endif

// Float epilogue: v = sum * E_MUL + E_ADD; E_ABS: v = |v|; v = v * E_MUL2 + E_ADD2;
// E_THRESHOLD: v = v >= E_LEVEL ? E_FULL : 0.
#ifndef E_MUL
#define E_MUL 1.0f
#endif
#ifndef E_ADD
#define E_ADD -0.0f // x + -0.0f is x, so the compiler drops it
#endif
#ifndef E_ABS
#define E_ABS 0
#endif
#ifndef E_MUL2
#define E_MUL2 1.0f
#endif
#ifndef E_ADD2
#define E_ADD2 -0.0f
#endif
#ifndef E_THRESHOLD
#define E_THRESHOLD 0
#endif
#ifndef E_LEVEL
#define E_LEVEL 0.0f
#endif
#ifndef E_FULL
#define E_FULL 255.0f // full scale of the image's samples
#endif

// Exact epilogue, on numerators: n = sum * X_SIGN + X_ADD; E_ABS: n = |n|; n = n * X_SIGN2 + X_ADD2;
// E_THRESHOLD: n >= X_LEVEL; the result is n / X_SCALE, rounded to nearest, ties to even.
#ifndef X_SIGN
#define X_SIGN 1
#endif
#ifndef X_ADD
#define X_ADD 0
#endif
#ifndef X_SIGN2
#define X_SIGN2 1
#endif
#ifndef X_ADD2
#define X_ADD2 0
#endif
#ifndef X_SCALE
#define X_SCALE 1 // > 0
#endif
#ifndef X_LEVEL
#define X_LEVEL 0
#endif
#ifndef X_SQUARE
#define X_SQUARE 0 // magnitudes whose square reaches it pass the threshold, with X_SIGN2 < 0 fail it
#endif

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#if VEC == 1
#define V(type) type
#define AS(type) CAT(as_, type)
#define TO(type) CAT(convert_, type)
#else
#define V(type) CAT(type, VEC)
#define AS(type) CAT(as_, CAT(type, VEC))
#define TO(type) CAT(convert_, CAT(type, VEC))
#endif

#if IN == 8
#define IN_T uchar
#elif IN == 16
#define IN_T ushort
#else
#define IN_T float
#endif
#if OUT == 8
#define OUT_T uchar
#define OUT_MAX 255
#elif OUT == 16
#define OUT_T ushort
#define OUT_MAX 65535
#else
#define OUT_T float
#endif
#if WIDE
#define SUM_T long
#else
#define SUM_T int
#endif

// Vectors at any address: through a pointer to a type of alignment 1 a CPU loads them at once, while
// vloadN is built from scalar loads. Typedefs of the element's own alignment keep GPUs from splitting
// loads into bytes.
typedef V(uchar) vuchar_any __attribute__((aligned(1)));
typedef V(ushort) vushort_any __attribute__((aligned(2)));
typedef V(float) vfloat_any __attribute__((aligned(4)));
typedef V(IN_T) vin;
typedef V(OUT_T) vout;
typedef V(float) vfloat;
typedef V(int) vint;
typedef V(SUM_T) vsum;
#if IN == 8
typedef vuchar_any vin_any;
#elif IN == 16
typedef vushort_any vin_any;
#else
typedef vfloat_any vin_any;
#endif
#if OUT == 8
typedef vuchar_any vout_any;
#elif OUT == 16
typedef vushort_any vout_any;
#else
typedef vfloat_any vout_any;
#endif

inline vin load_in(const __global IN_T *p) { return *(const __global vin_any *)p; }
inline void store_out(__global OUT_T *p, vout v) { *(__global vout_any *)p = v; }

#if IN == 32
#define TO_FLOAT(v) (v)
#define TO_SUM(v) TO(SUM_T)(v)
#else
#define TO_FLOAT(v) TO(float)(v)
#define TO_SUM(v) TO(SUM_T)(v)
#endif

// Round to nearest even and saturate. Adding 1.5 * 2^23 leaves the rounded integer in the low bits
// of the float: exact for |v| < 2^22, and v is clamped first.
inline vout saturate_float(vfloat v)
{
#if OUT == 32
    return v;
#else
    v = clamp(v, 0.0f, (float)OUT_MAX);
    return TO(OUT_T)(AS(int)(v + 12582912.0f) & 0xffff);
#endif
}

// The epilogue after the magnitude or |v|, on a float.
inline vout finish_mapped(vfloat v)
{
    v = v * E_MUL2 + E_ADD2;
#if E_THRESHOLD
    v = v >= E_LEVEL ? (vfloat)E_FULL : (vfloat)0.0f;
#endif
    return saturate_float(v);
}

// The whole epilogue on a float sum.
inline vout finish_float(vfloat sum)
{
    vfloat v = sum * E_MUL + E_ADD;
#if E_ABS
    v = fabs(v);
#endif
    return finish_mapped(v);
}

// The magnitude of two float sums; E_MUL is 1 / scale.
inline vout finish_magnitude(vfloat a, vfloat b)
{
    a *= E_MUL;
    b *= E_MUL;
    return finish_mapped(sqrt(a * a + b * b));
}

// n / X_SCALE rounded to nearest, ties to even, for 0 <= n <= OUT_MAX * X_SCALE.
inline vsum divide_even(vsum n)
{
#if X_SCALE == 1
    return n;
#else
#if WIDE
    vsum q = n / X_SCALE;
#else
    // The quotient in float is off by one at most; the exact remainder corrects it.
    vsum q = TO(int)(TO(float)(n) * (1.0f / X_SCALE));
    vsum rest = n - q * X_SCALE;
    q += rest < 0 ? (vsum)-1 : rest >= X_SCALE ? (vsum)1 : (vsum)0;
#endif
    // Up where twice the rest and the odd bit exceed the scale; the shift gives -1 there. (Oclgrind
    // 21.10 extends vectors of comparisons wrongly.)
    vsum twice = (n - q * X_SCALE) * 2;
    return q - ((X_SCALE - (q & 1) - twice) >> (vsum)(8 * sizeof(SUM_T) - 1));
#endif
}

// The whole epilogue on an exact integer sum. Float outputs get n / X_SCALE.
inline vout finish_exact(vsum sum)
{
    vsum n = sum * X_SIGN + X_ADD;
#if E_ABS
    n = max(n, -n);
#endif
    n = n * X_SIGN2 + X_ADD2;
#if E_THRESHOLD
    n = n >= X_LEVEL ? (vsum)((SUM_T)E_FULL * X_SCALE) : (vsum)0;
#endif
#if OUT == 32
    return TO(float)(n) / (float)X_SCALE;
#else
    n = clamp(n, (vsum)0, (vsum)((SUM_T)OUT_MAX * X_SCALE));
    return TO(OUT_T)(divide_even(n));
#endif
}

// The magnitude of two exact integer sums, X_SCALE 1. sqrt(a^2 + b^2) is never a tie, since
// (t + 1/2)^2 is no integer: it rounds to the t with t^2 - t < a^2 + b^2 <= t^2 + t.
inline vout finish_magnitude_exact(vint a, vint b)
{
#if E_THRESHOLD
    // The magnitude is compared before rounding, by its square.
    vsum x = TO(SUM_T)(a), y = TO(SUM_T)(b);
    vfloat passes = TO(float)(x * x + y * y >= (vsum)X_SQUARE ? (vsum)1 : (vsum)0);
    return saturate_float((X_SIGN2 > 0 ? passes : 1.0f - passes) * E_FULL);
#elif OUT == 32
    vfloat x = TO(float)(a), y = TO(float)(b);
    return finish_mapped(sqrt(x * x + y * y));
#elif WIDE
    V(long) la = TO(long)(a), lb = TO(long)(b), m = la * la + lb * lb;
    V(long) t = TO(long)(sqrt(TO(float)(m)) + 0.5f);
    t += m > t * t + t ? (V(long))1 : (V(long))0;
    t -= m <= t * t - t && t > 0 ? (V(long))1 : (V(long))0;
    return finish_mapped(TO(float)(t));
#else
    vint m = a * a + b * b;
    vint t = TO(int)(sqrt(TO(float)(m)) + 0.5f);
    t += m > t * t + t ? (vint)1 : (vint)0;
    t -= m <= t * t - t && t > 0 ? (vint)1 : (vint)0;
    return finish_mapped(TO(float)(t));
#endif
}
