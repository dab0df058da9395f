// fft_gpu.cl - overlap-save convolution by power-of-two transforms, for GPUs
//
// Three kernels, each with one write and one read of complex floats between them:
//
//   columns  pixels -> transform along y                                 -> spectra[pair][ky][c][x]
//   rows     along x: transform, times the kernel's spectrum, and back   -> spectra, only real x
//   pixels   back along y, epilogue                                      -> pixels
//
// Tiles overlap along y in the first kernel and along x in the second, so columns are transformed
// once however many tiles lie side by side. The two tiles of a pair, one below the other, are the
// real and the imaginary part of one complex plane: the kernel is real, so they do not mix. (SPLIT: a
// pair is one tile, in two parts.)
//
// fft_gpu_lines.cl, which the library puts before this file, transforms the lines.
//
// Exact problems: pixels that the float result does not decide are listed, and `again` sums them tap by
// tap, a work-group for each.

#ifndef CHANNELS
#define CHANNELS 1 // samples of a pixel
#endif
#ifndef TAPS_T
#define TAPS_T char4 // EXACT: four taps: char4 where they fit, or int4
#endif
#define TILES (2 - SPLIT) // of a pair, one below the other

// Mirrored by struct imf_fft_gpu_sizes of solver/fft/args.h.
struct fft_gpu_sizes {
    long in_start; // the first tap of pixel (0, 0)
    long out_start;  // pixel (0, 0)
    long middle_sum; // middle * sum of taps
    float middle;    // subtracted from each input sample, SPLIT: from each byte
    float error;     // the true sum is within this distance of the computed one (EXACT)
    int in_pitch, out_pitch; // samples
    int width, height;
    int columns, last_row;      // pixels of a row with margins; the last row with margins
    int pitch_in, pitch_out;    // of the spectra, before and after `rows`
    int rows_length;            // elements of a line along x
    int tiles_x, valid_x, valid_y;
    int taps_w, taps_h;
    int pair;     // the first one of this launch
    int lines;    // along x, in this launch
    int capacity; // of the list of doubtful pixels
};

#if ROWS

// ---- along x ---------------------------------------------------------------------------------

// spectrum: its lines ky, each in the order of the last stage.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
rows(const __global float2 *restrict in, __global float2 *restrict out,
     const __global float2 *restrict spectrum, const __global float2 *restrict twiddles,
     struct fft_gpu_sizes z, int length_y)
{
    __local float2 work[WORK];
    int t = ITEM, line = LINE;
    int index = min((int)get_group_id(0) * LINES + line, z.lines - 1);
    int tile = index % z.tiles_x, row = index / z.tiles_x; // row: of (pair, ky, channel)
    int ky = row / CHANNELS % length_y;
    int column = tile * z.valid_x;
    in += (long)row * z.pitch_in + column;
    out += (long)row * z.pitch_out + column;
    spectrum += ky * N;
    float2 x[16];
    EACH(e, 16) x[e] = t + T * e < z.columns - column ? in[t + T * e] : (float2)(0.0f, 0.0f);
    forward(x, work, twiddles, t, line);
    EACH(e, 16) x[e] = times(x[e], spectrum[e * T + t], 0);
    inverse(x, work, twiddles, t, line);
    int valid = min(z.valid_x, z.width - column);
    if ((int)get_group_id(0) * LINES + line < z.lines) {
        EACH(e, 16)
        {
            if (t + T * e < valid)
                out[t + T * e] = x[e];
        }
    }
}

// Transform the kernel's spectrum along y to its whole spectrum, in place.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
taps_rows(__global float2 *restrict spectrum, const __global float2 *restrict twiddles, int lines)
{
    __local float2 work[WORK];
    int t = ITEM, line = LINE, row = (int)get_group_id(0) * LINES + line;
    spectrum += min(row, lines - 1) * N;
    float2 x[16];
    EACH(e, 16) x[e] = spectrum[t + T * e];
    forward(x, work, twiddles, t, line);
    if (row < lines) {
        EACH(e, 16) spectrum[e * T + t] = x[e];
    }
}

#else

// ---- along y ---------------------------------------------------------------------------------

// v - middle. An integer in the low bits of 2^23 is a float: that avoids the slow conversion.
static inline float centred(IN_T v, float middle)
{
#if IN == 32
    return v - middle;
#else
    return as_float(0x4b000000 | v) - (8388608.0f + middle);
#endif
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
columns(const __global IN_T *restrict in, __global float2 *restrict out,
        const __global float2 *restrict twiddles, struct fft_gpu_sizes z)
{
    __local float2 work[WORK];
    int t = ITEM, line = LINE;
    int channel = (int)get_group_id(0) % CHANNELS;
    int column = (int)get_group_id(0) / CHANNELS * LINES + line;
    int pair = get_group_id(1);
    int top = (z.pair + pair) * TILES * z.valid_y + t;
    in += z.in_start + (long)min(column, z.columns - 1) * CHANNELS + channel;
    float2 x[16];
    EACH(e, 16)
    {
        int row = top + T * e;
        IN_T v = in[(long)min(row, z.last_row) * z.in_pitch];
#if SPLIT
        x[e].x = centred(v >> 8, z.middle);
        x[e].y = centred(v & 255, z.middle);
#else
        x[e].x = centred(v, z.middle);
        x[e].y = centred(in[(long)min(row + z.valid_y, z.last_row) * z.in_pitch], z.middle);
#endif
    }
    forward(x, work, twiddles, t, line);
    if (column < z.columns) {
        out += (((long)pair * N + t) * CHANNELS + channel) * z.pitch_in + column;
        EACH(e, 16) out[(long)e * (T * CHANNELS) * z.pitch_in] = x[e];
    }
}

// The kernel's columns, reversed: a product of spectra is then a correlation.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
taps_columns(const __global float *restrict taps, __global float2 *restrict spectrum,
             const __global float2 *restrict twiddles, struct fft_gpu_sizes z)
{
    __local float2 work[WORK];
    int t = ITEM, line = LINE, nx = z.rows_length;
    int column = (int)get_group_id(0) * LINES + line, j = (nx - column) % nx;
    float2 x[16];
    EACH(e, 16)
    {
        int i = (N - (t + T * e)) % N;
        x[e] = (float2)(0.0f, 0.0f);
        if (i < z.taps_h && j >= 0 && j < z.taps_w)
            x[e].x = taps[i * z.taps_w + j];
    }
    forward(x, work, twiddles, t, line);
    if (column < nx) {
        EACH(e, 16) spectrum[(e * T + t) * nx + column] = x[e];
    }
}

#if EXACT
// Work-item (x, y)'s part of a sum, in a group of `across` by `down`. taps: in fours down the columns, in
// rows of taps_w; zeros below the last row.
static inline SUM_T sum_taps(const __global IN_T *in, const __global TAPS_T *taps, int x, int across,
                             int y, int down, const struct fft_gpu_sizes *z)
{
    SUM_T sum = 0;
    long pitch = z->in_pitch;
    for (; x < z->taps_w; x += across) {
        const __global IN_T *v = in + x * CHANNELS + 4 * y * pitch;
        int i = y;
        // four loads in flight: more cost registers, and so groups at work
        _Pragma("unroll 1") for (; 4 * i + 4 <= z->taps_h; i += down, v += 4 * down * pitch)
        {
            TAPS_T w = taps[i * z->taps_w + x];
            sum += (SUM_T)v[0] * w.s0 + (SUM_T)v[pitch] * w.s1 + (SUM_T)v[2 * pitch] * w.s2 +
                   (SUM_T)v[3 * pitch] * w.s3;
        }
        if (4 * i < z->taps_h) {
            TAPS_T w = taps[i * z->taps_w + x];
            long last = z->taps_h - 1 - 4 * i; // row of v
            sum += (SUM_T)v[0] * w.s0 + (SUM_T)v[min(last, 1l) * pitch] * w.s1 +
                   (SUM_T)v[min(last, 2l) * pitch] * w.s2;
        }
    }
    return sum;
}

static inline SUM_T whole(float v, const struct fft_gpu_sizes *z)
{
    return (SUM_T)convert_int(v) + (SUM_T)z->middle_sum;
}

// The pixel of a sum computed as v (SPLIT: 256 v + low). The true sum (part) is an integer within `error`
// of v. Returns false, and the sum must be computed again, if there is none or if several do not give
// the same pixel.
static inline bool settle(float v, float low, OUT_T *pixel, const struct fft_gpu_sizes *z)
{
#if SPLIT
    float near = rint(v), near_low = rint(low);
    *pixel = finish_exact((SUM_T)convert_int(near) * 256 + whole(near_low, z));
    return fabs(v - near) <= z->error && fabs(low - near_low) <= z->error;
#elif NEAR_TIE
    // rounded by 1.5 * 2^23, as in saturate_float
    float f = clamp(fma(v, E_MUL, NEAR_ADD), 0.0f, (float)OUT_MAX), near = f + 12582912.0f;
    *pixel = (OUT_T)as_int(near);
    return fabs(f - (near - 12582912.0f)) < NEAR_WINDOW;
#elif DOUBT
    SUM_T least = whole(ceil(v - z->error), z), most = whole(floor(v + z->error), z);
    *pixel = finish_exact(least);
    bool sure = least <= most && *pixel == finish_exact(most);
#if E_ABS
    sure = sure && (least * X_SIGN + X_ADD < 0) == (most * X_SIGN + X_ADD < 0);
#endif
    return sure;
#else
    float near = rint(v);
    *pixel = finish_exact(whole(near, z));
    return fabs(v - near) <= z->error;
#endif
}
#else
static inline bool settle(float v, float low, OUT_T *pixel, const struct fft_gpu_sizes *z)
{
    *pixel = finish_float(v);
    return true;
}
#endif

// list: sample and row of each doubtful pixel; count: their number.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
pixels(const __global float2 *restrict spectra, __global OUT_T *restrict out,
       const __global float2 *restrict twiddles, const __global IN_T *restrict in,
       const __global TAPS_T *restrict taps, __global int2 *restrict list,
       volatile __global int *count, struct fft_gpu_sizes z)
{
    __local float2 work[WORK];
    int t = ITEM, line = LINE;
    int channel = (int)get_group_id(0) % CHANNELS;
    int column = (int)get_group_id(0) / CHANNELS * LINES + line;
    int pair = get_group_id(1);
    spectra += (((long)pair * N + t) * CHANNELS + channel) * z.pitch_out + min(column, z.width - 1);
    float2 x[16];
    EACH(e, 16) x[e] = spectra[(long)e * (T * CHANNELS) * z.pitch_out];
    inverse(x, work, twiddles, t, line);
    if (column >= z.width)
        return;
    int top = (z.pair + pair) * TILES * z.valid_y, sample = column * CHANNELS + channel;
    uint again = 0; // bits 2 e and 2 e + 1: the pixels of register e are doubtful
    out += z.out_start + sample;
    EACH(e, 16)
    {
        int row = t + T * e;
        OUT_T pixel;
        if (row < z.valid_y && top + row < z.height) {
            again |= settle(x[e].x, x[e].y, &pixel, &z) ? 0u : 1u << 2 * e;
            out[(long)(top + row) * z.out_pitch] = pixel;
        }
        if (!SPLIT && row < z.valid_y && top + z.valid_y + row < z.height) {
            again |= settle(x[e].y, 0.0f, &pixel, &z) ? 0u : 2u << 2 * e;
            out[(long)(top + z.valid_y + row) * z.out_pitch] = pixel;
        }
    }
    if (!again)
        return;
#if EXACT
    while (again) {
        int bit = 31 - clz(again);
        again &= ~(1u << bit);
        int row = top + bit % 2 * z.valid_y + t + T * (bit / 2);
        int at = atomic_inc(count);
        if (at < z.capacity)
            list[at] = (int2)(sample, row);
        else
            out[(long)row * z.out_pitch] = finish_exact(sum_taps(
                in + z.in_start + (long)row * z.in_pitch + sample, taps, 0, 1, 0, 1, &z));
    }
#endif
}

#if EXACT
#define AGAIN_X 32
#define AGAIN_Y 4
#define AGAIN (AGAIN_X * AGAIN_Y)

// Sum the listed pixels, a work-group for each. next: the counter of the next run, which is cleared.
__kernel __attribute__((reqd_work_group_size(AGAIN, 1, 1))) void
again(const __global IN_T *restrict in, __global OUT_T *restrict out,
      const __global TAPS_T *restrict taps, const __global int2 *restrict list,
      const __global int *restrict count, __global int *restrict next, struct fft_gpu_sizes z)
{
    __local SUM_T sums[AGAIN];
    int id = get_local_id(0), end = min(*count, z.capacity);
    if (get_global_id(0) == 0)
        *next = 0;
    in += z.in_start;
    out += z.out_start;
    for (int i = get_group_id(0); i < end; i += get_num_groups(0)) {
        int2 at = list[i];
        sums[id] = sum_taps(in + (long)at.y * z.in_pitch + at.x, taps, id % AGAIN_X, AGAIN_X,
                            id / AGAIN_X, AGAIN_Y, &z);
        for (int n = AGAIN / 2; n > 0; n /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (id < n)
                sums[id] += sums[id + n];
        }
        if (id == 0)
            out[(long)at.y * z.out_pitch + at.x] = finish_exact(sums[0]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#ifndef SUMS_STEPS
#define SUMS_STEPS 1 // of row_sums: quads of pixels that a work-item has at a time
#endif

// sums[row][channel][x]: the sum of the row's samples before pixel x, modulo 2^32. A group a row and
// channel; pitch: a multiple of 16 above z.columns.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
row_sums(const __global IN_T *restrict in, __global uint4 *restrict sums, struct fft_gpu_sizes z,
         int pitch)
{
    __local uint parts[SUMS_STEPS * GROUP], scan[2][GROUP];
    int id = get_local_id(0), line = get_group_id(0);
    uint before = 0; // sum of the group's pixels of this step
    in += z.in_start + (long)(line / CHANNELS) * z.in_pitch + line % CHANNELS;
    sums += (long)line * (pitch / 4);
    for (int start = 0; start < pitch; start += 4 * SUMS_STEPS * GROUP) {
        uint4 v[SUMS_STEPS];
        EACH(k, SUMS_STEPS)
        {
            int x = start + 4 * (k * GROUP + id);
            v[k].s0 = x < z.columns ? in[x * CHANNELS] : 0;
            v[k].s1 = x + 1 < z.columns ? in[(x + 1) * CHANNELS] : 0;
            v[k].s2 = x + 2 < z.columns ? in[(x + 2) * CHANNELS] : 0;
            v[k].s3 = x + 3 < z.columns ? in[(x + 3) * CHANNELS] : 0;
        }
        EACH(k, SUMS_STEPS)
        {
            v[k].s1 += v[k].s0;
            v[k].s2 += v[k].s1;
            v[k].s3 += v[k].s2;
            parts[k * GROUP + id] = v[k].s3;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint own = 0;
        EACH(k, SUMS_STEPS) own += parts[id * SUMS_STEPS + k];
        scan[0][id] = own;
        int from = 0;
        for (int reach = 1; reach < GROUP; reach *= 2, from = !from) {
            barrier(CLK_LOCAL_MEM_FENCE);
            scan[!from][id] = scan[from][id] + (id >= reach ? scan[from][id - reach] : 0);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint sum = before + scan[from][id] - own;
        EACH(k, SUMS_STEPS)
        {
            uint part = parts[id * SUMS_STEPS + k];
            parts[id * SUMS_STEPS + k] = sum;
            sum += part;
        }
        before += scan[from][GROUP - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        EACH(k, SUMS_STEPS)
        {
            int x = start + 4 * (k * GROUP + id);
            uint base = parts[k * GROUP + id];
            if (x < pitch)
                sums[x / 4] = (uint4)(base, base + v[k].s0, base + v[k].s1, base + v[k].s2);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Like `again`, for kernels whose rows are few runs of equal taps. steps: the offset in `sums` from the
// pixel to the begin or end of a run, and the tap before it minus the tap behind it.
__kernel __attribute__((reqd_work_group_size(AGAIN, 1, 1))) void
again_runs(const __global uint *restrict sums, __global OUT_T *restrict out,
           const __global int2 *restrict steps, const __global int2 *restrict list,
           const __global int *restrict count, __global int *restrict next, struct fft_gpu_sizes z,
           int pitch, int number)
{
    __local uint parts[AGAIN];
    int id = get_local_id(0), end = min(*count, z.capacity);
    if (get_global_id(0) == 0)
        *next = 0;
    out += z.out_start;
    for (int i = get_group_id(0); i < end; i += get_num_groups(0)) {
        int2 at = list[i];
        const __global uint *own =
            sums + ((long)at.y * CHANNELS + at.x % CHANNELS) * pitch + at.x / CHANNELS;
        uint sum = 0;
        _Pragma("unroll 4") for (int k = id; k < number; k += AGAIN) sum +=
            own[steps[k].x] * (uint)steps[k].y;
        parts[id] = sum;
        for (int n = AGAIN / 2; n > 0; n /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (id < n)
                parts[id] += parts[id + n];
        }
        if (id == 0)
            out[(long)at.y * z.out_pitch + at.x] = finish_exact((SUM_T)(int)parts[0]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif

#endif
