/* histogram.h - histograms of columns (solver/rank/histogram.c) */
#ifndef IMF_SOLVER_RANK_HISTOGRAM_H
#define IMF_SOLVER_RANK_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns count in bytes as long as these hold a window's rows, and windows in 16 bits as long as
 * these hold its samples; otherwise both in twice as many. */
static inline bool imf_histogram_wide(int width, int height) {
    return height > 255 || width * height > 65535;
}

/* Bytes of a column's histogram: how many of its samples are up to each sixteenth of the range, and
 * of those in each sixteenth up to each value. */
size_t imf_histogram_bytes(bool wide);

/* To `count` columns' histograms, aligned to 16 bytes, add a row's samples; or take the row `old`
 * out and the row `fresh` in. */
void imf_histogram_add(void *columns, bool wide, const uint8_t *fresh, int count);
void imf_histogram_move(void *columns, bool wide, const uint8_t *old, const uint8_t *fresh,
                        int count);

/* The samples of the rank, from 0 on, of n windows of `width` columns that are `step` apart; the
 * first one's first column is the first. before (unless NULL): of each how many of the window's equal
 * samples come before it. */
void imf_histogram_rank(uint8_t *to, uint32_t *before, const void *columns, bool wide, int width,
                        int step, int rank, int n);

#endif
