/*
 * planner.h - which solver does each convolution, by estimated cost
 */
#ifndef IMF_PLAN_PLANNER_H
#define IMF_PLAN_PLANNER_H

#include "device/context.h"
#include "plan/chain.h"

#define IMF_MAX_CANDIDATES 8

struct imf_planning {
    struct imf_candidate candidate[IMF_MAX_CANDIDATES];
    size_t count;
    size_t chosen, host;           /* of them: the one taken, the host's that is, or would be */
    enum imf_backend host_backend; /* of the latter */
    bool on_device;
    const struct imf_chain *chain; /* what a device runs: the chain or its split */
    struct imf_proposal *taken;    /* how, for each of its passes (point passes: none); owned */
    struct imf_runtime *rt;        /* on_device */
    struct imf_gles *gles;         /* or on that, the chain as it is */
    struct {
        const struct imf_candidate
            *candidate; /* the fastest that only the limit forbids, or NULL */
        double ms;
    } over;
    char note[256]; /* a warning, or "" */
};

/* Estimate every backend for this chain and choose, within settings->backend and max_memory. Opens
 * the device only when the work may be worth it or the user asked for it. On success the caller
 * frees with imf_planning_clear(). */
enum imf_status imf_planning_make(struct imf_planning *out, struct imf_context *ctx,
                                  const struct imf_chain *chain,
                                  const struct imf_settings *settings, struct imf_error *err);
/* IMF_ERR_LIMIT, with both numbers. */
enum imf_status imf_planning_over_limit(double bytes, double limit, struct imf_error *err);
void imf_planning_clear(struct imf_planning *p);

#endif
