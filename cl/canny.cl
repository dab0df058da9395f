// canny.cl - edges after Canny, in the integers of lib/solver/edges/canny.c, which has the definition
//
// Seven kernels, each of which reads the output of the one before: the Gaussian down, the Gaussian
// across, gradients, non-maximum suppression, packing into bits, hysteresis, and samples.
//
// Hysteresis works on words of 64 pixels of a row; words of neighbouring rows are neighbours in memory. A
// work-group follows edges through a tile of 64 rows until none is added: an edge spreads through a run
// of weak pixels in six steps, whatever its length. A round reads the edges of the round before from
// another buffer, so that no work-group reads what another writes.

#ifndef CHANNELS
#define CHANNELS 1
#endif
#ifndef COLORS
#define COLORS 1 // the first channels of a pixel, in which edges are found
#endif
#ifndef SCALE
#define SCALE 16 // factor from samples to integers
#endif
#ifndef RADIUS
#define RADIUS 0 // of the Gaussian
#endif
#ifndef HALF
#define HALF 1 // of the gradient's aperture
#endif
#ifndef WEIGHTS
#define WEIGHTS 4096 // RADIUS + 1, by distance from the middle
#endif
#ifndef BITS
#define BITS 12 // weights add up to 1 << BITS
#endif
#ifndef SMOOTH
#define SMOOTH 1, 2, 1
#define DERIVE -1, 0, 1
#endif
#ifndef SQUARES
#define SQUARES 0 // size of a gradient: 1: the sum of squares, 0: of absolute values
#endif
#ifndef LOW
#define LOW 0L
#define HIGH 0L
#endif
#ifndef TANGENT
#define TANGENT 13573 // tan 22.5 degrees * 32768
#endif
#ifndef FIRST_X
#define FIRST_X 1 // 1: of equal gradients the left one is kept, -1: the right one
#define FIRST_Y 1
#endif
#ifndef GROUP
#define GROUP 1 // work-items of a tile
#endif
#ifndef SAMPLE_NONE
#define SAMPLE_NONE 0 // output samples of no edge and of an edge
#define SAMPLE_EDGE 255
#endif

#define SIDE (2 * HALF + 1)
#if SQUARES
#define SIZE long
#else
#define SIZE int
#endif

enum { NONE, WEAK, EDGE };

__constant int weights[] = {WEIGHTS};
__constant int smooth[] = {SMOOTH};
__constant int derive[] = {DERIVE};

inline int value_of(IN_T v)
{
#if IN == 32
    return (int)rint(fmin(fmax(v, 0.0f), E_FULL) * SCALE);
#else
    return (int)v * SCALE;
#endif
}

// in_start: the first pixel that is read; all: pixels of a row.
__kernel void canny_down(__global const IN_T *in, long in_start, long in_pitch, __global int *down,
                         int all)
{
    int x = get_global_id(0), c = get_global_id(0) % COLORS;
    long y = get_global_id(1);
    int sum = 0;
    x /= COLORS;
    if (x >= all)
        return;
    in += in_start + (y + RADIUS) * in_pitch + x * CHANNELS + c;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += weights[max(k, -k)] * value_of(in[k * in_pitch]);
    down[(y * all + x) * COLORS + c] = sum;
}

__kernel void canny_across(__global const int *down, __global int *values, int pixels)
{
    int i = get_global_id(0);
    long y = get_global_id(1), sum = 1 << (2 * BITS - 1);
    if (i >= pixels * COLORS)
        return;
    down += y * (pixels + 2 * RADIUS) * COLORS + i;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += (long)weights[max(k, -k)] * down[(k + RADIUS) * COLORS];
    values[y * pixels * COLORS + i] = (int)(sum >> (2 * BITS));
}

// The step across an edge, from the pixel before it to the one behind it.
inline char2 direction_of(int gx, int gy)
{
    long x = max(gx, -gx), y = max(gy, -gy);
    if (y * 32768 < x * TANGENT)
        return (char2)(FIRST_X, 0);
    if (x * 32768 < y * TANGENT)
        return (char2)(0, FIRST_Y);
    return (gx < 0) == (gy < 0) ? (char2)(1, 1) : (char2)(-1, 1);
}

__kernel void canny_gradient(__global const int *values, __global SIZE *sizes,
                             __global char2 *directions, int width)
{
    int x = get_global_id(0), pitch = (width + 2 * HALF) * COLORS;
    long y = get_global_id(1);
    SIZE most = -1;
    char2 direction = (char2)(1, 0);
    if (x >= width)
        return;
    for (int c = 0; c < COLORS; c++) {
        int gx = 0, gy = 0;
        for (int i = 0; i < SIDE; i++)
            for (int k = 0; k < SIDE; k++) {
                int v = values[(y + i) * pitch + (x + k) * COLORS + c];
                gx += smooth[i] * derive[k] * v;
                gy += derive[i] * smooth[k] * v;
            }
#if SQUARES
        SIZE size = (long)gx * gx + (long)gy * gy;
#else
        SIZE size = max(gx, -gx) + max(gy, -gy);
#endif
        if (size > most) {
            most = size;
            direction = direction_of(gx, gy);
        }
    }
    sizes[y * width + x] = most;
    directions[y * width + x] = direction;
}

inline SIZE size_at(__global const SIZE *sizes, int x, int y, int width, int height)
{
    bool inside = x >= 0 && x < width && y >= 0 && y < height;
    return inside ? sizes[(long)y * width + x] : 0;
}

__kernel void canny_thin(__global const SIZE *sizes, __global const char2 *directions,
                         __global uchar *map, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    long at = (long)y * width + x;
    if (x >= width)
        return;
    SIZE size = sizes[at];
    char2 to = directions[at];
    bool diagonal = to.x != 0 && to.y != 0;
    SIZE before = size_at(sizes, x - to.x, y - to.y, width, height);
    SIZE behind = size_at(sizes, x + to.x, y + to.y, width, height);
    bool largest = size > before && (size > behind || (size == behind && !diagonal));
    map[at] = largest && size > LOW ? size > HIGH ? EDGE : WEAK : NONE;
}

// Words of weak pixels and edges, and of edges only; word (x, y) has index x * height + y.
__kernel void canny_pack(__global const uchar *map, __global ulong *weak, __global ulong *edges,
                         int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x * 64 >= width)
        return;
    ulong any = 0, edge = 0;
    map += (long)y * width + x * 64;
    for (int i = 0; i < min(64, width - x * 64); i++) {
        any |= (ulong)(map[i] != NONE) << i;
        edge |= (ulong)(map[i] == EDGE) << i;
    }
    weak[(long)x * height + y] = any;
    edges[(long)x * height + y] = edge;
}

// Edges and the pixels beside them.
inline ulong widen(ulong edges) { return edges | edges << 1 | edges >> 1; }

// All runs of weak pixels that contain an edge.
inline ulong fill_runs(ulong edges, ulong weak)
{
    ulong up = edges & weak, down = up, above = weak, below = weak;
    for (int step = 1; step < 64; step *= 2) {
        up |= above & up << step;
        above &= above << step;
        down |= below & down >> step;
        below &= below >> step;
    }
    return up | down;
}

// Edges in the columns beside the word, in its row and the rows above and below.
inline ulong beside(__global const ulong *edges, int x, int y, int words, int height)
{
    ulong all = 0;
    for (int v = max(y - 1, 0); v <= min(y + 1, height - 1); v++) {
        if (x > 0)
            all |= edges[(long)(x - 1) * height + v] >> 63;
        if (x + 1 < words)
            all |= edges[(long)(x + 1) * height + v] << 63;
    }
    return all;
}

#define ROWS (64 / GROUP) // of a work-item

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
canny_hysteresis(__global const ulong *weak, __global const ulong *from, __global ulong *to, int words, int height,
             __global int *changed)
{
    __local ulong first[GROUP], last[GROUP];
    __local int more;
    ulong edge[ROWS], open[ROWS], above = 0, below = 0;
    int i = get_local_id(0), x = get_group_id(0), top = get_group_id(1) * 64 + i * ROWS;
    bool again, any = false;
    weak += (long)x * height;
    to += (long)x * height;
    for (int r = 0; r < ROWS; r++) {
        int y = top + r;
        open[r] = edge[r] = 0;
        if (y < height) {
            open[r] = weak[y];
            edge[r] = from[(long)x * height + y] | (beside(from, x, y, words, height) & open[r]);
        }
    }
    if (i == 0 && top > 0 && top <= height)
        above = from[(long)x * height + top - 1];
    if (i == GROUP - 1 && top + ROWS < height)
        below = from[(long)x * height + top + ROWS];
    do {
        bool added = false;
        first[i] = edge[0];
        last[i] = edge[ROWS - 1];
        if (i == 0)
            more = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        ulong before = i > 0 ? last[i - 1] : above, behind = i < GROUP - 1 ? first[i + 1] : below;
        for (int down = 1; down >= 0; down--)
            for (int k = 0; k < ROWS; k++) {
                int r = down ? k : ROWS - 1 - k;
                ulong near = (r > 0 ? edge[r - 1] : before) | (r < ROWS - 1 ? edge[r + 1] : behind);
                ulong all = fill_runs(edge[r] | widen(near), open[r]);
                added = added || all != edge[r];
                edge[r] = all;
            }
        if (added)
            atomic_or(&more, 1);
        barrier(CLK_LOCAL_MEM_FENCE);
        again = more;
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (again);
    for (int r = 0; r < ROWS; r++)
        if (top + r < height) {
            any = any || edge[r] != from[(long)x * height + top + r];
            to[top + r] = edge[r];
        }
    if (any)
        atomic_or(changed, 1);
}

__kernel void canny_store(__global const ulong *edges, __global const IN_T *in, long in_origin,
                          long in_pitch, __global OUT_T *out, long out_origin, long out_pitch,
                          int width, int height)
{
    int i = get_global_id(0), x = i / CHANNELS;
    long y = get_global_id(1);
    if (x >= width)
        return;
    OUT_T v = edges[(long)(x / 64) * height + y] >> x % 64 & 1 ? SAMPLE_EDGE : SAMPLE_NONE;
#if COLORS < CHANNELS
    v = i % CHANNELS < COLORS ? v : saturate_float(TO_FLOAT(in[in_origin + y * in_pitch + i]));
#endif
    out[out_origin + y * out_pitch + i] = v;
}
