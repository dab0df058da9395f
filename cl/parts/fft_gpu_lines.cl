// fft_gpu_lines.cl - transforms of lines in the registers of a few work-items
//
// A line of N elements is transformed by T = N / 16 work-items with 16 elements each in registers; a
// group takes LINES lines. A transform is decimation in frequency with radices 16 (16)
// LAST; between two stages work-items exchange elements through local memory. The inverse runs
// backwards, so that no reordering is needed: a work-item's register e of the last stage is element
// e * T + t of a stored line, which also makes neighbours' loads adjacent.
//
//   stage   element of register e of work-item t        (position in the line)
//   first   t + T e
//   middle  T (t / M) + t % M + M e                     M = T / 16, only for N > 256
//   last    LAST (t + T (e / LAST)) + e % LAST

#ifndef N
#define N 256 // length of a line: a power of two from 64 to 4096
#endif
#ifndef GROUP
#define GROUP 256 // work-items of a group, T or a multiple
#endif
#ifndef ROWS
#define ROWS 0 // neighbouring work-items hold 1: neighbours of a line, 0: neighbouring lines
#endif

#define T (N / 16)
#define LINES (GROUP / T)
#define M (T / 16)
#if N <= 256
#define LAST T
#else
#define LAST M
#endif

// ---- lines -----------------------------------------------------------------------------------

static inline void dft_last(float2 *x, int back)
{
#if LAST == 16
    dft16(x, back);
#elif LAST == 8
    dft8(x, back);
    dft8(x + 8, back);
#elif LAST == 4
    EACH(b, 4) dft4(x + 4 * b, x + 4 * b + 1, x + 4 * b + 2, x + 4 * b + 3, back);
#else
    EACH(b, 8) dft2(x + 2 * b, x + 2 * b + 1);
#endif
}

// The address of an element in local memory: BASE of the part that depends on the work-item plus OFFSET
// of the part that depends on the register, a constant. Along x there is a gap after 16 elements, so
// that neighbouring work-items use different banks; the two parts never carry from 15 to 16.
#if ROWS
#define PADDED(position) ((position) + (position) / 16)
#define BASE(position) (line * PADDED(N) + PADDED(position))
#define OFFSET(position) PADDED(position)
#define WORK (LINES * PADDED(N))
#define ITEM ((int)(get_local_id(0) % T))
#define LINE ((int)(get_local_id(0) / T))
#else
#define BASE(position) ((position) * LINES + line)
#define OFFSET(position) ((position) * LINES)
#define WORK (LINES * N)
#define ITEM ((int)(get_local_id(0) / LINES))
#define LINE ((int)(get_local_id(0) % LINES))
#endif

#define FIRST_AT(e) (BASE(t) + OFFSET(T * (e)))
#define LAST_AT(e) (BASE(LAST * t) + OFFSET(LAST * T * ((e) / LAST) + (e) % LAST))
#define MIDDLE_AT(e) (BASE(T * (t / M) + t % M) + OFFSET(M * (e)))

#define MOVE(from, to)                       \
    barrier(CLK_LOCAL_MEM_FENCE);            \
    EACH(e, 16) work[from(e)] = x[e];        \
    barrier(CLK_LOCAL_MEM_FENCE);            \
    EACH(e, 16) x[e] = work[to(e)];

// twiddles[(k - 1) * m + j] = exp(-2 pi i j k / 16 m)
static inline void twist(float2 *x, const __global float2 *twiddles, int m, int j, int back)
{
    EACH(k, 15) x[k + 1] = times(x[k + 1], twiddles[k * m + j], back);
}

static inline void forward(float2 *x, __local float2 *work, const __global float2 *twiddles, int t,
                           int line)
{
    dft16(x, 0);
    twist(x, twiddles, T, t, 0);
#if N > 256
    MOVE(FIRST_AT, MIDDLE_AT)
    dft16(x, 0);
    twist(x, twiddles + 15 * T, M, t % M, 0);
    MOVE(MIDDLE_AT, LAST_AT)
#else
    MOVE(FIRST_AT, LAST_AT)
#endif
    dft_last(x, 0);
}

static inline void inverse(float2 *x, __local float2 *work, const __global float2 *twiddles, int t,
                           int line)
{
    dft_last(x, 1);
#if N > 256
    MOVE(LAST_AT, MIDDLE_AT)
    twist(x, twiddles + 15 * T, M, t % M, 1);
    dft16(x, 1);
    MOVE(MIDDLE_AT, FIRST_AT)
#else
    MOVE(LAST_AT, FIRST_AT)
#endif
    twist(x, twiddles, T, t, 1);
    dft16(x, 1);
}
