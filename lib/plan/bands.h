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
 * No row is made twice, and a pass sees the same neighbours of a row whatever the bands; tiles of
 * transforms lie where they lie in the image, as bands end between them: results do not depend on
 * bands. Surfaces that another segment reads are whole. The image and the result are, too, unless
 * rows stream (`ends`): then they are windows of the one segment, the image's filled from above and
 * the result's emptied below, each with storage for two bands in turn (exec_stream.c). No OpenCL
 * here: arithmetic on rows.
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
    int lead;         /* rows that it is ahead of the segment's last output, at least */
    int least;        /* rows that must be there at once, if any: the top margin repeats them */
    int step;         /* bands end at multiples of so many rows, or with the image */
};

struct imf_bands {
    const struct imf_chain *chain;
    struct imf_segment *segment;
    int count;
    struct imf_window *window;      /* chain->count + 1 */
    bool float64;                   /* samples between passes are */
    bool streams;                   /* the image and the result are windows */
    const char *whole_image_reason; /* else: why not; static */
    bool slice;                     /* of the result: windows stay as they are */
    int back; /* rows of the image that stay above a band's first row of the result: all that it
                 is made of, for those who make it again */
};

struct imf_bands_form {
    int advance;    /* rows a band; 0: as many as the budget allows */
    bool float64;   /* samples between passes are float64 */
    bool streams;   /* let rows stream, if the chain can and the image is worth it */
    bool transfers; /* copy rows to and from the device as for a GPU, though memory may be one */
};

/* wish[i], step[i]: of pass i, as of its solver's proposal. */
struct imf_bands_options {
    const enum imf_bands_wish *wish;
    const int *step; /* NULL: 1 */
    size_t budget;   /* bytes of a segment's windows, more where bands should be few and at least
                        twice the rows that they keep; but for the ends', which have their own */
    struct imf_bands_form form;
};

/* No segments yet, zeroed; the chain must outlive the bands. */
enum imf_status imf_bands_open(struct imf_bands **out, const struct imf_chain *chain,
                               struct imf_error *err);
enum imf_status imf_bands_make(struct imf_bands **out, const struct imf_chain *chain,
                               const struct imf_bands_options *options, struct imf_error *err);
/* The same for a chain on a device or, where d is NULL, on the host, as its solvers wish (taken[i];
 * without a solver: a point pass) and its tuning has the budget. */
enum imf_status imf_bands_plan(struct imf_bands **out, const struct imf_chain *chain,
                               const struct imf_proposal *chosen, struct imf_bands_form form,
                               const struct imf_device *d, struct imf_error *err);
/* On the host, one band: every pass at once, all surfaces whole. */
enum imf_status imf_bands_whole(struct imf_bands **out, const struct imf_chain *chain,
                                struct imf_error *err);
/* On the host, one band: rows from..to - 1 of the result alone, and what they are made of. */
enum imf_status imf_bands_slice(struct imf_bands **out, const struct imf_chain *chain, int from,
                                int to, struct imf_error *err);
void imf_bands_free(struct imf_bands **bands);

/* Go to band 0, 1, ... of a segment: surfaces that it does not write are done throughout. */
void imf_bands_go(struct imf_bands *bands, const struct imf_segment *segment, int band);

/* Rows above and below that a pass reads. */
struct imf_margin imf_bands_reach(const struct imf_pass *pass);

/* Row behind the last one in storage, bottom margin included, when `rows` rows are made. */
int imf_bands_end(const struct imf_bands *bands, int index, int rows);

#endif
