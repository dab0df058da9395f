/*
 * plans.h - plans by device and shape of the image, and workspaces by plan, for jobs that share them
 *
 * A batch makes one plan for each shape on each device, and hands out workspaces as long as all of them stay within
 * its memory: who comes first is served first, and who would need more waits for others to give
 * theirs back. One alone may always run: what it needs is its own plan's affair.
 */
#ifndef CLI_PLANS_H
#define CLI_PLANS_H

#include "imfilter.h"

/* What a plan is made for. */
struct shape {
    struct imf_info info;
    uint64_t held;           /* by the reader */
    bool whole;              /* the image will be whole in memory */
    struct imf_curve *curve; /* of linear light, as settings have it; the plan keeps it */
};

/* What one job has while it runs. */
struct lease {
    struct entry *entry;
    const struct imf_plan *plan;
    struct imf_workspace *workspace;
    int threads; /* for this image alone: so many that all jobs together fill the cores */
    bool reused; /* the workspace has been used before */
};

struct plans;
/* jobs run at once, in `memory` bytes on so many cores, whatever their devices; NULL without memory.
 * contexts: of each device, borrowed. */
struct plans *plans_create(struct imf_context *const *contexts, int devices,
                           const struct imf_filter *filter, const struct imf_settings *settings,
                           int jobs, int cores, uint64_t memory);
void plans_free(struct plans **plans);

/* Waits until there is room. */
enum imf_status plans_take(struct plans *plans, int device, const struct shape *shape,
                           struct lease *lease, struct imf_error *err);
/* Harmless for a lease that was given back, or not had. */
void plans_give(struct plans *plans, struct lease *lease);

#endif
