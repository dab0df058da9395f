/*
 * strips.h - a pass cut into strips for the host's cores: some columns of some rows
 *
 * The rows that a strip keeps for its next rows must fit a cache, which favours narrow strips; the
 * halo that neighbours share is computed twice, which favours wide ones.
 */
#ifndef IMF_SOLVER_STRIPS_H
#define IMF_SOLVER_STRIPS_H

#include "base/image/surface.h"

/* Samples x..x + n - 1 of rows y..end - 1. */
struct imf_strip_area {
    int x, n, y, end;
};

struct imf_strips {
    int samples, height; /* of the whole pass */
    int width, rows;     /* of a strip: samples, rows */
    int across, count;   /* number of strips: in a row of strips, in all */
};

/* Cut a pass into strips of at most `most` samples and at least least_rows rows (fewer if cores would
 * be idle). Widths are multiples of IMF_SLACK, or of `step`, except for the last. */
struct imf_strips imf_strips_cut(int samples, int height, int most, int least_rows);
struct imf_strips imf_strips_cut_by(int step, int samples, int height, int most, int least_rows);
/* Round the rows of strips that are higher than a block down to whole blocks. */
void imf_strips_align(struct imf_strips *s, int block);
/* Strips of this width and height; or of whole rows, `rows` of them each. */
static inline struct imf_strips imf_strips_of(int samples, int height, int width, int rows) {
    int across = (samples - 1) / width + 1, count = across * ((height - 1) / rows + 1);
    return (struct imf_strips){samples, height, width, rows, across, count};
}
static inline struct imf_strips imf_strips_rows(int samples, int height, int rows) {
    return imf_strips_of(samples, height, samples, rows);
}
struct imf_strip_area imf_strips_at(const struct imf_strips *s, int index);

/* n rounded up to a multiple of IMF_SLACK. */
static inline int imf_padded(int n) {
    return (n + IMF_SLACK - 1) & -IMF_SLACK;
}

/* Address of a sample, which may lie in the margins. */
static inline void *imf_sample_at(const struct imf_surface *s, int row, ptrdiff_t sample) {
    ptrdiff_t i = (ptrdiff_t)s->origin + (ptrdiff_t)row * (ptrdiff_t)s->pitch + sample;
    return (char *)s->host + i * (ptrdiff_t)imf_sample_size(s->sample);
}

#endif
