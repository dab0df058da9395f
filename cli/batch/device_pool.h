/*
 * device_pool.h - the devices that a run's images are filtered on: the one that was asked for or,
 * with --device=all, each that there is
 */
#ifndef CLI_BATCH_DEVICE_POOL_H
#define CLI_BATCH_DEVICE_POOL_H

#include "options/settings.h"
#include "report/outcome.h"

enum { DEVICES_MAX = 64 };

struct device {
    char index[12], name[160]; /* "0", "0 (NAME)" */
    const char *trial[4];      /* the command that tries it in a child process */
};

struct device_pool {
    const struct options *options; /* borrowed */
    bool all;                      /* others are opened once the first is of use */
    int count;
    struct device devices[DEVICES_MAX];
    struct imf_context *contexts[DEVICES_MAX]; /* count of them */
};

/* filters: false: nothing is filtered. To be closed even on failure. */
enum imf_status device_pool_open(struct device_pool *p, const struct options *o, bool filters,
                                 struct imf_error *err);
/* Fill in what a batch has of devices; the pool must outlive it. */
void device_pool_lend(struct device_pool *p, struct imf_batch *batch);
/* After this failure of a device: are there others to use instead? Then it gets no more images, and
 * a warning says so once. */
bool device_pool_drop(const struct device_pool *p, struct imf_plan_cache *plans, int device,
                      const struct imf_error *failure, const struct reporter *reporter);
void device_pool_close(struct device_pool *p);

#endif
