/*
 * rows.c - the inner loops of solver/rank/vector.c, which compilers vectorise
 *
 * Medians of 3x3 and 5x5 are sorting networks on rows of samples: where SORT2 puts the lesser of
 * two in the first and the greater in the second, for each sample of a row. Unused outputs of a
 * network cost nothing: compilers drop the steps that lead only to them.
 *
 * Other ranks are bisected: the sample of rank k is the largest t that at most k samples are below,
 * and its bits are found from the highest to the lowest. All windows of a row are counted together:
 * a bit takes as many comparisons and additions of vectors as a window has samples.
 */
#include "solver/rank/rows.h"

#include "base/clones.h"

#include <string.h>

/* ---- networks -------------------------------------------------------------------------------- */

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

#define MEDIAN(type, three, five)                                                                  \
    do {                                                                                           \
        if (side == 3)                                                                             \
            three(to, at[0], at[1], at[2], sorted[0], sorted[1], sorted[2], step, n);              \
        else                                                                                       \
            five(to, (const type *const *)at, sorted[0], sorted[1], sorted[2], sorted[3],          \
                 sorted[4], step, n);                                                              \
    } while (0)

void imf_median_rows(enum imf_sample sample, int side, void *to, const void *const *at,
                     void *const *sorted, int step, int n) {
    if (sample == IMF_U8)
        MEDIAN(uint8_t, median3_bytes, median5_bytes);
    else if (sample == IMF_U16)
        MEDIAN(uint16_t, median3_words, median5_words);
    else if (sample == IMF_F64)
        MEDIAN(double, median3_doubles, median5_doubles);
    else
        MEDIAN(float, median3_floats, median5_floats);
}

/* ---- order ----------------------------------------------------------------------------------- */

void imf_ordered_rows(enum imf_sample sample, void *to, const void *from, int n) {
    if (sample == IMF_U8)
        for (int i = 0; i < n; i++)
            ((uint8_t *)to)[i] = ((const uint8_t *)from)[i] ^ 0x80u;
    else if (sample == IMF_U16)
        for (int i = 0; i < n; i++)
            ((uint16_t *)to)[i] = ((const uint16_t *)from)[i] ^ 0x8000u;
    else /* the bits of negative floats grow towards minus infinity */
        for (int i = 0; i < n; i++) {
            int32_t v;
            memcpy(&v, (const float *)from + i, sizeof v);
            ((int32_t *)to)[i] = v < 0 ? v ^ INT32_MAX : v;
        }
}

void imf_samples_rows(enum imf_sample sample, void *to, const void *from, int n) {
    imf_ordered_rows(sample, to, from, n); /* it is its own inverse */
}

/* ---- bisection ------------------------------------------------------------------------------- */

#define VECTOR 32 /* bytes; rows are padded to a multiple */

/* A comparison of vectors gives -1 where it holds. */
#define BELOW(k) c -= (U)(*(const S *)(p[k] + i) < u);
#define TIMES2(step, k) step(k) step(k + 1)
#define TIMES8(step) TIMES2(step, 0) TIMES2(step, 2) TIMES2(step, 4) TIMES2(step, 6)

#define COUNT(T, some, steps)                                                                      \
    do {                                                                                           \
        const T *p[some];                                                                          \
        for (int k = 0; k < (some); k++)                                                           \
            p[k] = at[k];                                                                          \
        for (int i = 0; i < n; i += VECTOR / (int)sizeof(T)) {                                     \
            S u = *(const S *)(next + i);                                                          \
            U c = *(U *)(below + i);                                                               \
            steps *(U *)(below + i) = c;                                                           \
        }                                                                                          \
        at += (some);                                                                              \
    } while (0)

/* Add to below[i] how many of the rows have less than next[i]. */
#define COUNTS(name, T, C)                                                                         \
    static inline __attribute__((always_inline)) void name(                                        \
        C *restrict below, const T *restrict next, const void *const *at, int count, int n) {      \
        typedef T S __attribute__((vector_size(VECTOR), aligned(1), may_alias));                   \
        typedef C U __attribute__((vector_size(VECTOR), aligned(1), may_alias));                   \
        for (; count >= 8; count -= 8)                                                             \
            COUNT(T, 8, TIMES8(BELOW));                                                            \
        for (; count >= 2; count -= 2)                                                             \
            COUNT(T, 2, TIMES2(BELOW, 0));                                                         \
        if (count)                                                                                 \
            COUNT(T, 1, BELOW(0));                                                                 \
    }                                                                                              \
    /* Take next[i] where at most `rank` are below it. */                                          \
    static inline __attribute__((always_inline)) void name##_choose(                               \
        T *restrict to, const T *restrict next, const C *restrict below, int rank, int n) {        \
        typedef T S __attribute__((vector_size(VECTOR), aligned(1), may_alias));                   \
        typedef C U __attribute__((vector_size(VECTOR), aligned(1), may_alias));                   \
        for (int i = 0; i < n; i += VECTOR / (int)sizeof(T)) {                                     \
            S chosen = (S)(*(const U *)(below + i) <= (C)rank);                                    \
            S *old = (S *)(to + i);                                                                \
            *old ^= (*old ^ *(const S *)(next + i)) & chosen;                                      \
        }                                                                                          \
    }
COUNTS(count_bytes, int8_t, uint8_t)
COUNTS(count_words, int16_t, uint16_t)
COUNTS(count_floats, int32_t, uint32_t)

#define RANK(name, T, C, counts, least, bits)                                                      \
    IMF_CLONES_32 static void name(T *restrict to, const void *const *at, int count, int rank,     \
                                   T *restrict next, C *restrict below, int n) {                   \
        for (int i = 0; i < n; i++)                                                                \
            to[i] = least;                                                                         \
        for (int bit = (bits)-1; bit >= 0; bit--) {                                                \
            for (int i = 0; i < n; i++)                                                            \
                next[i] = (T)((C)to[i] + ((C)1 << bit));                                           \
            memset(below, 0, (size_t)n * sizeof *below);                                           \
            counts(below, next, at, count, n);                                                     \
            counts##_choose(to, next, below, rank, n);                                             \
        }                                                                                          \
    }
RANK(rank_bytes, int8_t, uint8_t, count_bytes, INT8_MIN, 8)
RANK(rank_words, int16_t, uint16_t, count_words, INT16_MIN, 16)
RANK(rank_floats, int32_t, uint32_t, count_floats, INT32_MIN, 32)

void imf_rank_rows(enum imf_sample sample, void *to, const void *const *at, int count, int rank,
                   void *const spare[2], int n) {
    if (sample == IMF_U8)
        rank_bytes(to, at, count, rank, spare[0], spare[1], n);
    else if (sample == IMF_U16)
        rank_words(to, at, count, rank, spare[0], spare[1], n);
    else
        rank_floats(to, at, count, rank, spare[0], spare[1], n);
}
