// subword.cl - arithmetic on the parts of a 32-bit word, for kernels for GPUs
//
// NVIDIA's GPUs have instructions for these that OpenCL C 1.2 lacks: with PTX they are written in that
// assembly language, otherwise in plain C with the same results.
//
// A pair is two integers up to 2048 in the halves of a word. In PTX they are fp16 multiples of
// 2^-24, which fp16 adds and multiplies exactly and at twice the rate of integers. Up to 2047 the
// bits of such a number are those of the integer, denormal or not, so that bytes need no conversion,
// and rounding floats to fp16 rounds to integers.

#define SUBWORD 1

#ifndef PTX
#define PTX 0 // 1: the device's compiler takes PTX for compute capability 8.0, 2: for 9.0
#endif

#define PAIR_UNIT 0x1p-24f // the unit of floats that are converted to pairs

// The bytes of b:a (0 to 3 are a's) selected by the hexadecimal digits of `selector`.
inline uint pick_bytes(uint a, uint b, uint selector)
{
#if PTX
    uint word;
    __asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(a), "r"(b), "r"(selector));
    return word;
#else
    ulong both = (ulong)b << 32 | a;
    uint word = 0;
    for (int i = 0; i < 4; i++)
        word |= (uint)(both >> 8 * (selector >> 4 * i & 7) & 255) << 8 * i;
    return word;
#endif
}

// sum + the four unsigned bytes of x times the four signed ones of taps.
inline int dot4(uint x, uint taps, int sum)
{
#if PTX
    int total;
    __asm__("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(total) : "r"(x), "r"(taps), "r"(sum));
    return total;
#else
    for (int i = 0; i < 32; i += 8)
        sum += (int)(x >> i & 255) * (char)(taps >> i & 255);
    return sum;
#endif
}

// Four sums saturated to bytes, a in the lowest.
inline uint pack_bytes(int a, int b, int c, int d)
{
#if PTX
    uint high, word;
    __asm__("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(high) : "r"(d), "r"(c), "r"(0));
    __asm__("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(b), "r"(a), "r"(high));
    return word;
#else
    int4 level = clamp((int4)(a, b, c, d), 0, 255);
    return level.s0 | level.s1 << 8 | level.s2 << 16 | level.s3 << 24;
#endif
}

// The lower word of b:a, shifted right by 0 to 31.
inline uint shift_words(uint a, uint b, int by)
{
#if PTX
    uint word;
    __asm__("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(a), "r"(b), "r"(by));
    return word;
#else
    return ((ulong)b << 32 | a) >> by;
#endif
}

// The lesser and the greater of the unsigned halves of two words.
inline uint least_halves(uint a, uint b)
{
#if PTX >= 2
    uint least;
    __asm__("min.u16x2 %0, %1, %2;" : "=r"(least) : "r"(a), "r"(b));
    return least;
#else
    return as_uint(min(as_ushort2(a), as_ushort2(b)));
#endif
}
inline uint most_halves(uint a, uint b)
{
#if PTX >= 2
    uint most;
    __asm__("max.u16x2 %0, %1, %2;" : "=r"(most) : "r"(a), "r"(b));
    return most;
#else
    return as_uint(max(as_ushort2(a), as_ushort2(b)));
#endif
}

// A float that approximates a root to 2^-23 or better; numbers below 2^-126 count as 0.
inline float fast_root(float x)
{
#if PTX
    float root;
    __asm__("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
#else
    return sqrt(x);
#endif
}

#if PTX
// A constant twice in fp16, |c| <= 2048: the bits of a float with a narrower exponent.
inline uint fp16_twice(int c)
{
    uint bits = as_uint((float)c);
    return c == 0 ? 0 : ((bits >> 13 & 0x3ffffu) - (112u << 10) | (bits >> 31) << 15) * 0x10001u;
}
#endif

inline uint pair_times(int c, uint x)
{
    if (c == 1)
        return x;
#if PTX
    uint product;
    if (c == -1)
        __asm__("neg.f16x2 %0, %1;" : "=r"(product) : "r"(x)); // part of the next instruction
    else
        __asm__("mul.rn.f16x2 %0, %1, %2;" : "=r"(product) : "r"(fp16_twice(c)), "r"(x));
    return product;
#else
    return as_uint(as_short2(x) * (short)c);
#endif
}

inline uint pair_add(int c, uint x, uint sum) // sum + c x
{
#if PTX
    __asm__("fma.rn.f16x2 %0, %1, %2, %0;" : "+r"(sum) : "r"(fp16_twice(c)), "r"(x));
    return sum;
#else
    return as_uint(as_short2(sum) + as_short2(x) * (short)c);
#endif
}

// The lower and the upper number, in PAIR_UNIT.
inline float pair_low(uint x)
{
#if PTX
    float low;
    __asm__("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l; }" : "=f"(low) : "r"(x));
    return low;
#else
    return (float)as_short2(x).s0 * PAIR_UNIT;
#endif
}

inline float pair_high(uint x)
{
#if PTX
    float high;
    __asm__("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, h; }" : "=f"(high) : "r"(x));
    return high;
#else
    return (float)as_short2(x).s1 * PAIR_UNIT;
#endif
}

// Floats in PAIR_UNIT rounded to nearest even, negative ones to 0 and, with `clamped`, those over 255
// to 255.
inline uint pair_levels(float low, float high, int clamped)
{
#if PTX
    uint pair;
    __asm__("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    if (clamped)
        __asm__("min.f16x2 %0, %0, %1;" : "+r"(pair) : "r"(0x00ff00ffu));
    return pair;
#else
    float2 levels = rint((float2)(low, high) * 0x1p24f);
    return as_uint(convert_ushort2(clamp(levels, 0.0f, clamped ? 255.0f : 65535.0f)));
#endif
}

// Prefetch p into the second-level cache.
inline void fetch_ahead(const __global void *p)
{
#if PTX
    __asm__ volatile("prefetch.global.L2 [%0];" : : "l"(p));
#endif
}
