// direct_gpu.cl - convolution for GPUs: each sample is loaded once and multiplied by all its taps in
// registers
//
// The plain version is direct.cl's: a work-item per sample and a loop over the taps. A GPU then
// spends its time on byte loads and conversions. What makes it fast there:
//
// 1. Aligned words. A work-item owns SAMPLES neighbouring samples (of flat rows, as in direct.cl),
//    whose row starts are aligned, and loads them and the samples around them as 16-byte units. Shifted
//    windows are extracted in registers; neighbours' units come from the first-level cache.
// 2. Two samples a register (PACKED). Where an integer sum, raised by BIAS, fits 16 bits, samples k
//    and k + 2 share a 32-bit word. Integer sums are linear modulo 2^32, so that carries
//    from one half into the other cancel in the final sum.
// 3. A column of outputs. A work-item walks down `rows` output rows. Each input row, widened once,
//    is added to the TAPS_H outputs that need it; the loop is unrolled TAPS_H times, so that sums stay
//    in fixed registers: kernel row a of input row u belongs to slot u - a.
// 4. Row products only once. The host writes the kernel as a program: ROW_N distinct rows, kernel
//    row a being ROW_COEF[a] times row ROW_OF[a]. A mirrored kernel halves its rows, a product of a
//    column and a row keeps one. Where a row differs from the one before it in few taps, as in a
//    disk, it is given as that difference (ROW_CHAINED).
// 5. A row's words are loaded two rows before they are used: few work-items fit the registers, and they
//    would otherwise wait for memory.
// 6. Short epilogues, half of a small kernel's work: floats round, divide and take roots exactly
//    where a bound allows it, and sums become floats as bits of 2^23, for conversion instructions
//    run at a quarter of the rate and share their unit with roots.
// 7. With subword.cl (SUBWORD), NVIDIA's instructions on parts of a word: four taps of a dense
//    integer kernel at once (DOT), the sums of small magnitudes as pairs of fp16 numbers that are
//    not raised and that become floats in one step (PAIRS), and levels rounded two at a time.

#ifndef SCALE_ONLY
#define SCALE_ONLY 0 // 1: the float epilogue is E_MUL alone; for magnitudes, not even that
#endif
#ifndef TIES
#define TIES 0 // 1: FLOAT_END, and a quotient may be a tie, which a float's error would decide
#endif
#ifndef CLAMP
#define CLAMP 1 // 0: no result lies outside 0..OUT_MAX, 2: none is negative
#endif
#ifndef MAGIC_END
#define MAGIC_END (MAGNITUDE || TAPS_H > 7) // 1: sums become floats through the exponent
#endif
#ifndef AHEAD
#define AHEAD (TAPS_H <= 7 ? 2 : 0) // rows between the hint that a load will come and the load
#endif
#ifndef GROUP
#define GROUP 1 // work-items a work-group
#endif

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
#if FROM_PAIRS
#define MUL (E_MUL / PAIR_UNIT)
#else
#define MUL E_MUL
#endif
#if SUBWORD
#define UNIT PAIR_UNIT // of value()
#define ROOT(x) fast_root(x)
#else
#define UNIT 1.0f
#define ROOT(x) sqrt(x)
#endif

inline float mapped(float v)
{
    v = v * E_MUL2 + E_ADD2;
#if E_THRESHOLD
    v = v >= E_LEVEL ? E_FULL : 0.0f;
#endif
    return v * UNIT;
}

// The result before rounding.
inline float value(float a, float b)
{
#if MAGNITUDE && SCALE_ONLY
    return ROOT(a * a + b * b) * (PAIRS || FROM_PAIRS ? 1.0f : UNIT);
#elif MAGNITUDE
    a *= MUL;
    b *= MUL;
    return mapped(ROOT(a * a + b * b));
#elif TIES
    // From 512 to 1024 floats are multiples of 2^-14: that takes the error off a tie, and other
    // quotients are further from one.
    a *= FROM_PAIRS ? 1.0f / UNIT : 1.0f;
    a = X_SIGN < 0 ? -a : a;
    a = X_ADD != 0 ? a + (float)X_ADD : a;
#if E_ABS
    a = fabs(a);
#endif
    a = X_SIGN2 < 0 ? -a : a;
    a = X_ADD2 != 0 ? a + (float)X_ADD2 : a;
    return fma(fma(a, 1.0f / X_SCALE, 768.0f), UNIT, -768.0f * UNIT);
#elif SCALE_ONLY
    return a * (MUL * UNIT);
#else
    float v = a * MUL + E_ADD;
#if E_ABS
    v = fabs(v);
#endif
    return mapped(v);
#endif
}

#if !SUBWORD
inline uint level(float a, float b)
{
    float v = value(a, b);
#if CLAMP == 2
    v = min(v, (float)OUT_MAX);
#elif CLAMP
    v = clamp(v, 0.0f, (float)OUT_MAX);
#endif
    return as_uint(v + ROUND);
}
#endif

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

#if PAIRS
#define LOW(x) pair_low(x)
#define HIGH(x) pair_high(x)
#define SUM(x) (x)
#else
#define LOW(x) low_half(x)
#define HIGH(x) high_half(x)
#if FROM_PAIRS && !defined UNIT
#define SUM(x) ((x) / PAIR_UNIT)
#elif DOT && FLOAT_END
#define SUM(x) ((float)(int)(x))
#elif !PACKED && !DOT
#define SUM(x) (x)
#elif FLOAT_END && MAGIC_END
#define SUM(x)                                                                                     \
    (as_float(as_uint((ushort2)((ushort)(x), (ushort)0x4b00))) - (8388608.0f + (float)BIAS))
#elif FLOAT_END
#define SUM(x) ((float)(ushort)(x) - (float)BIAS)
#else
#define SUM(x) ((int)(x)-BIAS)
#endif
#endif

// store_row() computes the results, then packs four bytes into a word.
#if OUT == 8 && INTEGER_END && DOT
typedef int result;
#define RESULT(a, b) ((int)(a))
inline uint four(const result *c) { return pack_bytes(c[0], c[1], c[2], c[3]); }
#elif OUT == 8 && SUBWORD && defined UNIT
typedef float result;
#define RESULT(a, b) value(SUM(a), SUM(b))
inline uint four(const result *c)
{
    return pick_bytes(pair_levels(c[0], c[1], CLAMP), pair_levels(c[2], c[3], CLAMP), 0x6420);
}
#else
typedef uint result;
#if INTEGER_END
#define RESULT(a, b) ((uint)clamp((int)(a), BIAS, BIAS + 255))
#define RESULT_BIAS (BIAS * 0x01000100u + BIAS * 0x00010001u)
#else
#define RESULT(a, b) level(SUM(a), SUM(b))
#define RESULT_BIAS 0
#endif
inline uint four(const result *c)
{
    uint even = as_uint((ushort2)((ushort)c[0], (ushort)c[2]));
    uint odd = as_uint((ushort2)((ushort)c[1], (ushort)c[3]));
    return even + (odd << 8) - RESULT_BIAS;
}
#endif

#define OUT_WORDS (SAMPLES * OUT / 32)

inline void store_row(__global OUT_T *out, const element *a, const element *b)
{
    result c[SAMPLES];
    uint words[OUT_WORDS];
#pragma unroll
    for (int e = 0; e < ELEMENTS; e++) {
#if PACKED
        c[FIRST(e)] = RESULT(LOW(a[e]), LOW(b[e]));
        c[FIRST(e) + 2] = RESULT(HIGH(a[e]), HIGH(b[e]));
#else
        c[e] = RESULT(a[e], b[e]);
#endif
    }
#pragma unroll
    for (int i = 0; i < OUT_WORDS; i++) {
#if OUT == 8
        words[i] = four(c + 4 * i);
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
direct_gpu(const __global IN_T *restrict in, ulong in_start, ulong in_pitch,
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
#if DOT_DOWN
    element down[ELEMENTS] = {0};
#endif
    int left = count + TAPS_H - 2; // rows after `source`; the last one is loaded again
    uint words[WORDS], next[WORDS];
    load_words(words, source);
    source += left > 0 ? pitch : 0;
    left--;
    load_words(next, source);
#pragma unroll 1
    for (int t = 0; t < count + TAPS_H - 1; t += TAPS_H) {
#pragma unroll
        for (int u = 0; u < TAPS_H; u++) {
            element x[SPAN];
            widen(x, words);
#if DOT_DOWN
            move_down(down, words);
#endif
            source += left > 0 ? pitch : 0;
            left--;
#pragma unroll
            for (int w = 0; w < WORDS; w++)
                words[w] = next[w];
            load_words(next, source);
#if SUBWORD && AHEAD && (PACKED || DOT) // arithmetic bounds floats and high kernels
            fetch_ahead(source + LEFT_UNITS + (left > AHEAD ? AHEAD * pitch : 0));
#endif
#pragma unroll
            for (int e = 0; e < ELEMENTS; e++) {
                sum[u * ELEMENTS + e] = START;
#if MAGNITUDE
                sum2[u * ELEMENTS + e] = START;
#endif
            }
#if DOT_DOWN
            add_row(sum, x, down, u);
#elif DOT
            add_row(sum, x, x, u);
#else
            add_row(sum, x, u, ROW_N, row_taps, row_chained, row_of, row_coef, row_once);
#if MAGNITUDE
            add_row(sum2, x, u, ROW2_N, row2_taps, row2_chained, row2_of, row2_coef, row2_once);
#endif
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
