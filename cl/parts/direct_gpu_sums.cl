// direct_gpu_sums.cl - direct_gpu.cl's sums: rows of samples widened in registers, then added up
//
// Put before common.cl and direct_gpu.cl, which describes these steps.

#ifndef IN
#define IN 8 // bits of an input sample, as in common.cl
#endif
#ifndef SAMPLES
#define SAMPLES 16 // a work-item; SAMPLES * IN is a multiple of 32
#endif
#ifndef PACKED
#define PACKED 0 // 1: two samples a register (IN 8); 0: floats, but for DOT
#endif
#ifndef SUBWORD
#define SUBWORD 0 // 1: subword.cl is included; 0: the next two are 0
#endif
#ifndef PAIRS
#define PAIRS 0 // 1: PACKED, MAGNITUDE, FLOAT_END and SCALE_ONLY, no |sum| over 1024
#endif
#ifndef DOT
#define DOT 0         // 1: not PACKED, IN 8, EXACT, no MAGNITUDE
#define DOT_N 1       // words of four signed taps a kernel row, instead of ROW_N and so on
#define DOT_TAPS 1
#define DOT_COLUMNS 0 // the columns of their first taps
#define DOT_DOWN 0    // 1: the last column is in words of four kernel rows instead: of each row the
#define DOWN_TAPS 0   // word that it completes, or 0
#endif
#ifndef BIAS
#define BIAS 0 // PACKED: raises sums so that they are never negative
#endif
#ifndef INTEGER_END
#define INTEGER_END 0 // 1: OUT 8, X_SCALE 1, no |v|, no threshold; BIAS is a multiple of 256
#endif
#ifndef FLOAT_END
#define FLOAT_END 0 // 1: EXACT, yet floats decide every rounding
#endif
#ifndef CHANNELS
#define CHANNELS 1 // samples a pixel
#endif
#ifndef TAPS_W
#define TAPS_W 1 // kernel size
#endif
#ifndef TAPS_H
#define TAPS_H 1
#endif
#ifndef ORIGIN_X
#define ORIGIN_X 0 // column of the taps that lies on the output's pixel
#endif
#ifndef ROW_N
#define ROW_N 1       // distinct rows, and
#define ROW_TAPS 1    // their TAPS_W taps each;
#define ROW_CHAINED 0 // 1: these are added to the row before;
#define ROW_ONCE 0    // the only kernel row that is this row, if it is one's, or -1;
#define ROW_OF 0      // of each kernel row: its distinct row, or -1 if it has no taps,
#define ROW_COEF 1    // and the factor
#endif
#ifndef MAGNITUDE
#define MAGNITUDE 0 // 1: a second kernel, ROW2_N and so on, and the length of the two sums
#endif

#define PER_WORD (32 / IN)
#if SAMPLES * IN == 32
#define UNIT_WORDS 1
typedef uint unit;
#elif SAMPLES * IN == 64
#define UNIT_WORDS 2
typedef uint2 unit;
#else
#define UNIT_WORDS 4
typedef uint4 unit;
#endif
#define UNIT_SAMPLES (UNIT_WORDS * PER_WORD)

// The window of a row: whole units around SAMPLES samples and the reach of the taps.
#define LEFT (ORIGIN_X * CHANNELS)
#define RIGHT ((TAPS_W - 1 - ORIGIN_X) * CHANNELS)
#define LEFT_UNITS ((LEFT + UNIT_SAMPLES - 1) / UNIT_SAMPLES)
#define UNITS (LEFT_UNITS + (SAMPLES + RIGHT + UNIT_SAMPLES - 1) / UNIT_SAMPLES)
#define SPAN (UNITS * UNIT_SAMPLES)
#define SKIP (LEFT_UNITS * UNIT_SAMPLES - LEFT)

#if SUBWORD
#define EVEN(word) pick_bytes(word, 0, 0x4240)
#define ODD(word) pick_bytes(word, 0, 0x4341)
#else
#define EVEN(word) ((word) & 0x00ff00ffu)
#define ODD(word) ((word) >> 8 & 0x00ff00ffu)
#endif

// An element is a register of sums: a float or DOT's integer, or the samples k and k + 2. FIRST(e)
// is the first sample of element e.
#define FROM_PAIRS (SUBWORD && IN == 8 && !PACKED && !DOT) // floats in PAIR_UNIT
#if PACKED
typedef uint element;
#define ELEMENTS (SAMPLES / 2)
#define FIRST(e) (4 * ((e) / 2) + (e) % 2)
#define NOTHING 0u
#if INTEGER_END
#define START ((BIAS + X_ADD + X_ADD2) * 0x00010001u)
#else
#define START (BIAS * 0x00010001u)
#endif
#elif DOT
typedef uint element;
#define ELEMENTS SAMPLES
#define FIRST(e) (e)
#define START (INTEGER_END ? (uint)(X_ADD + X_ADD2) : 0u)
#else
typedef float element;
#define ELEMENTS SAMPLES
#define FIRST(e) (e)
#define NOTHING -0.0f // x + -0.0f is x, so the compiler drops it
#define START -0.0f
#endif

#if DOT
__constant uint dot_taps[] = {DOT_TAPS};
__constant int dot_columns[] = {DOT_COLUMNS};
__constant uint down_taps[] = {DOWN_TAPS};
#else
__constant element row_taps[] = {ROW_TAPS};
__constant int row_chained[] = {ROW_CHAINED};
__constant int row_of[] = {ROW_OF};
__constant element row_coef[] = {ROW_COEF};
__constant int row_once[] = {ROW_ONCE};
#if MAGNITUDE
__constant element row2_taps[] = {ROW2_TAPS};
__constant int row2_chained[] = {ROW2_CHAINED};
__constant int row2_of[] = {ROW2_OF};
__constant element row2_coef[] = {ROW2_COEF};
__constant int row2_once[] = {ROW2_ONCE};
#endif
#endif

// ---- a row of samples, widened ----------------------------------------------------------------

inline uint low_half(uint word) { return as_ushort2(word).s0; }
inline uint high_half(uint word) { return as_ushort2(word).s1; }
// The upper half of one word as the lower half, and the lower half of the next as the upper half.
inline uint middle(uint word, uint next)
{
    return as_uint((ushort2)(as_ushort2(word).s1, as_ushort2(next).s0));
}

inline void load_words(uint *words, const __global unit *p)
{
#pragma unroll
    for (int i = 0; i < UNITS; i++) {
        unit u = p[i];
#if UNIT_WORDS == 1
        words[i] = u;
#else
        words[i * UNIT_WORDS] = u.s0;
        words[i * UNIT_WORDS + 1] = u.s1;
#endif
#if UNIT_WORDS == 4
        words[i * UNIT_WORDS + 2] = u.s2;
        words[i * UNIT_WORDS + 3] = u.s3;
#endif
    }
}

#define WORDS (UNITS * UNIT_WORDS)

#if DOT
// Word i of x holds the samples i, i + CHANNELS and so on: the word of the pixel before, shifted by one
// sample. Samples beyond the window are not multiplied.
inline void widen(element *x, const uint *words)
{
#pragma unroll
    for (int i = SKIP; i < SPAN; i++) {
        int b = i + CHANNELS, c = min(b + CHANNELS, SPAN - 1), d = min(c + CHANNELS, SPAN - 1);
        if (i < SKIP + CHANNELS)
            x[i] = pick_bytes(pick_bytes(words[i / 4], words[b / 4], i % 4 + (b % 4 + 4 << 4)),
                              pick_bytes(words[c / 4], words[d / 4], c % 4 + (d % 4 + 4 << 4)),
                              0x5410);
        else
            x[i] = pick_bytes(x[i - CHANNELS], words[d / 4], 0x4321 + (d % 4 << 12));
    }
}

// The samples under the last column of taps, of this row and the three before it.
inline void move_down(element *down, const uint *words)
{
#pragma unroll
    for (int e = 0; e < ELEMENTS; e++) {
        int i = SKIP + e + (TAPS_W - 1) * CHANNELS;
        down[e] = pick_bytes(down[e], words[i / 4], 0x4321 + (i % 4 << 12));
    }
}
#else
inline void widen(element *x, const uint *words)
{
#if PACKED || FROM_PAIRS
    uint even[WORDS + 1], odd[WORDS + 1];
    even[WORDS] = odd[WORDS] = 0;
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        even[i] = EVEN(words[i]);
        odd[i] = ODD(words[i]);
    }
#endif
#if PACKED
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        x[4 * i] = even[i];
        x[4 * i + 1] = odd[i];
        x[4 * i + 2] = middle(even[i], even[i + 1]);
        x[4 * i + 3] = middle(odd[i], odd[i + 1]);
    }
#else
#pragma unroll
    for (int i = 0; i < SPAN; i++) {
#if FROM_PAIRS
        x[i] = i % 4 < 2 ? pair_low(i % 2 ? odd[i / 4] : even[i / 4])
                         : pair_high(i % 2 ? odd[i / 4] : even[i / 4]);
#elif IN == 8
        x[i] = (float)(uchar)(words[i / 4] >> 8 * (i % 4));
#elif IN == 16
        x[i] = (float)(i % 2 ? high_half(words[i / 2]) : low_half(words[i / 2]));
#else
        x[i] = as_float(words[i]);
#endif
    }
#endif
}
#endif

// ---- the sums ---------------------------------------------------------------------------------

#define SLOT(u, a) (((u) - (a) + TAPS_H) % TAPS_H * ELEMENTS)

#if DOT

inline void add_row(element *sum, const element *x, const element *down, int u)
{
#pragma unroll
    for (int e = 0; e < ELEMENTS; e++)
#pragma unroll
        for (int a = 0; a < TAPS_H; a++) {
            element s = sum[SLOT(u, a) + e];
#pragma unroll
            for (int j = 0; j < DOT_N; j++)
                if (dot_taps[a * DOT_N + j] != 0)
                    s = dot4(x[SKIP + e + dot_columns[j] * CHANNELS], dot_taps[a * DOT_N + j], s);
#if DOT_DOWN
            if (down_taps[a] != 0)
                s = dot4(down[e], down_taps[a], s);
#endif
            sum[SLOT(u, a) + e] = s;
        }
}

#else

// sum + c * x; `empty`: c * x, the first product.
inline element add_product(element c, element x, element sum, bool empty)
{
#if PAIRS
    return empty ? pair_times((int)c, x) : pair_add((int)c, x, sum);
#else
    return sum + c * x;
#endif
}

inline element row_product(element h, const element *x, __constant element *taps, bool empty)
{
#pragma unroll
    for (int j = 0; j < TAPS_W; j++)
        if (taps[j] != 0) {
            h = add_product(taps[j], x[j * CHANNELS], h, empty);
            empty = false;
        }
    return h;
}

// Add input row u (modulo TAPS_H) to the sums that need it.
inline void add_row(element *sum, const element *x, int u, int rows_n, __constant element *taps,
                    __constant int *chained, __constant int *of, __constant element *coef,
                    __constant int *once)
{
#pragma unroll
    for (int e = 0; e < ELEMENTS; e++) {
        element h = NOTHING;
#pragma unroll
        for (int d = 0; d < rows_n; d++) {
            const element *first = x + SKIP + FIRST(e);
            if (once[d] >= 0) {
                int slot = SLOT(u, once[d]);
                sum[slot + e] = row_product(sum[slot + e], first, taps + d * TAPS_W, once[d] == 0);
                continue;
            }
            h = row_product(chained[d] ? h : (element)NOTHING, first, taps + d * TAPS_W,
                            !chained[d]);
#pragma unroll
            for (int a = 0; a < TAPS_H; a++)
                if (of[a] == d)
                    sum[SLOT(u, a) + e] =
                        add_product(coef[a], h, sum[SLOT(u, a) + e], a == 0);
        }
    }
}

#endif
