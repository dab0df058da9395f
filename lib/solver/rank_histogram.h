/* rank_histogram.h - ranks of bytes in large rectangles (solver/rank.c) */
#ifndef IMF_SOLVER_RANK_HISTOGRAM_H
#define IMF_SOLVER_RANK_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMF_HISTOGRAM_HEIGHT 255 /* most rows of a window, as a column counts in bytes */

/* How many of a column's samples are up to each sixteenth of the range, and of those in each
 * sixteenth up to each value. */
typedef uint8_t imf_sixteen __attribute__((vector_size(16)));
struct imf_histogram {
    imf_sixteen coarse, fine[16];
};

/* Add a row's samples to `count` columns, or take the row `old` out and the row `fresh` in. */
void imf_histogram_add(struct imf_histogram *columns, const uint8_t *fresh, int count);
void imf_histogram_move(struct imf_histogram *columns, const uint8_t *old, const uint8_t *fresh,
                        int count);

/* The samples of the rank, from 0 on, of n windows of `width` columns that are `step` apart; the
 * first one's first column is the first. A window holds at most 65535 samples. */
void imf_histogram_rank(uint8_t *to, const struct imf_histogram *columns, int width, int step,
                        int rank, int n);

#endif
