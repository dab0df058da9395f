// fft_stages.cl - butterflies and stages of mixed-radix transforms, VEC transforms at a time
//
// Put before common.cl and the file that uses them. A transform runs in place on elements of two
// vectors, VEC real parts and VEC imaginary parts, one element after the other. Forward is
// decimation in frequency, natural order in and scrambled order out; inverse is decimation in time
// and takes the scrambled order in. The inverse butterfly is the forward one with real and
// imaginary parts exchanged.
//
// Each stage keeps one butterfly in registers and passes once over the elements; the last stage, the
// product with a spectrum and the first inverse stage are one pass.

#define VEC 8 // transforms at once; the host's IMF_FFT_VEC
#ifndef FP64
#define FP64 0 // whether transforms are done in float64
#endif
#if FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define REAL double
#define LITERAL(x) x
#else
#define REAL float
#define LITERAL(x) x##f
#endif
#define VEC_REAL__(t, n) t##n
#define VEC_REAL_(t, n) VEC_REAL__(t, n)
typedef VEC_REAL_(REAL, VEC) vec;

#define ELEMENT(w, i) ((w) + 2 * (i))

#define FFT_STAGES 16

// Sets of bits, so that unused stages are not compiled.
#ifndef RADICES
#define RADICES 0x101bc // of stages: bit r for radix r
#endif
#ifndef MIDDLES
#define MIDDLES 0x110 // of the last stage along rows: 4, 8
#endif

#ifndef BLOCK
#define BLOCK 256 // elements that fit the first-level cache: all their stages are done before the next block's
#endif

// Mirrored by struct imf_fft_axis of fourier/run.h.
struct fft_axis {
    int length; // of the transform
    int valid;  // outputs that a tile yields along this axis
    int origin; // of the kernel
    int taps;   // of the kernel
    int stages;
    int radix[FFT_STAGES];
    int twiddles;     // where this axis' factors start
    int primes;       // stages of fft_primes.cl, the first ones
    int prime_tables; // where their descriptions start, in floats
};

// ---- butterflies -----------------------------------------------------------------------------

#define SQRT_HALF LITERAL(0x1.6a09e667f3bcdp-1)
#define SIN_60 LITERAL(0x1.bb67ae8584caap-1)
#define COS_72 LITERAL(0x1.3c6ef372fe95p-2)
#define COS_36 LITERAL(0x1.9e3779b97f4a8p-1)
#define SIN_72 LITERAL(0x1.e6f0e134454ffp-1)
#define SIN_36 LITERAL(0x1.2cf2304755a5ep-1)
#define COS_22 LITERAL(0x1.d906bcf328d46p-1)
#define SIN_22 LITERAL(0x1.87de2a6aea963p-2)
#define COS7_1 LITERAL(0x1.3f3a0e28bedd1p-1)
#define COS7_2 LITERAL(-0x1.c7b90e3024582p-3)
#define COS7_3 LITERAL(-0x1.cd4bca9cb5c71p-1)
#define SIN7_1 LITERAL(0x1.904c37505de4bp-1)
#define SIN7_2 LITERAL(0x1.f329c0558e969p-1)
#define SIN7_3 LITERAL(0x1.bc4c04d71abc1p-2)

static inline void dft2(vec *r, vec *i)
{
    vec a = r[0], b = i[0];
    r[0] = a + r[1];
    i[0] = b + i[1];
    r[1] = a - r[1];
    i[1] = b - i[1];
}

// x +- (-i) y for the pair of outputs at a and b
#define PAIR(a, b, xr, xi, yr, yi) \
    r[a] = (xr) + (yi);            \
    i[a] = (xi) - (yr);            \
    r[b] = (xr) - (yi);            \
    i[b] = (xi) + (yr)

// Element k times c - i s.
#define TURN(k, c, s)                            \
    do {                                         \
        vec re = r[k] * (c) + i[k] * (s);        \
        i[k] = i[k] * (c) - r[k] * (s);          \
        r[k] = re;                               \
    } while (0)

static inline void dft3(vec *r, vec *i)
{
    vec sr = r[1] + r[2], si = i[1] + i[2];
    vec dr = (r[1] - r[2]) * SIN_60, di = (i[1] - i[2]) * SIN_60;
    vec mr = r[0] - 0.5f * sr, mi = i[0] - 0.5f * si;
    r[0] += sr;
    i[0] += si;
    PAIR(1, 2, mr, mi, dr, di);
}

static inline void dft4(vec *r, vec *i)
{
    vec ar = r[0] + r[2], ai = i[0] + i[2], br = r[0] - r[2], bi = i[0] - i[2];
    vec cr = r[1] + r[3], ci = i[1] + i[3], dr = r[1] - r[3], di = i[1] - i[3];
    r[0] = ar + cr;
    i[0] = ai + ci;
    r[2] = ar - cr;
    i[2] = ai - ci;
    PAIR(1, 3, br, bi, dr, di);
}

static inline void dft5(vec *r, vec *i)
{
    vec sr = r[1] + r[4], si = i[1] + i[4], dr = r[1] - r[4], di = i[1] - i[4];
    vec tr = r[2] + r[3], ti = i[2] + i[3], er = r[2] - r[3], ei = i[2] - i[3];
    vec ar = r[0] + COS_72 * sr - COS_36 * tr, ai = i[0] + COS_72 * si - COS_36 * ti;
    vec br = r[0] - COS_36 * sr + COS_72 * tr, bi = i[0] - COS_36 * si + COS_72 * ti;
    r[0] += sr + tr;
    i[0] += si + ti;
    PAIR(1, 4, ar, ai, SIN_72 * dr + SIN_36 * er, SIN_72 * di + SIN_36 * ei);
    PAIR(2, 3, br, bi, SIN_36 * dr - SIN_72 * er, SIN_36 * di - SIN_72 * ei);
}

static inline void dft7(vec *r, vec *i)
{
    vec sr = r[1] + r[6], si = i[1] + i[6], dr = r[1] - r[6], di = i[1] - i[6];
    vec tr = r[2] + r[5], ti = i[2] + i[5], er = r[2] - r[5], ei = i[2] - i[5];
    vec ur = r[3] + r[4], ui = i[3] + i[4], fr = r[3] - r[4], fi = i[3] - i[4];
    vec zr = r[0], zi = i[0];
    r[0] += sr + tr + ur;
    i[0] += si + ti + ui;
    PAIR(1, 6, zr + COS7_1 * sr + COS7_2 * tr + COS7_3 * ur,
         zi + COS7_1 * si + COS7_2 * ti + COS7_3 * ui, SIN7_1 * dr + SIN7_2 * er + SIN7_3 * fr,
         SIN7_1 * di + SIN7_2 * ei + SIN7_3 * fi);
    PAIR(2, 5, zr + COS7_2 * sr + COS7_3 * tr + COS7_1 * ur,
         zi + COS7_2 * si + COS7_3 * ti + COS7_1 * ui, SIN7_2 * dr - SIN7_3 * er - SIN7_1 * fr,
         SIN7_2 * di - SIN7_3 * ei - SIN7_1 * fi);
    PAIR(3, 4, zr + COS7_3 * sr + COS7_1 * tr + COS7_2 * ur,
         zi + COS7_3 * si + COS7_1 * ti + COS7_2 * ui, SIN7_3 * dr - SIN7_1 * er + SIN7_2 * fr,
         SIN7_3 * di - SIN7_1 * ei + SIN7_2 * fi);
}

static inline void dft8(vec *r, vec *i)
{
    vec er[4] = {r[0], r[2], r[4], r[6]}, ei[4] = {i[0], i[2], i[4], i[6]};
    vec dr[4] = {r[1], r[3], r[5], r[7]}, di[4] = {i[1], i[3], i[5], i[7]};
    dft4(er, ei);
    dft4(dr, di);
    vec ar = (dr[1] + di[1]) * SQRT_HALF, ai = (di[1] - dr[1]) * SQRT_HALF;
    vec br = (di[3] - dr[3]) * SQRT_HALF, bi = (di[3] + dr[3]) * SQRT_HALF;
    r[0] = er[0] + dr[0];
    i[0] = ei[0] + di[0];
    r[4] = er[0] - dr[0];
    i[4] = ei[0] - di[0];
    r[1] = er[1] + ar;
    i[1] = ei[1] + ai;
    r[5] = er[1] - ar;
    i[5] = ei[1] - ai;
    PAIR(2, 6, er[2], ei[2], dr[2], di[2]);
    r[3] = er[3] + br;
    i[3] = ei[3] - bi;
    r[7] = er[3] - br;
    i[7] = ei[3] + bi;
}

// 16 = 4 * 4: four transforms of every fourth element, twiddles, four transforms across.
static inline void dft16(vec *r, vec *i)
{
    _Pragma("unroll") for (int n = 0; n < 4; n++)
    {
        vec a[4] = {r[n], r[n + 4], r[n + 8], r[n + 12]};
        vec b[4] = {i[n], i[n + 4], i[n + 8], i[n + 12]};
        dft4(a, b);
        _Pragma("unroll") for (int k = 0; k < 4; k++) r[n + 4 * k] = a[k], i[n + 4 * k] = b[k];
    }
    TURN(5, COS_22, SIN_22);
    TURN(6, SQRT_HALF, SQRT_HALF);
    TURN(7, SIN_22, COS_22);
    TURN(9, SQRT_HALF, SQRT_HALF);
    vec t = r[10];
    r[10] = i[10];
    i[10] = -t;
    TURN(11, -SQRT_HALF, SQRT_HALF);
    TURN(13, SIN_22, COS_22);
    TURN(14, -SQRT_HALF, SQRT_HALF);
    TURN(15, -COS_22, -SIN_22);
    _Pragma("unroll") for (int k = 0; k < 4; k++) dft4(r + 4 * k, i + 4 * k);
    // Frequency k + 4 l lies at 4 k + l.
    _Pragma("unroll") for (int k = 0; k < 4; k++)
    {
        _Pragma("unroll") for (int l = 0; l < k; l++)
        {
            vec a = r[4 * k + l], b = i[4 * k + l];
            r[4 * k + l] = r[4 * l + k];
            i[4 * k + l] = i[4 * l + k];
            r[4 * l + k] = a;
            i[4 * l + k] = b;
        }
    }
}

// ---- stages ----------------------------------------------------------------------------------

#define NOT_INLINE __attribute__((noinline)) // passes share these functions, which compiles faster

// A stage of radix R over spans of R * m elements. forwardR: butterfly, then twiddles; inverseR:
// twiddles, then butterfly; middleR: the forward transform's last stage (m = 1, all twiddles 1), the
// product with the spectrum h, and the inverse transform's first.
#define EACH(R) _Pragma("unroll") for (int k = 0; k < R; k++)
#define GET(part) p[2 * k * m + (part)] // element k of the butterfly at p

#define STAGES(R)                                                                                  \
    NOT_INLINE static void forward##R(__global vec *w, int length, long m,                         \
                                      const __global float *tw)                                    \
    {                                                                                              \
        __global vec *end = ELEMENT(w, (long)length);                                              \
        for (long j = 0; j < m; j++, tw += 2 * (R - 1)) {                                          \
            for (__global vec *p = ELEMENT(w, j); p < end; p += 2 * R * m) {                       \
                vec r[R], i[R];                                                                    \
                EACH(R) r[k] = GET(0), i[k] = GET(1);                                              \
                dft##R(r, i);                                                                      \
                EACH(R)                                                                            \
                {                                                                                  \
                    float c = k ? tw[2 * k - 2] : 1.0f, s = k ? tw[2 * k - 1] : 0.0f;              \
                    GET(0) = k ? r[k] * c - i[k] * s : r[k];                                       \
                    GET(1) = k ? r[k] * s + i[k] * c : i[k];                                       \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    NOT_INLINE static void inverse##R(__global vec *w, int length, long m,                         \
                                      const __global float *tw)                                    \
    {                                                                                              \
        __global vec *end = ELEMENT(w, (long)length);                                              \
        for (long j = 0; j < m; j++, tw += 2 * (R - 1)) {                                          \
            for (__global vec *p = ELEMENT(w, j); p < end; p += 2 * R * m) {                       \
                vec r[R], i[R];                                                                    \
                EACH(R)                                                                            \
                {                                                                                  \
                    float c = k ? tw[2 * k - 2] : 1.0f, s = k ? tw[2 * k - 1] : 0.0f;              \
                    vec a = GET(0), b = GET(1);                                                    \
                    r[k] = k ? a * c + b * s : a;                                                  \
                    i[k] = k ? b * c - a * s : b;                                                  \
                }                                                                                  \
                dft##R(i, r);                                                                      \
                EACH(R) GET(0) = r[k], GET(1) = i[k];                                              \
            }                                                                                      \
        }                                                                                          \
    }

#define MIDDLE(R)                                                                                  \
    NOT_INLINE static void middle##R(__global vec *w, int length, const __global vec *h)           \
    {                                                                                              \
        const long m = 1;                                                                          \
        for (__global vec *p = w; p < ELEMENT(w, length); p += 2 * R, h += 2 * R) {                \
            vec r[R], i[R];                                                                        \
            EACH(R) r[k] = GET(0), i[k] = GET(1);                                                  \
            dft##R(r, i);                                                                          \
            EACH(R)                                                                                \
            {                                                                                      \
                vec a = r[k], b = i[k], c = h[2 * k], s = h[2 * k + 1];                            \
                r[k] = a * c - b * s;                                                              \
                i[k] = a * s + b * c;                                                              \
            }                                                                                      \
            dft##R(i, r);                                                                          \
            EACH(R) GET(0) = r[k], GET(1) = i[k];                                                  \
        }                                                                                          \
    }

STAGES(2)
STAGES(3)
STAGES(4)
STAGES(5)
STAGES(7)
STAGES(8)
STAGES(16) // not in tiles

// Along rows lengths are multiples of VEC, so the last stage has radix 4 or 8.
MIDDLE(4)
MIDDLE(8)

// A stage behind a constant 0 is not called, and uncalled static functions are not compiled.
#define CASE(r, call, arguments)  \
    case r:                       \
        if (RADICES & 1 << r)     \
            call##r arguments;    \
        break;
#define FOR_RADIX(radix, call, arguments) \
    switch (radix) {                      \
        CASE(2, call, arguments)          \
        CASE(3, call, arguments)          \
        CASE(4, call, arguments)          \
        CASE(5, call, arguments)          \
        CASE(7, call, arguments)          \
        CASE(8, call, arguments)          \
    }

// Stages first to end of transforms of `span` elements, which stage `first` starts with, over
// `length` elements; tw: the factors of stage `first`, and of stage `end` for the inverse.
NOT_INLINE static void forward_stages(__global vec *w, const struct fft_axis *axis, int first,
                                      int end, int length, int span, const __global float *tw)
{
    for (int s = first, m = span; s < end; s++) {
        int radix = axis->radix[s];
        m /= radix;
        FOR_RADIX(radix, forward, (w, length, m, tw))
        tw += 2 * m * (radix - 1);
    }
}

// The same backwards: span is what stage `end` would start with.
NOT_INLINE static void inverse_stages(__global vec *w, const struct fft_axis *axis, int first,
                                      int end, int length, int span, const __global float *tw)
{
    for (int s = end, m = span; s-- > first;) {
        int radix = axis->radix[s];
        tw -= 2 * m * (radix - 1);
        FOR_RADIX(radix, inverse, (w, length, m, tw))
        m *= radix;
    }
}

// The first stages, which pass over all elements, until blocks fit the cache.
struct fft_outer {
    int stages, span;          // done; elements of a block
    const __global float *tw;  // factors of the next stage
};

static struct fft_outer outer_stages(const struct fft_axis *axis, int stages,
                                     const __global float *twiddles)
{
    struct fft_outer o = {0, axis->length, twiddles + axis->twiddles};
    while (o.stages < stages && o.span > BLOCK) {
        int radix = axis->radix[o.stages++];
        o.span /= radix;
        o.tw += 2 * o.span * (radix - 1);
    }
    return o;
}

// The first `stages` stages of the forward transform, and the inverse of these.
NOT_INLINE static void forward(__global vec *w, const struct fft_axis *axis, int stages,
                               const __global float *twiddles)
{
    struct fft_outer o = outer_stages(axis, stages, twiddles);
    int n = axis->length;
    forward_stages(w, axis, 0, o.stages, n, n, twiddles + axis->twiddles);
    for (int block = 0; block < n; block += o.span)
        forward_stages(ELEMENT(w, block), axis, o.stages, stages, o.span, o.span, o.tw);
}

NOT_INLINE static void inverse(__global vec *w, const struct fft_axis *axis, int stages,
                               const __global float *twiddles)
{
    struct fft_outer o = outer_stages(axis, stages, twiddles);
    int n = axis->length, last = o.span;
    const __global float *tw = o.tw;
    for (int s = o.stages; s < stages; s++) {
        last /= axis->radix[s];
        tw += 2 * last * (axis->radix[s] - 1);
    }
    for (int block = 0; block < n; block += o.span)
        inverse_stages(ELEMENT(w, block), axis, o.stages, stages, o.span, last, tw);
    inverse_stages(w, axis, 0, o.stages, n, o.span, o.tw);
}

// Forward along a row, times h, and back.
NOT_INLINE static void convolve(__global vec *w, const __global vec *h,
                                const struct fft_axis *axis, const __global float *twiddles)
{
    int n = axis->length, end = axis->stages - 1, last = axis->radix[end];
    struct fft_outer o = outer_stages(axis, end, twiddles);
    const __global float *tw = o.tw;
    for (int s = o.stages, m = o.span; s < end; s++) {
        m /= axis->radix[s];
        tw += 2 * m * (axis->radix[s] - 1);
    }
    forward_stages(w, axis, 0, o.stages, n, n, twiddles + axis->twiddles);
    for (int block = 0; block < n; block += o.span) {
        __global vec *p = ELEMENT(w, block);
        forward_stages(p, axis, o.stages, end, o.span, o.span, o.tw);
        if (MIDDLES & 1 << 8 && last == 8)
            middle8(p, o.span, ELEMENT(h, block));
        if (MIDDLES & 1 << 4 && last == 4)
            middle4(p, o.span, ELEMENT(h, block));
        inverse_stages(p, axis, o.stages, end, o.span, last, tw);
    }
    inverse_stages(w, axis, 0, o.stages, n, o.span, o.tw);
}

// All stages of a transform and back, whatever the length; spare: what prime stages work in.
// fft_primes.cl has its own.
#define FORWARD(w, axis, tables, spare) forward(w, axis, (axis)->stages, tables)
#define INVERSE(w, axis, tables, spare) inverse(w, axis, (axis)->stages, tables)
