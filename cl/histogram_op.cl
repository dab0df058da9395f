// histogram_op.cl - count samples by value, and map each sample value (equalize, Otsu's threshold)
//
// Counting: each work-group takes a band of rows, and its work-items neighbouring pixels. 256 counts are
// kept in local memory until the group ends; 65536 counts do not fit there and are in global memory. A
// work-item adds to a count only when the value changes: in flat areas all work-items would otherwise
// wait for the same count.

#ifndef CHANNELS
#define CHANNELS 1 // samples a pixel
#endif
#ifndef COLORS
#define COLORS 1 // the first channels of a pixel, which are counted and mapped; alpha is copied
#endif
#ifndef WEIGH
#define WEIGH 0 // the next channel is alpha: pixels where it rounds to 0 are not counted
#endif
#ifndef VALUES
#define VALUES 256
#endif
#ifndef LOCAL
#define LOCAL 1 // 1: counts fit local memory
#endif
#ifndef GROUP
#define GROUP 1 // work-items a work-group
#endif

// Rounded to nearest, ties to even, like the reference.
inline int value_of(IN_T v)
{
#if IN == 32
    return (int)rint(fmin(fmax(v, 0.0f), VALUES - 1.0f));
#else
    return min((int)v, VALUES - 1);
#endif
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
histogram_count(__global const IN_T *in, long in_origin, long in_pitch, int width, int height,
            __global uint *counts)
{
    int group = get_group_id(1), groups = get_num_groups(1), item = get_local_id(0);
    int y = (long)height * group / groups, end = (long)height * (group + 1) / groups;
#if LOCAL
    __local uint bins[VALUES];
    for (int v = item; v < VALUES; v += GROUP)
        bins[v] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    __global uint *bins = counts;
#endif
    int last[COLORS];
    uint run[COLORS];
    for (int c = 0; c < COLORS; c++) {
        last[c] = 0;
        run[c] = 0;
    }
    for (; y < end; y++) {
        __global const IN_T *row = in + in_origin + y * in_pitch;
        for (int x = item; x < width; x += GROUP)
            for (int c = 0; c < COLORS; c++) {
                if (WEIGH && value_of(row[(long)x * CHANNELS + COLORS]) == 0)
                    break;
                int v = value_of(row[(long)x * CHANNELS + c]);
                if (v != last[c]) {
                    atomic_add(&bins[last[c]], run[c]);
                    run[c] = 0;
                    last[c] = v;
                }
                run[c]++;
            }
    }
    for (int c = 0; c < COLORS; c++)
        atomic_add(&bins[last[c]], run[c]);
#if LOCAL
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int v = item; v < VALUES; v += GROUP)
        if (bins[v])
            atomic_add(&counts[v], bins[v]);
#endif
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
histogram_look_up(__global const IN_T *in, long in_origin, long in_pitch, __global OUT_T *out,
              long out_origin, long out_pitch, int samples, __global const OUT_T *map)
{
    int x = get_global_id(0);
    if (x >= samples)
        return;
    IN_T v = in[in_origin + get_global_id(1) * in_pitch + x];
    OUT_T to = map[value_of(v)];
#if COLORS < CHANNELS
    to = x % CHANNELS < COLORS ? to : saturate_float(TO_FLOAT(v));
#endif
    out[out_origin + get_global_id(1) * out_pitch + x] = to;
}
