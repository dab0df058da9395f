/*
 * plan_cache.h - plans by device and shape of the image, and their workspaces, shared by jobs
 *
 * There is one plan for each shape of image on each device. Workspaces are handed out in the order of
 * the requests as long as their sum stays within the memory limit; a request that would exceed it
 * waits for a release. A request is always granted when no workspace is in use: the plan itself
 * keeps to the limit.
 *
 * An image goes to the device with the fewest images in flight; of equally busy ones to the one that
 * has had the fewest. Images that a device failed at go to the others.
 */
#ifndef CLI_BATCH_PLAN_CACHE_H
#define CLI_BATCH_PLAN_CACHE_H

#include "options/settings.h"
#include "report/outcome.h"

/* What a plan is made for. */
struct plan_key {
    struct imf_info info;
    uint64_t held; /* by the reader */
    bool whole;    /* the image will be whole in memory */
    bool verify;   /* and be verified */
    enum imf_twice twice;
    struct imf_curve *curve; /* of linear light, as settings have it; the plan keeps it */
};

/* What one job has while it runs. */
struct plan_lease {
    struct plan_entry *entry;
    int device;
    const struct imf_plan *plan;
    struct imf_workspace *workspace;
    int threads; /* for this image: all jobs together fill the cores */
    bool reused; /* the workspace has been used before */
};

struct plan_cache;
/* Opens the devices, for so many jobs at once; filter may be NULL: nothing is filtered then. */
enum imf_status plan_cache_create(struct plan_cache **out, const struct options *o,
                                  const struct imf_filter *filter, int jobs, struct imf_error *err);
void plan_cache_free(struct plan_cache **cache);

/* Choose a device, and wait until there is enough memory. lease->device is set even on failure. */
enum imf_status plan_cache_acquire(struct plan_cache *cache, const struct plan_key *key,
                                   struct plan_lease *lease, struct imf_error *err);
/* Harmless for a lease that was released, or not acquired. */
void plan_cache_release(struct plan_cache *cache, struct plan_lease *lease);

/* After this failure of a device: are there others to use instead? Then it gets no more images, and
 * a warning says so once. */
bool plan_cache_drop_device(struct plan_cache *cache, int device, const struct imf_error *failure,
                            const struct reporter *reporter);

#endif
