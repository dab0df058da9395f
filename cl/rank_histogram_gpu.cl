// rank_histogram_gpu.cl - ranks of bytes in windows of any size on GPUs, by running histograms
//
// A work-item computes a column of outputs from top to bottom and updates the histogram of its window
// (Huang 1979): from a row to the next each vertical run of the window loses one sample and gains one.
// It also keeps the last result and the number of samples below it, and searches from there:
// neighbouring results are close to each other.
//
// The histograms of a work-group lie in local memory. Words of the same values of all work-items are
// neighbours, so that work-items never conflict in a bank. A count has 8, 16 or 32 bits, as the window
// needs.

#ifndef CHANNELS
#define CHANNELS 1
#endif
#ifndef COUNT_BITS
#define COUNT_BITS 8 // of a count: 8, 16 or 32
#endif
#ifndef RANK
#define RANK 0 // from 0 on
#endif
#ifndef IDENTITY
#define IDENTITY 1 // 1: outputs are input samples, unchanged
#endif
#ifndef GROUP
#define GROUP 96 // work-items a work-group
#endif

#define EACH (32 / COUNT_BITS) // counts a word
#define AHEAD 8                // runs whose samples are loaded before the first is counted

#define WORD(v) ((v) / EACH * GROUP)
#define SHIFT(v) ((v) % EACH * COUNT_BITS)

inline uint count_of(__local const uint *counts, int v)
{
    return counts[WORD(v)] >> SHIFT(v) & (~0u >> (32 - COUNT_BITS));
}

inline void enter(__local uint *counts, int v) { atomic_add(&counts[WORD(v)], 1u << SHIFT(v)); }
inline void leave(__local uint *counts, int v) { atomic_sub(&counts[WORD(v)], 1u << SHIFT(v)); }

// runs: of each the offset along the row, the first row and the one after the last.
struct run {
    int x, top, end;
};

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
rank_histogram(__global const uchar *restrict in, long in_origin, long in_pitch, __global OUT_T *restrict out,
               long out_origin, long out_pitch, int samples, int height, int rows,
               __global const struct run *runs, int run_count)
{
    __local uint all[256 / EACH * GROUP];
    __local uint *counts = all + get_local_id(0);
    long x = get_global_id(0), y = (long)get_group_id(1) * rows, end = min(y + rows, (long)height);
    if (x >= samples)
        return;
    in += in_origin + y * in_pitch + x;
    out += out_origin + y * out_pitch + x;
    for (int i = 0; i < 256 / EACH; i++)
        counts[i * GROUP] = 0;
    for (int r = 0; r < run_count; r++)
        for (int dy = runs[r].top; dy < runs[r].end; dy++)
            enter(counts, in[dy * in_pitch + runs[r].x]);
    int v = 0, below = 0; // samples
    for (;;) {
        while (below > RANK)
            below -= count_of(counts, --v);
        for (int n; below + (n = count_of(counts, v)) <= RANK; v++)
            below += n;
#if IDENTITY
        *out = v;
#else
        *out = finish_float((float)v);
#endif
        if (++y == end)
            return;
        int r = 0;
        for (; r + AHEAD <= run_count; r += AHEAD) {
            int old[AHEAD], new[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                old[k] = in[runs[r + k].top * in_pitch + runs[r + k].x];
                new[k] = in[runs[r + k].end * in_pitch + runs[r + k].x];
            }
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                leave(counts, old[k]);
                enter(counts, new[k]);
                below += (new[k] < v) - (old[k] < v);
            }
        }
        for (; r < run_count; r++) {
            int old = in[runs[r].top * in_pitch + runs[r].x];
            int new = in[runs[r].end * in_pitch + runs[r].x];
            leave(counts, old);
            enter(counts, new);
            below += (new < v) - (old < v);
        }
        in += in_pitch;
        out += out_pitch;
    }
}
