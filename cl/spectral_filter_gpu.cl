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
// plane: [y][channel][pitch], frequencies 0 to half = nx / 2 of x in order, as samples are real. With
// Z the transform of a row's nx / 2 elements, z(m) = x(2 m) + i x(2 m + 1), and w = exp(-2 pi i / nx):
//
//     2 E(k) = Z(k) + conj Z(half - k)       2 X(k)        = 2 E(k) + w^k 2 O(k)
//     2 O(k) = (Z(k) - conj Z(half - k)) / i 2 X(half - k) = conj(2 E(k) - w^k 2 O(k))
//
// Columns are too long for local memory, so ny = outer * inner (Bailey's four steps without the
// transposition): row j + inner a becomes row j + inner b, then b inner + p. A group takes LINES
// neighbouring columns, whole cache lines. Along y frequencies, and gains, stay in the order in which
// the stages leave them.

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
#ifndef RADICES
#define RADICES 0x107fe // that stages have, as a set of bits; 1: a length of 1
#endif

// A line's stages. Mirrored by struct imf_spectral_filter_gpu_axis of solver/fft/args.h.
struct gpu_axis {
    int length, stages;
    int first; // of the table of stages
};

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

// ---- lines in local memory -------------------------------------------------------------------

// Rows have a gap after 16 elements and another after 256, so that elements a power of two apart are in
// different banks.
#if LINES == 1
#define AT(p) ((p) + ((p) >> 4) + ((p) >> 8))
#else
#define AT(p) ((p) * LINES + (int)get_local_id(0) % LINES)
#endif

// The plane's rows, `step` apart, that a column's first stage reads and its last stage writes; roots: of
// unity, by which they are multiplied there.
struct ends {
    __global float2 *plane;
    const __global float2 *roots;
    long step;
    int roots_step;
    bool first, last;
};

// A stage over spans of R * m elements: s is R, m, 1 / m as a float. It is decimation in
// frequency: butterflies, then twiddles[(k - 1) m + j] = exp(-2 pi i j k / (R m)); back, the reverse.
#define STAGE(R, TRANSFORM)                                                                       \
    static inline void stage##R(__local float2 *work, const __global float2 *twiddles, int4 s,    \
                                int length, int back, struct ends e)                              \
    {                                                                                             \
        int m = s.y, end = length / R * LINES;                                                    \
        for (int i = get_local_id(0); i < end; i += GROUP) {                                      \
            int n = i / LINES, span = (int)((n + 0.5f) * as_float(s.z)), j = n - span * m;        \
            int at = span * R * m + j;                                                            \
            float2 x[R];                                                                          \
            if (e.first) {                                                                        \
                EACH(k, R) x[k] = e.plane[(at + k * m) * e.step];                                 \
                if (back) {                                                                       \
                    EACH(k, R) x[k] = times(x[k], e.roots[(at + k * m) * e.roots_step], 1);       \
                }                                                                                 \
            } else {                                                                              \
                EACH(k, R) x[k] = work[AT(at + k * m)];                                           \
            }                                                                                     \
            if (back && m > 1) {                                                                  \
                EACH(k, R - 1) x[k + 1] = times(x[k + 1], twiddles[k * m + j], 1);                \
            }                                                                                     \
            TRANSFORM;                                                                            \
            if (!back && m > 1) {                                                                 \
                EACH(k, R - 1) x[k + 1] = times(x[k + 1], twiddles[k * m + j], 0);                \
            }                                                                                     \
            if (e.last) {                                                                         \
                if (!back) {                                                                      \
                    EACH(k, R) x[k] = times(x[k], e.roots[(at + k * m) * e.roots_step], 0);       \
                }                                                                                 \
                EACH(k, R) e.plane[(at + k * m) * e.step] = x[k];                                 \
            } else {                                                                              \
                EACH(k, R) work[AT(at + k * m)] = x[k];                                           \
            }                                                                                     \
        }                                                                                         \
    }

STAGE(2, dft2(x, x + 1))
STAGE(3, dft3(x, back))
STAGE(4, dft4(x, x + 1, x + 2, x + 3, back))
STAGE(5, dft5(x, back))
STAGE(6, dft_2_3(x, back))
STAGE(7, dft7(x, back))
STAGE(8, dft8(x, back))
STAGE(9, dft9(x, back))
STAGE(10, dft_2_5(x, back))
STAGE(16, dft16(x, back))

#define EVERY_RADIX CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(16)

static inline void stage(__local float2 *work, const __global float2 *twiddles, int4 s, int length,
                         int back, struct ends e)
{
    twiddles += s.w;
    switch (s.x) {
#define CASE(R)                                            \
    case R:                                                \
        if (RADICES >> R & 1)                              \
            stage##R(work, twiddles, s, length, back, e);  \
        break;
        EVERY_RADIX
#undef CASE
    }
}

#if LINES == 1

// ---- rows ------------------------------------------------------------------------------------

// Transform a row in `work`, with barriers before and after.
static inline void transform(__local float2 *work, const __global float2 *twiddles,
                             const __global int4 *stages, struct gpu_axis a, int back)
{
    struct ends none = {0, 0, 0, 0, false, false};
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 0; n < a.stages; n++) {
        stage(work, twiddles, stages[back ? a.stages - 1 - n : n], a.length, back, none);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

static inline float2 conjugate(float2 a) { return (float2)(a.x, -a.y); }

// The position of a sample of the row in `work`.
#define SAMPLE(x) (2 * AT((x) >> 1) + ((x) & 1))

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
    plane += (long)get_group_id(0) * z.pitch;
    for (int k = id; k <= half_x / 2; k += GROUP) {
        float2 a = work[AT(order[k])], c = conjugate(work[AT(order[k ? half_x - k : 0])]);
        float2 even = a + c, odd = times(quarter(a - c, 0), roots[k], 0);
        plane[k] = even + odd;
        plane[half_x - k] = conjugate(even - odd);
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
rows_out(const __global float2 *restrict plane, __global OUT_T *restrict out,
         const __global float2 *restrict twiddles, const __global int4 *restrict stages,
         const __global int *restrict order, const __global float2 *restrict roots,
         struct spectral_filter_gpu_sizes z)
{
    __local float2 work[WORK];
    int id = get_local_id(0), half_x = z.x.length;
    int channel = (int)get_group_id(0) % CHANNELS, y = (int)get_group_id(0) / CHANNELS;
    plane += (long)get_group_id(0) * z.pitch;
    for (int k = id; k <= half_x / 2; k += GROUP) {
        float2 a = plane[k], c = conjugate(plane[half_x - k]);
        float2 even = a + c, odd = quarter(times(a - c, roots[k], 1), 1);
        work[AT(order[k])] = even + odd;
        if (k)
            work[AT(order[half_x - k])] = conjugate(even - odd);
    }
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

// Elements are read and written in place, by different work-items.
#define FENCES (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

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

static inline void columns(__local float2 *work, __global float2 *plane,
                           const __global float2 *twiddles, const __global int4 *stages,
                           const __global float2 *roots, const struct spectral_filter_gpu_sizes *z, int back)
{
    long row = (long)z->pitch * CHANNELS;
    int j = get_group_id(1), inner = z->inner.length, count = z->outer.stages;
    plane += row * j + (int)get_group_id(0) * LINES + (int)get_local_id(0) % LINES;
    stages += z->outer.first;
    for (int n = 0; n < count; n++) {
        struct ends e = {plane, roots + j, row * inner, inner, n == 0, n == count - 1};
        stage(work, twiddles, stages[back ? count - 1 - n : n], z->outer.length, back, e);
        barrier(FENCES);
    }
}

// roots[b * inner + j]: exp(-2 pi i j f / ny), f the frequency that the outer stages leave at b.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
columns_in(__global float2 *restrict plane, const __global float2 *restrict twiddles,
           const __global int4 *restrict stages, const __global float2 *restrict roots,
           struct spectral_filter_gpu_sizes z)
{
    __local float2 work[WORK];
    columns(work, plane, twiddles, stages, roots, &z, 0);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
columns_out(__global float2 *restrict plane, const __global float2 *restrict twiddles,
            const __global int4 *restrict stages, const __global float2 *restrict roots,
            struct spectral_filter_gpu_sizes z)
{
    __local float2 work[WORK];
    columns(work, plane, twiddles, stages, roots, &z, 1);
}

// The last stage forward, times gains, and the first one back.
#define MIDDLE(R, FORWARD, BACK)                                                                  \
    static inline void middle##R(__local float2 *work, const __global float *gains, int pitch,    \
                                 int length, struct ends e)                                       \
    {                                                                                             \
        for (int i = get_local_id(0); i < length / R * LINES; i += GROUP) {                       \
            int at = i / LINES * R;                                                               \
            float2 x[R];                                                                          \
            EACH(k, R) x[k] = e.first ? e.plane[(at + k) * e.step] : work[AT(at + k)];            \
            FORWARD;                                                                              \
            EACH(k, R) x[k] *= gains[(long)(at + k) * pitch];                                     \
            BACK;                                                                                 \
            EACH(k, R)                                                                            \
            {                                                                                     \
                if (e.last)                                                                       \
                    e.plane[(at + k) * e.step] = x[k];                                            \
                else                                                                              \
                    work[AT(at + k)] = x[k];                                                      \
            }                                                                                     \
        }                                                                                         \
    }

MIDDLE(1, , )
MIDDLE(2, dft2(x, x + 1), dft2(x, x + 1))
MIDDLE(3, dft3(x, 0), dft3(x, 1))
MIDDLE(4, dft4(x, x + 1, x + 2, x + 3, 0), dft4(x, x + 1, x + 2, x + 3, 1))
MIDDLE(5, dft5(x, 0), dft5(x, 1))
MIDDLE(6, dft_2_3(x, 0), dft_2_3(x, 1))
MIDDLE(7, dft7(x, 0), dft7(x, 1))
MIDDLE(8, dft8(x, 0), dft8(x, 1))
MIDDLE(9, dft9(x, 0), dft9(x, 1))
MIDDLE(10, dft_2_5(x, 0), dft_2_5(x, 1))
MIDDLE(16, dft16(x, 0), dft16(x, 1))

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
middle(__global float2 *restrict plane, const __global float *restrict gains,
       const __global float2 *restrict twiddles, const __global int4 *restrict stages,
       struct spectral_filter_gpu_sizes z)
{
    __local float2 work[WORK];
    int length = z.inner.length, last = z.inner.stages - 1;
    long row = (long)z.pitch * CHANNELS, first = (long)get_group_id(1) * length;
    int x = (int)get_group_id(0) * LINES, column = (int)get_local_id(0) % LINES;
    struct ends e = {plane + row * first + x + column, 0, row, 0, true, false};
    gains += z.pitch * first + x % z.pitch + column;
    stages += z.inner.first;
    for (int n = 0; n < last; n++) {
        stage(work, twiddles, stages[n], length, 0, e);
        e.first = false;
        barrier(FENCES);
    }
    e.last = last <= 0;
    switch (last < 0 ? 1 : stages[last].x) {
#define CASE(R)                                          \
    case R:                                              \
        if (RADICES >> R & 1)                            \
            middle##R(work, gains, z.pitch, length, e);  \
        break;
        CASE(1)
        EVERY_RADIX
#undef CASE
    }
    e.first = false;
    for (int n = last - 1; n >= 0; n--) {
        barrier(FENCES);
        e.last = n == 0;
        stage(work, twiddles, stages[n], length, 1, e);
    }
}

#endif
