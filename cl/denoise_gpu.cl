// denoise_gpu.cl - removal of noise by transforms of groups of blocks that are alike, for GPUs
//
// lib/solver/denoise/reference.c has the definition, groups.c the form for processors. Planes have `height` rows of `width`
// floats: the image with `reach` pixels around.
//
//   load_guide    integers of which distances are
//   search        a work-group for a group: a work-item for the distance of each block
//   load_plane    a colour
//   estimate      a work-group for the groups of a tile, one after the other; sums of theirs
//   divide        sums by weights
//   store         the colours turned back, the epilogue
//
// A tile's groups add to pixels that they share. Its sums are in local memory, and each pixel of them is one work-item's: so
// there are no atomic operations, and sums have one order. Tiles that share pixels are not in the same launch.

#ifndef CHANNELS
#define CHANNELS 1 // samples of a pixel
#endif
#ifndef COLORS
#define COLORS 1 // of them, those that are filtered
#endif

#define BLOCK 8      // pixels of a block's side
#define BLOCKS 16    // of a group
#define SIDE 16      // positions of a search, in both directions
#define STEP 4       // pixels from a group to the next
#define GUIDE_MOST 511
#define TILE 8       // groups of a tile, in both directions
#define SPAN 56      // pixels that these reach, (TILE - 1) * STEP + SIDE - 1 + BLOCK, in whole blocks
#define ITEMS 64     // work-items for a group, one for each pixel of a block
#define PIXELS 256   // work-items for pixels

// Mirrored by struct imf_denoise_sizes of solver/denoise/denoise.h.
struct denoise_sizes {
    long in_origin, in_pitch, out_origin, out_pitch; // samples
    int width, height, reach, out_width, across, down; // across, down: groups
    // The pixel at which the first group's search begins, and how many before its own block a search begins.
    int first_x, first_y, before_x, before_y;
};

// Mirrored by struct imf_denoise_order of the same file: the order of equal blocks.
struct denoise_order {
    int shift_x, shift_y, own;
};

// Where the search of a group begins.
static inline long search_at(int k, int row, struct denoise_sizes z)
{
    return (long)(z.first_y + row * STEP) * z.width + z.first_x + k * STEP;
}

#define PIXEL_KERNEL __kernel __attribute__((reqd_work_group_size(PIXELS, 1, 1))) void

// ---- pixels ----------------------------------------------------------------------------------

// Luma is the sum of three colours, or the first channel.
#if COLORS >= 3
#define LUMA(p) (TO_FLOAT((p)[0]) + (TO_FLOAT((p)[1]) + TO_FLOAT((p)[2])))
#else
#define LUMA(p) TO_FLOAT((p)[0])
#endif

static inline const __global IN_T *pixel_at(const __global IN_T *in, int x, int y,
                                            struct denoise_sizes z)
{
    return in + z.in_origin + z.in_pitch * (y - z.reach) + (long)(x - z.reach) * CHANNELS;
}

PIXEL_KERNEL load_guide(const __global IN_T *restrict in, __global ushort *restrict guide, float scale,
                        struct denoise_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x >= z.width)
        return;
    float v = LUMA(pixel_at(in, x, y, z)) * scale;
    guide[(long)y * z.width + x] = (ushort)rint(clamp(v, 0.0f, (float)GUIDE_MOST));
}

// One of the three colours turned into luma and two differences, by factors a, b, c; or channel `channel` as it is.
PIXEL_KERNEL load_plane(const __global IN_T *restrict in, __global float *restrict plane,
                        int channel, float a, float b, float c, struct denoise_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x >= z.width)
        return;
    const __global IN_T *p = pixel_at(in, x, y, z);
    float v;
#if COLORS >= 3
    if (channel < 3)
        v = a * TO_FLOAT(p[0]) + b * TO_FLOAT(p[1]) + c * TO_FLOAT(p[2]);
    else
#endif
        v = TO_FLOAT(p[channel]);
    plane[(long)y * z.width + x] = v;
}

PIXEL_KERNEL divide(const __global float *sum, long from, __global float *to, long at,
                    const __global float *restrict weight, struct denoise_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x >= z.width)
        return;
    long i = (long)y * z.width + x;
    float w = weight[i];
    to[at + i] = sum[from + i] / (w > 0 ? w : 1.0f);
}

// The turn's rows; its inverse has them as columns.
struct turn {
    float4 row[3];
};

// planes: of the colours, `size` floats each.
PIXEL_KERNEL store(const __global float *restrict planes, const __global IN_T *restrict in,
                   __global OUT_T *restrict out, struct turn turn, struct denoise_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x >= z.out_width)
        return;
    long size = (long)z.width * z.height, at = (long)(y + z.reach) * z.width + x + z.reach;
    in = pixel_at(in, x + z.reach, y + z.reach, z);
    out += z.out_origin + z.out_pitch * y + (long)x * CHANNELS;
    float v[CHANNELS];
    for (int c = 0; c < CHANNELS; c++)
        v[c] = c < COLORS ? planes[c * size + at] : TO_FLOAT(in[c]);
#if COLORS >= 3
    float4 back = v[0] * turn.row[0] + v[1] * turn.row[1] + v[2] * turn.row[2];
    v[0] = back.x;
    v[1] = back.y;
    v[2] = back.z;
#endif
    for (int c = 0; c < CHANNELS; c++)
        out[c] = c < COLORS ? finish_float(v[c]) : saturate_float(v[c]);
}

// Without noise.
PIXEL_KERNEL copy(const __global IN_T *restrict in, __global OUT_T *restrict out,
                  struct denoise_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x >= z.out_width)
        return;
    in = pixel_at(in, x + z.reach, y + z.reach, z);
    out += z.out_origin + z.out_pitch * y + (long)x * CHANNELS;
    for (int c = 0; c < CHANNELS; c++)
        out[c] = c < COLORS ? finish_float(TO_FLOAT(in[c])) : saturate_float(TO_FLOAT(in[c]));
}

// ---- searching -------------------------------------------------------------------------------

#define PATCH (SIDE + BLOCK - 1) // pixels of a side that a search looks at
#define PATCH_ROW 48             // two rows of positions are in different banks of local memory

// members: of each group its blocks, the most alike first, as SIDE * row + column.
__kernel __attribute__((reqd_work_group_size(SIDE *SIDE, 1, 1))) void
search(const __global ushort *restrict guide, __global uchar *restrict members,
       struct denoise_order order, struct denoise_sizes z)
{
    __local int patch[PATCH * PATCH_ROW];
    __local uint keys[SIDE * SIDE];
    int id = get_local_id(0), k = get_group_id(0), r = get_group_id(1);
    guide += search_at(k, r, z);
    for (int i = id; i < PATCH * PATCH; i += SIDE * SIDE)
        patch[i / PATCH * PATCH_ROW + i % PATCH] = guide[(long)(i / PATCH) * z.width + i % PATCH];
    barrier(CLK_LOCAL_MEM_FENCE);
    const __local int *own = patch + z.before_y * PATCH_ROW + z.before_x;
    const __local int *other = patch + id / SIDE * PATCH_ROW + id % SIDE;
    uint distance = 0;
    for (int y = 0; y < BLOCK; y++)
        for (int x = 0; x < BLOCK; x++) {
            int d = other[y * PATCH_ROW + x] - own[y * PATCH_ROW + x];
            distance += (uint)(d * d);
        }
    int at = (id % SIDE << order.shift_x | id / SIDE << order.shift_y) ^ order.own;
    uint key = distance << 8 | (uint)at, before = 0; // keys differ
    keys[id] = key;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < SIDE * SIDE; i++)
        before += keys[i] < key;
    if (before < BLOCKS)
        members[((long)r * z.across + k) * BLOCKS + before] = (uchar)id;
}

// ---- transforms of a group -------------------------------------------------------------------

// cos(k pi / 16) / 2, and 1 / sqrt(8).
#define C1 0.49039264020161522f
#define C2 0.46193976625564337f
#define C3 0.41573480615127262f
#define C4 0.35355339059327376f
#define C5 0.27778511650980109f
#define C6 0.19134171618254489f
#define C7 0.09754516100806412f

static inline void cosine(float x[BLOCK])
{
    float a0 = x[0] + x[7], a1 = x[1] + x[6], a2 = x[2] + x[5], a3 = x[3] + x[4];
    float b0 = x[0] - x[7], b1 = x[1] - x[6], b2 = x[2] - x[5], b3 = x[3] - x[4];
    float e0 = a0 + a3, e1 = a1 + a2, f0 = a0 - a3, f1 = a1 - a2;
    x[0] = (e0 + e1) * C4;
    x[4] = (e0 - e1) * C4;
    x[2] = f0 * C2 + f1 * C6;
    x[6] = f0 * C6 - f1 * C2;
    x[1] = b0 * C1 + b1 * C3 + b2 * C5 + b3 * C7;
    x[3] = b0 * C3 - b1 * C7 - b2 * C1 - b3 * C5;
    x[5] = b0 * C5 - b1 * C1 + b2 * C7 + b3 * C3;
    x[7] = b0 * C7 - b1 * C5 + b2 * C3 - b3 * C1;
}

static inline void cosine_back(float x[BLOCK])
{
    float e0 = (x[0] + x[4]) * C4, e1 = (x[0] - x[4]) * C4;
    float f0 = x[2] * C2 + x[6] * C6, f1 = x[2] * C6 - x[6] * C2;
    float a0 = e0 + f0, a1 = e1 + f1, a2 = e1 - f1, a3 = e0 - f0;
    float b0 = x[1] * C1 + x[3] * C3 + x[5] * C5 + x[7] * C7;
    float b1 = x[1] * C3 - x[3] * C7 - x[5] * C1 - x[7] * C5;
    float b2 = x[1] * C5 - x[3] * C1 + x[5] * C7 + x[7] * C3;
    float b3 = x[1] * C7 - x[3] * C5 + x[5] * C3 - x[7] * C1;
    x[0] = a0 + b0, x[7] = a0 - b0;
    x[1] = a1 + b1, x[6] = a1 - b1;
    x[2] = a2 + b2, x[5] = a2 - b2;
    x[3] = a3 + b3, x[4] = a3 - b3;
}

// Walsh's transform of a pixel of all blocks, 4 times as large; twice it is 16 times the pixels.
static inline void mix(float v[BLOCKS])
{
#pragma unroll
    for (int step = 1; step < BLOCKS; step *= 2)
#pragma unroll
        for (int n = 0; n < BLOCKS; n++)
            if (!(n & step)) {
                float a = v[n], b = v[n + step];
                v[n] = a + b;
                v[n + step] = a - b;
            }
}

// A group in local memory: blocks of rows. Rows, and columns, of four blocks are in different banks.
#define ROW (BLOCK + 1)
#define AREA (BLOCK * BLOCK + BLOCK)
#define LINES 2 // rows or columns of a work-item, BLOCKS * BLOCK / ITEMS

// PoCL leaves an array of a work-group to all of them where a function that is not inlined uses it.
#define INLINE static inline __attribute__((always_inline))

// The i-th row, of pitch ROW and step 1, or column, of pitch 1 and step ROW, of a work-item.
INLINE __local float *line_at(__local float *work, int id, int i, int pitch)
{
    int line = id + i * ITEMS;
    return work + line / BLOCK * AREA + line % BLOCK * pitch;
}

INLINE void read_line(float x[BLOCK], const __local float *line, int step)
{
    for (int k = 0; k < BLOCK; k++)
        x[k] = line[k * step];
}

INLINE void write_line(__local float *line, int step, const float x[BLOCK])
{
    for (int k = 0; k < BLOCK; k++)
        line[k * step] = x[k];
}

// The coefficients of a group's blocks, of which each work-item has LINES columns. plane: from the search's first
// block on.
INLINE void forward(float c[LINES][BLOCK], __local float *work, int id,
                           const __global float *plane, const __global uchar *members, int pitch)
{
    int x = id % BLOCK, y = id / BLOCK;
    float v[BLOCKS];
    for (int n = 0; n < BLOCKS; n++) {
        int member = members[n];
        v[n] = plane[(member / SIDE + y) * pitch + member % SIDE + x];
    }
    mix(v);
    barrier(CLK_LOCAL_MEM_FENCE); // what was there is read
    for (int n = 0; n < BLOCKS; n++)
        work[n * AREA + y * ROW + x] = v[n];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < LINES; i++) {
        __local float *row = line_at(work, id, i, ROW);
        read_line(c[i], row, 1);
        cosine(c[i]);
        write_line(row, 1, c[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < LINES; i++) {
        read_line(c[i], line_at(work, id, i, 1), ROW);
        cosine(c[i]);
    }
}

// The pixels, 16 times as large, from coefficients.
INLINE void backward(float c[LINES][BLOCK], __local float *work, int id)
{
    int x = id % BLOCK, y = id / BLOCK;
    float v[BLOCKS];
    for (int i = 0; i < LINES; i++) {
        cosine_back(c[i]);
        write_line(line_at(work, id, i, 1), ROW, c[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 0; n < BLOCKS; n++)
        v[n] = work[n * AREA + y * ROW + x];
    mix(v);
    for (int n = 0; n < BLOCKS; n++)
        work[n * AREA + y * ROW + x] = v[n];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < LINES; i++) {
        __local float *row = line_at(work, id, i, ROW);
        read_line(c[i], row, 1);
        cosine_back(c[i]);
        write_line(row, 1, c[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Mirrored by struct imf_shrink of solver/denoise/denoise.h: which part of a coefficient is kept.
struct denoise_shrink {
    float scale, shift, power;
};

// Keep parts of coefficients; returns the sum of the parts' squares. again: by those of the first estimate.
static inline float keep(float c[LINES][BLOCK], float first[LINES][BLOCK], int id, int again,
                         struct denoise_shrink s)
{
    float squares = 0.0f;
    for (int i = 0; i < LINES; i++)
        for (int k = 0; k < BLOCK; k++) {
            float power = first[i][k] * first[i][k], x = c[i][k];
            float part = again ? power / (power + s.power)
                               : clamp(x * x * s.scale - s.shift, 0.0f, 1.0f);
            if (id + i + k == 0)
                part = 1.0f; // the mean
            squares += part * part;
            c[i][k] = x * part;
        }
    return squares;
}

// ---- tiles -----------------------------------------------------------------------------------

// Groups from skip_x and skip_y on, before across and down, of every other tile from (column, row) on. The sums of a colour begin
// at `at`.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
estimate(const __global float *restrict image, const __global float *restrict first,
         __global float *restrict sum, long at, __global float *restrict weight,
         const __global uchar *restrict members, struct denoise_shrink shrink, int again, int column,
         int row, int skip_x, int skip_y, int across, int down, struct denoise_sizes z)
{
    __local float work[BLOCKS * AREA], squares[ITEMS];
    __local float sums[SPAN * SPAN], weights[SPAN * SPAN];
    int id = get_local_id(0), x = id % BLOCK, y = id / BLOCK;
    float c[LINES][BLOCK], b[LINES][BLOCK];
    int left = (2 * (int)get_group_id(0) + column) * TILE;
    int top = (2 * (int)get_group_id(1) + row) * TILE;
    for (int i = id; i < SPAN * SPAN; i += ITEMS)
        sums[i] = weights[i] = 0.0f;
    for (int r = max(top, skip_y); r < min(top + TILE, down); r++)
        for (int k = max(left, skip_x); k < min(left + TILE, across); k++) {
            const __global uchar *m = members + ((long)r * z.across + k) * BLOCKS;
            long corner = search_at(k, r, z);

            for (int i = 0; i < LINES; i++)
                for (int n = 0; n < BLOCK; n++)
                    b[i][n] = 0.0f;
            if (again)
                forward(b, work, id, first + corner, m, z.width);
            forward(c, work, id, image + corner, m, z.width);
            squares[id] = keep(c, b, id, again, shrink);
            backward(c, work, id);
            float all = 0.0f;
            for (int i = 0; i < ITEMS; i++)
                all += squares[i];
            float w = 1.0f / all, scaled = w / BLOCKS;
            // A work-item's pixel of the sums is in each block once.
            for (int n = 0; n < BLOCKS; n++) {
                int bx = (k - left) * STEP + m[n] % SIDE, by = (r - top) * STEP + m[n] / SIDE;
                int dx = (x - bx) & (BLOCK - 1), dy = (y - by) & (BLOCK - 1);
                int to = (by + dy) * SPAN + bx + dx;
                sums[to] += work[n * AREA + dy * ROW + dx] * scaled;
                weights[to] += w;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = id; i < SPAN * SPAN; i += ITEMS) {
        int px = z.first_x + left * STEP + i % SPAN, py = z.first_y + top * STEP + i / SPAN;
        if (px < z.width && py < z.height && weights[i] > 0) {
            long to = (long)py * z.width + px;
            sum[at + to] += sums[i];
            weight[to] += weights[i];
        }
    }
}
