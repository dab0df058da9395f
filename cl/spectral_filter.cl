// spectral_filter.cl - a whole image times a transfer function, for devices with wide vectors
//
// The image is made periodic, transformed along y, then along x, multiplied by a real gain, and
// transformed back, one channel after the other in the same plane. A work-item is a work-group; a vector
// has VEC neighbouring pixels of a row or VEC neighbouring frequencies of y. Samples are real, so only
// frequencies 0 .. ny / 2 of y are kept: two blocks of VEC columns are the real and the imaginary part
// of one complex block and are separated after the transform, since with Z = A + iB
//
//     2 A(k) = Z(k) + conj Z(-k)     2 B(k) = (Z(k) - conj Z(-k)) / i
//
//   FITS      fit the wave at both ends of each row, if it is continued beyond them
//   COLUMNS   load 2 VEC columns, extend them, forward along y, separate them, transpose to plane
//   ROWS      forward along x, times gains, back along x, in place
//   RESULT    transpose from plane, combine two blocks, back along y, epilogue, store
//
//   work      ny elements: one block of columns; then scratch of prime stages
//   plane     [bands][nx] elements; a band is VEC frequencies of y
//   gains     [bands][nx] vectors, in the scrambled order of x
//
// The image is read and written once for each channel, the plane three times in all: memory bandwidth
// limits the speed.

// Mirrored by struct imf_spectral_filter_sizes of solver/fft/args.h.
struct spectral_filter_sizes {
    long in_origin, in_pitch, out_origin, out_pitch; // samples
    float middle;     // subtracted from each input sample
    float mean;       // added to each output sample: middle * gain at frequency 0
    float outside[4]; // the constant beyond the edge, of each channel, less middle
    int width, height, channel;
    int bands;
    int work; // elements of a work-item: y.length, and scratch of prime stages
    int taps[2]; // samples at each end that a wave is fitted to
    struct fft_axis x, y;
};

// ---- gains -----------------------------------------------------------------------------------

// squares: for each frequency of y, in vectors, then for each position along x.
static void fill_gains(__global vfloat *gains, const __global long *squares, int band,
                       const struct spectral_filter_sizes *z, struct gain g)
{
    const __global long *along_x = squares + SQUARES * VEC * z->bands;
    const __global vlong *along_y = (const __global vlong *)squares + SQUARES * band;
    for (int i = 0; i < z->x.length; i++) {
        vlong square[SQUARES];
        for (int c = 0; c < SQUARES; c++)
            square[c] = along_y[c] + along_x[SQUARES * i + c];
        gains[(long)band * z->x.length + i] = gain_of(square, g) * g.norm;
    }
}

// ---- columns ---------------------------------------------------------------------------------

// Each step interleaves the first half of the vectors with the second; log2 VEC of them transpose.
static inline void transpose(vfloat *t)
{
    _Pragma("unroll") for (int step = 1; step < VEC; step *= 2)
    {
        vfloat z[VEC];
        _Pragma("unroll") for (int k = 0; k < VEC / 2; k++)
        {
            z[2 * k].even = t[k].lo;
            z[2 * k].odd = t[k + VEC / 2].lo;
            z[2 * k + 1].even = t[k].hi;
            z[2 * k + 1].odd = t[k + VEC / 2].hi;
        }
        _Pragma("unroll") for (int k = 0; k < VEC; k++)
            t[k] = z[k];
    }
}

// c and s at the end of a row and at its beginning.
static float4 fit_row(const __global IN_T *in, const __global float2 *taps,
                      const struct spectral_filter_sizes *z)
{
    float4 fit = 0.0f;
    for (int i = 0; i < z->taps[0]; i++) {
        fit.lo += (in[(z->width - 1 - i) * CHANNELS] - z->middle) * taps[i];
        fit.hi += (in[i * CHANNELS] - z->middle) * taps[i];
    }
    return fit;
}

// 2 VEC columns from pixel x on, some of them in the gap.
static void load_gap(__global vfloat *work, const __global IN_T *in, int x,
                     const __global struct blend *blends, const __global float4 *fits,
                     const struct spectral_filter_sizes *z)
{
    int first[2 * VEC], second[2 * VEC];
    float4 wave[2 * VEC];
    float weight[2 * VEC], outside = z->outside[z->channel];
    for (int l = 0; l < 2 * VEC; l++) {
        int at = min(x + l, z->x.length - 1);
        struct blend b = {at, at, 0.0f, {0.0f}};
        if (at >= z->width)
            b = blends[at - z->width];
        first[l] = b.first < 0 ? -1 : b.first * CHANNELS;
        second[l] = b.second < 0 ? -1 : b.second * CHANNELS;
        weight[l] = b.weight;
        wave[l] = vload4(0, b.wave);
    }
    for (int y = 0; y < z->height; y++, in += z->in_pitch) {
        __global float *to = (__global float *)ELEMENT(work, y);
        float4 fit = z->taps[0] ? fits[y] : 0.0f;
        for (int l = 0; l < 2 * VEC; l++) {
            float a = first[l] < 0 ? outside : in[first[l]] - z->middle;
            float b = second[l] < 0 ? outside : in[second[l]] - z->middle;
            to[l] = a + weight[l] * (b - a) + dot(wave[l], fit);
        }
    }
}

// 2 VEC columns of the periodic image.
static void load_columns(__global vfloat *work, const __global IN_T *in, int x,
                         const __global struct blend *blends, const __global float2 *taps,
                         const __global float4 *fits, const struct spectral_filter_sizes *z)
{
    in += z->in_origin + z->channel;
    if (x + 2 * VEC <= z->width) {
        const __global IN_T *from = in + x * CHANNELS;
        for (int y = 0; y < z->height; y++, from += z->in_pitch) {
            ELEMENT(work, y)[0] = TO_FLOAT(gather(from)) - z->middle;
            ELEMENT(work, y)[1] = TO_FLOAT(gather(from + VEC * CHANNELS)) - z->middle;
        }
    } else {
        load_gap(work, in, x, blends, fits, z);
    }
    blends += z->x.length - z->width;
    float outside = z->outside[z->channel];
    taps += z->taps[0];
    for (int part = 0; part < 2; part++) {
        vfloat fit[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        for (int i = 0; i < z->taps[1]; i++) {
            vfloat after = ELEMENT(work, z->height - 1 - i)[part], before = ELEMENT(work, i)[part];
            fit[0] += taps[i].x * after;
            fit[1] += taps[i].y * after;
            fit[2] += taps[i].x * before;
            fit[3] += taps[i].y * before;
        }
        for (int y = z->height; y < z->y.length; y++) {
            const __global struct blend *s = blends + y - z->height;
            vfloat a = s->first < 0 ? (vfloat)outside : ELEMENT(work, s->first)[part];
            vfloat b = s->second < 0 ? (vfloat)outside : ELEMENT(work, s->second)[part];
            vfloat more = s->wave[0] * fit[0] + s->wave[1] * fit[1] + s->wave[2] * fit[2];
            ELEMENT(work, y)[part] = a + s->weight * (b - a) + (more + s->wave[3] * fit[3]);
        }
    }
}

static void store_columns(const __global vfloat *work, __global OUT_T *out, int x,
                          const struct spectral_filter_sizes *z)
{
    bool both = x + VEC < z->width;
    out += z->out_origin + x * CHANNELS + z->channel;
    for (int y = 0; y < z->height; y++, out += z->out_pitch) {
        scatter(out, finish_float(ELEMENT(work, y)[0] + z->mean));
        if (both)
            scatter(out + VEC * CHANNELS, finish_float(ELEMENT(work, y)[1] + z->mean));
    }
}

// The positions of the 2 VEC columns from x on in a band of the plane; -1 after the last column.
static void find_columns(int *at, int x, const struct spectral_filter_sizes *z)
{
    for (int l = 0; l < 2 * VEC; l++, x++)
        at[l] = x < z->x.length ? x : -1;
}

// A transposed block between vectors and a band of the plane.
static inline void write_block(__global vfloat *band, const int *at, vfloat *re, vfloat *im)
{
    transpose(re);
    transpose(im);
    _Pragma("unroll") for (int l = 0; l < VEC; l++)
    {
        if (at[l] >= 0) {
            ELEMENT(band, at[l])[0] = re[l];
            ELEMENT(band, at[l])[1] = im[l];
        }
    }
}

static inline void read_block(const __global vfloat *band, const int *at, vfloat *re, vfloat *im)
{
    _Pragma("unroll") for (int l = 0; l < VEC; l++)
    {
        re[l] = ELEMENT(band, max(at[l], 0))[0];
        im[l] = ELEMENT(band, max(at[l], 0))[1];
    }
    transpose(re);
    transpose(im);
}

// order: where the transform leaves each frequency of y and its negative.
static void take_apart(const __global vfloat *work, __global vfloat *plane, int f,
                       const __global int *order, const struct spectral_filter_sizes *z)
{
    int at[2 * VEC];
    find_columns(at, f, z);
    for (int band = 0; band < z->bands; band++, plane += 2 * z->x.length) {
        vfloat ar[VEC], ai[VEC], br[VEC], bi[VEC];
        _Pragma("unroll") for (int l = 0; l < VEC; l++, order += 2)
        {
            const __global vfloat *p = ELEMENT(work, order[0]), *q = ELEMENT(work, order[1]);
            ar[l] = p[0] + q[0];
            ai[l] = p[1] - q[1];
            br[l] = p[1] + q[1];
            bi[l] = q[0] - p[0];
        }
        write_block(plane, at, ar, ai);
        write_block(plane, at + VEC, br, bi);
    }
}

static void put_together(__global vfloat *work, const __global vfloat *plane, int f,
                         const __global int *order, const struct spectral_filter_sizes *z)
{
    int at[2 * VEC];
    find_columns(at, f, z);
    for (int band = 0; band < z->bands; band++, plane += 2 * z->x.length) {
        vfloat ar[VEC], ai[VEC], br[VEC], bi[VEC];
        read_block(plane, at, ar, ai);
        read_block(plane, at + VEC, br, bi);
        for (int l = 0; l < VEC; l++, order += 2) {
            if (band * VEC + l > z->y.length / 2)
                break;
            __global vfloat *p = ELEMENT(work, order[0]), *q = ELEMENT(work, order[1]);
            p[0] = ar[l] - bi[l];
            p[1] = ai[l] + br[l];
            q[0] = ar[l] + bi[l];
            q[1] = br[l] - ai[l];
        }
    }
}

// ---- passes ----------------------------------------------------------------------------------

static void filter_row(__global vfloat *row, const __global vfloat *gains,
                       const __global float *twiddles, __global vfloat *spare,
                       const struct spectral_filter_sizes *z)
{
    FORWARD(row, &z->x, twiddles, spare);
    for (int i = 0; i < z->x.length; i++) {
        vfloat gain = gains[i];
        ELEMENT(row, i)[0] *= gain;
        ELEMENT(row, i)[1] *= gain;
    }
    INVERSE(row, &z->x, twiddles, spare);
}

#define GAINS 0
#define FITS 1
#define COLUMNS 2
#define ROWS 3
#define RESULT 4

// blends, taps: along x, then along y; taps: for c and s, of samples from the end of a line inwards.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
spectral_filter(const __global IN_T *restrict in, __global OUT_T *restrict out,
             __global vfloat *restrict plane, __global vfloat *restrict gains,
             __global vfloat *restrict scratch, const __global float *restrict twiddles,
             const __global int *restrict order, const __global struct blend *restrict blends,
             const __global float2 *restrict taps, __global float4 *restrict fits,
             const __global long *restrict squares, struct spectral_filter_sizes z, struct gain g,
             int phase)
{
    int group = get_group_id(0), groups = get_num_groups(0);
    __global vfloat *work = ELEMENT(scratch, (long)group * z.work);
    __global vfloat *spare = ELEMENT(work, z.y.length);
    int count = ((phase == COLUMNS ? z.x.length : z.width) - 1) / (2 * VEC) + 1;
    if (phase == GAINS || phase == ROWS)
        count = z.bands;
    if (phase == FITS)
        count = z.height;
    // A work-item takes neighbouring blocks of columns, which share cache lines.
    int end = (long)count * (group + 1) / groups;
    for (int i = (long)count * group / groups; i < end; i++) {
        if (phase == GAINS) {
            fill_gains(gains, squares, i, &z, g);
        } else if (phase == FITS) {
            fits[i] = fit_row(in + z.in_origin + z.in_pitch * i + z.channel, taps, &z);
        } else if (phase == COLUMNS) {
            load_columns(work, in, i * 2 * VEC, blends, taps, fits, &z);
            FORWARD(work, &z.y, twiddles, spare);
            take_apart(work, plane, i * 2 * VEC, order, &z);
        } else if (phase == ROWS) {
            filter_row(ELEMENT(plane, (long)i * z.x.length),
                       gains + (long)i * z.x.length, twiddles, spare, &z);
        } else {
            put_together(work, plane, i * 2 * VEC, order, &z);
            INVERSE(work, &z.y, twiddles, spare);
            store_columns(work, out, i * 2 * VEC, &z);
        }
    }
}
