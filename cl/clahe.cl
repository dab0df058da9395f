// clahe.cl - contrast-limited adaptive histogram equalization: counting tiles, and looking up
//
// lib/solver/histogram/clahe.h has the definition; the host makes the maps in between. A work-group counts
// some rows of a tile in local memory, and its work-items neighbouring pixels. Looking up,
// each work-item computes one pixel, in the host's floats and integers.

#ifndef CHANNELS
#define CHANNELS 1 // samples a pixel
#endif
#ifndef COLORS
#define COLORS 1 // 1, or 3 that have a luma; a further channel is alpha, which is copied
#endif
#ifndef WEIGH
#define WEIGH 0 // 1: pixels of alpha 0 are not counted
#endif
#ifndef FULL
#define FULL 255 // the largest value
#endif
#ifndef BINS
#define BINS 256 // of a tile
#endif
#ifndef STEP
#define STEP 1 // values from one bin to the next, odd
#endif
#ifndef GROUP
#define GROUP 1 // work-items a work-group
#endif
#ifndef SLICES
#define SLICES 1 // work-groups a tile
#endif
#ifndef ACROSS
#define ACROSS 1 // tiles
#endif
#ifndef DOWN
#define DOWN 1
#endif
#ifndef TILE_WIDTH
#define TILE_WIDTH 1 // pixels
#endif
#ifndef TILE_HEIGHT
#define TILE_HEIGHT 1
#endif
#ifndef INVERSE_WIDTH
#define INVERSE_WIDTH 1.0f // 1 / TILE_WIDTH, which devices may not round correctly
#endif
#ifndef INVERSE_HEIGHT
#define INVERSE_HEIGHT 1.0f
#endif
#ifndef FROM_RIGHT
#define FROM_RIGHT 0 // 1: tiles begin there
#endif
#ifndef FROM_BOTTOM
#define FROM_BOTTOM 0
#endif
#ifndef TURNED
#define TURNED 0 // the mean is first along columns
#endif

// Rounded by itself: no compiler joins it with a sum that follows, which the host does not.
inline float product(float a, float b) { return fma(a, b, 0.0f); }

inline int luma_of(__global const IN_T *p)
{
#if COLORS == 3
    return (2126 * (int)p[0] + 7152 * (int)p[1] + 722 * (int)p[2] + 5000) / 10000;
#else
    return p[0];
#endif
}

// The sample behind coordinate i >= 0 of n that go on by mirroring.
inline int mirrored(int i, int n)
{
    int period = max(2 * n - 2, 1);
    i %= period;
    return i < n ? i : period - i;
}

// A coordinate counted from where tiles begin, and back.
inline int turned_over(int i, int n, int over)
{
    return over ? n - 1 - i : i;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
clahe_count(__global const IN_T *in, long in_origin, long in_pitch, int width, int height,
            __global uint *counts)
{
    int group = get_group_id(1), tile = group / SLICES, slice = group % SLICES, item = get_local_id(0);
    int left = tile % ACROSS * TILE_WIDTH, top = tile / ACROSS * TILE_HEIGHT;
    counts += (long)tile * BINS;
    __local uint bins[BINS];
    for (int v = item; v < BINS; v += GROUP)
        bins[v] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int last = 0;
    uint run = 0; // a count is added to only when the bin changes
    for (int i = slice; i < TILE_HEIGHT; i += SLICES) {
        int y = turned_over(mirrored(top + i, height), height, FROM_BOTTOM);
        __global const IN_T *row = in + in_origin + y * in_pitch;
        for (int k = item; k < TILE_WIDTH; k += GROUP) {
            int x = turned_over(mirrored(left + k, width), width, FROM_RIGHT);
            if (WEIGH && row[(long)x * CHANNELS + COLORS] == 0)
                continue;
            int v = (luma_of(row + (long)x * CHANNELS) + STEP / 2) / STEP;
            if (v != last) {
                atomic_add(&bins[last], run);
                run = 0;
                last = v;
            }
            run++;
        }
    }
    atomic_add(&bins[last], run);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int v = item; v < BINS; v += GROUP)
        if (bins[v])
            atomic_add(&counts[v], bins[v]);
}

// Where a coordinate lies between the centres of tiles.
inline float place(int i, float inverse, int tiles, int *before, int *behind)
{
    float at = product((float)i, inverse) - 0.5f, down = floor(at);
    *before = max((int)down, 0);
    *behind = min((int)down + 1, tiles - 1);
    return at - down;
}

inline float mean(float a, float b, float weight)
{
    return product(a, 1.0f - weight) + product(b, weight);
}

// What the map of a tile makes of a luma.
inline float mapped(__global const ushort *maps, int row, int column, int luma)
{
    __global const ushort *map = maps + (long)(row * ACROSS + column) * BINS + luma / STEP;
    int rest = luma % STEP;
    return (map[0] * (STEP - rest) + map[rest > 0] * rest + STEP / 2) / STEP;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
clahe_look_up(__global const IN_T *in, long in_origin, long in_pitch, __global OUT_T *out,
              long out_origin, long out_pitch, int width, int height, __global const ushort *maps)
{
    int x = get_global_id(0), y = get_global_id(1), before, behind, above, below;
    if (x >= width)
        return;
    in += in_origin + y * in_pitch + (long)x * CHANNELS;
    out += out_origin + y * out_pitch + (long)x * CHANNELS;
    float across = place(turned_over(x, width, FROM_RIGHT), INVERSE_WIDTH, ACROSS, &before, &behind);
    float down = place(turned_over(y, height, FROM_BOTTOM), INVERSE_HEIGHT, DOWN, &above, &below);
    int luma = luma_of(in);
    float a = mapped(maps, above, before, luma), b = mapped(maps, above, behind, luma);
    float c = mapped(maps, below, before, luma), d = mapped(maps, below, behind, luma);
    float v = TURNED ? mean(mean(a, c, down), mean(b, d, down), across)
                     : mean(mean(a, b, across), mean(c, d, across), down);
    int to = (int)rint(fmin(v, (float)FULL)), most = 0, least = 0;
    for (int k = 0; k < COLORS; k++) {
        most = max(most, (int)in[k] - luma);
        least = max(least, luma - (int)in[k]);
    }
    long up = FULL - to, room = to;
    bool high = up * least < room * most;
    long over = high ? up : room, under = high ? most : least;
    if (over >= under)
        over = under = 1;
    for (int k = 0; k < COLORS; k++)
        out[k] = finish_float((float)((2 * (to * under + ((int)in[k] - luma) * over) + under) / (2 * under)));
    if (COLORS < CHANNELS)
        out[COLORS] = saturate_float(TO_FLOAT(in[COLORS]));
}
