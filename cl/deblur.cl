// deblur.cl - what undoing a blur does between transforms, for GPUs
//
// The equations are those of plane.c, tv.c and rl.c in lib/solver/restore, which say where they come from. Planes have
// ny rows of nx floats: the picture is their upper left part, the rest is the gap. Its values are counted
// right of the rows first, then below them.
//
// Sums are left in parts, one of each group, which the host adds up in float64.

#ifndef CHANNELS
#define CHANNELS 1 // samples of a pixel
#endif
#ifndef COLORS
#define COLORS 1 // of them, those that are restored
#endif

#define GROUP 256 // work-items

// Mirrored by struct imf_deblur_sizes of solver/restore/device.h.
struct deblur_sizes {
    long in_origin, in_pitch, out_origin, out_pitch; // samples
    int nx, ny, width, height;
};

#define KERNEL __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void

// Kernels over a plane have a group for GROUP values of a row, those that sum take values in turn.
#define EVERY_VALUE(i, count)                                                       \
    for (long i = get_global_id(0), i##_step = get_global_size(0); i < (count); i += i##_step)

// ---- sums ------------------------------------------------------------------------------------

// Add up a group's values; `parts` has one of each group.
static inline void add_up(__local float *work, float value, __global float *parts)
{
    int id = get_local_id(0);
    work[id] = value;
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < step)
            work[id] += work[id + step];
    }
    if (id == 0)
        parts[get_group_id(0)] = work[0];
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Less `middle`, so that the sum loses little to rounding.
KERNEL sum_channel(const __global IN_T *restrict in, __global float *restrict parts, int channel,
                   float middle, struct deblur_sizes z)
{
    __local float work[GROUP];
    float sum = 0.0f;
    in += z.in_origin + channel;
    for (int y = get_group_id(0); y < z.height; y += get_num_groups(0)) {
        for (int x = get_local_id(0); x < z.width; x += GROUP)
            sum += TO_FLOAT(in[z.in_pitch * y + (long)x * CHANNELS]) - middle;
    }
    add_up(work, sum, parts);
}

// ---- pixels ----------------------------------------------------------------------------------

KERNEL load(const __global IN_T *restrict in, __global float *restrict plane, int channel,
            float mean, struct deblur_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x < z.width) {
        long from = z.in_origin + z.in_pitch * y + (long)x * CHANNELS + channel;
        plane[(long)y * z.nx + x] = TO_FLOAT(in[from]) - mean;
    }
}

KERNEL store(const __global float *restrict plane, __global OUT_T *restrict out, int channel,
             float mean, struct deblur_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x < z.width) {
        long to = z.out_origin + z.out_pitch * y + (long)x * CHANNELS + channel;
        out[to] = finish_float(plane[(long)y * z.nx + x] + mean);
    }
}

// The channels from `first` on; colours, if the picture stays as it is, are finished.
KERNEL copy(const __global IN_T *restrict in, __global OUT_T *restrict out, int first,
            struct deblur_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    in += z.in_origin + z.in_pitch * y + (long)x * CHANNELS;
    out += z.out_origin + z.out_pitch * y + (long)x * CHANNELS;
    for (int c = first; c < CHANNELS && x < z.width; c++) {
        float v = TO_FLOAT(in[c]);
        out[c] = c < COLORS ? finish_float(v) : saturate_float(v);
    }
}

// The kernel's taps, whose correlation is undone: they stand on the other side of its origin.
KERNEL place_taps(const __global float *restrict taps, __global float *restrict plane, int width,
                  int height, int cx, int cy, struct deblur_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x < z.nx) {
        int j = (cx - x + z.nx) % z.nx, i = (cy - y + z.ny) % z.ny;
        plane[(long)y * z.nx + x] = i < height && j < width ? taps[i * width + j] : 0.0f;
    }
}

// ---- what lies outside -----------------------------------------------------------------------

static inline long gap_size(struct deblur_sizes z)
{
    return (long)z.nx * z.ny - (long)z.width * z.height;
}

// The position in a plane of the i-th value of the gap.
static inline long gap_at(long i, struct deblur_sizes z)
{
    int across = z.nx - z.width;
    long right = (long)across * z.height;
    return i < right ? i / across * z.nx + z.width + i % across : (long)z.height * z.nx + (i - right);
}

// The n-th of `gap` steps of a smooth transition.
static inline float transition(int n, int gap)
{
    return 0.5f - 0.5f * cospi((float)n / (gap + 1));
}

// Sample x of a row, which goes on beyond the picture's width.
static inline float continued(const __global float *row, int x, struct deblur_sizes z)
{
    if (x < z.width)
        return row[x];
    float t = transition(x - z.width + 1, z.nx - z.width);
    return row[z.width - 1] * (1.0f - t) + row[0] * t;
}

KERNEL begin_gap(__global float *restrict plane, struct deblur_sizes z)
{
    EVERY_VALUE(i, gap_size(z))
    {
        long at = gap_at(i, z);
        int y = at / z.nx, x = at % z.nx;
        if (y < z.height) {
            plane[at] = continued(plane + (long)y * z.nx, x, z);
        } else {
            float t = transition(y - z.height + 1, z.ny - z.height);
            float last = continued(plane + (long)(z.height - 1) * z.nx, x, z);
            plane[at] = last * (1.0f - t) + continued(plane, x, z) * t;
        }
    }
}

// The first residual, from the product of 1 - G and the plane, and its square; the direction is 0 inside.
KERNEL residuals(const __global float *restrict product, __global float *restrict direction,
                 __global float *restrict residual, __global float *restrict parts,
                 struct deblur_sizes z)
{
    __local float work[GROUP];
    float sum = 0.0f;
    EVERY_VALUE(i, gap_size(z))
    {
        long at = gap_at(i, z);
        float r = -product[at];
        direction[at] = residual[i] = r;
        sum += r * r;
    }
    add_up(work, sum, parts);
}

KERNEL curvature(const __global float *restrict product, const __global float *restrict direction,
                 __global float *restrict parts, struct deblur_sizes z)
{
    __local float work[GROUP];
    float sum = 0.0f;
    EVERY_VALUE(i, gap_size(z))
    {
        long at = gap_at(i, z);
        sum += direction[at] * product[at];
    }
    add_up(work, sum, parts);
}

KERNEL move(__global float *restrict plane, const __global float *restrict product,
            const __global float *restrict direction, __global float *restrict residual,
            __global float *restrict parts, float along, struct deblur_sizes z)
{
    __local float work[GROUP];
    float sum = 0.0f;
    EVERY_VALUE(i, gap_size(z))
    {
        long at = gap_at(i, z);
        float r = residual[i] - along * product[at];
        plane[at] += along * direction[at];
        residual[i] = r;
        sum += r * r;
    }
    add_up(work, sum, parts);
}

KERNEL turn(__global float *restrict direction, const __global float *restrict residual, float by,
            struct deblur_sizes z)
{
    EVERY_VALUE(i, gap_size(z))
    {
        long at = gap_at(i, z);
        direction[at] = residual[i] + by * direction[at];
    }
}

// ---- total variation -------------------------------------------------------------------------

// What b is of p.
static inline float limited(float px, float py, float limit)
{
    float square = px * px + py * py;
    return square > limit * limit ? limit / sqrt(square) : 1.0f;
}

// The pixel at (x + dx, y + dy), of -1 to 1, of a plane whose sides are joined.
static inline long beside(int x, int y, int dx, int dy, struct deblur_sizes z)
{
    x += dx;
    y += dy;
    return (long)(y < 0 ? z.ny - 1 : y < z.ny ? y : 0) * z.nx + (x < 0 ? z.nx - 1 : x < z.nx ? x : 0);
}

// p becomes grad x + b, with gradients to the next pixel, or (-1) the one before, in a row and in a column.
KERNEL gradients(const __global float *restrict scene, __global float *restrict px,
                 __global float *restrict py, float limit, int first_x, int first_y,
                 struct deblur_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x < z.nx) {
        long at = (long)y * z.nx + x, right = beside(x, y, first_x, 0, z);
        long below = beside(x, y, 0, first_y, z);
        float b = limited(px[at], py[at], limit), here = scene[at];
        px[at] = b * px[at] + (scene[right] - here);
        py[at] = b * py[at] + (scene[below] - here);
    }
}

// div (p - 2 b).
KERNEL divergence(const __global float *restrict px, const __global float *restrict py,
                  __global float *restrict out, float limit, int first_x, int first_y,
                  struct deblur_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x < z.nx) {
        long at = (long)y * z.nx + x, left = beside(x, y, -first_x, 0, z);
        long above = beside(x, y, 0, -first_y, z);
        float here = 1.0f - 2.0f * limited(px[at], py[at], limit);
        float before = 1.0f - 2.0f * limited(px[left], py[left], limit);
        float over = 1.0f - 2.0f * limited(px[above], py[above], limit);
        out[at] = before * px[left] - here * px[at] + (over * py[above] - here * py[at]);
    }
}

// ---- Richardson and Lucy ---------------------------------------------------------------------

#define COVERED 0.01f // of K' M: what was blurred less into the picture stays as it is

// The scene, the one before and its last change, and the mask.
KERNEL begin_scene(__global float *restrict scene, __global float *restrict before,
                   __global float *restrict change, __global float *restrict mask, float mean,
                   struct deblur_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x < z.nx) {
        long at = (long)y * z.nx + x;
        scene[at] = before[at] = mean;
        change[at] = 0.0f;
        mask[at] = x < z.width && y < z.height ? 1.0f : 0.0f;
    }
}

static inline float guessed(float now, float before, float ahead, float least)
{
    return fmax(now + ahead * (now - before), least);
}

KERNEL guess(const __global float *restrict scene, const __global float *restrict before,
             __global float *restrict out, float ahead, float least, struct deblur_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x < z.nx) {
        long at = (long)y * z.nx + x;
        out[at] = guessed(scene[at], before[at], ahead, least);
    }
}

// The blurred guess becomes the picture's quotient by it, 0 outside; the differences' squares are summed.
KERNEL quotients(__global float *restrict blurred, const __global float *restrict picture,
                 __global float *restrict parts, float least, struct deblur_sizes z)
{
    __local float work[GROUP];
    float sum = 0.0f;
    for (int y = get_group_id(0); y < z.ny; y += get_num_groups(0)) {
        long row = (long)y * z.nx;
        for (int x = get_local_id(0); x < z.nx; x += GROUP) {
            float quotient = 0.0f;
            if (x < z.width && y < z.height) {
                float v = fmax(picture[row + x], 0.0f), from = fmax(blurred[row + x], least);
                sum += (v - from) * (v - from);
                quotient = v / from;
            }
            blurred[row + x] = quotient;
        }
    }
    add_up(work, sum, parts);
}

// `factor` is K' of the quotients. parts: change times the change before, then that squared.
KERNEL accelerate(__global float *restrict scene, __global float *restrict before,
                  __global float *restrict change, const __global float *restrict cover,
                  const __global float *restrict factor, __global float *restrict parts,
                  float ahead, float least, struct deblur_sizes z)
{
    __local float work[GROUP];
    float along = 0.0f, square = 0.0f;
    EVERY_VALUE(i, (long)z.nx * z.ny)
    {
        float now = scene[i], from = guessed(now, before[i], ahead, least), to = from;
        if (cover[i] > COVERED)
            to = from * (fmax(factor[i], 0.0f) / cover[i]);
        along += (to - from) * change[i];
        square += change[i] * change[i];
        change[i] = to - from;
        before[i] = now;
        scene[i] = to;
    }
    add_up(work, along, parts);
    add_up(work, square, parts + get_num_groups(0));
}
