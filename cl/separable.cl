// separable.cl - kernels that are the product of a column and a row: W + H products, not W * H
//
// The plain version: filter the rows into a buffer, then filter that buffer's columns: two passes
// over memory, through samples four times as large as the image's.
//
// `separable` makes it one pass. A work-item owns a strip of VECTORS vectors of VEC samples (of
// flat rows, as in direct.cl) and walks down: it widens each input row into `line`, filters that
// into a ring of filtered rows, which stays in the first-level cache, and takes the column's
// product from there. The ring is written twice, at `slot` and RING rows further on, so that the
// rows wanted are always one contiguous window and no index wraps:
//
//     ring:  | 8 1 2 3 4 5 6 7 | 8 1 2 3 4 5 6 7 |    row 8 was written last
//                      +-----------+                  window of rows 4 to 8
//
// Where the row mirrors itself, two samples are added (or subtracted) first: half the products.
// The column takes BLOCK output rows at a time, so that each filtered row that is loaded serves
// them all; products are then bound by arithmetic and not by loads.
//
// `separable_rows` and `separable_columns` are the two passes, for devices without such a cache
// for each work-item (GPUs) and for columns too long for it.

#ifndef CHANNELS
#define CHANNELS 1 // samples a pixel
#endif
#ifndef ROW_N
#define ROW_N 1 // taps of the row
#endif
#ifndef ROW
#define ROW 1.0f
#endif
#ifndef COLUMN_N
#define COLUMN_N 1 // taps of the column
#endif
#ifndef BLOCK
#define BLOCK 4 // output rows computed together
#endif
#ifndef COLUMN
#define COLUMN 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f // BLOCK - 1 zeros on either side
#endif
#ifndef ROW_SYMMETRY
#define ROW_SYMMETRY 0 // 1: taps mirror each other, -1: with opposite sign, 0: neither
#endif
#ifndef ACC
#define ACC float // type of the sums: short, int or float
#endif
#ifndef VECTORS
#define VECTORS 1 // vectors of a strip
#endif
#ifndef TWO_PASSES
#define TWO_PASSES 0 // 1: the program has the two passes instead of `separable`
#endif
#ifndef UNROLL
#define UNROLL 8 // products an iteration
#endif
#ifndef GROUP
#define GROUP 1 // work-items a work-group
#endif
#ifndef BLOCK
#define BLOCK 4 // output rows a work-item of separable_columns computes together
#endif
// Sums of two samples, exactly.
#if IN == 8
#define PAIR short
#elif IN == 16
#define PAIR int
#else
#define PAIR float
#endif

// Rows of a window, rounded up to blocks, and vectors that the row's reach adds to a strip.
#define RING ((COLUMN_N + 2 * BLOCK - 2) / BLOCK * BLOCK)
#define LINE_HALO (((ROW_N - 1) * CHANNELS + VEC - 1) / VEC)

typedef V(ACC) vacc;
typedef V(PAIR) vpair;
typedef vacc vacc_any __attribute__((aligned(sizeof(ACC))));

__constant ACC row_taps[] = {ROW};
__constant ACC column_taps[] = {COLUMN};

// x * y + 0 is x * y to the compiler only if the zero is negative.
#define NOTHING ((vacc)(ACC)(-0.0f))
#define PRAGMA(text) _Pragma(#text)
#define UNROLL_BY(n) PRAGMA(unroll n)
#define UNROLLED UNROLL_BY(UNROLL)

inline vpair load_pair(const __global IN_T *p) { return TO(PAIR)(load_in(p)); }

inline vout finish(vacc sum)
{
#if EXACT
    return finish_exact(TO(SUM_T)(sum));
#else
    return finish_float(TO(float)(sum));
#endif
}

// The row's product at p, which holds samples (IN_T) or sums (ACC). Two sums, so that an addition
// need not wait for the one before.
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

#if !TWO_PASSES

inline vacc load_line(const ACC *p) { return *(const vacc_any *)p; }

inline vacc filter_line(const ACC *p)
{
    ROW_PRODUCT(load_line, vacc)
}

// in: from the first tap of pixel (0, 0); n: samples a row; rows: output rows a work-item.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
separable(const __global IN_T *in, ulong in_start, ulong in_pitch, __global OUT_T *out,
          ulong out_start, ulong out_pitch, int n, int height, int rows)
{
    int i = (int)get_global_id(0) * (VEC * VECTORS);
    int y = (int)get_global_id(1) * rows;
    if (i >= n)
        return;
    int count = min(rows, height - y);
    int vectors = min(VECTORS, (n - i + VEC - 1) / VEC);
    in += in_start + (ulong)y * in_pitch + i;
    out += out_start + (ulong)y * out_pitch + i;
    vacc ring[2 * RING][VECTORS], line[VECTORS + LINE_HALO];
    int slot = 0;
    // Input rows t to t + BLOCK - 1 complete the output rows of the same numbers.
#pragma unroll 1
    for (int t = 1 - COLUMN_N; t < count; t += BLOCK) {
#pragma unroll 1
        for (int r = 0; r < BLOCK; r++, slot++) {
#pragma unroll 1
            for (int v = 0; v < vectors + LINE_HALO; v++)
                line[v] = TO(ACC)(load_in(in + v * VEC));
#pragma unroll 1
            for (int v = 0; v < vectors; v++)
                ring[slot][v] = ring[slot + RING][v] = filter_line((const ACC *)&line[v]);
            if (t + r < count - 1)
                in += in_pitch;
        }
        slot = slot == RING ? 0 : slot;
        if (t <= -BLOCK)
            continue;
#pragma unroll 1
        for (int v = 0; v < vectors; v++) {
            const vacc *window = &ring[slot + RING - (COLUMN_N + BLOCK - 1)][v];
            vacc sum[BLOCK];
#pragma unroll
            for (int r = 0; r < BLOCK; r++)
                sum[r] = NOTHING;
#define WINDOW(j) window[(j) * VECTORS]
            COLUMN_PRODUCT(WINDOW)
#pragma unroll
            for (int r = 0; r < BLOCK; r++)
                if (t + r >= 0 && t + r < count)
                    store_out(out + (long)(t + r) * (long)out_pitch + v * VEC, finish(sum[r]));
        }
    }
}

#else

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
