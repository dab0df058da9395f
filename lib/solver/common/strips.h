/*
 * strips.h - a pass cut into pieces for the host's cores: some columns of some rows
 *
 * The rows that a strip keeps for its next rows must fit a cache, which makes strips narrow; the halo
 * that it shares with its neighbours is computed twice, which makes them wide.
 */
#ifndef IMF_SOLVER_COMMON_STRIPS_H
#define IMF_SOLVER_COMMON_STRIPS_H

#include "solver/problem.h"

/* Samples x..x + n - 1 of rows y..end - 1. */
struct imf_patch {
    int x, n, y, end;
};

struct imf_strips {
    int samples, height; /* of all */
    int width, rows;     /* of a strip */
    int across, count;   /* how many */
};

/* Strips of at most so many samples and, unless cores would have nothing to do, at least so many
 * rows. All but the last one's samples are a multiple of IMF_SLACK, or of `step`. */
struct imf_strips imf_strips_cut(int samples, int height, int most, int least_rows);
struct imf_strips imf_strips_cut_by(int step, int samples, int height, int most, int least_rows);
/* Make strips that have more rows than one block whole blocks of rows. */
void imf_strips_align(struct imf_strips *s, int block);
struct imf_patch imf_strips_at(const struct imf_strips *s, int index);

/* A multiple of IMF_SLACK. */
static inline int imf_padded(int n) {
    return (n + IMF_SLACK - 1) & -IMF_SLACK;
}

/* Address of a sample, which may lie in the margins. */
static inline const void *imf_sample_at(const struct imf_surface *s, int row, ptrdiff_t sample) {
    ptrdiff_t i = (ptrdiff_t)s->origin + (ptrdiff_t)row * (ptrdiff_t)s->pitch + sample;
    return (const char *)s->host + i * (ptrdiff_t)imf_sample_size(s->sample);
}

/* A strip of a pass whose windows begin at some offset: columns from the output's pixel, and rows. */
struct imf_piece {
    const struct imf_problem *p;
    const struct imf_surface *in, *out;
    struct imf_patch at;
    int left, top;
    bool identity; /* the output holds one of the input's samples as it is */
    void *made;    /* otherwise: a row of samples of the input's type, where they are made */
};

bool imf_epilogue_is_identity(const struct imf_problem *p);

/* An input row from where the window of the strip's first sample begins. */
const void *imf_strip_input(const struct imf_piece *s, int row);
/* Where an output row's samples are made, and what follows when they are. */
void *imf_strip_target(const struct imf_piece *s, int y);
void imf_strip_end(const struct imf_piece *s, int y);

#endif
