/*
 * candidates.h - a chain done by one backend throughout, or by the best for each pass: what that
 * takes, and how it is told
 */
#ifndef IMF_PLAN_CANDIDATES_H
#define IMF_PLAN_CANDIDATES_H

#include "plan/proposals.h"

/* What candidates are judged by. */
struct imf_bounds {
    double limit; /* bytes of the process */
    double base;  /* of these, what it takes without surfaces, buffers and driver */
    bool opened;  /* a device is open already */
    bool whole;   /* the image and the result are to be held, though the chain may do without */
};

/*
 * The candidate of `backend` (AUTO: the cheapest of the device's for each pass) for the chain of
 * `from`, on its device or, where it has none, on the host. taken[i]: how each pass would be done,
 * in the bands that it would run in; without a solver: a point pass, or nothing was able.
 * Candidates that are not eligible have no estimate (-1), and say why; a mixture that is none is
 * not eligible, without a reason. Returns what one takes that only the limit forbids, or INFINITY.
 */
double imf_candidate_make(struct imf_candidate *out, struct imf_proposals *from,
                          enum imf_backend backend, const struct imf_bounds *bounds,
                          struct imf_proposal *taken);

const char *imf_backend_name(enum imf_backend backend);

#endif
