/*
 * missing.h - samples of floats that are not there
 *
 * NaN is 0 in the rows that are filtered, with a further channel of 0 there and full scale elsewhere, which passes take
 * for alpha. In the result it is NaN again, and so is what lies near it, as the chain says.
 */
#ifndef IMF_RUN_PIPELINE_MISSING_H
#define IMF_RUN_PIPELINE_MISSING_H

#include "plan/lowering/chain.h"

struct imf_missing {
    const struct imf_chain *chain; /* borrowed: with that channel */
    /* Owned: of each pixel of `rows` rows, row y at y % rows: it is missing, or the chain's `lost` reaches it from
     * one in its row. */
    unsigned char *holes;
    int rows;
    unsigned char *lost; /* owned: of each pixel of a row */
};

/* `rows`: the most that are read and not yet written. Close is due whatever this returns. */
enum imf_status imf_missing_open(struct imf_missing *m, const struct imf_chain *chain, int rows,
                                 struct imf_error *err);
void imf_missing_close(struct imf_missing *m);
/* Row y of the image, as it is filtered. */
void imf_missing_spread(const struct imf_missing *m, void *to, const void *from, int y);
/* Row y of the result, of so many channels and the one that is dropped. Integers have no NaN: 0. */
void imf_missing_gather(const struct imf_missing *m, void *to, enum imf_sample sample, int channels,
                        const void *from, int y);

#endif
