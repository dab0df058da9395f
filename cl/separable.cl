// separable.cl - kernels that are the product of a column and a row: W + H products, not W * H; and
// sums of two or three such products, the terms
//
// The plain version: filter the rows into a buffer, then filter that buffer's columns: two passes
// over memory, through samples four times as large as the image's.
//
// `separable` makes it one pass. A work-item owns a strip of flat rows (as in direct.cl) and walks
// down it, BLOCK rows at a time: the columns' products of those rows go to `lines`, which stay in the
// first-level cache, and the rows' products read them there. It is fast because each load, and each
// tap, serves several multiply-adds:
//
//   - down the columns, a sample is loaded and widened once for all BLOCK output rows;
//   - along the rows, sample j of vector x is also sample j - VEC of the vector that lies VEC pixels
//     on, so that outputs at that distance share their loads, which are unaligned and cost more than
//     the arithmetic. A walk along the lines keeps all unfinished outputs in registers (17 + 17 taps
//     19.6 ms, 41 + 41 45.5; 36 million samples on two cores of a Zen 3);
//
//         output 0    tap  0 1 2 3 4 5 6 7 8 ...
//         output 1                         0 1 2 ...      (VEC = 8)
//   - each tap is loaded for BLOCK rows (or VERT vectors) at once.
//
// Adding mirrored samples first would halve the multiplications but double the loads for each.
// Tried without gain: 6 or 8 rows a block (10 to 20 % more time, for registers), vectors of 16
// (15 %), stores that go by the caches and prefetching (1 %).
//
// Each term has its own lines, and all add to the same sums along the rows: RANK times the products,
// but one pass over memory and one rounding. The host gives terms as few taps as possible, and zero taps
// are not computed: an unsharp mask of 9 x 9 is a Gaussian and one tap, 14.7 ms, where 81 products take
// 34.5. Narrower strips, which keep all terms' lines in the first-level cache, are up to 5 % slower.
//
// `separable_rows` and `separable_columns` are the two passes, rows first, for GPUs, which have no such
// cache for each work-item, and for rows whose sums do not fit the registers. Where the row mirrors itself, two
// samples are added (or subtracted) first: half the products.

#ifndef CHANNELS
#define CHANNELS 1 // samples a pixel
#endif
#ifndef ROW_N
#define ROW_N 1 // taps of the row
#endif
#ifndef RANK
#define RANK 1 // terms, each the product of a column and a row; above 1 in one pass only
#endif
#ifndef ROW
#define ROW 1.0f // RANK rows
#endif
#ifndef COLUMN_N
#define COLUMN_N 1 // taps of the column
#endif
#ifndef BLOCK
#define BLOCK 4 // output rows computed together
#endif
#ifndef VERT
#define VERT 2 // vectors side by side in the columns' products
#endif
#ifndef STRIP
#define STRIP 1024 // samples of the widest strip
#endif
#ifndef WHOLE
#define WHOLE 8 // one pass: factors of up to so many taps are unrolled in full
#endif
#ifndef COLUMN
#define COLUMN 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f // RANK, BLOCK - 1 zeros on either side
#endif
// One pass: each term's taps that are not 0.
#ifndef ROW_FROM
#define ROW_FROM 0
#define ROW_TO ROW_N
#endif
#ifndef COLUMN_FROM
#define COLUMN_FROM 0
#define COLUMN_TO COLUMN_N
#endif
#ifndef SUMS
#define SUMS 12 // registers for sums in a walk along lines, beside the samples and taps
#endif
#ifndef ROW_SYMMETRY
#define ROW_SYMMETRY 0 // 1: taps mirror each other, -1: with opposite sign, 0: neither
#endif
#ifndef ACC
#define ACC float // type of the sums: short, int or float
#endif
#ifndef TWO_PASSES
#define TWO_PASSES 0 // 1: the program has the two passes instead of `separable`
#endif
#ifndef UNROLL
#define UNROLL 8 // two passes: products an iteration
#endif
#ifndef GROUP
#define GROUP 1 // work-items a work-group
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
typedef vacc vacc_any __attribute__((aligned(sizeof(ACC))));

__constant ACC row_taps[] = {ROW};
__constant int row_from[] = {ROW_FROM}, row_to[] = {ROW_TO};
__constant int column_from[] = {COLUMN_FROM}, column_to[] = {COLUMN_TO};
__constant ACC column_taps[] = {COLUMN};

// x * y + 0 is x * y to the compiler only if the zero is negative.
#define NOTHING ((vacc)(ACC)(-0.0f))
#define PRAGMA(text) _Pragma(#text)
#define UNROLL_BY(n) PRAGMA(unroll n)

inline vout finish(vacc sum)
{
#if EXACT
    return finish_exact(TO(SUM_T)(sum));
#else
    return finish_float(TO(float)(sum));
#endif
}

#if !TWO_PASSES

// Outputs in registers at once in a walk along lines, and the lines that are walked together: as many
// sums as there are registers for. The host takes two passes for longer rows.
#define ACTIVE ((ROW_N + VEC - 1) / VEC)
#if (ROW_N + VEC - 1) / VEC * BLOCK <= SUMS
#define LINES BLOCK
#else
#define LINES 2
#endif

// Vectors of a line: a strip and the row's reach, to whole vectors; a walk's last step may load
// BEYOND vectors behind, which no output that exists needs.
#define BEYOND (CHANNELS * (ACTIVE + 1))
#define LINE ((STRIP + (ROW_N - 1) * CHANNELS + VERT * VEC - 1) / (VERT * VEC) * VERT)

inline vacc load_line(const ACC *p) { return *(const vacc_any *)p; }

// Row j of the kernel's reach is tap j - r of output row r.
#define COLUMN_STEP(check)                                                                         \
    {                                                                                              \
        vacc s[VERT];                                                                              \
        _Pragma("unroll") for (int v = 0; v < VERT; v++) s[v] = TO(ACC)(load_in(p + v * VEC));     \
        _Pragma("unroll") for (int r = 0; r < BLOCK; r++)                                          \
        {                                                                                          \
            ACC tap = taps[j - r];                                                                 \
            if (!check || (j >= from + r && j < to + r))                                           \
                _Pragma("unroll") for (int v = 0; v < VERT; v++) sum[r][v] += tap * s[v];          \
        }                                                                                          \
    }

// Write VERT vectors of BLOCK rows of column products of term t to `line`; `count` rows exist. Inlined,
// t and the range of taps are constants, which halves the time.
__attribute__((always_inline)) inline void
filter_columns(const __global IN_T *p, ulong in_pitch, int count, vacc *line, int t)
{
    __constant ACC *taps = column_taps + t * (COLUMN_N + 2 * (BLOCK - 1)) + BLOCK - 1;
    int from = column_from[t], to = column_to[t];
    vacc sum[BLOCK][VERT];
#pragma unroll
    for (int r = 0; r < BLOCK; r++)
#pragma unroll
        for (int v = 0; v < VERT; v++)
            sum[r][v] = NOTHING;
    p += from * in_pitch;
    if (to - from > WHOLE) {
#pragma unroll
        for (int j = from; j < from + BLOCK - 1; j++, p += in_pitch)
            COLUMN_STEP(true)
        UNROLL_BY(2)
        for (int j = from + BLOCK - 1; j < to; j++, p += in_pitch)
            COLUMN_STEP(false)
        p -= count < 2 ? in_pitch : 0;
#pragma unroll
        for (int j = to; j < to + BLOCK - 1; j++) {
            COLUMN_STEP(true)
            p += j < to + count - 2 ? in_pitch : 0;
        }
    } else {
#pragma unroll
        for (int j = from; j < to + BLOCK - 1; j++) {
            COLUMN_STEP(true)
            p += j < to - 1 || j < to + count - 2 ? in_pitch : 0;
        }
    }
#pragma unroll
    for (int r = 0; r < BLOCK; r++)
#pragma unroll
        for (int v = 0; v < VERT; v++)
            line[r * LINE + v] = sum[r][v];
}

// Row r of `count` rows. Rows that do not exist are stored where a later store overwrites them: with a
// branch the compiler would delay each sum to its own store.
inline __global OUT_T *row_of(__global OUT_T *out, ulong out_pitch, int r, int count)
{
    return out + (ulong)min(r, count - 1) * out_pitch;
}

// Outputs at samples x, x + CHANNELS * VEC, ... of LINES lines, line 0 at p, to `out`. Each step
// takes the next VEC pixels' samples; output a has begun a steps before and needs taps a * VEC and
// on of them.
inline void walk_lines(const ACC *p, __global OUT_T *out, ulong out_pitch, int count, int x,
                       int width)
{
    vacc sum[ACTIVE][LINES];
#pragma unroll
    for (int a = 0; a < ACTIVE; a++)
#pragma unroll
        for (int r = 0; r < LINES; r++)
            sum[a][r] = NOTHING;
    p += x;
#pragma unroll 1
    for (x -= (ACTIVE - 1) * CHANNELS * VEC; x < width; x += CHANNELS * VEC) {
#pragma unroll
        for (int j = 0; j < min(VEC, ROW_N); j++)
#pragma unroll
            for (int t = 0; t < RANK; t++) {
                vacc s[LINES];
#pragma unroll
                for (int r = 0; r < LINES; r++)
                    s[r] = load_line(p + (t * BLOCK + r) * LINE * VEC + j * CHANNELS);
#pragma unroll
                for (int a = 0; a < ACTIVE; a++)
                    if (j + a * VEC >= row_from[t] && j + a * VEC < row_to[t])
#pragma unroll
                        for (int r = 0; r < LINES; r++)
                            sum[a][r] += row_taps[t * ROW_N + j + a * VEC] * s[r];
            }
        p += CHANNELS * VEC;
        if (x >= 0)
#pragma unroll
            for (int r = LINES - 1; r >= 0; r--)
                store_out(row_of(out, out_pitch, r, count) + x, finish(sum[ACTIVE - 1][r]));
#pragma unroll
        for (int a = ACTIVE - 1; a >= 0; a--)
#pragma unroll
            for (int r = 0; r < LINES; r++)
                sum[a][r] = a > 0 ? sum[a - 1][r] : NOTHING;
    }
}

// PoCL makes three copies of a kernel's body for each local size, but not of functions.
__attribute__((noinline)) static void
filter_strip(const __global IN_T *in, ulong in_start, ulong in_pitch, __global OUT_T *out,
             ulong out_start, ulong out_pitch, int n, int height, int strip, int rows, int i, int y)
{
    int width = min(strip, n - i), end = min(y + rows, height);
    vacc lines[RANK * BLOCK * LINE + BEYOND]; // term by term
#pragma unroll 1
    for (; y < end; y += BLOCK) {
        int count = min(BLOCK, end - y);
        const __global IN_T *source = in + in_start + (ulong)y * in_pitch + i;
        __global OUT_T *target = out + out_start + (ulong)y * out_pitch + i;
#pragma unroll 1
        for (int x = 0; x < width + (ROW_N - 1) * CHANNELS; x += VERT * VEC) {
            filter_columns(source + x, in_pitch, count, &lines[x / VEC], 0);
#if RANK > 1
            filter_columns(source + x, in_pitch, count, &lines[BLOCK * LINE + x / VEC], 1);
#endif
#if RANK > 2
            filter_columns(source + x, in_pitch, count, &lines[2 * BLOCK * LINE + x / VEC], 2);
#endif
        }
#pragma unroll 1
        for (int r = 0; r < count; r += LINES)
#pragma unroll 1
            for (int c = 0; c < min(CHANNELS * VEC, width); c += VEC)
                walk_lines((const ACC *)(lines + r * LINE), target + r * out_pitch, out_pitch,
                           count - r, c, width);
    }
}

// in: from the first tap of pixel (0, 0); n: samples a row; a work-item takes `rows` output rows of
// `strip` samples, a multiple of CHANNELS * VEC.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
separable(const __global IN_T *in, ulong in_start, ulong in_pitch, __global OUT_T *out,
          ulong out_start, ulong out_pitch, int n, int height, int strip, int rows)
{
    int i = (int)get_global_id(0) * strip, y = (int)get_global_id(1) * rows;
    if (i < n)
        filter_strip(in, in_start, in_pitch, out, out_start, out_pitch, n, height, strip, rows, i, y);
}

#else

#define UNROLLED UNROLL_BY(UNROLL)

inline vpair load_pair(const __global IN_T *p) { return TO(PAIR)(load_in(p)); }

// The row's product at p. Two sums, so that an addition need not wait for the one before.
#if ROW_SYMMETRY && ROW_N > 1
#define ROW_STEPS (ROW_N / 2)
#define ROW_STEP(load, pair, j, part)                                                              \
    {                                                                                              \
        pair a = load(p + (j) * CHANNELS), b = load(p + (ROW_N - 1 - (j)) * CHANNELS);             \
        sum[part] += row_taps[j] * TO(ACC)(ROW_SYMMETRY > 0 ? a + b : a - b);                      \
    }
#else
#define ROW_STEPS ROW_N
#define ROW_STEP(load, pair, j, part) sum[part] += row_taps[j] * TO(ACC)(load(p + (j) * CHANNELS));
#endif
#define ROW_PRODUCT(load, pair)                                                                    \
    vacc sum[2] = {(vacc)(ACC)0, (vacc)(ACC)0};                                                    \
    if (ROW_SYMMETRY && ROW_N > 1 && ROW_N % 2)                                                    \
        sum[1] = row_taps[ROW_N / 2] * TO(ACC)(load(p + ROW_N / 2 * CHANNELS));                    \
    UNROLLED for (int j = 0; j + 2 <= ROW_STEPS; j += 2)                                           \
    {                                                                                              \
        ROW_STEP(load, pair, j, 0)                                                                 \
        ROW_STEP(load, pair, j + 1, 1)                                                             \
    }                                                                                              \
    if (ROW_STEPS % 2)                                                                             \
        ROW_STEP(load, pair, ROW_STEPS - 1, 0)                                                     \
    return sum[0] + sum[1];

// BLOCK output rows, sum[], from BLOCK + COLUMN_N - 1 filtered rows, load(0) and on: each is loaded
// once for all the outputs.
// Row j is tap j - r of output row r; the zeros around the taps spare a check, and cost nothing
// where the loop is unrolled.
#define COLUMN_PRODUCT(load)                                                                       \
    UNROLLED for (int j = 0; j < COLUMN_N + BLOCK - 1; j++)                                        \
    {                                                                                              \
        vacc x = load(j);                                                                          \
        _Pragma("unroll") for (int r = 0; r < BLOCK; r++)                                          \
        {                                                                                          \
            ACC tap = column_taps[j - r + BLOCK - 1];                                              \
            if (COLUMN_N > UNROLL || tap != 0)                                                     \
                sum[r] += tap * x;                                                                 \
        }                                                                                          \
    }

inline vacc filter_row(const __global IN_T *p)
{
    ROW_PRODUCT(load_pair, vpair)
}

// The buffer between the passes holds height + COLUMN_N - 1 rows of mid_pitch sums.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
separable_rows(const __global IN_T *in, ulong in_start, ulong in_pitch, __global ACC *mid,
               ulong mid_pitch, int n)
{
    int i = (int)get_global_id(0) * VEC;
    ulong y = get_global_id(1);
    if (i < n)
        *(__global vacc_any *)(mid + y * mid_pitch + i) = filter_row(in + in_start + y * in_pitch + i);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
separable_columns(const __global ACC *mid, ulong mid_pitch, __global OUT_T *out, ulong out_start,
                  ulong out_pitch, int n, int height)
{
    int i = (int)get_global_id(0) * VEC;
    int y = (int)get_global_id(1) * BLOCK;
    if (i >= n)
        return;
    mid += (ulong)y * mid_pitch + i;
    out += out_start + (ulong)y * out_pitch + i;
    int count = min(BLOCK, height - y);
    vacc sum[BLOCK];
#pragma unroll
    for (int r = 0; r < BLOCK; r++)
        sum[r] = NOTHING;
#define MIDDLE(j) (*(const __global vacc_any *)(mid + (long)(j) * (long)mid_pitch))
    COLUMN_PRODUCT(MIDDLE)
#pragma unroll
    for (int r = 0; r < BLOCK; r++)
        if (r < count)
            store_out(out + (ulong)r * out_pitch, finish(sum[r]));
}

#endif
