/* rim.h - the rim of a composed pass, filtered in two steps on the host */
#ifndef IMF_RUN_RIM_H
#define IMF_RUN_RIM_H

#include "plan/chain.h"

/* The part of a rim that lies in a band, and the rows that filtering it takes; of the image, and
 * margins below 0 and from its height on. */
struct imf_rim {
    struct imf_rect strip[4]; /* empty ones have no width or height */
    int first, rows;          /* of the output; no rows: nothing to do */
    int source_first, source_rows;
};

/* For rows from..to - 1 of a composed pass's output. */
struct imf_rim imf_rim_find(const struct imf_chain *chain, const struct imf_pass *pass, int from,
                            int to);
/* Filter it anew, from the pass's source (margins filled) to its output. Row 0 of both surfaces is
 * the image's; their host addresses need to hold for the rim's rows. */
enum imf_status imf_rim_run(const struct imf_chain *chain, const struct imf_pass *pass,
                            const struct imf_rim *rim, const struct imf_surface *in,
                            const struct imf_surface *out, struct imf_error *err);

#endif
