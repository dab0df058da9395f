/*
 * device_pool.h - the devices that a run's images are filtered on: the one that was asked for or,
 * with --device=all, each that there is
 *
 * An image goes to the device with the fewest images in flight; of equally busy ones to the one that
 * has had the fewest. A device that fails gets no more
 * images, and those that it failed at go to the others.
 */
#ifndef CLI_BATCH_DEVICE_POOL_H
#define CLI_BATCH_DEVICE_POOL_H

#include "batch/plan_cache.h"
#include "options/settings.h"
#include "report/outcome.h"

struct device_pool;

/* For so many jobs at once; filter may be NULL: nothing is filtered then. */
enum imf_status device_pool_create(struct device_pool **out, const struct options *o,
                                   const struct imf_filter *filter, int jobs,
                                   struct imf_error *err);
void device_pool_free(struct device_pool **pool);

/* Waits until there is enough memory. On failure lease->device says which device it was. */
enum imf_status device_pool_acquire(struct device_pool *pool, const struct plan_key *key,
                                    struct plan_lease *lease, struct imf_error *err);
/* Harmless for a lease that was released, or not acquired. */
void device_pool_release(struct device_pool *pool, struct plan_lease *lease);

/* After this failure of a device: are there others to use instead? Then it gets no more images, and
 * a warning says so once. */
bool device_pool_drop(struct device_pool *pool, int device, const struct imf_error *failure,
                      const struct reporter *reporter);

#endif
