// deblur_gpu.cl - planes times spectra, for GPUs: undoing a blur
//
// A plane of nx x ny floats is transformed, each of its frequencies changed by one of the operators below, and
// transformed back. Each kernel reads and writes it once:
//
//   rows_in      a row, forward along x, separated                               -> spectrum
//   columns_in   along y, elements `inner` apart: forward, times roots of ny     -> spectrum
//   middle       along y, neighbours: forward, the operator, back                -> spectrum
//   columns_out  times roots, back along y, elements `inner` apart               -> spectrum
//   rows_out     combined, back along x                                          -> plane
//
// spectrum, and the blur's K and the data of the same shape: [y][pitch], frequencies 0 to nx / 2 of x in
// order, those of y as the stages leave them. fft_gpu_planes.cl, which the library puts before this
// file, transforms the lines and says how.

// Mirrored by struct imf_deblur_gpu_sizes of solver/restore/device.h.
struct deblur_gpu_sizes {
    int nx, ny, pitch;
    struct gpu_axis x, outer, inner; // of half a row; of y
};

#if LINES == 1

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
rows_in(const __global float2 *restrict in, __global float2 *restrict spectrum,
        const __global float2 *restrict twiddles, const __global int4 *restrict stages,
        const __global int *restrict order, const __global float2 *restrict roots,
        struct deblur_gpu_sizes z)
{
    __local float2 work[WORK];
    long y = get_group_id(0);
    for (int i = get_local_id(0); i < z.x.length; i += GROUP)
        work[AT(i)] = in[y * z.x.length + i];
    transform(work, twiddles, stages + z.x.first, z.x, 0);
    take_apart(work, spectrum + y * z.pitch, order, roots, z.x.length);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
rows_out(const __global float2 *restrict spectrum, __global float2 *restrict out,
         const __global float2 *restrict twiddles, const __global int4 *restrict stages,
         const __global int *restrict order, const __global float2 *restrict roots,
         struct deblur_gpu_sizes z)
{
    __local float2 work[WORK];
    long y = get_group_id(0);
    put_together(work, spectrum + y * z.pitch, order, roots, z.x.length);
    transform(work, twiddles, stages + z.x.first, z.x, 1);
    for (int i = get_local_id(0); i < z.x.length; i += GROUP)
        out[y * z.x.length + i] = work[AT(i)];
}

#else

// Operators, enum imf_operator of solver/restore/field.h. Spectra are twice as large as they should
// be; `scale` has that in it.
#define KEEP 0      // K: this is the blur
#define LEAVE 1     // times R / (|K|^2 + R): 1 - G
#define RESTORE 2   // times conj K / (|K|^2 + R)
#define START 3     // the same; and conj K times the points are kept as data
#define SOLVE 4     // (data + weight points) / (|K|^2 + weight |grad|^2)
#define BLUR 5      // times K
#define CORRELATE 6 // times conj K

// From this work-item's column in the group's first row on; of |grad|^2 the part along x.
struct points {
    __global float2 *blur, *data;
    const __global float *penalty, *gain_y;
    float gain_x, weight, scale;
    int op, pitch;
};

static inline float2 point(float2 z, int row, const struct points *p)
{
    long at = (long)row * p->pitch;
    if (p->op == KEEP) {
        p->blur[at] = 0.5f * z;
        return z;
    }
    float2 k = p->blur[at];
    float power = k.x * k.x + k.y * k.y;
    switch (p->op) {
    case LEAVE: {
        float r = p->penalty[at];
        return z * (p->scale * r / (power + r));
    }
    case RESTORE:
        return times(z, k, 1) * (p->scale / (power + p->penalty[at]));
    case START:
        z = times(z, k, 1);
        p->data[at] = z;
        return z * (p->scale / (power + p->penalty[at]));
    case SOLVE: {
        float gradient = p->gain_x + p->weight * p->gain_y[row];
        return (p->data[at] + p->weight * z) * (p->scale / (power + gradient));
    }
    default:
        return times(z, k, p->op == CORRELATE) * p->scale;
    }
}

// R = ratio f^slope. squares: of the frequency, of each row and of each column.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
fill_penalty(__global float *restrict penalty, const __global float *restrict squares, float ratio,
             float slope, float least, struct deblur_gpu_sizes z)
{
    int x = get_global_id(0), y = get_group_id(1);
    if (x < z.pitch)
        penalty[(long)y * z.pitch + x] =
            ratio * exp(log(fmax(squares[y] + squares[z.ny + x], least)) * (0.5f * slope));
}

// roots[b * inner + j]: exp(-2 pi i j f / ny), f the frequency that the outer stages leave at b.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
columns_in(__global float2 *restrict spectrum, const __global float2 *restrict twiddles,
           const __global int4 *restrict stages, const __global float2 *restrict roots,
           struct deblur_gpu_sizes z)
{
    __local float2 work[WORK];
    columns(work, spectrum, twiddles, stages, roots, z.pitch, z.outer, z.inner, 0);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
columns_out(__global float2 *restrict spectrum, const __global float2 *restrict twiddles,
            const __global int4 *restrict stages, const __global float2 *restrict roots,
            struct deblur_gpu_sizes z)
{
    __local float2 work[WORK];
    columns(work, spectrum, twiddles, stages, roots, z.pitch, z.outer, z.inner, 1);
}

// gains: |grad|^2 of each row and of each column.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
middle(__global float2 *restrict spectrum, __global float2 *restrict blur,
       __global float2 *restrict data, const __global float *restrict penalty,
       const __global float *restrict gains, const __global float2 *restrict twiddles,
       const __global int4 *restrict stages, int op, float weight, float scale,
       struct deblur_gpu_sizes z)
{
    __local float2 work[WORK];
    int first = (int)get_group_id(1) * z.inner.length;
    int x = (int)get_group_id(0) * LINES + (int)get_local_id(0) % LINES;
    long at = (long)first * z.pitch + x;
    struct points points = {blur + at,
                            data + at,
                            penalty + at,
                            gains + first,
                            weight * gains[z.ny + x],
                            weight,
                            scale,
                            op,
                            z.pitch};
    middle_columns(work, spectrum, twiddles, stages, z.pitch, z.inner, &points);
}

#endif
