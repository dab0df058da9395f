// fft_transform.cl - complex transforms in natural order, one and two dimensions, in batches
//
// For devices with wide vectors. A transform is one, two or three passes (lib/fourier/pass.c). A pass
// transforms lines. A work-item, which is a work-group, transforms a panel of VEC lines at once, each in
// its own lane, in `work`, without barriers. Values in memory are interleaved pairs; in registers and in
// work real and imaginary parts are separate vectors.
//
//   side by side   lines whose values with the same index are neighbours, such as columns: the
//                  first stage reads and the last one writes memory, without copying passes. The
//                  last stage restores natural order by writing element i to line order[i].
//   end to end     lines whose own values are neighbours, such as rows: blocks of VEC lines by
//                  VEC / 2 values are transposed in registers on the way
//
// Pairs are split with the lanes in the order that takes one shuffle; results do not depend on which
// lane a line is in. A transform whose panel does not fit the cache, or that is not one of a batch, is
// done in four steps: as a matrix of n1 x n2 values, columns, twiddle factors, rows, transposed when
// read and side by side when written, which is natural order. (D. H. Bailey, "FFTs in external or
// hierarchical memory", 1990.) One work-item does all passes of a short transform, so that only the
// first reads memory and only the last writes it.

#define PASSES 3

// Mirrored by struct imf_fft_layout of fourier/pass.h. Value i of line l of a panel's set of lines is at
// l * line + i * element, in complex values.
struct fft_layout {
    long line, element;
    long outer; // from one set of lines to the next
};

// Mirrored by struct imf_fft_pass of fourier/pass.h.
struct fft_pass {
    struct fft_layout from, to;
    struct fft_axis axis;
    int lines, outer; // lines of a set, sets
    int from_temp, to_temp;
    int order; // where the tables of this axis start
    int steps; // where the twiddle factors between the steps start, or -1
    int grain; // panels that a work-item takes at once
};

// Mirrored by struct imf_fft_transform of fourier/pass.h.
struct fft_transform {
    struct fft_pass pass[PASSES];
    int passes, batch;
    long size; // complex values of one transform
    int work;  // elements of a panel
    int backwards;
};

// ---- pairs ------------------------------------------------------------------------------------

typedef VEC_REAL_(float, VEC) vec_float;
typedef vec_float vec_any __attribute__((aligned(4)));

// Values in memory are floats whatever `work` holds.
#if FP64
#define WIDEN(v) VEC_REAL_(convert_double, VEC)(v)
#define NARROW(v) VEC_REAL_(convert_float, VEC)(v)
#else
#define WIDEN(v) (v)
#define NARROW(v) (v)
#endif

// Separate and interleave the real and imaginary parts of a and b, each in one instruction: for each
// quarter even or odd parts of both, or alternating first or second halves of both. Written with
// components, clang generates more instructions.
#define QUARTERS(i, j, k, l) i, j, k, l, (i) + 4, (j) + 4, (k) + 4, (l) + 4
#ifdef __clang__
#define SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, QUARTERS(i, j, k, l))
#else
#define SHUFFLE(a, b, i, j, k, l) \
    shuffle2(a, b, (V(uint))(QUARTERS(i, j, k, l)))
#endif
#define EVENS(a, b) SHUFFLE(a, b, 0, 2, VEC, VEC + 2)
#define ODDS(a, b) SHUFFLE(a, b, 1, 3, VEC + 1, VEC + 3)
#define FIRSTS(a, b) SHUFFLE(a, b, 0, VEC, 1, VEC + 1)
#define SECONDS(a, b) SHUFFLE(a, b, 2, VEC + 2, 3, VEC + 3)

// The lane that holds line l; line_of() of lib/fourier/pass.c is its inverse.
static inline int lane(int l)
{
    int at = l % (VEC / 2);
    return at / 2 * 4 + at % 2 + (l >= VEC / 2 ? 2 : 0);
}

static inline void split(const __global float *p, vec *re, vec *im)
{
    vec_float a = *(const __global vec_any *)p, b = *(const __global vec_any *)(p + VEC);
    *re = WIDEN(EVENS(a, b));
    *im = WIDEN(ODDS(a, b));
}

static inline void join(__global float *p, vec wide_re, vec wide_im)
{
    vec_float re = NARROW(wide_re), im = NARROW(wide_im);
    *(__global vec_any *)p = FIRSTS(re, im);
    *(__global vec_any *)(p + VEC) = SECONDS(re, im);
}

// ---- first and last stages -----------------------------------------------------------------------

#define OUTSIDE(R)                                                                                 \
    NOT_INLINE static void first##R(__global vec *w, const __global float *in, long element,       \
                                    long m, const __global float *tw)                              \
    {                                                                                              \
        __global vec *p = w;                                                                       \
        for (long j = 0; j < m; j++, p += 2, in += 2 * element, tw += 2 * (R - 1)) {               \
            vec r[R], i[R];                                                                        \
            EACH(R) split(in + 2 * element * m * k, r + k, i + k);                                 \
            dft##R(r, i);                                                                          \
            EACH(R)                                                                                \
            {                                                                                      \
                float c = k ? tw[2 * k - 2] : 1.0f, s = k ? tw[2 * k - 1] : 0.0f;                  \
                GET(0) = k ? r[k] * c - i[k] * s : r[k];                                           \
                GET(1) = k ? r[k] * s + i[k] * c : i[k];                                           \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    NOT_INLINE static void last##R(const __global vec *p, __global float *out, long element,       \
                                   int length, const __global int *order)                          \
    {                                                                                              \
        const long m = 1;                                                                          \
        for (int at = 0; at < length; at += R, p += 2 * R, order += R) {                           \
            vec r[R], i[R];                                                                        \
            EACH(R) r[k] = GET(0), i[k] = GET(1);                                                  \
            dft##R(r, i);                                                                          \
            EACH(R) join(out + 2 * element * order[k], r[k], i[k]);                                \
        }                                                                                          \
    }

OUTSIDE(2)
OUTSIDE(3)
OUTSIDE(4)
OUTSIDE(5)
OUTSIDE(7)
OUTSIDE(8)
OUTSIDE(16)

#define FOR_EVERY_RADIX(radix, call, arguments) \
    {                                           \
        if (radix == 16)                        \
            call##16 arguments;                 \
        else                                    \
            FOR_RADIX(radix, call, arguments)   \
    }

// ---- lines end to end ----------------------------------------------------------------------------

// Values first to end of up to VEC lines, one by one; other lanes read as 0.
static void load_some(__global vec *work, const __global float *in, int first, int end, int lines,
                      struct fft_layout at)
{
    __global REAL *w = (__global REAL *)work;
    for (int i = first; i < end; i++) {
        for (int l = 0; l < VEC; l++) {
            const __global float *p = in + 2 * (l * at.line + i * at.element);
            w[2 * VEC * i + lane(l)] = l < lines ? p[0] : 0.0f;
            w[2 * VEC * i + VEC + lane(l)] = l < lines ? p[1] : 0.0f;
        }
    }
}

static void store_some(const __global vec *work, __global float *out, int first, int end,
                       int lines, struct fft_layout at, const __global int *position)
{
    const __global REAL *w = (const __global REAL *)work;
    for (int f = first; f < end; f++) {
        for (int l = 0; l < lines; l++) {
            __global float *p = out + 2 * (l * at.line + f * at.element);
            p[0] = w[2 * VEC * position[f] + lane(l)];
            p[1] = w[2 * VEC * position[f] + VEC + lane(l)];
        }
    }
}

static void load_columns(__global vec *work, const __global float *in, int n, long element)
{
    for (int i = 0; i < n; i++, in += 2 * element) {
        vec re, im;
        split(in, &re, &im);
        ELEMENT(work, i)[0] = re;
        ELEMENT(work, i)[1] = im;
    }
}

static void store_columns(const __global vec *work, __global float *out, int n, long element,
                          const __global int *order)
{
    for (int i = 0; i < n; i++)
        join(out + 2 * element * order[i], ELEMENT(work, i)[0], ELEMENT(work, i)[1]);
}

// Two pairs of each line of a panel at a time: row o + 2 q of the panel's half h is quarter q of
// vector 2 h + o. Two rounds of shuffles within quarters make it two elements.
typedef float4 float4_any __attribute__((aligned(4)));
#define QUARTER(v, q) ((float4 *)(v) + (q))
#define PAIRS(p, h, o, q) ((p) + 2 * ((h) * VEC / 2 + (o) + 2 * (q)) * at.line)

static void load_rows(__global vec *work, const __global float *in, int n, struct fft_layout at)
{
    int whole = n - n % 2;
    __global vec *w = work;
    for (int i = 0; i < whole; i += 2, in += 4, w += 4) {
        vec_float t[4];
        _Pragma("unroll") for (int v = 0; v < 4; v++)
            _Pragma("unroll") for (int q = 0; q < VEC / 4; q++)
                *QUARTER(t + v, q) = *(const __global float4_any *)PAIRS(in, v / 2, v % 2, q);
        vec_float a = EVENS(t[0], t[1]), b = EVENS(t[2], t[3]);
        vec_float c = ODDS(t[0], t[1]), d = ODDS(t[2], t[3]);
        w[0] = WIDEN(EVENS(a, b));
        w[1] = WIDEN(EVENS(c, d));
        w[2] = WIDEN(ODDS(a, b));
        w[3] = WIDEN(ODDS(c, d));
    }
    load_some(work, in - 2 * whole, whole, n, VEC, at);
}

static void store_rows(const __global vec *work, __global float *out, int n, struct fft_layout at,
                       const __global int *position)
{
    int whole = n - n % 2;
    for (int f = 0; f < whole; f += 2, out += 4) {
        const __global vec *x = ELEMENT(work, (long)position[f]), *y = ELEMENT(work, (long)position[f + 1]);
        vec_float xr = NARROW(x[0]), yr = NARROW(y[0]), xi = NARROW(x[1]), yi = NARROW(y[1]);
        vec_float a = FIRSTS(xr, yr), b = SECONDS(xr, yr);
        vec_float c = FIRSTS(xi, yi), d = SECONDS(xi, yi);
        vec_float t[4] = {FIRSTS(a, c), SECONDS(a, c), FIRSTS(b, d), SECONDS(b, d)};
        _Pragma("unroll") for (int v = 0; v < 4; v++)
            _Pragma("unroll") for (int q = 0; q < VEC / 4; q++)
                *(__global float4_any *)PAIRS(out, v / 2, v % 2, q) = *QUARTER(t + v, q);
    }
    store_some(work, out - 2 * whole, whole, n, VEC, at, position);
}

// Between the steps: element i of line a + l times w^(i (a + l)), which is w^(i a), one pair for
// each i and panel, times w^(i l), a vector of cosines and one of sines for each i.
static void twiddle(__global vec *work, int n, int panel, const __global float *steps, int backwards)
{
    const __global vec_any *fine = (const __global vec_any *)steps;
    const __global float *coarse = steps + 2 * (long)VEC * n + 2 * (long)panel * n;
    float sign = backwards ? -1.0f : 1.0f;
    for (int i = 0; i < n; i++, fine += 2, coarse += 2, work += 2) {
        vec fine_c = WIDEN(fine[0]), fine_s = WIDEN(fine[1]);
        vec c = fine_c * coarse[0] - fine_s * coarse[1];
        vec s = (fine_s * coarse[0] + fine_c * coarse[1]) * sign;
        vec re = work[0], im = work[1];
        work[0] = re * c - im * s;
        work[1] = re * s + im * c;
    }
}

// ---- panels ------------------------------------------------------------------------------------

static void transform_panel(__global vec *w, const __global float *in, __global float *out,
                            int panel, const struct fft_pass *p, const __global float *twiddles,
                            const __global int *orders, int backwards)
{
    int n = p->axis.length, lines = min(VEC, p->lines - panel * VEC), s = 0, m = n;
    const __global float *tw = twiddles + p->axis.twiddles;
    const __global int *order = orders + p->order + (backwards ? 2 * n : 0);
    in += (long)panel * 2 * VEC * p->from.line;
    out += (long)panel * 2 * VEC * p->to.line;
    if (lines < VEC) {
        load_some(w, in, 0, n, lines, p->from);
    } else if (p->from.line == 1 && (p->axis.stages == 1 || p->axis.primes > 0)) {
        load_columns(w, in, n, p->from.element);
    } else if (p->from.line == 1) {
        int radix = p->axis.radix[0];
        m /= radix;
        FOR_EVERY_RADIX(radix, first, (w, in, p->from.element, m, tw))
        tw += 2 * m * (radix - 1);
        s = 1;
    } else {
        load_rows(w, in, n, p->from);
    }
    if (p->steps >= 0)
        twiddle(w, n, panel, twiddles + p->steps, backwards);
    bool beside = lines == VEC && p->to.line == 1, only = p->axis.primes == p->axis.stages;
    int stages = p->axis.stages - (beside && !only);
#ifdef PRIMES
    prime_stages(w, &p->axis, twiddles, ELEMENT(w, n));
    for (; s < p->axis.primes; s++) {
        m /= p->axis.radix[s];
        tw += 2 * m * (p->axis.radix[s] - 1);
    }
#endif
    for (; s < stages && m > BLOCK; s++) {
        int radix = p->axis.radix[s];
        m /= radix;
        FOR_EVERY_RADIX(radix, forward, (w, n, m, tw))
        tw += 2 * m * (radix - 1);
    }
    // What is left are separate transforms of m elements, one after the other.
    for (int block = 0; !only && block < n; block += m) {
        const __global float *factors = tw;
        for (int t = s, span = m; t < stages; t++) {
            int radix = p->axis.radix[t];
            span /= radix;
            FOR_EVERY_RADIX(radix, forward, (ELEMENT(w, block), m, span, factors))
            factors += 2 * span * (radix - 1);
        }
        if (beside)
            FOR_EVERY_RADIX(p->axis.radix[stages], last,
                            (ELEMENT(w, block), out, p->to.element, m, order + block))
    }
    if (lines < VEC)
        store_some(w, out, 0, n, lines, p->to, order + n);
    else if (beside && only)
        store_columns(w, out, n, p->to.element, order);
    else if (!beside)
        store_rows(w, out, n, p->to, order + n);
}

// Transform panels of a pass from number `first` on; panels are counted over all sets of lines.
static void transform_panels(__global vec *work, __global float *data, __global float *temp,
                             const struct fft_pass *p, long first, long end,
                             const __global float *twiddles, const __global int *orders,
                             int backwards)
{
    int each = (p->lines + VEC - 1) / VEC;
    for (long at = first; at < end; at++) {
        long outer = at / each;
        transform_panel(work, (p->from_temp ? temp : data) + 2 * outer * p->from.outer,
                        (p->to_temp ? temp : data) + 2 * outer * p->to.outer, at % each, p,
                        twiddles, orders, backwards);
    }
}

// alone: each work-item does whole transforms, and temp holds one for each work-item. Otherwise all
// work-items do one pass of `items` transforms from number `first` on. counter: the next transform or
// grain of panels.
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
fft_transform(__global float *data, __global float *temp, __global vec *scratch,
              const __global float *twiddles, const __global int *orders,
              volatile __global int *counters, struct fft_transform z, int alone, int counter,
              int pass, int first, int items)
{
    long group = get_group_id(0);
    __global vec *work = ELEMENT(scratch, group * z.work);
    counters += counter;
    if (alone) {
        temp += 2 * group * z.size;
        for (int item = atomic_inc(counters); item < items; item = atomic_inc(counters)) {
            for (int k = 0; k < z.passes; k++) {
                const struct fft_pass *p = &z.pass[k];
                transform_panels(work, data + 2 * item * z.size, temp, p, 0,
                                 (long)((p->lines + VEC - 1) / VEC) * p->outer, twiddles, orders,
                                 z.backwards);
            }
        }
    } else {
        const struct fft_pass *p = &z.pass[pass];
        long each = (long)((p->lines + VEC - 1) / VEC) * p->outer;
        int grains = (each + p->grain - 1) / p->grain;
        for (int next = atomic_inc(counters); next < grains * items; next = atomic_inc(counters)) {
            long item = first + next / grains, at = next % grains * (long)p->grain;
            transform_panels(work, data + 2 * item * z.size, temp + 2 * item * z.size, p, at,
                             min(at + p->grain, each), twiddles, orders, z.backwards);
        }
    }
}
