/*
 * rank_histogram.c - ranks of bytes in large rectangles, in the same time however large
 *
 * After Perreault and Hebert (2007): each column has a histogram of the samples in the window's rows,
 * which takes one sample in and one out from row to row; a window's histogram takes one column in
 * and one out from pixel to pixel. Only sums over the range's sixteenths are kept up for every
 * pixel, and those within a sixteenth when the rank falls in it.
 *
 * Counts are cumulative, so that no search depends on what is found: the number of counts that are
 * not above the rank is the place, and each step is one of vectors of sixteen.
 */
#include "solver/rank_histogram.h"

#include "base/clones.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef uint8_t sixteen __attribute__((vector_size(16)));
typedef uint16_t sixteen_words __attribute__((vector_size(32), aligned(16)));
typedef uint32_t sixteen_longs __attribute__((vector_size(64), aligned(16)));

/* What one sample of that value adds to cumulative counts. */
static const sixteen one[16] = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                {0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                {0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                {0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1},
                                {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1},
                                {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1},
                                {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1},
                                {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1},
                                {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1},
                                {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1},
                                {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};

/* How many of the counts are not above the rank: of each, all bits or none. */
INLINE int place(sixteen not_above) {
    uint64_t half[2];
    memcpy(half, &not_above, sizeof half);
    return (__builtin_popcountll(half[0]) + __builtin_popcountll(half[1])) / 8;
}

#define AS(type, vector) __builtin_convertvector(vector, type)

/* All of it, with columns' and windows' counts of these types. */
#define HISTOGRAMS(name, counts, sums, sum)                                                          \
    struct name {                                                                                    \
        counts coarse, fine[16];                                                                     \
    };                                                                                               \
                                                                                                     \
    IMF_CLONES_32 static void name##_add(struct name *h, const uint8_t *fresh, int count) {          \
        for (int i = 0; i < count; i++) {                                                            \
            h[i].coarse += AS(counts, one[fresh[i] >> 4]);                                           \
            h[i].fine[fresh[i] >> 4] += AS(counts, one[fresh[i] & 15]);                              \
        }                                                                                            \
    }                                                                                                \
                                                                                                     \
    IMF_CLONES_32 static void name##_move(struct name *h, const uint8_t *old,                        \
                                          const uint8_t *fresh, int count) {                         \
        for (int i = 0; i < count; i++) {                                                            \
            if (old[i] == fresh[i])                                                                  \
                continue;                                                                            \
            h[i].coarse += AS(counts, one[fresh[i] >> 4]) - AS(counts, one[old[i] >> 4]);            \
            h[i].fine[fresh[i] >> 4] += AS(counts, one[fresh[i] & 15]);                              \
            h[i].fine[old[i] >> 4] -= AS(counts, one[old[i] & 15]);                                  \
        }                                                                                            \
    }                                                                                                \
                                                                                                     \
    /* A sixteenth's counts, which were those of the window `at`, for the window at i: step by     \
     * step or, where that is more, anew. */ \
    INLINE void name##_follow(sums *fine, const struct name *h, int at, int i, int sixteenth,        \
                              int width, int step) {                                                 \
        bool anew = at < 0 || 2 * (i - at) > width * step;                                           \
        sums v = {0};                                                                                \
        if (!anew)                                                                                   \
            v = *fine;                                                                               \
        for (int k = 0; k < width && anew; k++)                                                      \
            v += AS(sums, h[i + k * step].fine[sixteenth]);                                          \
        for (int k = at; k < i && !anew; k += step)                                                  \
            v += AS(sums, h[k + width * step].fine[sixteenth]) - AS(sums, h[k].fine[sixteenth]);     \
        *fine = v;                                                                                   \
    }                                                                                                \
                                                                                                     \
    IMF_CLONES_32 static void name##_rank(uint8_t *to, const struct name *h, int width, int step,    \
                                          int rank, int n) {                                         \
        for (int first = 0; first < step && first < n; first++) {                                    \
            sums coarse = {0}, fine[16];                                                             \
            int at[16];                                                                              \
            for (int s = 0; s < 16; s++)                                                             \
                at[s] = -1;                                                                          \
            for (int k = 0; k < width; k++)                                                          \
                coarse += AS(sums, h[first + k * step].coarse);                                      \
            for (int i = first;; i += step) {                                                        \
                int s = place(AS(sixteen, coarse <= (sum)rank));                                     \
                sum left = (sum)rank - (s ? coarse[s - 1] : 0);                                      \
                name##_follow(&fine[s], h, at[s], i, s, width, step);                                \
                at[s] = i;                                                                           \
                to[i] = (uint8_t)(s << 4 | place(AS(sixteen, fine[s] <= left)));                     \
                if (i + step >= n)                                                                   \
                    break;                                                                           \
                coarse += AS(sums, h[i + width * step].coarse) - AS(sums, h[i].coarse);              \
            }                                                                                        \
        }                                                                                            \
    }
HISTOGRAMS(narrow, sixteen, sixteen_words, uint16_t)
HISTOGRAMS(wide, sixteen_words, sixteen_longs, uint32_t)

size_t imf_histogram_bytes(bool is_wide) {
    return is_wide ? sizeof(struct wide) : sizeof(struct narrow);
}

void imf_histogram_add(void *columns, bool is_wide, const uint8_t *fresh, int count) {
    if (is_wide)
        wide_add(columns, fresh, count);
    else
        narrow_add(columns, fresh, count);
}

void imf_histogram_move(void *columns, bool is_wide, const uint8_t *old, const uint8_t *fresh,
                        int count) {
    if (is_wide)
        wide_move(columns, old, fresh, count);
    else
        narrow_move(columns, old, fresh, count);
}

void imf_histogram_rank(uint8_t *to, const void *columns, bool is_wide, int width, int step,
                        int rank, int n) {
    if (is_wide)
        wide_rank(to, columns, width, step, rank, n);
    else
        narrow_rank(to, columns, width, step, rank, n);
}
