/*
 * compose.h - two convolutions in a row as one
 *
 * b applied to a's response is one kernel, their composition: one pass over memory instead of two
 * and no float image in between. It differs from the two passes where b reads beyond the image's
 * edge, since the edge mode extends a's response there and not the image. That rim is as wide as
 * b's margin; it is filtered in two steps by the host solver (run/rim.h), unless extension and
 * convolution commute (wrap always, reflect and mirror for kernels that are their own mirror
 * images).
 */
#ifndef IMF_PLAN_COMPOSE_H
#define IMF_PLAN_COMPOSE_H

#include "plan/chain.h"

/* Milliseconds that convolutions take, INFINITY when nothing can do one. */
struct imf_prices {
    double (*pass)(void *context, int index); /* of the chain as it is */
    double (*problem)(void *context, const struct imf_problem *p);
    void *context;
};

/* A copy of a chain with neighbouring convolutions composed where it pays; its kernels are its own
 * or the filter's. *out is NULL, and that is no failure, when nothing pays. Kernels are composed
 * only where that takes a small part of the work, and the rim alone does not cost more. */
enum imf_status imf_chain_compose(struct imf_chain **out, const struct imf_chain *chain,
                                  const struct imf_prices *prices, struct imf_error *err);

#endif
