// erode_dilate_gpu.cl - minimum and maximum in rectangles on GPUs, along the rows, then down the columns;
// and in any element, by its vertical runs
//
// Samples are cut into blocks about as long as the rectangle (van Herk 1992; Gil and Werman 1993), so
// that each window is a lower part of one block and an upper part of the next. A work-item takes two
// neighbouring blocks. It keeps the results of the first block's lower parts in local memory, and the
// running result of the second block's upper part: 3 steps a sample at any size.
//
// A word holds two samples of 16 bits; a GPU has one instruction for the minima of both. Along rows a
// work-group has a stretch of a row in local memory, and the samples of a word are half a stretch apart:
// then neighbours are whole words, whatever the number of channels. Bytes are doubled there into 16
// bits, which keeps their order and takes one instruction.

#ifndef CHANNELS
#define CHANNELS 1
#endif
#ifndef DILATE
#define DILATE 0
#endif
#ifndef TAPS_W
#define TAPS_W 1 // columns of the rectangle
#endif
#ifndef BEFORE
#define BEFORE 0 // samples before the output's that its row of the rectangle begins
#endif
#ifndef WORDS
#define WORDS 1024 // of a stretch, with those that only neighbours need
#endif
#ifndef ROW_GROUP
#define ROW_GROUP 64 // work-items that share a stretch
#endif
#ifndef COLUMN_GROUP
#define COLUMN_GROUP 64
#endif
#ifndef BLOCK
#define BLOCK 128 // rows of a block at most
#endif
#ifndef IDENTITY
#define IDENTITY 1 // 1: outputs are input samples, unchanged
#endif

#define UNIT (IN == 32 ? 1 : 32 / IN) // samples of a word in memory
#define LANES (IN == 32 ? 1 : 2)      // and in a stretch
#define BEFORE_UP ((BEFORE + 15) / 16 * 16)
#define REACH ((TAPS_W - 1) * CHANNELS)
#define HALF ((WORDS - BEFORE_UP - (REACH - BEFORE)) / 16 * 16) // samples of a stretch over LANES

#if IN == 32
inline uint lesser(uint a, uint b)
{
    float x = as_float(a), y = as_float(b);
    return (DILATE ? x < y : y < x) ? b : a;
}
#define halves lesser
#else
inline uint halves(uint a, uint b) { return DILATE ? most_halves(a, b) : least_halves(a, b); }
#if IN == 8
// The bytes below odd ones decide only between those that are equal.
inline uint lesser(uint a, uint b)
{
    return halves(a & 0x00ff00ffu, b & 0x00ff00ffu) | (halves(a, b) & 0xff00ff00u);
}
#else
#define lesser halves
#endif
#endif

// Apply the epilogue to the samples of a word and store them at an aligned address.
inline void store_word(__global OUT_T *out, uint word)
{
#if IDENTITY
    *(__global uint *)out = word;
#elif IN == 32
    *out = finish_float(as_float(word));
#else
    for (int i = 0; i < UNIT; i++)
        out[i] = finish_float((float)(word >> i * IN & ((1 << IN) - 1)));
#endif
}

// ---- rows -------------------------------------------------------------------------------------

// The words of a stretch from four neighbouring samples and the four half a stretch `behind` them.
inline uint4 widen(__global const IN_T *in, int behind)
{
#if IN == 32
    return *(__global const uint4 *)in;
#elif IN == 16
    uint2 a = *(__global const uint2 *)in, b = *(__global const uint2 *)(in + behind);
    return (uint4)(pick_bytes(a.x, b.x, 0x5410), pick_bytes(a.x, b.x, 0x7632),
                   pick_bytes(a.y, b.y, 0x5410), pick_bytes(a.y, b.y, 0x7632));
#else
    uint a = *(__global const uint *)in, b = *(__global const uint *)(in + behind);
    return (uint4)(pick_bytes(a, b, 0x4400), pick_bytes(a, b, 0x5511), pick_bytes(a, b, 0x6622),
                   pick_bytes(a, b, 0x7733));
#endif
}

// The reverse, for four words of results; only samples before `end` are stored.
inline void narrow(__global OUT_T *out, uint4 w, long end)
{
#if IN == 32
    store_word(out, w.x), store_word(out + 1, w.y);
    store_word(out + 2, w.z), store_word(out + 3, w.w);
#elif IN == 16
    store_word(out, pick_bytes(w.x, w.y, 0x5410));
    store_word(out + 2, pick_bytes(w.z, w.w, 0x5410));
    if (end > HALF) {
        store_word(out + HALF, pick_bytes(w.x, w.y, 0x7632));
        store_word(out + HALF + 2, pick_bytes(w.z, w.w, 0x7632));
    }
#else
    uint a = pick_bytes(w.x, w.y, 0x6240), b = pick_bytes(w.z, w.w, 0x6240); // two samples of each
    store_word(out, pick_bytes(a, b, 0x5410));
    if (end > HALF)
        store_word(out + HALF, pick_bytes(a, b, 0x7632));
#endif
}

// Pixels of a block along a row: those of the rectangle, or one less, so that neighbouring work-items,
// which have neighbouring blocks, use different banks.
#define ACROSS (TAPS_W - (TAPS_W > 1 && TAPS_W % 2 == 0))

// Results of a block of each pixel's channel, and of as many pixels as `end` allows. from: the
// window's first sample of the first result.
inline void block_across(__local uint *result, __local const uint *from, int end)
{
    uint v = from[(ACROSS - 1) * CHANNELS];
#pragma unroll 4
    for (int i = ACROSS - 1; i > 0; i--) {
        if (i < end)
            result[i * CHANNELS] = v;
        v = halves(v, from[(i - 1) * CHANNELS]);
    }
    result[0] = v;
    int i = ACROSS == TAPS_W; // then the first window is the block
    uint upper = i < end ? from[(i + TAPS_W - 1) * CHANNELS] : 0;
#pragma unroll 4
    for (; i < ACROSS && i < end; i++) {
        upper = halves(upper, from[(i + TAPS_W - 1) * CHANNELS]);
        result[i * CHANNELS] = halves(result[i * CHANNELS], upper);
    }
}

__kernel __attribute__((reqd_work_group_size(ROW_GROUP, 1, 1))) void
erode_dilate_rows(__global const IN_T *restrict in, long in_origin, long in_pitch,
             __global OUT_T *restrict out, long out_origin, long out_pitch, int samples)
{
    __local uint4 stretch[WORDS / 4], results[HALF / 4];
    int id = get_local_id(0);
    long begin = (long)get_group_id(0) * HALF * LANES, y = get_group_id(1);
    in += in_origin + y * in_pitch + begin - BEFORE_UP;
    // Samples after the row's last window are left as they are: no stored result depends on them.
    long most = (long)samples + REACH - BEFORE - begin + BEFORE_UP;
    for (int i = id; i < WORDS / 4 && 4 * i < most; i += ROW_GROUP)
        stretch[i] = widen(in + 4 * i, 4 * i + HALF < most ? HALF : 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    __local const uint *from = (__local const uint *)stretch + (BEFORE_UP - BEFORE);
    for (int i = id;; i += ROW_GROUP) {
        int c = i % CHANNELS, x = i / CHANNELS * ACROSS; // pixels
        int first = x * CHANNELS + c;
        if (x * CHANNELS >= HALF)
            break;
        if (first < HALF)
            block_across((__local uint *)results + first, from + first,
                         (HALF - 1 - first) / CHANNELS + 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out += out_origin + y * out_pitch + begin;
    for (int i = id; i < HALF / 4 && begin + 4 * i < samples; i += ROW_GROUP)
        narrow(out + 4 * i, results[i], samples - begin - 4 * i);
}

// ---- columns ----------------------------------------------------------------------------------

#define AHEAD 8 // rows that are loaded before the first is used

// Row y of the output depends on rows y..y + taps - 1 of the input. A work-item takes a word of each row
// of `blocks` blocks of `taps` rows and loads each once: the rows of the next block replace the lower
// parts of the last one as they are used.
__kernel __attribute__((reqd_work_group_size(COLUMN_GROUP, 1, 1))) void
erode_dilate_columns(__global const IN_T *restrict in, long in_origin, long in_pitch,
                __global OUT_T *restrict out, long out_origin, long out_pitch, int samples,
                int height, int taps, int blocks)
{
    __local uint all[BLOCK * COLUMN_GROUP];
    __local uint *kept = all + get_local_id(0);
    long x = (long)get_global_id(0) * UNIT, y = (long)get_group_id(1) * taps * blocks;
    if (x >= samples)
        return;
    in += in_origin + y * in_pitch + x;
    out += out_origin + y * out_pitch + x;
    int left = min((long)taps * blocks, height - y); // rows of the output
#pragma unroll 4
    for (int i = 0; i < taps; i++)
        kept[i * COLUMN_GROUP] = *(__global const uint *)(in + i * in_pitch);
    for (; left > 0; left -= taps) {
        in += taps * in_pitch;
        uint v = kept[(taps - 1) * COLUMN_GROUP];
#pragma unroll 4
        for (int i = taps - 2; i >= 0; i--) {
            v = lesser(v, kept[i * COLUMN_GROUP]);
            kept[i * COLUMN_GROUP] = v;
        }
        store_word(out, v);
        // Row i of the next block is the last row of window i + 1.
        int rows = min(left, taps) - 1, more = min(left - 1, taps);
        for (int i = 0; i < more; i += AHEAD) {
            uint next[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; k++)
                if (i + k < more)
                    next[k] = *(__global const uint *)(in + (i + k) * in_pitch);
#pragma unroll
            for (int k = 0; k < AHEAD; k++)
                if (i + k < more) {
                    v = i + k == 0 ? next[k] : lesser(v, next[k]);
                    kept[(i + k) * COLUMN_GROUP] = next[k];
                    if (i + k < rows)
                        store_word(out + (i + k + 1) * out_pitch,
                                   lesser(v, kept[(i + k + 1) * COLUMN_GROUP]));
                }
        }
        out += taps * out_pitch;
    }
}

// ---- any element, by its vertical runs ------------------------------------------------------------
//
// The results of 2, 4, 8... rows are kept as planes as large as the input. A run is the minimum or
// maximum of two of them that overlap.

// A plane of `by` rows more than the input's. A work-item takes 16 bytes of a row.
__kernel __attribute__((reqd_work_group_size(COLUMN_GROUP, 1, 1))) void
erode_dilate_double(__global const IN_T *restrict in, long in_origin, long in_pitch,
               __global IN_T *restrict out, long out_origin, long out_pitch, int samples, int by)
{
    long x = (long)get_global_id(0) * (4 * UNIT), y = get_group_id(1);
    if (x >= samples)
        return;
    __global const uint4 *from = (__global const uint4 *)(in + in_origin + y * in_pitch + x);
    __global const uint4 *below =
        (__global const uint4 *)(in + in_origin + (y + by) * in_pitch + x);
    uint4 a = *from, b = *below;
    *(__global uint4 *)(out + out_origin + y * out_pitch + x) =
        (uint4)(lesser(a.x, b.x), lesser(a.y, b.y), lesser(a.z, b.z), lesser(a.w, b.w));
}

// A run: its offset along the row in samples, its plane, and the rows of that where the first and the
// last part begin.
struct run {
    int x, plane, first, last;
};

// Two words from a sample on.
inline uint2 load_words(__global const IN_T *row, int x)
{
    __global const uint *from = (__global const uint *)(row + (x & -UNIT));
    int by = (x & (UNIT - 1)) * IN;
    return by == 0 ? (uint2)(from[0], from[1])
                   : (uint2)(shift_words(from[0], from[1], by), shift_words(from[1], from[2], by));
}

// Planes follow each other in memory; number 0 is the input.
__kernel __attribute__((reqd_work_group_size(COLUMN_GROUP, 1, 1))) void
erode_dilate_runs(__global const IN_T *restrict in, long in_origin, long in_pitch,
             __global const IN_T *restrict planes, long plane_origin, long plane_pitch,
             long plane_size, __global OUT_T *restrict out, long out_origin, long out_pitch,
             int samples, __global const struct run *runs, int run_count)
{
    long x = (long)get_global_id(0) * (2 * UNIT), y = get_group_id(1);
    if (x >= samples)
        return;
    uint2 v = 0;
    for (int r = 0; r < run_count; r++) {
        struct run run = runs[r];
        long pitch = run.plane ? plane_pitch : in_pitch;
        __global const IN_T *plane =
            run.plane ? planes + plane_origin + (run.plane - 1) * plane_size : in + in_origin;
        plane += y * pitch + x;
        uint2 a = load_words(plane + run.first * pitch, run.x);
        uint2 b = load_words(plane + run.last * pitch, run.x);
        a = (uint2)(lesser(a.x, b.x), lesser(a.y, b.y));
        v = r == 0 ? a : (uint2)(lesser(v.x, a.x), lesser(v.y, a.y));
    }
    out += out_origin + y * out_pitch + x;
    store_word(out, v.x);
    store_word(out + UNIT, v.y);
}
