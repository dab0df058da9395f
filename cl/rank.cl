// rank.cl - ranks of the samples in a window: minima, maxima, medians, percentiles
//
// A work-item computes VEC samples of a row. The window is a list of runs: the row's offset, the first
// sample and the one after the last. The minimum and the maximum take one pass over the window; another
// rank is bisected: the sample of rank k is the largest t that at most k samples are below, and its bits
// are determined from the highest to the lowest, each by a pass over the window.

#ifndef CHANNELS
#define CHANNELS 1
#endif
#ifndef RANK
#define RANK 0 // from 0 on
#endif
#ifndef COUNT
#define COUNT 1 // samples of the window
#endif

#define MINMAX (RANK == 0 || RANK == COUNT - 1)

// Samples as integers in the same order, and back: negative floats are inverted.
#if IN == 32
#define LEAST ((vint)INT_MIN)
inline vint ordered(vint v) { return v ^ ((v >> 31) & INT_MAX); }
#define ORDERED(v) ordered(AS(int)(v))
#define VALUE(v) AS(float)(ordered(v))
#else
#define LEAST ((vint)0)
#define ORDERED(v) TO(int)(v)
#define VALUE(v) TO(float)(v)
#endif

__kernel void rank(__global const IN_T *in, long in_origin, long in_pitch, __global OUT_T *out,
                   long out_origin, long out_pitch, int samples, __global const int *runs,
                   int run_count)
{
    long x = (long)get_global_id(0) * VEC, y = get_global_id(1);
    if (x >= samples)
        return;
    in += in_origin + y * in_pitch + x;
#if MINMAX
    vin found = load_in(in + (long)runs[0] * in_pitch + runs[1]);
    for (int r = 0; r < run_count; r++) {
        __global const IN_T *row = in + (long)runs[3 * r] * in_pitch;
        for (int i = runs[3 * r + 1]; i < runs[3 * r + 2]; i += CHANNELS)
            found = RANK == 0 ? min(found, load_in(row + i)) : max(found, load_in(row + i));
    }
    vfloat v = TO_FLOAT(found);
#else
    vint t = LEAST;
    for (int bit = IN - 1; bit >= 0; bit--) {
        vint next = AS(int)(AS(uint)(t) + (1u << bit)), below = (vint)0;
        for (int r = 0; r < run_count; r++) {
            __global const IN_T *row = in + (long)runs[3 * r] * in_pitch;
            for (int i = runs[3 * r + 1]; i < runs[3 * r + 2]; i += CHANNELS)
                below += ORDERED(load_in(row + i)) < next ? (vint)1 : (vint)0;
        }
        t = below <= (vint)RANK ? next : t;
    }
    vfloat v = VALUE(t);
#endif
    store_out(out + out_origin + y * out_pitch + x, finish_float(v));
}
