// direct_local.cl - convolution for GPUs: each sample leaves memory once and meets all its taps in
// registers
//
// The plain version is direct.cl's: a work-item per sample and a loop over the taps. A GPU then
// spends its time on byte loads and conversions. What makes it fast there:
//
// 1. Aligned words. A work-item owns SAMPLES neighbouring samples (of flat rows, as in direct.cl),
//    whose row starts are aligned, and loads them and their neighbourhood as 16-byte units. Shifted
//    windows are cut out of registers; neighbours' units come from the first-level cache.
// 2. Two samples a register (PACKED). Where an integer sum, raised by BIAS, fits 16 bits, samples k
//    and k + 2 share a 32-bit word. Integer sums are linear modulo 2^32, so that whatever passes
//    from one half to the other on the way has come back at the end.
// 3. A column of outputs. A work-item walks down `rows` output rows. Each input row, widened once,
//    is added to the TAPS_H outputs that it concerns; the loop is unrolled TAPS_H times, so that
//    the sums wait in fixed registers: kernel row a of input row u belongs to the slot u - a.
// 4. Row products only once. The host writes the kernel as a program: ROW_N distinct rows, kernel
//    row a being ROW_COEF[a] times row ROW_OF[a]. A mirrored kernel halves its rows, a product of a
//    column and a row keeps one. Where a row differs from the one before it in few taps, as in a
//    disk, it is given as that difference (ROW_CHAINED).
// 5. The next row's words are loaded before this row's are used.
// 6. Short epilogues, half of a small kernel's work: floats round, divide and take roots exactly
//    where a bound allows it, and sums become floats as bits of 2^23, for conversion instructions
//    run at a quarter of the rate and share their unit with roots.

#ifndef SAMPLES
#define SAMPLES 16 // a work-item; SAMPLES * IN is a multiple of 32
#endif
#ifndef PACKED
#define PACKED 0 // 1: two samples a register (IN 8); 0: floats
#endif
#ifndef BIAS
#define BIAS 0 // PACKED: raises sums so that they are never negative
#endif
#ifndef INTEGER_END
#define INTEGER_END 0 // 1: PACKED, OUT 8, X_SCALE 1 no |v|, no threshold; BIAS is a multiple of 256
#endif
#ifndef FLOAT_END
#define FLOAT_END 0 // 1: EXACT, yet floats decide every rounding
#endif
#ifndef PLAIN_END
#define PLAIN_END 0 // 1: the float epilogue is E_MUL alone; for magnitudes, not even that
#endif
#ifndef TIES
#define TIES 0 // 1: FLOAT_END, and a quotient may be a tie, which a float's error would decide;
#endif         // then INVERSE is a little more than 1 / X_SCALE
#ifndef CLAMP
#define CLAMP 1 // 0: no result lies outside 0..OUT_MAX, 2: none is negative
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
#ifndef MAGIC_END
#define MAGIC_END (MAGNITUDE || TAPS_H > 7) // 1: sums become floats through the exponent
#endif
#ifndef GROUP
#define GROUP 1 // work-items a work-group
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

// An element is a register of sums: one float, or the samples k and k + 2. FIRST(e) is the first
// sample of element e.
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
#else
typedef float element;
#define ELEMENTS SAMPLES
#define FIRST(e) (e)
#define NOTHING -0.0f // x + -0.0f is x, so the compiler drops it
#define START -0.0f
#endif

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

// ---- a row of samples, widened ----------------------------------------------------------------

inline uint low_half(uint word) { return as_ushort2(word).s0; }
inline uint high_half(uint word) { return as_ushort2(word).s1; }
// The upper half of one word under the lower half of the next.
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

inline void widen(element *x, const uint *words)
{
#if PACKED
    uint even[WORDS + 1], odd[WORDS + 1];
    even[WORDS] = odd[WORDS] = 0;
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        even[i] = words[i] & 0x00ff00ffu;
        odd[i] = words[i] >> 8 & 0x00ff00ffu;
    }
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
#if IN == 8
        x[i] = (float)(uchar)(words[i / 4] >> 8 * (i % 4));
#elif IN == 16
        x[i] = (float)(i % 2 ? high_half(words[i / 2]) : low_half(words[i / 2]));
#else
        x[i] = as_float(words[i]);
#endif
    }
#endif
}

// ---- the sums ---------------------------------------------------------------------------------

#define SLOT(u, a) (((u) - (a) + TAPS_H) % TAPS_H * ELEMENTS)

inline element row_product(element h, const element *x, __constant element *taps)
{
#pragma unroll
    for (int j = 0; j < TAPS_W; j++)
        if (taps[j] != 0)
            h += taps[j] * x[j * CHANNELS];
    return h;
}

// Add input row u (modulo TAPS_H) to the sums that it concerns.
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
                sum[slot + e] = row_product(sum[slot + e], first, taps + d * TAPS_W);
                continue;
            }
            h = row_product(chained[d] ? h : (element)NOTHING, first, taps + d * TAPS_W);
#pragma unroll
            for (int a = 0; a < TAPS_H; a++)
                if (of[a] == d)
                    sum[SLOT(u, a) + e] += coef[a] * h;
        }
    }
}

// ---- the epilogue -----------------------------------------------------------------------------

#define ROUND 12582912.0f // 1.5 * 2^23: adding it leaves a rounded level in the low bits

// Levels: for OUT 8 the low half of a word, for OUT 32 the bits of a float.
inline uint level_of(OUT_T level)
{
#if OUT == 32
    return as_uint(level);
#else
    return level;
#endif
}

#if OUT == 8 && (FLOAT_END || !EXACT)

inline uint round_float(float v)
{
#if CLAMP == 2
    v = min(v, (float)OUT_MAX);
#elif CLAMP
    v = clamp(v, 0.0f, (float)OUT_MAX);
#endif
    return as_uint(v + ROUND);
}

inline uint map_float(float v)
{
    v = v * E_MUL2 + E_ADD2;
#if E_THRESHOLD
    v = v >= E_LEVEL ? E_FULL : 0.0f;
#endif
    return round_float(v);
}

#if TIES
// Ties round up by INVERSE; the remainder tells them, and from an odd level they go down.
inline uint divide_float(float n)
{
    n = n * (float)X_SIGN + (float)X_ADD;
#if E_ABS
    n = fabs(n);
#endif
    n = clamp(n * (float)X_SIGN2 + (float)X_ADD2, 0.0f, 255.0f * X_SCALE);
    float q = fma(n, INVERSE, ROUND);
    uint level = as_uint(q);
    return fma(q - ROUND, -(float)X_SCALE, n) == -0.5f * X_SCALE ? level - (level & 1) : level;
}
#endif

inline uint level(float a, float b)
{
#if MAGNITUDE && PLAIN_END
    return round_float(sqrt(a * a + b * b));
#elif MAGNITUDE
    a *= E_MUL;
    b *= E_MUL;
    return map_float(sqrt(a * a + b * b));
#elif TIES
    return divide_float(a);
#elif PLAIN_END && !CLAMP
    return as_uint(fma(a, E_MUL, ROUND));
#elif PLAIN_END
    return round_float(a * E_MUL);
#else
    float v = a * E_MUL + E_ADD;
#if E_ABS
    v = fabs(v);
#endif
    return map_float(v);
#endif
}

#elif FLOAT_END || !EXACT

inline uint level(float a, float b)
{
#if MAGNITUDE
    return level_of(finish_magnitude(a, b));
#else
    return level_of(finish_float(a));
#endif
}

#else

inline uint level(int a, int b)
{
#if MAGNITUDE
    return level_of(finish_magnitude_exact(a, b));
#else
    return level_of(finish_exact((SUM_T)a));
#endif
}

#endif

#if !PACKED
#define SUM(x) (x) // level() converts
#elif FLOAT_END && MAGIC_END
#define SUM(x)                                                                                     \
    (as_float(as_uint((ushort2)((ushort)(x), (ushort)0x4b00))) - (8388608.0f + (float)BIAS))
#elif FLOAT_END
#define SUM(x) ((float)(ushort)(x) - (float)BIAS)
#else
#define SUM(x) ((int)(x)-BIAS)
#endif
#if INTEGER_END
#define LEVEL(a, b) ((uint)clamp((int)(a), BIAS, BIAS + 255))
#define LEVEL_BIAS (BIAS * 0x01000100u + BIAS * 0x00010001u)
#else
#define LEVEL(a, b) level(SUM(a), SUM(b))
#define LEVEL_BIAS 0
#endif

#define OUT_WORDS (SAMPLES * OUT / 32)

inline void store_row(__global OUT_T *out, const element *a, const element *b)
{
    uint c[SAMPLES], words[OUT_WORDS];
#pragma unroll
    for (int e = 0; e < ELEMENTS; e++) {
#if PACKED
        c[FIRST(e)] = LEVEL(low_half(a[e]), low_half(b[e]));
        c[FIRST(e) + 2] = LEVEL(high_half(a[e]), high_half(b[e]));
#else
        c[e] = LEVEL(a[e], b[e]);
#endif
    }
#pragma unroll
    for (int i = 0; i < OUT_WORDS; i++) {
#if OUT == 8
        uint even = as_uint((ushort2)((ushort)c[4 * i], (ushort)c[4 * i + 2]));
        uint odd = as_uint((ushort2)((ushort)c[4 * i + 1], (ushort)c[4 * i + 3]));
        words[i] = even + (odd << 8) - LEVEL_BIAS;
#elif OUT == 16
        words[i] = as_uint((ushort2)((ushort)c[2 * i], (ushort)c[2 * i + 1]));
#else
        words[i] = c[i];
#endif
    }
#if OUT_WORDS % 4 == 0
#pragma unroll
    for (int i = 0; i < OUT_WORDS; i += 4)
        ((__global uint4 *)out)[i / 4] =
            (uint4)(words[i], words[i + 1], words[i + 2], words[i + 3]);
#elif OUT_WORDS == 2
    *(__global uint2 *)out = (uint2)(words[0], words[1]);
#else
#pragma unroll
    for (int i = 0; i < OUT_WORDS; i++)
        ((__global uint *)out)[i] = words[i];
#endif
}

// in_start: of the row of the first tap of row 0; n: samples a row; rows: output rows a work-item.
// Starts and pitches are multiples of 64 samples.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
direct_local(const __global IN_T *restrict in, ulong in_start, ulong in_pitch,
             __global OUT_T *restrict out, ulong out_start, ulong out_pitch, int n, int height,
             int rows)
{
    int i = (int)get_global_id(0) * SAMPLES;
    int y = (int)get_global_id(1) * rows;
    if (i >= n)
        return;
    int count = min(rows, height - y);
    const __global unit *restrict source =
        (const __global unit *)(in + (in_start + (ulong)y * in_pitch + i)) - LEFT_UNITS;
    ulong pitch = in_pitch / UNIT_SAMPLES;
    out += out_start + (ulong)y * out_pitch + i;

    element sum[TAPS_H * ELEMENTS];
#if MAGNITUDE
    element sum2[TAPS_H * ELEMENTS];
#endif
#pragma unroll
    for (int e = 0; e < TAPS_H * ELEMENTS; e++) {
        sum[e] = START;
#if MAGNITUDE
        sum2[e] = START;
#endif
    }
    int left = count + TAPS_H - 2; // input rows behind the one in `words`
    uint words[WORDS];
    load_words(words, source);
#pragma unroll 1
    for (int t = 0; t < count + TAPS_H - 1; t += TAPS_H) {
#pragma unroll
        for (int u = 0; u < TAPS_H; u++) {
            element x[SPAN];
            widen(x, words);
            source += left > 0 ? pitch : 0;
            left--;
            load_words(words, source); // long before they are needed
#pragma unroll
            for (int e = 0; e < ELEMENTS; e++) {
                sum[u * ELEMENTS + e] = START;
#if MAGNITUDE
                sum2[u * ELEMENTS + e] = START;
#endif
            }
            add_row(sum, x, u, ROW_N, row_taps, row_chained, row_of, row_coef, row_once);
#if MAGNITUDE
            add_row(sum2, x, u, ROW2_N, row2_taps, row2_chained, row2_of, row2_coef, row2_once);
#endif
            int done = t + u - (TAPS_H - 1);
            if (done >= 0 && done < count) {
                int slot = (u + 1) % TAPS_H * ELEMENTS;
#if MAGNITUDE
                store_row(out, sum + slot, sum2 + slot);
#else
                store_row(out, sum + slot, sum + slot);
#endif
                out += out_pitch;
            }
        }
    }
}
