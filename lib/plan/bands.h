/*
 * bands.h - which rows each pass of a chain makes when, so that surfaces between passes stay small
 *
 * A chain is cut into segments of neighbouring passes. A segment is run band by band: in each band
 * every pass makes the rows that its readers need next, from rows that are there already. A surface
 * between two passes of a segment is a window of rows that moves down the image:
 *
 *      kept        before           done
 *      | halo ... | made in this band |      halo: what readers still reach back to
 *
 * No row is made twice, and a pass sees the same neighbours of a row whatever the bands: results do
 * not depend on them, but for the rounding of transforms, whose tiles begin with a band. Surfaces
 * that another segment reads are whole, as are the image and the output. No OpenCL here: arithmetic
 * on rows.
 */
#ifndef IMF_PLAN_BANDS_H
#define IMF_PLAN_BANDS_H

#include "plan/chain.h"

struct imf_segment {
    int first, end; /* passes first..end - 1 */
    int advance;    /* rows a band */
    int bands;
};

/* One surface; as everywhere, index 0 is the image and i + 1 the output of pass i. */
struct imf_window {
    int rows;         /* rows of storage, or 0: the whole image's, with its margins */
    int tallest;      /* most rows made in a band */
    int kept;         /* image row in the first row of storage; below 0: a top margin's */
    int moved;        /* by how much that rose since the band before */
    int before, done; /* rows made before this band, and with it */
    int lead;         /* rows that it is ahead of the segment's last output */
    int least;        /* rows that must be there at once, if any: the top margin repeats them */
};

struct imf_bands {
    const struct imf_chain *chain;
    struct imf_segment *segment;
    int count;
    struct imf_window *window; /* chain->count + 1 */
};

/*
 * wish[i]: of pass i. Windows of a segment take about `budget` bytes in all, more where bands
 * should be few and at least twice the rows that they keep. advance > 0: so many rows a band
 * instead. The chain must outlive the bands.
 */
enum imf_status imf_bands_make(struct imf_bands **out, const struct imf_chain *chain,
                               const enum imf_bands_wish *wish, size_t budget, int advance,
                               struct imf_error *err);
/* The same for a chain on a device, as its solvers wish (taken[i]; without a solver: a point pass)
 * and its tuning has the budget. */
enum imf_status imf_bands_plan(struct imf_bands **out, const struct imf_chain *chain,
                               const struct imf_proposal *taken, int advance,
                               const struct imf_device *d, struct imf_error *err);
/* One band: every pass at once, all surfaces whole. */
enum imf_status imf_bands_whole(struct imf_bands **out, const struct imf_chain *chain,
                                struct imf_error *err);
void imf_bands_free(struct imf_bands **bands);

/* Go to band 0, 1, ... of a segment: surfaces that it does not write are done throughout. */
void imf_bands_go(struct imf_bands *bands, const struct imf_segment *segment, int band);

/* Row behind the last one in storage, bottom margin included, when `rows` rows are made. */
int imf_bands_end(const struct imf_bands *bands, int index, int rows);

#endif
