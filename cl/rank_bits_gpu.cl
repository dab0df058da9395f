// rank_bits_gpu.cl - ranks in small windows on GPUs: 32 samples at once, one bit after the other
//
// The sample of rank k is found bit by bit from the highest: its bit is 1 if at least n - k of the n
// samples have a 1. Samples that differ from it there stay above or below it: from then on all their
// lower bits count as the differing bit.
//
// In bit planes, where a word holds one bit of 32 samples, the same instructions do this for 32 windows.
// A GPU has logical operations of three words, and a neighbour's window is words shifted by a few bits.
// A bit takes two operations for each of n samples, and their sum two for each addition of three bits,
// whatever the rank and the element; nothing is sorted.
//
// A work-group turns its tile with its halo into bit planes in local memory; each work-item computes 32
// outputs.

#ifndef CHANNELS
#define CHANNELS 1
#endif
#ifndef TAPS_W
#define TAPS_W 3 // columns of the window, 7 at most
#endif
#ifndef TAPS_H
#define TAPS_H 3 // and rows, likewise
#endif
#ifndef ORIGIN_X
#define ORIGIN_X 1 // column and row of it that lie on the output's sample
#endif
#ifndef ORIGIN_Y
#define ORIGIN_Y 1
#endif
#ifndef ELEMENT
#define ELEMENT 7, 7, 7, 0, 0, 0, 0 // of each of seven rows the columns that count, as bits
#endif
#ifndef MAJORITY
#define MAJORITY 5 // samples that have a 1 where the one of the rank has
#endif
#ifndef IDENTITY
#define IDENTITY 1 // 1: outputs are input samples, unchanged
#endif
#ifndef TILE_W
#define TILE_W 8 // words of a tile, 32 samples each
#endif
#ifndef TILE_H
#define TILE_H 16
#endif

#define GROUP (TILE_W * TILE_H)
#define WIDTH (TILE_W + 2) // with a word at either side
#define HEIGHT (TILE_H + TAPS_H - 1)
#define BYTES (IN / 8)
#define UNITS (2 * BYTES) // of 16 bytes, for 32 samples
#define RIGHT (TAPS_W - 1 - ORIGIN_X)
#define BELOW (TAPS_H - 1 - ORIGIN_Y)

// ---- planes -----------------------------------------------------------------------------------

// Exchange the bits `mask << shift` of a with the bits `mask` of b.
#define EXCHANGE(a, b, shift, mask)                                                                \
    {                                                                                              \
        uint t = (a >> shift ^ b) & mask;                                                          \
        b ^= t;                                                                                    \
        a ^= t << shift;                                                                           \
    }
// The same between all pairs of words of w[8] whose indices differ in one bit: 4, 2 or 1.
#define EXCHANGE4(w, shift, mask)                                                                  \
    EXCHANGE(w[0], w[4], shift, mask) EXCHANGE(w[1], w[5], shift, mask)                            \
    EXCHANGE(w[2], w[6], shift, mask) EXCHANGE(w[3], w[7], shift, mask)
#define EXCHANGE2(w, shift, mask)                                                                  \
    EXCHANGE(w[0], w[2], shift, mask) EXCHANGE(w[1], w[3], shift, mask)                            \
    EXCHANGE(w[4], w[6], shift, mask) EXCHANGE(w[5], w[7], shift, mask)
#define EXCHANGE1(w, shift, mask)                                                                  \
    EXCHANGE(w[0], w[1], shift, mask) EXCHANGE(w[2], w[3], shift, mask)                            \
    EXCHANGE(w[4], w[5], shift, mask) EXCHANGE(w[6], w[7], shift, mask)

// 32 bytes become 8 planes, bit j of each being of byte j. An exchange swaps a bit of the words'
// numbers with one of the positions in them: with m for the number of a word, q of a byte and p of
// a bit, highest first, m2 m1 m0 | q1 q0 p2 p1 p0 becomes p1 p0 p2 | m2 m1 m0 q1 q0.
inline void bytes_to_planes(uint w[8])
{
    EXCHANGE4(w, 16, 0x0000ffffu)
    EXCHANGE2(w, 8, 0x00ff00ffu)
    EXCHANGE1(w, 4, 0x0f0f0f0fu)
    EXCHANGE4(w, 2, 0x33333333u)
    EXCHANGE2(w, 1, 0x55555555u)
}
inline void planes_to_bytes(uint w[8])
{
    EXCHANGE2(w, 1, 0x55555555u)
    EXCHANGE4(w, 2, 0x33333333u)
    EXCHANGE1(w, 4, 0x0f0f0f0fu)
    EXCHANGE2(w, 8, 0x00ff00ffu)
    EXCHANGE4(w, 16, 0x0000ffffu)
}
// The index of plane p afterwards.
#define WORD_OF(p) (((p) & 3) << 1 | (p) >> 2)

// ---- sums of bits -----------------------------------------------------------------------------

// Three bits are a sum and a carry.
#define CARRY3(carry, a, b, c) uint carry = ((a) & (b)) | ((c) & ((a) | (b)));
#define ADD3(sum, carry, a, b, c)                                                                  \
    uint sum = (a) ^ (b) ^ (c);                                                                    \
    CARRY3(carry, a, b, c)

// Seven bits, as a number of three.
inline uint4 add7(uint a, uint b, uint c, uint d, uint e, uint f, uint g)
{
    ADD3(s, carry_s, a, b, c)
    ADD3(t, carry_t, d, e, f)
    ADD3(one, carry, s, t, g)
    ADD3(two, four, carry_s, carry_t, carry)
    return (uint4)(one, two, four, 0);
}

// All ones where the sum of seven numbers reaches MAJORITY, that is, where 64 - MAJORITY more reach 64.
#define K(bit) ((64 - MAJORITY) >> bit & 1 ? ~0u : 0u)
inline uint majority(const uint4 n[7])
{
    uint4 x = add7(n[0].x, n[1].x, n[2].x, n[3].x, n[4].x, n[5].x, n[6].x);
    uint4 y = add7(n[0].y, n[1].y, n[2].y, n[3].y, n[4].y, n[5].y, n[6].y);
    uint4 z = add7(n[0].z, n[1].z, n[2].z, n[3].z, n[4].z, n[5].z, n[6].z);
    uint to1 = x.x & K(0);
    ADD3(sum1, to2, x.y, y.x, K(1))
    ADD3(sum2, to3, x.z, y.y, z.x)
    ADD3(more2, to3_, K(2), to2, sum1 & to1)
    ADD3(sum3, to4, y.z, z.y, K(3))
    ADD3(more3, to4_, to3, to3_, sum2 & more2)
    ADD3(sum4, to5, z.z, K(4), to4)
    CARRY3(to5_, sum4, to4_, sum3 & more3)
    CARRY3(to6, K(5), to5, to5_)
    return to6;
}

// ---- windows ----------------------------------------------------------------------------------

__constant int element[] = {ELEMENT};

// 32 bits of the words at the left, in the middle and at the right, from bit `from` of the middle.
inline uint cut(uint left, uint middle, uint right, int from)
{
    return from == 0  ? middle
           : from > 0 ? shift_words(middle, right, from)
                      : shift_words(left, middle, 32 + from);
}

// A bit of the sample in column j of row i: its own, or the bit in which it first differed.
#define BIT(i, j)                                                                                  \
    if (element[i] >> j & 1)                                                                       \
        last[7 * i + j] = (settled[7 * i + j] & last[7 * i + j]) |                                 \
                          (~settled[7 * i + j] &                                                   \
                           cut(left, middle, right, (j - ORIGIN_X) * CHANNELS));
#define BITS(i)                                                                                    \
    if (i < TAPS_H) {                                                                              \
        __local const uint *row = planes + i * WIDTH;                                              \
        uint left = ORIGIN_X > 0 ? row[-1] : 0, middle = row[0], right = RIGHT > 0 ? row[1] : 0;   \
        BIT(i, 0) BIT(i, 1) BIT(i, 2) BIT(i, 3) BIT(i, 4) BIT(i, 5) BIT(i, 6)                      \
    }                                                                                              \
    n[i] = add7(last[7 * i], last[7 * i + 1], last[7 * i + 2], last[7 * i + 3], last[7 * i + 4],   \
                last[7 * i + 5], last[7 * i + 6]);
#define SETTLE(i, j)                                                                               \
    if (element[i] >> j & 1)                                                                       \
        settled[7 * i + j] |= last[7 * i + j] ^ bit;
#define SETTLE_ROW(i)                                                                              \
    SETTLE(i, 0) SETTLE(i, 1) SETTLE(i, 2) SETTLE(i, 3) SETTLE(i, 4) SETTLE(i, 5) SETTLE(i, 6)
#define ROWS(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6)

// One bit of the outputs. planes: this bit of the window's first row, in the middle.
inline uint next_bit(__local const uint *planes, uint last[49], uint settled[49])
{
    uint4 n[7];
    ROWS(BITS)
    uint bit = majority(n);
    ROWS(SETTLE_ROW)
    return bit;
}

// The next 8 bits of the outputs, as bytes. planes: the highest of these.
inline void next_byte(__local const uint *planes, uint last[49], uint settled[49], uint out[8])
{
    uint p7 = 0, p6 = 0, p5 = 0, p4 = 0, p3 = 0, p2 = 0, p1 = 0, p0 = 0;
#pragma unroll 1
    for (int i = 0; i < 8; i++) {
        p7 = p6, p6 = p5, p5 = p4, p4 = p3, p3 = p2, p2 = p1, p1 = p0;
        p0 = next_bit(planes, last, settled);
        planes -= WIDTH * HEIGHT;
    }
    out[WORD_OF(0)] = p0, out[WORD_OF(1)] = p1, out[WORD_OF(2)] = p2, out[WORD_OF(3)] = p3;
    out[WORD_OF(4)] = p4, out[WORD_OF(5)] = p5, out[WORD_OF(6)] = p6, out[WORD_OF(7)] = p7;
    planes_to_bytes(out);
}

// ---- memory -----------------------------------------------------------------------------------

// Load 32 samples as words of four low bytes and, for 16 bits, of four high bytes.
inline void load_words(__global const IN_T *in, uint low[8], uint high[8])
{
    __global const uint4 *from = (__global const uint4 *)in;
#if IN == 8
    vstore4(from[0], 0, low), vstore4(from[1], 1, low);
#else
#define SPLIT_WORDS(unit)                                                                          \
    {                                                                                              \
        uint4 u = from[unit];                                                                      \
        low[2 * unit] = pick_bytes(u.x, u.y, 0x6420), high[2 * unit] = pick_bytes(u.x, u.y, 0x7531);\
        low[2 * unit + 1] = pick_bytes(u.z, u.w, 0x6420);                                          \
        high[2 * unit + 1] = pick_bytes(u.z, u.w, 0x7531);                                         \
    }
    SPLIT_WORDS(0) SPLIT_WORDS(1) SPLIT_WORDS(2) SPLIT_WORDS(3)
#endif
}

inline void store_words(__global OUT_T *out, const uint low[8], const uint high[8])
{
    uint4 word[UNITS];
#if IN == 8
    word[0] = (uint4)(low[0], low[1], low[2], low[3]);
    word[1] = (uint4)(low[4], low[5], low[6], low[7]);
#else
#define JOIN_WORDS(unit)                                                                           \
    word[unit] = (uint4)(pick_bytes(low[2 * unit], high[2 * unit], 0x5140),                        \
                         pick_bytes(low[2 * unit], high[2 * unit], 0x7362),                        \
                         pick_bytes(low[2 * unit + 1], high[2 * unit + 1], 0x5140),                \
                         pick_bytes(low[2 * unit + 1], high[2 * unit + 1], 0x7362));
    JOIN_WORDS(0) JOIN_WORDS(1) JOIN_WORDS(2) JOIN_WORDS(3)
#endif
#if IDENTITY
    for (int i = 0; i < UNITS; i++)
        ((__global uint4 *)out)[i] = word[i];
#else
    for (int i = 0; i < 32; i++)
        out[i] = finish_float((float)((const IN_T *)word)[i]);
#endif
}

// Store the planes of one word of the tile in local memory.
inline void put_planes(__local uint *planes, uint w[8])
{
    bytes_to_planes(w);
    for (int p = 0; p < 8; p++)
        planes[p * WIDTH * HEIGHT] = w[WORD_OF(p)];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
rank_bits(__global const IN_T *restrict in, long in_origin, long in_pitch,
          __global OUT_T *restrict out, long out_origin, long out_pitch, int samples, int height)
{
    __local uint planes[IN * WIDTH * HEIGHT];
    int id = get_local_id(0), left = get_group_id(0) * TILE_W - 1;
    int top = get_group_id(1) * TILE_H - ORIGIN_Y;
    uint low[8], high[8];
    in += in_origin;
    for (int i = id; i < WIDTH * HEIGHT; i += GROUP) {
        long x = (long)(left + i % WIDTH) * 32, y = top + i / WIDTH;
        if (x < (ORIGIN_X > 0 ? -32 : 0) || x >= (long)samples + max(RIGHT, 0) * CHANNELS ||
            y >= height + BELOW)
            continue;
        load_words(in + y * in_pitch + x, low, high);
        put_planes(planes + i, low);
#if IN == 16
        put_planes(planes + 8 * WIDTH * HEIGHT + i, high);
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    long x = (long)(left + 1 + id % TILE_W) * 32, y = top + ORIGIN_Y + id / TILE_W;
    if (x >= samples || y >= height)
        return;
    __local const uint *first =
        planes + (IN - 1) * WIDTH * HEIGHT + id / TILE_W * WIDTH + id % TILE_W + 1;
    uint last[49], settled[49];
    for (int i = 0; i < 49; i++)
        last[i] = settled[i] = 0;
#if IN == 16
    next_byte(first, last, settled, high);
    first -= 8 * WIDTH * HEIGHT;
#endif
    next_byte(first, last, settled, low);
    store_words(out + out_origin + y * out_pitch + x, low, high);
}
