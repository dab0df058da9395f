/* tiles.h - ranks in rectangles by networks that the windows of a tile share (solver/rank/vector.c) */
#ifndef IMF_SOLVER_RANK_TILES_H
#define IMF_SOLVER_RANK_TILES_H

#include "solver/common/window.h"
#include "solver/rank/network.h"

#define IMF_TILES_SIDE_MOST 64 /* of a window */

struct imf_tiles {
    struct imf_network_tile tile;
    struct imf_network columns, windows; /* owned; imf_tiles_close() */
};

enum imf_status imf_tiles_open(struct imf_tiles *out, int width, int height, int rank,
                               struct imf_error *err);
/* An estimate without the networks, for imf_tiles_bytes(). */
void imf_tiles_guess(struct imf_tiles *out, int width, int height);
void imf_tiles_close(struct imf_tiles *t);

/* Samples that the steps write for an output sample, about. */
double imf_tiles_stores(int width, int height);

/* Samples of a strip, at most; a multiple of those of a tile's row. */
int imf_tiles_strip(int width, int height, int channels, enum imf_sample sample);
int imf_tiles_step(int width, int channels);

/* Bytes to work in for a strip of n samples, which imf_tiles_run() takes zeroed. */
size_t imf_tiles_bytes(const struct imf_tiles *t, int channels, enum imf_sample sample, int n);
void imf_tiles_run(const struct imf_tiles *t, const struct imf_piece *strip, void *store);

#endif
