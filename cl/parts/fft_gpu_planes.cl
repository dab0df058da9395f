// fft_gpu_planes.cl - transforms of a whole real plane's lines in a GPU's local memory
//
// Put after fft_gpu_butterflies.cl. Rows are nx / 2 complex elements, of neighbouring samples, whose spectrum is
// taken apart to frequencies 0..nx / 2 of x. With Z the transform of a row's elements,
// z(m) = x(2 m) + i x(2 m + 1), and w = exp(-2 pi i / nx):
//
//     2 E(k) = Z(k) + conj Z(half - k)       2 X(k)        = 2 E(k) + w^k 2 O(k)
//     2 O(k) = (Z(k) - conj Z(half - k)) / i 2 X(half - k) = conj(2 E(k) - w^k 2 O(k))
//
// Columns are too long for local memory, so ny = outer * inner (Bailey's four steps without the
// transposition): row j + inner a becomes row j + inner b, then b inner + p. A group takes LINES
// neighbouring columns, whole cache lines. Along y frequencies stay in the order in which the stages leave
// them.

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

// A line's stages. Mirrored by struct imf_gpu_axis of fourier/gpu_plane.h.
struct gpu_axis {
    int length, stages;
    int first; // of the table of stages
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

// A row's spectrum from `work` to the plane, twice as large.
static inline void take_apart(const __local float2 *work, __global float2 *plane,
                              const __global int *order, const __global float2 *roots, int half_x)
{
    for (int k = get_local_id(0); k <= half_x / 2; k += GROUP) {
        float2 a = work[AT(order[k])], c = conjugate(work[AT(order[k ? half_x - k : 0])]);
        float2 even = a + c, odd = times(quarter(a - c, 0), roots[k], 0);
        plane[k] = even + odd;
        plane[half_x - k] = conjugate(even - odd);
    }
}

// And back, twice as large again.
static inline void put_together(__local float2 *work, const __global float2 *plane,
                                const __global int *order, const __global float2 *roots, int half_x)
{
    for (int k = get_local_id(0); k <= half_x / 2; k += GROUP) {
        float2 a = plane[k], c = conjugate(plane[half_x - k]);
        float2 even = a + c, odd = quarter(times(a - c, roots[k], 1), 1);
        work[AT(order[k])] = even + odd;
        if (k)
            work[AT(order[half_x - k])] = conjugate(even - odd);
    }
}

#else

// ---- columns ---------------------------------------------------------------------------------

// Elements are read and written in place, by different work-items.
#define FENCES (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

static inline void columns(__local float2 *work, __global float2 *plane,
                           const __global float2 *twiddles, const __global int4 *stages,
                           const __global float2 *roots, long row, struct gpu_axis outer,
                           struct gpu_axis inner, int back)
{
    int j = get_group_id(1), count = outer.stages;
    plane += row * j + (int)get_group_id(0) * LINES + (int)get_local_id(0) % LINES;
    stages += outer.first;
    for (int n = 0; n < count; n++) {
        struct ends e = {plane, roots + j, row * inner.length, inner.length, n == 0, n == count - 1};
        stage(work, twiddles, stages[back ? count - 1 - n : n], outer.length, back, e);
        barrier(FENCES);
    }
}

// The last stage forward, what is done to points, and the first stage back. The file that this is put before
// has struct points and what becomes of a point in the so-manieth row of the group.
struct points;
static inline float2 point(float2 z, int row, const struct points *p);

#define MIDDLE(R, FORWARD, BACK)                                                                  \
    static inline void middle##R(__local float2 *work, const struct points *p, int length,        \
                                 struct ends e)                                                   \
    {                                                                                             \
        for (int i = get_local_id(0); i < length / R * LINES; i += GROUP) {                       \
            int at = i / LINES * R;                                                               \
            float2 x[R];                                                                          \
            EACH(k, R) x[k] = e.first ? e.plane[(at + k) * e.step] : work[AT(at + k)];            \
            FORWARD;                                                                              \
            EACH(k, R) x[k] = point(x[k], at + k, p);                                             \
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

// LINES columns of the inner transform there and back; row: elements from one row of the plane to the next.
static inline void middle_columns(__local float2 *work, __global float2 *plane,
                                  const __global float2 *twiddles, const __global int4 *stages,
                                  long row, struct gpu_axis inner, const struct points *p)
{
    int length = inner.length, last = inner.stages - 1, column = (int)get_local_id(0) % LINES;
    plane += row * (long)get_group_id(1) * length + (int)get_group_id(0) * LINES + column;
    struct ends e = {plane, 0, row, 0, true, false};
    stages += inner.first;
    for (int n = 0; n < last; n++) {
        stage(work, twiddles, stages[n], length, 0, e);
        e.first = false;
        barrier(FENCES);
    }
    e.last = last <= 0;
    switch (last < 0 ? 1 : stages[last].x) {
#define CASE(R)                              \
    case R:                                  \
        if (RADICES >> R & 1)                \
            middle##R(work, p, length, e);   \
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
