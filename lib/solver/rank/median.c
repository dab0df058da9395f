/*
 * median.c - medians of 3x3 and 5x5 on the host's cores, by sorting networks, in loops that compilers
 * vectorise
 *
 * Networks work on rows of samples: SORT2 puts the lesser of two in the first and the greater in the
 * second, for each sample of a row. Unused outputs of a network cost nothing: compilers drop the steps
 * that lead only to them.
 *
 * Times are ns a sample on one core (AMD EPYC, AVX-512) of bytes, and of the next best algorithm: 0.13
 * and 1.2, 0.6 and 2.
 */
#include "base/clones.h"
#include "device/tuning.h"
#include "solver/common/window.h"

#define STRIP_BYTES 8192 /* of a row's strip */

#define SORT2(a, b)                                                                                \
    do {                                                                                           \
        T lesser = (a) < (b) ? (a) : (b);                                                          \
        (b) = (a) < (b) ? (b) : (a);                                                               \
        (a) = lesser;                                                                              \
    } while (0)
#define SORT3(a, b, c)                                                                             \
    do {                                                                                           \
        SORT2(a, b);                                                                               \
        SORT2(b, c);                                                                               \
        SORT2(a, b);                                                                               \
    } while (0)
#define SORT4(a, b, c, d)                                                                          \
    do {                                                                                           \
        SORT2(a, c);                                                                               \
        SORT2(b, d);                                                                               \
        SORT2(a, b);                                                                               \
        SORT2(c, d);                                                                               \
        SORT2(b, c);                                                                               \
    } while (0)
#define SORT5(a, b, c, d, e)                                                                       \
    do {                                                                                           \
        SORT2(a, d);                                                                               \
        SORT2(b, e);                                                                               \
        SORT2(a, c);                                                                               \
        SORT2(b, d);                                                                               \
        SORT2(a, b);                                                                               \
        SORT2(c, e);                                                                               \
        SORT2(b, c);                                                                               \
        SORT2(d, e);                                                                               \
        SORT2(c, d);                                                                               \
    } while (0)
#define SORT7(a, b, c, d, e, f, g)                                                                 \
    do {                                                                                           \
        SORT2(a, g);                                                                               \
        SORT2(c, d);                                                                               \
        SORT2(e, f);                                                                               \
        SORT2(a, c);                                                                               \
        SORT2(b, e);                                                                               \
        SORT2(d, g);                                                                               \
        SORT2(a, b);                                                                               \
        SORT2(c, f);                                                                               \
        SORT2(d, e);                                                                               \
        SORT2(b, c);                                                                               \
        SORT2(e, g);                                                                               \
        SORT2(c, d);                                                                               \
        SORT2(e, f);                                                                               \
        SORT2(b, c);                                                                               \
        SORT2(d, e);                                                                               \
        SORT2(f, g);                                                                               \
    } while (0)

/*
 * Columns are sorted once for all windows that they lie in. Of three sorted columns the median is
 * the middle one of: the greatest of their least, the middle of their middle ones, the least of
 * their greatest.
 */
#define MEDIAN3(name)                                                                              \
    IMF_CLONES static void name(T *restrict to, const T *restrict x, const T *restrict y,          \
                                const T *restrict z, T *restrict low, T *restrict mid,             \
                                T *restrict high, int step, int n) {                               \
        for (int i = 0; i < n + 2 * step; i++) {                                                   \
            T a = x[i], b = y[i], c = z[i];                                                        \
            SORT3(a, b, c);                                                                        \
            low[i] = a;                                                                            \
            mid[i] = b;                                                                            \
            high[i] = c;                                                                           \
        }                                                                                          \
        for (int i = 0; i < n; i++) {                                                              \
            T a = low[i], b = low[i + step], c = low[i + 2 * step];                                \
            T d = mid[i], e = mid[i + step], f = mid[i + 2 * step];                                \
            T g = high[i], h = high[i + step], k = high[i + 2 * step];                             \
            SORT3(a, b, c);                                                                        \
            SORT3(d, e, f);                                                                        \
            SORT3(g, h, k);                                                                        \
            SORT3(c, e, g);                                                                        \
            to[i] = e;                                                                             \
        }                                                                                          \
    }

/*
 * Of five sorted columns the rows are sorted, too: m[r][j] has (r + 1) (j + 1) - 1 samples that are
 * not above it and (5 - r) (5 - j) - 1 that are not below. The median has 12 of each, which leaves
 * the diagonal from m[4][0] to m[0][4] and the two beside it; of these, sorted, the last two, the
 * middle three and the first two; and of those the middle one. (After Kolte, Smith, Su 1999.)
 */
#define FIVE(v, row)                                                                               \
    T v##0 = (row)[i], v##1 = (row)[i + step], v##2 = (row)[i + 2 * step],                         \
      v##3 = (row)[i + 3 * step], v##4 = (row)[i + 4 * step];                                      \
    SORT5(v##0, v##1, v##2, v##3, v##4)

#define MEDIAN5(name)                                                                              \
    IMF_CLONES static void name(T *restrict to, const T *const *at, T *restrict r0,                \
                                T *restrict r1, T *restrict r2, T *restrict r3, T *restrict r4,    \
                                int step, int n) {                                                 \
        const T *p0 = at[0], *p1 = at[1], *p2 = at[2], *p3 = at[3], *p4 = at[4];                   \
        for (int i = 0; i < n + 4 * step; i++) {                                                   \
            T a = p0[i], b = p1[i], c = p2[i], d = p3[i], e = p4[i];                               \
            SORT5(a, b, c, d, e);                                                                  \
            r0[i] = a;                                                                             \
            r1[i] = b;                                                                             \
            r2[i] = c;                                                                             \
            r3[i] = d;                                                                             \
            r4[i] = e;                                                                             \
        }                                                                                          \
        for (int i = 0; i < n; i++) {                                                              \
            FIVE(a, r0);                                                                           \
            FIVE(b, r1);                                                                           \
            FIVE(c, r2);                                                                           \
            FIVE(d, r3);                                                                           \
            FIVE(e, r4);                                                                           \
            SORT4(a3, b2, c1, d0);                                                                 \
            SORT5(a4, b3, c2, d1, e0);                                                             \
            SORT4(b4, c3, d2, e1);                                                                 \
            SORT7(c1, d0, b3, c2, d1, b4, c3);                                                     \
            to[i] = c2;                                                                            \
        }                                                                                          \
    }

#define T uint8_t
MEDIAN3(median3_bytes)
MEDIAN5(median5_bytes)
#undef T
#define T uint16_t
MEDIAN3(median3_words)
MEDIAN5(median5_words)
#undef T
#define T float
MEDIAN3(median3_floats)
MEDIAN5(median5_floats)
#undef T
#define T double
MEDIAN3(median3_doubles)
MEDIAN5(median5_doubles)
#undef T

/* ---- the solver ------------------------------------------------------------------------------ */

static size_t scratch_bytes(const struct imf_problem *p, const void *shape, int n) {
    return (1 + 5) * imf_window_pitch(p, shape, n);
}

static int strip_width(const struct imf_problem *p) {
    return STRIP_BYTES / (int)imf_sample_size(p->in);
}

static void median_propose(const struct imf_problem *p, const struct imf_device *d,
                           struct imf_proposal *out) {
    const struct imf_window_facts *w = imf_window_propose(out, p);
    (void)d;
    bool one = w->box && w->width == w->height && w->rank == w->count / 2;
    double ns = one && w->width == 3   ? imf_vector_rates.network3
                : one && w->width == 5 ? imf_vector_rates.network5
                                       : 0;
    imf_window_strips(out, p, ns * (double)imf_sample_size(p->in), strip_width(p),
                      "sorting network");
}

static struct imf_strips median_cut(const struct imf_job *job, int height) {
    return imf_window_cut(job, height, strip_width(&job->p), 2);
}

#define MEDIAN(type, three, five)                                                                  \
    do {                                                                                           \
        type *r[5];                                                                                \
        for (int i = 0; i < 5; i++)                                                                \
            r[i] = (type *)(void *)(rows + (size_t)i * pitch);                                     \
        if (w->width == 3)                                                                         \
            three(to, at[0], at[1], at[2], r[0], r[1], r[2], step, n);                             \
        else                                                                                       \
            five(to, (const type *const *)at, r[0], r[1], r[2], r[3], r[4], step, n);              \
    } while (0)

static void median_strip(const struct imf_host_strip *s) {
    const struct imf_problem *p = &s->job->p;
    const struct imf_window_facts *w = imf_window_of(s->job);
    size_t pitch = imf_window_pitch(p, w, s->at.n);
    char *rows = imf_strip_scratch(s);
    int step = p->channels, n = imf_padded(s->at.n);
    for (int y = s->at.y; y < s->at.end; y++) {
        const void *at[5];
        void *to = imf_strip_target(s, y);
        for (int i = 0; i < w->height; i++)
            at[i] = imf_strip_input(s, y + i);
        if (p->in == IMF_U8)
            MEDIAN(uint8_t, median3_bytes, median5_bytes);
        else if (p->in == IMF_U16)
            MEDIAN(uint16_t, median3_words, median5_words);
        else if (p->in == IMF_F64)
            MEDIAN(double, median3_doubles, median5_doubles);
        else
            MEDIAN(float, median3_floats, median5_floats);
        imf_strip_end(s, y, to);
    }
}

const struct imf_solver imf_solver_median = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_RANK,
    .float64 = true,
    .propose = median_propose,
    .cut = median_cut,
    .scratch_bytes = scratch_bytes,
    .strip = median_strip,
};
