/* reference.h - what plain C in float64 takes, pass by pass, to filter a whole image */
#ifndef IMF_PLAN_REFERENCE_H
#define IMF_PLAN_REFERENCE_H

#include "plan/bands.h"

/* The reference's proposal for pass i; last: the samples of the result. IMF_ERR_LIMIT. */
enum imf_status imf_reference_propose(const struct imf_chain *chain, int i, enum imf_sample last,
                                      struct imf_proposal *chosen, struct imf_error *err);
/* Bytes that verifying takes; INFINITY: it is impossible. *again: and what made the result's values,
 * once more. */
double imf_reference_bytes(const struct imf_chain *chain, bool *again);

#endif
