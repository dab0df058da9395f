/* rank_follow.h - ranks of bytes in any element, from row to row (solver/rank.c) */
#ifndef IMF_SOLVER_RANK_FOLLOW_H
#define IMF_SOLVER_RANK_FOLLOW_H

#include "base/error.h"
#include "solver/window.h"

#include <stdint.h>

/* Runs of an element, their rows numbered from 1 on, that of the window above being 0; and which of
 * its samples are new from a window to the one below, which are left. */
struct imf_follow {
    struct imf_run *runs, *fresh, *old; /* one piece of memory, owned */
    int run_count, fresh_count, old_count;
    int count, rank; /* of the element's samples */
    int step;        /* samples of a pixel */
};

/* From the element's runs, numbered from its first row and column. Close it, failed or not. */
enum imf_status imf_follow_open(struct imf_follow *f, const struct imf_run *runs, int run_count,
                                int top, int left, struct imf_error *err);
void imf_follow_close(struct imf_follow *f);

/* Bytes that are kept from row to row for rows of n samples; n is rounded up. */
#define IMF_FOLLOW_LANES 64
size_t imf_follow_bytes(int n);

/*
 * The ranks' samples of a row, ordered as imf_ordered_rows() does, stay in the n bytes that are
 * returned, which begin what is kept, aligned to 64. rows[]: ordered samples of input rows, the one
 * above the window's first one first, which nobody reads for the first row of all; each has 64
 * samples more.
 */
const int8_t *imf_follow_row(const struct imf_follow *f, const int8_t *const *rows, bool first,
                             void *kept, int n);

#endif
