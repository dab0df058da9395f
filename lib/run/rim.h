/* rim.h - the rim of a composed pass, filtered in two steps by the reference solver */
#ifndef IMF_RUN_RIM_H
#define IMF_RUN_RIM_H

#include "plan/chain.h"

/* Filter the rim of a composed pass anew, from its source (margins filled) to rows from..to - 1 of
 * its output; both surfaces have host addresses. */
enum imf_status imf_rim_run(const struct imf_chain *chain, const struct imf_pass *pass,
                            const struct imf_surface *in, const struct imf_surface *out, int from,
                            int to, struct imf_error *err);

#endif
