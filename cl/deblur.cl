// deblur.cl - what undoing a blur does between transforms, for GPUs
//
// The maps of lib/solver/restore/field.h; methods.c beside it says what they are for, host_maps.c has the same for the host.
// Planes have ny rows of nx floats: the picture is their upper left part, the rest is the gap. Its values are counted
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
    int channel;             // that is worked on
    int first_x, first_y;    // where a gradient's other pixel lies, 1 or -1
    float mean, step, bound; // of struct imf_field
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

// Less `mean`, so that the sum loses little to rounding.
KERNEL sum_channel(const __global IN_T *restrict in, __global float *restrict parts,
                   struct deblur_sizes z)
{
    __local float work[GROUP];
    float sum = 0.0f;
    in += z.in_origin + z.channel;
    for (int y = get_group_id(0); y < z.height; y += get_num_groups(0)) {
        for (int x = get_local_id(0); x < z.width; x += GROUP)
            sum += TO_FLOAT(in[z.in_pitch * y + (long)x * CHANNELS]) - z.mean;
    }
    add_up(work, sum, parts);
}

// ---- pixels ----------------------------------------------------------------------------------

KERNEL load(const __global IN_T *restrict in, __global float *restrict plane, struct deblur_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x < z.width) {
        long from = z.in_origin + z.in_pitch * y + (long)x * CHANNELS + z.channel;
        plane[(long)y * z.nx + x] = TO_FLOAT(in[from]) - z.mean;
    }
}

KERNEL store(const __global float *restrict plane, __global OUT_T *restrict out,
             struct deblur_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x < z.width) {
        long to = z.out_origin + z.out_pitch * y + (long)x * CHANNELS + z.channel;
        out[to] = finish_float(plane[(long)y * z.nx + x] + z.mean);
    }
}

// The channels from `channel` on; colours, if the picture stays as it is, are finished.
KERNEL copy(const __global IN_T *restrict in, __global OUT_T *restrict out, struct deblur_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    in += z.in_origin + z.in_pitch * y + (long)x * CHANNELS;
    out += z.out_origin + z.out_pitch * y + (long)x * CHANNELS;
    for (int c = z.channel; c < CHANNELS && x < z.width; c++) {
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
            __global float *restrict parts, struct deblur_sizes z)
{
    __local float work[GROUP];
    float sum = 0.0f;
    EVERY_VALUE(i, gap_size(z))
    {
        long at = gap_at(i, z);
        float r = residual[i] - z.step * product[at];
        plane[at] += z.step * direction[at];
        residual[i] = r;
        sum += r * r;
    }
    add_up(work, sum, parts);
}

KERNEL turn(__global float *restrict direction, const __global float *restrict residual,
            struct deblur_sizes z)
{
    EVERY_VALUE(i, gap_size(z))
    {
        long at = gap_at(i, z);
        direction[at] = residual[i] + z.step * direction[at];
    }
}

// ---- total variation -------------------------------------------------------------------------

// What b is of p.
static inline float limited(float px, float py, struct deblur_sizes z)
{
    float square = px * px + py * py;
    return square > z.bound * z.bound ? z.bound / sqrt(square) : 1.0f;
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
                 __global float *restrict py, struct deblur_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x < z.nx) {
        long at = (long)y * z.nx + x, right = beside(x, y, z.first_x, 0, z);
        long below = beside(x, y, 0, z.first_y, z);
        float b = limited(px[at], py[at], z), here = scene[at];
        px[at] = b * px[at] + (scene[right] - here);
        py[at] = b * py[at] + (scene[below] - here);
    }
}

// div (p - 2 b).
KERNEL divergence(const __global float *restrict px, const __global float *restrict py,
                  __global float *restrict out, struct deblur_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x < z.nx) {
        long at = (long)y * z.nx + x, left = beside(x, y, -z.first_x, 0, z);
        long above = beside(x, y, 0, -z.first_y, z);
        float here = 1.0f - 2.0f * limited(px[at], py[at], z);
        float before = 1.0f - 2.0f * limited(px[left], py[left], z);
        float over = 1.0f - 2.0f * limited(px[above], py[above], z);
        out[at] = before * px[left] - here * px[at] + (over * py[above] - here * py[at]);
    }
}

// ---- Richardson and Lucy ---------------------------------------------------------------------

#define COVERED 0.01f // of K' M: what was blurred less into the picture stays as it is

// The scene, the one before and its last change, and the mask.
KERNEL begin_scene(__global float *restrict scene, __global float *restrict before,
                   __global float *restrict change, __global float *restrict mask,
                   struct deblur_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x < z.nx) {
        long at = (long)y * z.nx + x;
        scene[at] = before[at] = z.mean;
        change[at] = 0.0f;
        mask[at] = x < z.width && y < z.height ? 1.0f : 0.0f;
    }
}

static inline float guessed(float now, float before, struct deblur_sizes z)
{
    return fmax(now + z.step * (now - before), z.bound);
}

KERNEL guess(const __global float *restrict scene, const __global float *restrict before,
             __global float *restrict out, struct deblur_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x < z.nx) {
        long at = (long)y * z.nx + x;
        out[at] = guessed(scene[at], before[at], z);
    }
}

// The blurred guess becomes the picture's quotient by it, 0 outside; the differences' squares are summed.
KERNEL quotients(__global float *restrict blurred, const __global float *restrict picture,
                 __global float *restrict parts, struct deblur_sizes z)
{
    __local float work[GROUP];
    float sum = 0.0f;
    for (int y = get_group_id(0); y < z.ny; y += get_num_groups(0)) {
        long row = (long)y * z.nx;
        for (int x = get_local_id(0); x < z.nx; x += GROUP) {
            float quotient = 0.0f;
            if (x < z.width && y < z.height) {
                float v = fmax(picture[row + x], 0.0f), from = fmax(blurred[row + x], z.bound);
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
                  struct deblur_sizes z)
{
    __local float work[GROUP];
    float along = 0.0f, square = 0.0f;
    EVERY_VALUE(i, (long)z.nx * z.ny)
    {
        float now = scene[i], from = guessed(now, before[i], z), to = from;
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
