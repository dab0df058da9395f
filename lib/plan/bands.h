/*
 * bands.h - which rows each pass of a chain makes in which band
 *
 * Bands keep the surfaces between passes small. A chain is cut into segments of neighbouring
 * passes, and a segment is run band by band: in each band every pass makes the rows that its
 * readers need next. A surface between two passes of a segment is a window of rows that moves down
 * the image:
 *
 *      kept        before           done
 *      | halo ... | made in this band |      halo: rows that readers still need
 *
 * Results do not depend on the bands: no row is made twice, a pass sees the same neighbours of a
 * row whatever the bands, and bands end between the tiles of transforms. Surfaces that another
 * segment reads hold the whole image. So do the image and the result, unless rows stream: then they
 * are windows of the only segment, each with two buffers that are used in turn
 * (run/executor/exec.h).
 */
#ifndef IMF_PLAN_BANDS_H
#define IMF_PLAN_BANDS_H

#include "plan/lowering/chain.h"

struct imf_segment {
    int first, end; /* passes first..end - 1 */
    int advance;    /* rows a band */
    int bands;
};

/* One surface; as everywhere, index 0 is the image and i + 1 the output of pass i. */
struct imf_window {
    int rows;         /* rows of storage, or 0: the whole image's, with its margins */
    int tallest;      /* the most rows made in a band */
    int kept;         /* image row in the first row of storage; below 0: a row of the top margin */
    int moved;        /* by how much `kept` rose since the band before */
    int before, done; /* rows made before this band, and after it */
    int lead;         /* rows made beyond those of the segment's last output, at least */
    int least; /* rows that the first band that makes any must make: the top margin repeats them */
    int step;  /* bands end at multiples of so many rows, or at the image's end */
};

struct imf_bands {
    const struct imf_chain *chain;
    struct imf_segment *segment;
    int count;
    struct imf_window *window;      /* chain->count + 1 */
    bool float64;                   /* samples between passes are */
    bool streams;                   /* the image and the result are windows */
    const char *whole_image_reason; /* or why they are not; static */
    bool slice;                     /* imf_bands_slice(): windows do not move */
    /* 0, or rows stream twice: through passes 0..twice - 1, of which the last only measures them, and
     * then through all. */
    int twice;
    int back; /* rows of the image kept above a band's first row of the result, so that all that the
                 band is made of is there if another executor makes it again */
};

struct imf_bands_form {
    int advance;          /* rows a band; 0: as many as the budget allows, */
    int halved;           /* halved so many times, to keep to a limit of memory */
    bool float64;         /* samples between passes are float64 */
    bool streams;         /* let rows stream, if the chain can and the image is worth it */
    enum imf_twice twice; /* IF_NEEDED: it is needed */
    bool transfers; /* copy rows to and from the device as for a GPU, though memory may be one */
};

/* wish[i], step[i]: pass i's, from its solver's proposal. */
struct imf_bands_options {
    const enum imf_bands_wish *wish;
    const int *step; /* NULL: 1 */
    size_t budget;   /* bytes of a segment's windows without the image and the result: exceeded
                        where bands should be few, and for twice the rows that windows keep */
    struct imf_bands_form form;
};

/* Allocate without segments, zeroed. The chain must outlive the bands. */
enum imf_status imf_bands_open(struct imf_bands **out, const struct imf_chain *chain,
                               struct imf_error *err);
enum imf_status imf_bands_make(struct imf_bands **out, const struct imf_chain *chain,
                               const struct imf_bands_options *options, struct imf_error *err);
/* The same with the wishes and steps of the passes' proposals (chosen[i]; a point pass has no
 * solver; NULL: all wish one band) and the budget of the device, or of the host if d is NULL. */
enum imf_status imf_bands_plan(struct imf_bands **out, const struct imf_chain *chain,
                               const struct imf_proposal *chosen, struct imf_bands_form form,
                               const struct imf_device *d, struct imf_error *err);
/* For the host: one band, all surfaces whole. */
enum imf_status imf_bands_whole(struct imf_bands **out, const struct imf_chain *chain,
                                struct imf_error *err);
/* For the host: one band that makes rows from..to - 1 of the result from the rows that they
 * need. */
enum imf_status imf_bands_slice(struct imf_bands **out, const struct imf_chain *chain, int from,
                                int to, struct imf_error *err);
void imf_bands_free(struct imf_bands **bands);

/* Set the windows for band 0, 1, ... of a segment. Surfaces that the segment does not write count
 * as complete. */
void imf_bands_go(struct imf_bands *bands, const struct imf_segment *segment, int band);

/* The row behind the last one in storage, bottom margin included, when `rows` rows are made. */
int imf_bands_end(const struct imf_bands *bands, int index, int rows);

#endif
