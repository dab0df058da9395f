/* incremental.h - ranks of bytes in any element, updated from row to row (solver/rank/vector.c) */
#ifndef IMF_SOLVER_RANK_INCREMENTAL_H
#define IMF_SOLVER_RANK_INCREMENTAL_H

#include "base/error.h"
#include "solver/common/window.h"

#include <stdint.h>

/* The runs of an element, whose rows are numbered from 1: row 0 is that of the window above. fresh and
 * old: the samples that enter and leave from a window to the one below. */
struct imf_incremental {
    struct imf_run *runs, *fresh, *old; /* one piece of memory, owned */
    int run_count, fresh_count, old_count;
    int count, rank; /* of the element's samples */
    int step;        /* samples of a pixel */
};

/* From the element's runs, numbered from its first row and column. Close it, failed or not. */
enum imf_status imf_incremental_open(struct imf_incremental *f, const struct imf_run *runs,
                                     int run_count, int top, int left, struct imf_error *err);
void imf_incremental_close(struct imf_incremental *f);

/* Bytes of state for rows of n samples, kept from row to row; n is rounded up. */
#define IMF_INCREMENTAL_LANES 64
size_t imf_incremental_bytes(int n);

/*
 * Computes a row of results, as ordered samples (imf_ordered_rows()). Returns n bytes at the start of
 * `kept`, which is aligned to 64. rows[]: ordered samples of the input rows, from the row above the
 * window on; that one is not read when `first` is set. Each row has 64 samples beyond its end.
 */
const int8_t *imf_incremental_row(const struct imf_incremental *f, const int8_t *const *rows,
                                  bool first, void *kept, int n);

#endif
