/*
 * ordered.h - input rows as signed integers of the samples' size and in their order, for comparisons of
 * vectors (solver/rank/bisection.c)
 */
#ifndef IMF_SOLVER_RANK_ORDERED_H
#define IMF_SOLVER_RANK_ORDERED_H

#include "solver/common/window.h"

/* n samples in order, and back. Not IMF_F64. */
void imf_order(enum imf_sample sample, void *to, const void *from, int n);

/* A strip keeps so many rows: those of a window, and the one above. */
static inline int imf_ordered_rows(const struct imf_window_facts *w) {
    return w->height + 1;
}
/* The row for imf_strip_input(s, y), kept in the strip's scratch memory until height + 1 rows later. */
void *imf_ordered_row(const struct imf_host_strip *s, int y);
/* Fill the rows of the windows of output row y, as the strip goes down. */
void imf_ordered_fill(const struct imf_host_strip *s, int y);

#endif
