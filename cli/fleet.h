/*
 * fleet.h - what a run's images are filtered on: the device that was asked for or, with
 * --device=all, each that there is
 *
 * An image goes to the device with the fewest images under way; of equally busy ones to that which
 * was at work for the shortest time. So each gets as many as it is fast enough for. A device that
 * fails is left, and its images go to the others.
 */
#ifndef CLI_FLEET_H
#define CLI_FLEET_H

#include "options.h"
#include "plans.h"
#include "report.h"

struct fleet;
/* What one job has while it runs. */
struct berth {
    struct lease lease;
    int device;
    double since; /* milliseconds */
};

/* For so many jobs at once; filter may be NULL: nothing is filtered then. */
enum imf_status fleet_create(struct fleet **out, const struct options *o,
                             const struct imf_filter *filter, int jobs, struct imf_error *err);
void fleet_free(struct fleet **fleet);

/* Waits until there is room. On failure the berth says which device it was. */
enum imf_status fleet_take(struct fleet *fleet, const struct shape *shape, struct berth *berth,
                           struct imf_error *err);
/* Harmless for a berth that was given back, or not had. */
void fleet_give(struct fleet *fleet, struct berth *berth);

/* The device failed so: is it to be left, because there are others? That is told once. */
bool fleet_leave(struct fleet *fleet, int device, const struct imf_error *failure,
                 const struct reporter *reporter);

#endif
