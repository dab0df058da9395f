// spectral_filter_gpu.cl - a whole image times a transfer function, for GPUs
//
// The image is made periodic and transformed along x, along y, multiplied by a real gain, and
// transformed back. A group's elements lie in local memory; each kernel reads and writes the plane once:
//
//   rows_in      pixels of a row, two to a complex element, forward along x, separated   -> plane
//   columns_in   along y, elements `inner` apart: forward, times roots of ny             -> plane
//   middle       along y, neighbours: forward, times gains, back                         -> plane
//   columns_out  times roots, back along y, elements `inner` apart                       -> plane
//   rows_out     combined, back along x, epilogue                                        -> pixels
//
// plane: [y][channel][pitch], frequencies 0 to half = nx / 2 of x in order, as samples are real; along y
// frequencies, and gains, stay in the order in which the stages leave them.
//
// fft_gpu_planes.cl, which the library puts before this file, transforms the lines and says how.

#ifndef CHANNELS
#define CHANNELS 1 // samples of a pixel
#endif

// Mirrored by struct imf_spectral_filter_gpu_sizes of solver/fft/args.h.
struct spectral_filter_gpu_sizes {
    long in_origin, in_pitch, out_origin, out_pitch; // samples
    float middle;     // subtracted from each input sample
    float mean;       // added to each output sample: middle * gain at frequency 0
    float outside[4]; // the constant beyond the edge, of each channel, less middle
    int width, height;
    int gap; // of x, samples
    int pitch;
    int taps[2]; // samples at each end that a wave is fitted to
    struct gpu_axis x, outer, inner; // of half a row; of y
};

#if LINES == 1

// ---- rows ------------------------------------------------------------------------------------

// A sample of the gap: AFTER(i) and BEFORE(i) are the i-th samples from a line's end and its beginning,
// which are used only if their weights are not 0.
#define FIT(v, b, taps, count, AFTER, BEFORE)                              \
    do {                                                                   \
        float4 wave = vload4(0, (b).wave), fit = 0.0f;                     \
        for (int j = 0; j < (count) && (b).weight < 1.0f; j++)             \
            fit.lo += (taps)[j] * (AFTER(j));                              \
        for (int j = 0; j < (count) && (b).weight > 0.0f; j++)             \
            fit.hi += (taps)[j] * (BEFORE(j));                             \
        v += dot(wave, fit);                                               \
    } while (0)

// blends, taps: along x, then along y; taps: for c and s, of samples from the end of a line inwards.
// order: where the stages leave each frequency. roots: w^k.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
rows_in(const __global IN_T *restrict in, __global float2 *restrict plane,
        const __global float2 *restrict twiddles, const __global int4 *restrict stages,
        const __global int *restrict order, const __global float2 *restrict roots,
        const __global struct blend *restrict blends, const __global float2 *restrict taps,
        struct spectral_filter_gpu_sizes z)
{
    __local float2 work[WORK];
    int id = get_local_id(0), half_x = z.x.length;
    int channel = (int)get_group_id(0) % CHANNELS, y = (int)get_group_id(0) / CHANNELS;
    float outside = z.outside[channel];
    __local float *row = (__local float *)work;
    struct blend b = {y, y, 0.0f, {0.0f}};
    if (y >= z.height)
        b = blends[z.gap + y - z.height];
    in += z.in_origin + channel;
    for (int x = id; x < z.width; x += GROUP) {
        const __global IN_T *column = in + x * CHANNELS;
#define PIXEL(y) (TO_FLOAT(column[(y) * z.in_pitch]) - z.middle)
#define AFTER(j) PIXEL(z.height - 1 - (j))
        float first = b.first < 0 ? outside : PIXEL(b.first);
        float second = b.second < 0 ? outside : PIXEL(b.second);
        float v = first + b.weight * (second - first);
        if (y >= z.height)
            FIT(v, b, taps + z.taps[0], z.taps[1], AFTER, PIXEL);
#undef AFTER
#undef PIXEL
        row[SAMPLE(x)] = v;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int x = z.width + id; x < 2 * half_x; x += GROUP) {
        struct blend g = blends[x - z.width];
#define INSIDE(x) row[SAMPLE(x)]
#define AFTER(j) INSIDE(z.width - 1 - (j))
        float first = g.first < 0 ? outside : INSIDE(g.first);
        float second = g.second < 0 ? outside : INSIDE(g.second);
        float v = first + g.weight * (second - first);
        FIT(v, g, taps, z.taps[0], AFTER, INSIDE);
#undef AFTER
#undef INSIDE
        row[SAMPLE(x)] = v;
    }
    transform(work, twiddles, stages + z.x.first, z.x, 0);
    take_apart(work, plane + (long)get_group_id(0) * z.pitch, order, roots, half_x);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
rows_out(const __global float2 *restrict plane, __global OUT_T *restrict out,
         const __global float2 *restrict twiddles, const __global int4 *restrict stages,
         const __global int *restrict order, const __global float2 *restrict roots,
         struct spectral_filter_gpu_sizes z)
{
    __local float2 work[WORK];
    int id = get_local_id(0);
    int channel = (int)get_group_id(0) % CHANNELS, y = (int)get_group_id(0) / CHANNELS;
    put_together(work, plane + (long)get_group_id(0) * z.pitch, order, roots, z.x.length);
    transform(work, twiddles, stages + z.x.first, z.x, 1);
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

// A column's gains, `pitch` apart.
struct points {
    const __global float *gains;
    int pitch;
};

static inline float2 point(float2 z, int row, const struct points *p)
{
    return z * p->gains[(long)row * p->pitch];
}

// squares: for each row of the plane, then for each frequency of x.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
fill_gains(__global float *restrict gains, const __global long *restrict squares, int rows,
           int columns, int pitch, struct gain g)
{
    int x = get_global_id(0), y = get_group_id(1);
    const __global long *along_y = squares + SQUARES * y, *along_x = squares + SQUARES * (rows + x);
    vlong square[SQUARES];
    if (x >= columns)
        return;
    for (int c = 0; c < SQUARES; c++)
        square[c] = along_y[c] + along_x[c];
    gains[(long)y * pitch + x] = gain_of(square, g) * g.norm;
}

// roots[b * inner + j]: exp(-2 pi i j f / ny), f the frequency that the outer stages leave at b.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
columns_in(__global float2 *restrict plane, const __global float2 *restrict twiddles,
           const __global int4 *restrict stages, const __global float2 *restrict roots,
           struct spectral_filter_gpu_sizes z)
{
    __local float2 work[WORK];
    columns(work, plane, twiddles, stages, roots, (long)z.pitch * CHANNELS, z.outer, z.inner, 0);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
columns_out(__global float2 *restrict plane, const __global float2 *restrict twiddles,
            const __global int4 *restrict stages, const __global float2 *restrict roots,
            struct spectral_filter_gpu_sizes z)
{
    __local float2 work[WORK];
    columns(work, plane, twiddles, stages, roots, (long)z.pitch * CHANNELS, z.outer, z.inner, 1);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
middle(__global float2 *restrict plane, const __global float *restrict gains,
       const __global float2 *restrict twiddles, const __global int4 *restrict stages,
       struct spectral_filter_gpu_sizes z)
{
    __local float2 work[WORK];
    long first = (long)get_group_id(1) * z.inner.length;
    int x = (int)get_group_id(0) * LINES % z.pitch + (int)get_local_id(0) % LINES;
    struct points points = {gains + z.pitch * first + x, z.pitch};
    middle_columns(work, plane, twiddles, stages, (long)z.pitch * CHANNELS, z.inner, &points);
}

#endif
