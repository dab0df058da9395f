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

/* What one sample of that value adds to cumulative counts. */
static const imf_sixteen one[16] = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
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

IMF_CLONES_32 static void add_row(struct imf_histogram *h, const uint8_t *fresh, int count) {
    for (int i = 0; i < count; i++) {
        h[i].coarse += one[fresh[i] >> 4];
        h[i].fine[fresh[i] >> 4] += one[fresh[i] & 15];
    }
}

IMF_CLONES_32 static void move_row(struct imf_histogram *h, const uint8_t *old,
                                   const uint8_t *fresh, int count) {
    for (int i = 0; i < count; i++) {
        if (old[i] == fresh[i])
            continue;
        h[i].coarse += one[fresh[i] >> 4];
        h[i].coarse -= one[old[i] >> 4];
        h[i].fine[fresh[i] >> 4] += one[fresh[i] & 15];
        h[i].fine[old[i] >> 4] -= one[old[i] & 15];
    }
}

/* The same of windows. */
typedef uint16_t words __attribute__((vector_size(32)));

#define WIDE(sixteen) __builtin_convertvector(sixteen, words)

/* How many of the counts, which ascend, are not above the rank. */
INLINE int place(const words *counts, int rank) {
    imf_sixteen below = __builtin_convertvector(*counts <= (uint16_t)rank, imf_sixteen);
    uint64_t half[2];
    memcpy(half, &below, sizeof half);
    return (__builtin_popcountll(half[0]) + __builtin_popcountll(half[1])) / 8;
}

/* A sixteenth's counts, which were those of the window `at`, for the window at i: step by step or,
 * where that is more, anew. */
INLINE void follow(words *counts, const struct imf_histogram *h, int at, int i, int sixteenth,
                   int width, int step) {
    if (at < 0 || 2 * (i - at) > width * step) {
        words anew = {0};
        for (int k = 0; k < width; k++)
            anew += WIDE(h[i + k * step].fine[sixteenth]);
        *counts = anew;
        return;
    }
    words moved = *counts;
    for (int k = at; k < i; k += step)
        moved += WIDE(h[k + width * step].fine[sixteenth]) - WIDE(h[k].fine[sixteenth]);
    *counts = moved;
}

IMF_CLONES_32 static void rank_row(uint8_t *to, const struct imf_histogram *h, int width, int step,
                                   int rank, int n) {
    for (int first = 0; first < step && first < n; first++) {
        words coarse = {0}, fine[16];
        int at[16];
        for (int s = 0; s < 16; s++)
            at[s] = -1;
        for (int k = 0; k < width; k++)
            coarse += WIDE(h[first + k * step].coarse);
        for (int i = first;; i += step) {
            int s = place(&coarse, rank);
            int below = s ? coarse[s - 1] : 0;
            follow(&fine[s], h, at[s], i, s, width, step);
            at[s] = i;
            to[i] = (uint8_t)(s << 4 | place(&fine[s], rank - below));
            if (i + step >= n)
                break;
            coarse += WIDE(h[i + width * step].coarse) - WIDE(h[i].coarse);
        }
    }
}

void imf_histogram_add(struct imf_histogram *columns, const uint8_t *fresh, int count) {
    add_row(columns, fresh, count);
}

void imf_histogram_move(struct imf_histogram *columns, const uint8_t *old, const uint8_t *fresh,
                        int count) {
    move_row(columns, old, fresh, count);
}

void imf_histogram_rank(uint8_t *to, const struct imf_histogram *columns, int width, int step,
                        int rank, int n) {
    rank_row(to, columns, width, step, rank, n);
}
