// frequency_gpu.cl - a whole image times a transfer function, for GPUs
//
// The image is made periodic and transformed along x, along y, multiplied by a real gain, and
// transformed back. A group's elements lie in local memory; each kernel reads and writes the plane once:
//
//   rows_in      pixels of a row, two to a complex element, forward along x, taken apart -> plane
//   columns_in   along y, elements `inner` apart: forward, times roots of ny             -> plane
//   middle       along y, neighbours: forward, times gains, back                         -> plane
//   columns_out  times roots, back along y, elements `inner` apart                       -> plane
//   rows_out     put together, back along x, epilogue                                    -> pixels
//
// plane: [y][channel][pitch], frequencies 0 to half = nx / 2 of x in order, as samples are real. With
// Z the transform of half an row's elements, z(m) = x(2 m) + i x(2 m + 1), and w = exp(-2 pi i / nx):
//
//     2 E(k) = Z(k) + conj Z(half - k)       2 X(k)        = 2 E(k) + w^k 2 O(k)
//     2 O(k) = (Z(k) - conj Z(half - k)) / i 2 X(half - k) = conj(2 E(k) - w^k 2 O(k))
//
// Columns are too long for local memory, so ny = outer * inner (Bailey's four steps without the
// transposition): row j + inner a becomes row j + inner b, then b inner + p. A group takes LINES
// neighbouring columns, whole lines of memory. Along y frequencies stay in the order in which the
// stages leave them, as gains do.

#ifndef CHANNELS
#define CHANNELS 1 // samples of a pixel
#endif
#ifndef GROUP
#define GROUP 64 // work-items, a multiple of LINES
#endif
#ifndef LINES
#define LINES 1 // columns of a group, a power of two; 1: kernels of rows
#endif
#ifndef WORK
#define WORK 1024 // elements of a group's local memory
#endif

// A line's stages. Mirrored by struct imf_frequency_gpu_axis of solver/fft_args.h.
struct gpu_axis {
    int length, stages;
    int first; // of the table of stages
};

// Mirrored by struct imf_frequency_gpu_sizes of solver/fft_args.h.
struct frequency_gpu_sizes {
    long in_origin, in_pitch, out_origin, out_pitch; // samples
    float middle;     // subtracted from each input sample
    float mean;       // added to each output sample: middle * gain at frequency 0
    float outside[4]; // the constant beyond the edge, of each channel, less middle
    int width, height;
    int gap; // of x, samples
    int pitch;
    struct gpu_axis x, outer, inner; // of half a row; of y
};

// ---- lines in local memory -------------------------------------------------------------------

// Rows leave out one element in 17 and a few more, so that neighbours' powers of two apart meet
// different banks.
#if LINES == 1
#define AT(p) ((p) + ((p) >> 4) + ((p) >> 8))
#else
#define AT(p) ((p) * LINES + (int)get_local_id(0) % LINES)
#endif

// A stage over spans of R * m elements: s is R, m, 1 / m as a float. It is decimation in
// frequency: butterflies, then twiddles[(k - 1) m + j] = exp(-2 pi i j k / (R m)); back, the reverse.
#define STAGE(R, TRANSFORM)                                                                       \
    static inline void stage##R(__local float2 *work, const __global float2 *twiddles, int4 s,    \
                                int length, int back)                                             \
    {                                                                                             \
        int m = s.y, end = length / R * LINES;                                                    \
        for (int i = get_local_id(0); i < end; i += GROUP) {                                      \
            int n = i / LINES, span = (int)((n + 0.5f) * as_float(s.z)), j = n - span * m;        \
            int at = span * R * m + j;                                                            \
            float2 x[R];                                                                          \
            EACH(k, R) x[k] = work[AT(at + k * m)];                                               \
            if (back && m > 1) {                                                                  \
                EACH(k, R - 1) x[k + 1] = times(x[k + 1], twiddles[k * m + j], 1);                \
            }                                                                                     \
            TRANSFORM;                                                                            \
            if (!back && m > 1) {                                                                 \
                EACH(k, R - 1) x[k + 1] = times(x[k + 1], twiddles[k * m + j], 0);                \
            }                                                                                     \
            EACH(k, R) work[AT(at + k * m)] = x[k];                                               \
        }                                                                                         \
    }

STAGE(2, dft2(x, x + 1))
STAGE(3, dft3(x, back))
STAGE(4, dft4(x, x + 1, x + 2, x + 3, back))
STAGE(5, dft5(x, back))
STAGE(7, dft7(x, back))
STAGE(8, dft8(x, back))

#define CASE(R)                                       \
    case R:                                           \
        stage##R(work, twiddles, s, a.length, back);  \
        break;

// The lines in `work`, which other work-items may have written and may read.
static inline void transform(__local float2 *work, const __global float2 *twiddles,
                             const __global int4 *stages, struct gpu_axis a, int back)
{
    stages += a.first;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 0; n < a.stages; n++) {
        int4 s = stages[back ? a.stages - 1 - n : n];
        twiddles += s.w;
        switch (s.x) {
            CASE(2)
            CASE(3)
            CASE(4)
            CASE(5)
            CASE(7)
            CASE(8)
        }
        twiddles -= s.w;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#if LINES == 1

// ---- rows ------------------------------------------------------------------------------------

static inline float2 conjugate(float2 a) { return (float2)(a.x, -a.y); }

static inline float sample(const __global IN_T *row, int x, const __global struct blend *blends,
                           float outside, const struct frequency_gpu_sizes *z)
{
    if (x < z->width)
        return TO_FLOAT(row[x * CHANNELS]) - z->middle;
    struct blend b = blends[x - z->width];
    float first = b.first < 0 ? outside : TO_FLOAT(row[b.first * CHANNELS]) - z->middle;
    float second = b.second < 0 ? outside : TO_FLOAT(row[b.second * CHANNELS]) - z->middle;
    return first + b.weight * (second - first);
}

// Two samples of the periodic image's row y; -1: of the constant.
static inline float2 samples(const __global IN_T *in, int y, int x,
                             const __global struct blend *blends, float outside,
                             const struct frequency_gpu_sizes *z)
{
    if (y < 0)
        return (float2)(outside, outside);
    in += y * z->in_pitch;
    return (float2)(sample(in, x, blends, outside, z), sample(in, x + 1, blends, outside, z));
}

// blends: of the gap along x, then along y. places: where the stages leave each frequency.
// turns: w^k.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
rows_in(const __global IN_T *restrict in, __global float2 *restrict plane,
        const __global float2 *restrict twiddles, const __global int4 *restrict stages,
        const __global int *restrict places, const __global float2 *restrict turns,
        const __global struct blend *restrict blends, struct frequency_gpu_sizes z)
{
    __local float2 work[WORK];
    int id = get_local_id(0), half_x = z.x.length;
    int channel = (int)get_group_id(0) % CHANNELS, y = (int)get_group_id(0) / CHANNELS;
    float outside = z.outside[channel];
    struct blend b = {y, y, 0.0f};
    if (y >= z.height)
        b = blends[z.gap + y - z.height];
    in += z.in_origin + channel;
    for (int i = id; i < half_x; i += GROUP) {
        float2 v = samples(in, b.first, 2 * i, blends, outside, &z);
        if (b.weight != 0.0f)
            v += b.weight * (samples(in, b.second, 2 * i, blends, outside, &z) - v);
        work[AT(i)] = v;
    }
    transform(work, twiddles, stages, z.x, 0);
    plane += (long)get_group_id(0) * z.pitch;
    for (int k = id; k <= half_x / 2; k += GROUP) {
        float2 a = work[AT(places[k])], c = conjugate(work[AT(places[k ? half_x - k : 0])]);
        float2 even = a + c, odd = times(quarter(a - c, 0), turns[k], 0);
        plane[k] = even + odd;
        plane[half_x - k] = conjugate(even - odd);
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
rows_out(const __global float2 *restrict plane, __global OUT_T *restrict out,
         const __global float2 *restrict twiddles, const __global int4 *restrict stages,
         const __global int *restrict places, const __global float2 *restrict turns,
         struct frequency_gpu_sizes z)
{
    __local float2 work[WORK];
    int id = get_local_id(0), half_x = z.x.length;
    int channel = (int)get_group_id(0) % CHANNELS, y = (int)get_group_id(0) / CHANNELS;
    plane += (long)get_group_id(0) * z.pitch;
    for (int k = id; k <= half_x / 2; k += GROUP) {
        float2 a = plane[k], c = conjugate(plane[half_x - k]);
        float2 even = a + c, odd = quarter(times(a - c, turns[k], 1), 1);
        work[AT(places[k])] = even + odd;
        if (k)
            work[AT(places[half_x - k])] = conjugate(even - odd);
    }
    transform(work, twiddles, stages, z.x, 1);
    out += z.out_origin + y * z.out_pitch + channel;
    for (int i = id; 2 * i < z.width; i += GROUP) {
        float2 v = work[AT(i)] + z.mean;
        out[2 * i * CHANNELS] = finish_float(v.x);
        if (2 * i + 1 < z.width)
            out[(2 * i + 1) * CHANNELS] = finish_float(v.y);
    }
}

#else

// ---- columns ---------------------------------------------------------------------------------

// squares: for each row of the plane, then for each frequency of x, the squared distances from the
// origin or from the two centres of the notch.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
fill_gains(__global float *restrict gains, const __global long *restrict squares, int rows,
           int columns, int pitch, struct gain g)
{
    int x = get_global_id(0), y = get_group_id(1);
    const __global long *along_y = squares + 2 * y, *along_x = squares + 2 * (rows + x);
    float gain = g.norm;
    if (x >= columns)
        return;
    for (int c = 0; c <= g.notch; c++) {
        float pass = prototype(along_y[c] + along_x[c], g);
        gain *= g.reject ? 1.0f - pass : pass;
    }
    gains[(long)y * pitch + x] = gain;
}

// LINES columns of the plane, rows `step` apart.
static inline void load_tile(__local float2 *work, const __global float2 *plane, long step, int rows)
{
    for (int i = get_local_id(0); i < rows * LINES; i += GROUP)
        work[i] = plane[i / LINES * step + i % LINES];
}

static inline void columns(__local float2 *work, __global float2 *plane,
                           const __global float2 *twiddles, const __global int4 *stages,
                           const __global float2 *turns, const struct frequency_gpu_sizes *z, int back)
{
    long row = (long)z->pitch * CHANNELS, step = row * z->inner.length;
    int j = get_group_id(1), end = z->outer.length * LINES;
    plane += row * j + (long)get_group_id(0) * LINES;
    turns += j;
    if (back) {
        for (int i = get_local_id(0); i < end; i += GROUP)
            work[i] = times(plane[i / LINES * step + i % LINES],
                            turns[i / LINES * z->inner.length], 1);
    } else {
        load_tile(work, plane, step, z->outer.length);
    }
    transform(work, twiddles, stages, z->outer, back);
    for (int i = get_local_id(0); i < end; i += GROUP) {
        float2 v = work[i];
        if (!back)
            v = times(v, turns[i / LINES * z->inner.length], 0);
        plane[i / LINES * step + i % LINES] = v;
    }
}

// turns[b * inner + j]: exp(-2 pi i j f / ny), f the frequency that the outer stages leave at b.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
columns_in(__global float2 *restrict plane, const __global float2 *restrict twiddles,
           const __global int4 *restrict stages, const __global float2 *restrict turns,
           struct frequency_gpu_sizes z)
{
    __local float2 work[WORK];
    columns(work, plane, twiddles, stages, turns, &z, 0);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
columns_out(__global float2 *restrict plane, const __global float2 *restrict twiddles,
            const __global int4 *restrict stages, const __global float2 *restrict turns,
            struct frequency_gpu_sizes z)
{
    __local float2 work[WORK];
    columns(work, plane, twiddles, stages, turns, &z, 1);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
middle(__global float2 *restrict plane, const __global float *restrict gains,
       const __global float2 *restrict twiddles, const __global int4 *restrict stages,
       struct frequency_gpu_sizes z)
{
    __local float2 work[WORK];
    long row = (long)z.pitch * CHANNELS, first = (long)get_group_id(1) * z.inner.length;
    int x = (int)get_group_id(0) * LINES, end = z.inner.length * LINES;
    plane += row * first + x;
    gains += z.pitch * first + x % z.pitch;
    load_tile(work, plane, row, z.inner.length);
    transform(work, twiddles, stages, z.inner, 0);
    for (int i = get_local_id(0); i < end; i += GROUP)
        work[i] *= gains[i / LINES * (long)z.pitch + i % LINES];
    transform(work, twiddles, stages, z.inner, 1);
    for (int i = get_local_id(0); i < end; i += GROUP)
        plane[i / LINES * row + i % LINES] = work[i];
}

#endif
