// fft.cl - overlap-save convolution by mixed-radix transforms, for devices with wide vectors
//
// A work-item is a work-group: it takes pairs of tiles, one after the other, through a transform
// along y, a transform along x, the product with the kernel's spectrum and the way back. The two
// tiles of a pair are the real and the imaginary part of one complex plane: the kernel is real, so
// they do not mix. (SPLIT: a pair is one tile, in two parts. MAGNITUDE: it is one tile, real, and the
// kernel is complex: one transform gives the sums of both its kernels, as real and imaginary part.)
//
//   along y   a vector has VEC neighbouring pixels of a row, one channel
//   along x   a vector has VEC neighbouring frequencies of y; between the two, blocks of VEC x VEC are
//             transposed in registers
//
//   work   ny elements: one block of columns
//   plane  [ny / VEC][nx] elements: spectra along y; its rows are transformed in place
//
// One channel after the other: using a third of the memory gains more than loading whole pixels. Small
// tiles stay in cache, a plane for each work-item (PAIRS); the plane of a large tile is shared by all
// work-items, with a launch for each pass (COLUMNS, ROWS, RESULT).

#ifndef MAGNITUDE
#define MAGNITUDE 0 // of the sums of two kernels
#endif
#define TILES (2 - (SPLIT | MAGNITUDE)) // of a pair, one below the other

// Mirrored by struct imf_fft_sizes of solver/fft/args.h.
struct fft_sizes {
    long in_origin, in_pitch, out_origin, out_pitch; // samples
    long middle_sum[2]; // middle * sum of taps, of each kernel (EXACT)
    float middle;    // subtracted from each input sample, SPLIT: from each byte
    float error;     // the true sum is within this distance of the computed one (EXACT)
    float shift[2];  // middle * sum of taps, of each kernel (MAGNITUDE; else in the bias)
    int width, height;
    int tiles_x;               // tiles in a row of tiles
    int pairs;
    int last_row, last_column; // the last row and column of pixels that the input has
    struct fft_axis x, y;
};

// ---- tiles -----------------------------------------------------------------------------------

// Prefetch the cache line after p's, which one of the next blocks of columns will read (write): down a
// column each sample is on another page, which no hardware prefetches. (4 % of the whole on a Zen 3. In
// PoCL only: Oclgrind lacks the intrinsic.)
#ifdef POCL_DEVICE_ADDRESS_BITS
#define FETCH(p, write) __builtin_prefetch((const __global char *)(p) + 64, write, 2)
#else
#define FETCH(p, write)
#endif

// Samples after the surface's last column are undefined, in floats perhaps NaN, which a transform would
// spread, and other sums' last bits would depend on them: they are read as 0.
#define KNOWN(v) select((vfloat)0.0f, TO_FLOAT(v), known)

// VEC columns of a pair from pixel `column` on, the first tile's upper row at `row`.
NOT_INLINE static void load_columns(__global vfloat *work, const __global IN_T *in, int row, int column,
                         const struct fft_sizes *z)
{
    vint known;
    for (int l = 0; l < VEC; l++)
        ((int *)&known)[l] = column + l <= z->last_column ? -1 : 0;
    in += min(column, z->last_column) * CHANNELS;
    // Copies: the compiler must assume that stores change *z.
    int length = z->y.length;
    long pitch = z->in_pitch;
    float middle = z->middle;
    // Rows below those that the outputs need repeat the last: results do not depend on the band's end.
    int valid = z->y.valid, needed = valid + z->y.taps - 2;
    int last_a = min(row + needed, z->last_row);
#if TILES == 2
    int last_b = min(row + valid + needed, z->last_row);
#endif
    for (int y = 0; y < length; y++) {
        long a = min(row + y, last_a);
#if SPLIT
        vin v = gather(in + a * pitch);
        ELEMENT(work, y)[0] = KNOWN(v >> (IN_T)8) - middle;
        ELEMENT(work, y)[1] = KNOWN(v & (IN_T)255) - middle;
#elif MAGNITUDE
        FETCH(in + a * pitch, 0);
        ELEMENT(work, y)[0] = KNOWN(gather(in + a * pitch)) - middle;
        ELEMENT(work, y)[1] = 0.0f;
#else
        long b = min(row + y + valid, last_b);
        FETCH(in + b * pitch, 0);
        ELEMENT(work, y)[0] = KNOWN(gather(in + a * pitch)) - middle;
        ELEMENT(work, y)[1] = KNOWN(gather(in + b * pitch)) - middle;
#endif
    }
}

// VEC columns of the kernel from x on, reversed: a product of spectra is then a correlation.
static void load_taps(__global vfloat *work, const __global float *taps, int x,
                      const struct fft_sizes *z)
{
    __global float *to = (__global float *)work;
    for (int y = 0; y < z->y.length; y++, to += 2 * VEC) {
        int i = (z->y.length - y) % z->y.length;
        for (int l = 0; l < VEC; l++) {
            int j = (z->x.length - x - l) % z->x.length;
            bool inside = i < z->y.taps && j < z->x.taps;
            long at = (long)i * z->x.taps + j, other = (long)z->y.taps * z->x.taps;
            to[l] = inside ? taps[at] : 0.0f;
            to[VEC + l] = inside && MAGNITUDE ? taps[at + other] : 0.0f;
        }
    }
}

#if EXACT
typedef vint vint_any __attribute__((aligned(4)));

// One pixel's sum in integers, VEC taps of a row at once. spans holds the first and the end column
// of each row's nonzero taps, then the rows of taps, each with VEC zeros behind it; for a second
// kernel all that again.
static SUM_T sum_taps(const __global IN_T *in, const __global int *spans, const struct fft_sizes *z)
{
    const __global int *taps = spans + 2 * z->y.taps;
    vsum sums = 0;
    for (int i = 0; i < z->y.taps; i++, in += z->in_pitch, taps += z->x.taps + VEC) {
        for (int j = spans[2 * i]; j < spans[2 * i + 1]; j += VEC)
            sums += TO_SUM(gather(in + (long)j * CHANNELS)) *
                    TO(SUM_T)(*(const __global vint_any *)(taps + j));
    }
    SUM_T sum = 0;
    for (int l = 0; l < VEC; l++)
        sum += ((SUM_T *)&sums)[l];
    return sum;
}
#endif

// Whether any lane is not 0, in one instruction (any() is a chain of branches).
static inline bool some(vint v)
{
    long4 m = as_long4(v);
    return (m.s0 | m.s1 | m.s2 | m.s3) != 0;
}

// Pixels of one column block of one tile, from the parts of work at w on; v: the sums of one row,
// SPLIT: in two parts.
#if EXACT
static inline vsum whole(vfloat v, const struct fft_sizes *z)
{
    return TO(SUM_T)(TO(int)(v)) + (SUM_T)z->middle_sum[0];
}

#if MAGNITUDE
static inline vout nearest_pixels(const __global vfloat *v, const struct fft_sizes *z)
{
    return finish_magnitude_exact(TO(int)(rint(v[0])) + (int)z->middle_sum[0],
                                  TO(int)(rint(v[1])) + (int)z->middle_sum[1]);
}

static inline vout sum_pixel(const __global IN_T *in, const __global int *spans,
                             const struct fft_sizes *z)
{
    const __global int *other = spans + z->y.taps * (2 + z->x.taps + VEC);
    return finish_magnitude_exact((vint)(int)sum_taps(in, spans, z),
                                  (vint)(int)sum_taps(in, other, z));
}
#else
static inline vsum nearest(const __global vfloat *v, const struct fft_sizes *z)
{
#if SPLIT
    return TO(SUM_T)(TO(int)(rint(v[0]))) * 256 + whole(rint(v[1]), z);
#else
    return whole(rint(v[0]), z);
#endif
}

static inline vout nearest_pixels(const __global vfloat *v, const struct fft_sizes *z)
{
    return finish_exact(nearest(v, z));
}

static inline vout sum_pixel(const __global IN_T *in, const __global int *spans,
                             const struct fft_sizes *z)
{
    return finish_exact((vsum)sum_taps(in, spans, z));
}
#endif

// The true sum (SPLIT: of each part, MAGNITUDE: of each kernel) is an integer within `error` of v. The
// result is not 0 where there is no such integer, or several that do not give the same pixel.
static inline vint doubt(const __global vfloat *v, const struct fft_sizes *z)
{
#if SPLIT || MAGNITUDE
    return fabs(v[0] - rint(v[0])) > z->error | fabs(v[1] - rint(v[1])) > z->error;
#elif DOUBT
    vsum low = whole(ceil(v[0] - z->error), z), high = whole(floor(v[0] + z->error), z);
    vint differ = TO(int)(finish_exact(low) != finish_exact(high)) | TO(int)(low > high);
#if E_ABS
    differ |= TO(int)((low * X_SIGN + X_ADD < 0) != (high * X_SIGN + X_ADD < 0));
#endif
    return differ;
#else
    return fabs(v[0] - rint(v[0])) > z->error;
#endif
}

// Store the pixels of VEC sums; doubtful ones are summed again.
NOT_INLINE static void store_again(const __global vfloat *v, __global OUT_T *out,
                                   const __global IN_T *in, const __global int *spans,
                                   const struct fft_sizes *z)
{
    vint again = doubt(v, z);
    scatter(out, nearest_pixels(v, z));
    for (int l = 0; l < VEC; l++) {
        if (((int *)&again)[l]) {
            vout pixel = sum_pixel(in + l * CHANNELS, spans, z);
            out[l * CHANNELS] = ((OUT_T *)&pixel)[0];
        }
    }
}

#endif

#if EXACT
// Store the pixels that a float decides without a branch; then, rarely, the others.
NOT_INLINE static void store_sums(const __global vfloat *w, int rows, __global OUT_T *out,
                       const __global IN_T *in, const __global int *spans,
                       const struct fft_sizes *z)
{
    long in_pitch = z->in_pitch, out_pitch = z->out_pitch;
    for (int y = 0; y < rows; y++, w += 2, out += out_pitch, in += in_pitch) {
        FETCH(out, 1);
#if NEAR_TIE
        // rounded by 1.5 * 2^23, as in saturate_float
        vfloat f = clamp(w[0] * E_MUL + NEAR_ADD, 0.0f, (float)OUT_MAX), near = f + 12582912.0f;
        scatter(out, TO(OUT_T)(AS(int)(near) & 0xffff));
        vint again = fabs(f - (near - 12582912.0f)) > NEAR_WINDOW;
#else
        vint again = doubt(w, z);
        scatter(out, nearest_pixels(w, z));
#endif
        if (some(again))
            store_again(w, out, in, spans, z);
    }
}
#else
NOT_INLINE static void store_sums(const __global vfloat *w, int rows, __global OUT_T *out,
                       const __global IN_T *in, const __global int *spans,
                       const struct fft_sizes *z)
{
    long pitch = z->out_pitch;
    for (int y = 0; y < rows; y++, out += pitch) {
        FETCH(out, 1);
#if MAGNITUDE
        scatter(out, finish_magnitude(w[2 * y] + z->shift[0], w[2 * y + 1] + z->shift[1]));
#else
        scatter(out, finish_float(w[2 * y]));
#endif
    }
}
#endif

// The three passes over a pair of tiles; this work-item takes blocks first, first + step, ... in and
// out point at this channel's sample of pixel (0, 0).
static void pair_columns(__global vfloat *work, __global vfloat *plane, const __global IN_T *in,
                         const __global float *twiddles, int pair, int first, int step,
                         const struct fft_sizes *z)
{
    int row = pair / z->tiles_x * TILES * z->y.valid - z->y.origin;
    int column = pair % z->tiles_x * z->x.valid - z->x.origin;
    for (int x = first * VEC; x < z->x.length; x += step * VEC) {
        load_columns(work, in, row, column + x, z);
        forward(work, &z->y, z->y.stages, twiddles);
        exchange(work, ELEMENT(plane, x), z->x.length, z->y.length, false);
    }
}

static void pair_rows(__global vfloat *plane, const __global vfloat *spectrum,
                      const __global float *twiddles, int first, int step,
                      const struct fft_sizes *z)
{
    for (int row = first; row < z->y.length / VEC; row += step) {
        long at = (long)row * z->x.length;
        convolve(ELEMENT(plane, at), ELEMENT(spectrum, at), &z->x, twiddles);
    }
}

static void pair_result(__global vfloat *work, __global vfloat *plane, __global OUT_T *out,
                        const __global IN_T *in, const __global float *twiddles,
                        const __global int *spans, int pair, int first, int step,
                        const struct fft_sizes *z)
{
    int row = pair / z->tiles_x * TILES * z->y.valid, column = pair % z->tiles_x * z->x.valid;
    int end = min(z->x.valid, z->width - column);
    for (int block = first; block * VEC < end; block += step) {
        // The last block of a tile must not write over the next tile.
        int x = column + end < z->width ? min(block * VEC, end - VEC) : block * VEC;
        exchange(work, ELEMENT(plane, x), z->x.length, z->y.length, true);
        inverse(work, &z->y, z->y.stages, twiddles);
        x += column;
        for (int part = 0; part < TILES; part++) {
            int top = row + part * z->y.valid;
            __global OUT_T *to = out + (long)x * CHANNELS + top * z->out_pitch;
            const __global IN_T *corner = in + ((long)x - z->x.origin) * CHANNELS +
                                          (top - z->y.origin) * z->in_pitch;
            store_sums(work + part, min(z->y.valid, z->height - top), to, corner, spans, z);
        }
    }
}

#define PAIRS 0     // an idle work-item takes the next pair, by counter, into its own plane
#define COLUMNS 1   // all work-items together do one pass of one channel of one pair
#define ROWS 2
#define RESULT 3
#define TAPS 4      // columns of the kernel's taps, which spans holds as floats, into spectrum
#define TAPS_ROWS 5 // its rows

// One phase, by work-item `group` of `groups`.
NOT_INLINE static void run(const __global IN_T *in, __global OUT_T *out, __global vfloat *spectrum,
                           const __global float *twiddles, const __global int *spans,
                           __global vfloat *scratch, volatile __global int *counter,
                           const struct fft_sizes *z, int phase, int pair, int channel, int group,
                           int groups)
{
    __global vfloat *work = ELEMENT(scratch, (long)group * z->y.length);
    __global vfloat *planes = ELEMENT(scratch, (long)groups * z->y.length);
    long plane_size = (long)z->y.length / VEC * z->x.length;
    if (phase == TAPS) {
        for (int x = group * VEC; x < z->x.length; x += groups * VEC) {
            load_taps(work, (const __global float *)spans, x, z);
            forward(work, &z->y, z->y.stages, twiddles);
            exchange(work, ELEMENT(spectrum, x), z->x.length, z->y.length, false);
        }
    } else if (phase == TAPS_ROWS) {
        for (int row = group; row < z->y.length / VEC; row += groups)
            forward(ELEMENT(spectrum, (long)row * z->x.length), &z->x, z->x.stages, twiddles);
    } else {
        bool alone = phase == PAIRS;
        __global vfloat *plane = alone ? ELEMENT(planes, group * plane_size) : planes;
        int first = alone ? 0 : group, step = alone ? 1 : groups;
        if (alone)
            pair = atomic_inc(counter);
        while (pair < z->pairs) {
            for (int c = channel; c < (alone ? CHANNELS : channel + 1); c++) {
                const __global IN_T *from = in + z->in_origin + c;
                __global OUT_T *to = out + z->out_origin + c;
                if (alone || phase == COLUMNS)
                    pair_columns(work, plane, from, twiddles, pair, first, step, z);
                if (alone || phase == ROWS)
                    pair_rows(plane, spectrum, twiddles, first, step, z);
                if (alone || phase == RESULT)
                    pair_result(work, plane, to, from, twiddles, spans, pair, first, step, z);
            }
            pair = alone ? atomic_inc(counter) : z->pairs;
        }
    }
}

// PoCL makes three copies of a kernel's body for each local size, but not of functions.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fft(const __global IN_T *restrict in, __global OUT_T *restrict out,
    __global vfloat *restrict spectrum, const __global float *restrict twiddles,
    const __global int *restrict spans, __global vfloat *restrict scratch,
    volatile __global int *counter, struct fft_sizes z, int phase, int pair,
    int channel)
{
    run(in, out, spectrum, twiddles, spans, scratch, counter, &z, phase, pair, channel,
        get_group_id(0), get_num_groups(0));
}
