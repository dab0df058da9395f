/*
 * proposals.h - what the solvers propose for a chain's passes; each is asked once, when needed
 */
#ifndef IMF_PLAN_PROPOSALS_H
#define IMF_PLAN_PROPOSALS_H

#include "plan/bands.h"

struct imf_proposals {
    const struct imf_chain *chain;
    const struct imf_device *device;
    bool float64; /* only plain C is asked: samples between passes are float64 */
    double pace;  /* the host's, imf_pace(); 1 unless it is set before a solver is asked */
    size_t solvers;
    size_t missing; /* bytes that solvers could not allocate to find out what they can do, or 0 */
    struct imf_proposal *list;  /* owned: of each solver for each pass, zeroed until it is asked */
    struct imf_proposal *point; /* owned: of each backend for each pass, if it is a point pass */
};

/* Chain and device (NULL: for the host's solvers alone) must outlive the proposals. */
enum imf_status imf_proposals_open(struct imf_proposals *out, const struct imf_chain *chain,
                                   const struct imf_device *d, bool float64, struct imf_error *err);
void imf_proposals_close(struct imf_proposals *proposals);

/* The cheapest proposal of a backend's solvers for a pass (AUTO: of all of the device's), for the
 * image's height. If none is feasible, one that says why: one of the last solver that takes the
 * kind of problem, if any does. */
const struct imf_proposal *imf_proposals_cheapest(struct imf_proposals *proposals, int pass,
                                                  enum imf_backend backend);

/*
 * The bands that a chain is run in on a device, or on the host if d is NULL, by chosen[i] (a point
 * pass's without a solver). A device's proposals are made again for the height of the bands. Fails
 * with IMF_ERR_LIMIT if a solver cannot do that: its proposal is not feasible then.
 */
enum imf_status imf_proposals_band(struct imf_bands **out, const struct imf_chain *chain,
                                   struct imf_proposal *chosen, struct imf_bands_form form,
                                   const struct imf_device *d, struct imf_error *err);
/* Refuse those of chosen[i] that are not feasible in bands; false if there are none. */
bool imf_proposals_drop(struct imf_proposals *proposals, const struct imf_proposal *chosen);
/* Refuse the proposals of this one's solver for a pass, with a reason. */
void imf_proposals_refuse(struct imf_proposals *proposals, int pass,
                          const struct imf_proposal *chosen, const char *why);

const char *imf_backend_name(enum imf_backend backend);

#endif
