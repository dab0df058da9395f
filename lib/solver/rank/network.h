/*
 * network.h - sorting networks that find a rank in all windows of a tile, as lists of steps
 *
 * A step compares two rows of samples and puts the lesser ones in a row and the greater ones in
 * another. Rows are numbered: those to work in from 0 on, then the inputs, then the outputs.
 */
#ifndef IMF_SOLVER_RANK_NETWORK_H
#define IMF_SOLVER_RANK_NETWORK_H

#include "base/error.h"
#include "base/image/samples.h"

/* Rows; lesser and greater are neither a nor b. */
struct imf_network_step {
    int a, b, lesser, greater;
};

struct imf_network {
    struct imf_network_step *steps; /* owned; imf_network_free() */
    int count, slots, inputs, outputs;
};

/* A rectangle of pixels of which windows of width x height are looked at together. */
struct imf_network_tile {
    int width, height, across, down;
};

/* Columns and rows of pixels that a tile's windows lie in; rows that all its windows have. */
static inline int imf_tile_columns(const struct imf_network_tile *t) {
    return t->width + t->across - 1;
}
static inline int imf_tile_rows(const struct imf_network_tile *t) {
    return t->height + t->down - 1;
}
static inline int imf_tile_shared(const struct imf_network_tile *t) {
    return t->height - t->down + 1;
}

/* `count` inputs in ascending order. */
enum imf_status imf_network_sort(struct imf_network *out, int count, struct imf_error *err);

/*
 * Ranks, from 0 on, in the windows of a tile: outputs by row and column. Inputs are, of each row
 * that only some of the windows have and each column, the sample; then, of each column and each
 * row that all have, the column's samples of those rows in ascending order.
 */
enum imf_status imf_network_rank(struct imf_network *out, const struct imf_network_tile *t,
                                 int rank, struct imf_error *err);
void imf_network_free(struct imf_network *n);

/* All steps on rows of n samples, a multiple of 64 bytes. Of lengths apart. */
void imf_network_run(const struct imf_network *net, enum imf_sample sample, void *const *rows,
                     int n);

#endif
