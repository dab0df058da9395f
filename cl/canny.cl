// canny.cl - edges after Canny, in the integers of lib/solver/canny.c, which has the definition
//
// Six kernels, each of which reads what the one before wrote: a Gaussian down, one across, gradients,
// what remains of them, edges followed, and samples. Of the map of what remains there are two, which a
// round of following reads and writes in turn, so that no work-item reads what another writes: it takes
// a block of pixels, which it follows edges through until none is added, and tells whether it added any.

#ifndef CHANNELS
#define CHANNELS 1
#endif
#ifndef COLORS
#define COLORS 1 // of these, from the first on, that edges are found in
#endif
#ifndef SCALE
#define SCALE 16 // samples to integers
#endif
#ifndef RADIUS
#define RADIUS 0 // of the Gaussian
#endif
#ifndef HALF
#define HALF 1 // of the gradient's aperture
#endif
#ifndef WEIGHTS
#define WEIGHTS 4096 // of values so far from the middle, RADIUS + 1 of them
#endif
#ifndef BITS
#define BITS 12 // weights add up to 1 << BITS
#endif
#ifndef SMOOTH
#define SMOOTH 1, 2, 1
#define DERIVE -1, 0, 1
#endif
#ifndef SQUARES
#define SQUARES 0 // 1: sizes are squares' sums, 0: absolute values'
#endif
#ifndef LOW
#define LOW 0L
#define HIGH 0L
#endif
#ifndef TANGENT
#define TANGENT 13573 // tan 22.5 degrees * 32768
#endif
#ifndef FIRST_X
#define FIRST_X 1 // of equal ones the one on the left, or on the right, remains
#define FIRST_Y 1
#endif
#ifndef BLOCK
#define BLOCK 16 // a side, of pixels that a work-item follows edges through
#endif
#ifndef SAMPLE_NONE
#define SAMPLE_NONE 0 // of no edge, of an edge
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

// Of colours only: `in` is at the first pixel that counts, `all` pixels across.
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

// Across an edge: from the pixel before to the one behind it.
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

// One of the block that begins at (left, top) is taken from where it is written.
inline bool touches(__global const uchar *from, __global const uchar *to, int x, int y, int left,
                    int top, int width, int height)
{
    for (int v = max(y - 1, 0); v <= min(y + 1, height - 1); v++)
        for (int u = max(x - 1, 0); u <= min(x + 1, width - 1); u++) {
            bool own = u >= left && u < left + BLOCK && v >= top && v < top + BLOCK;
            if ((own ? to : from)[(long)v * width + u] == EDGE)
                return true;
        }
    return false;
}

// Forwards and backwards through the block, until none becomes an edge.
__kernel void canny_follow(__global const uchar *from, __global uchar *to, int width, int height,
                           __global int *changed)
{
    int left = get_global_id(0) * BLOCK, top = get_global_id(1) * BLOCK;
    int right = min(left + BLOCK, width), bottom = min(top + BLOCK, height), weak = 0;
    bool again = true, any = false;
    if (left >= width)
        return;
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            uchar v = from[(long)y * width + x];
            to[(long)y * width + x] = v;
            weak += v == WEAK;
        }
    for (bool back = false; again && weak > 0; back = !back) {
        again = false;
        for (int r = top; r < bottom; r++)
            for (int s = left; s < right; s++) {
                int y = back ? bottom - 1 - (r - top) : r, x = back ? right - 1 - (s - left) : s;
                long at = (long)y * width + x;
                if (to[at] == WEAK && touches(from, to, x, y, left, top, width, height)) {
                    to[at] = EDGE;
                    again = true;
                    weak--;
                }
            }
        any = any || again;
    }
    if (any)
        atomic_or(changed, 1);
}

__kernel void canny_store(__global const uchar *map, __global const IN_T *in, long in_origin,
                          long in_pitch, __global OUT_T *out, long out_origin, long out_pitch,
                          int width)
{
    int i = get_global_id(0);
    long y = get_global_id(1);
    if (i >= width * CHANNELS)
        return;
    OUT_T v = map[y * width + i / CHANNELS] == EDGE ? SAMPLE_EDGE : SAMPLE_NONE;
#if COLORS < CHANNELS
    v = i % CHANNELS < COLORS ? v : saturate_float(TO_FLOAT(in[in_origin + y * in_pitch + i]));
#endif
    out[out_origin + y * out_pitch + i] = v;
}
