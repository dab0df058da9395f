/*
 * proposals.h - what the solvers propose for a chain's passes, each asked once and only when needed
 */
#ifndef IMF_PLAN_PROPOSALS_H
#define IMF_PLAN_PROPOSALS_H

#include "plan/bands.h"

struct imf_proposals {
    const struct imf_chain *chain;
    const struct imf_device *device;
    bool float64; /* plain C alone is asked for: samples between passes are float64 */
    size_t solvers;
    struct imf_proposal *list;  /* owned: for each pass one of each solver, once it was asked, */
    struct imf_proposal *point; /* and for each pass one of each backend, of a point pass */
};

/* Chain and device (NULL: for the host's solvers alone) must outlive the proposals. */
enum imf_status imf_proposals_open(struct imf_proposals *out, const struct imf_chain *chain,
                                   const struct imf_device *d, bool float64, struct imf_error *err);
void imf_proposals_close(struct imf_proposals *proposals);

/* The cheapest of a backend's solvers for a pass (AUTO: of all of the device's), for the image's
 * height. One that is not able stands for all, with the last reason that is about more than the
 * kind of problem. */
const struct imf_proposal *imf_proposals_cheapest(struct imf_proposals *proposals, int pass,
                                                  enum imf_backend backend);

/*
 * The bands that a chain is run in on a device (NULL: the host) by taken[i] (a point pass: without
 * a solver), and the device's proposals again, for the height of the bands. Fails with
 * IMF_ERR_LIMIT where a solver cannot do that: its proposal is not able then.
 */
enum imf_status imf_proposals_band(struct imf_bands **out, const struct imf_chain *chain,
                                   struct imf_proposal *chosen, struct imf_bands_form form,
                                   const struct imf_device *d, struct imf_error *err);
/* Ask no more for those of taken[i] that are not able in bands; false where there are none. */
bool imf_proposals_drop(struct imf_proposals *proposals, const struct imf_proposal *chosen);
/* Nor for this one of a pass, and why. */
void imf_proposals_refuse(struct imf_proposals *proposals, int pass,
                          const struct imf_proposal *chosen, const char *why);

const char *imf_backend_name(enum imf_backend backend);

#endif
