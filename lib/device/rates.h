/*
 * rates.h - the rates of a device that can be measured, and where they are kept
 *
 * One text file a device in the cache directory, named by the device, its driver and its number of
 * units, which it also tells, and of each rate whether it was determined. A file that is malformed,
 * another version's or another device's is as good as none.
 */
#ifndef IMF_DEVICE_RATES_H
#define IMF_DEVICE_RATES_H

#include "device/tuning.h"

/* A member of struct imf_tuning. */
struct imf_rate_row {
    const char *name, *unit;
    size_t offset;
    bool cost;         /* what an operation takes, not how many there are in a second */
    unsigned backends; /* bits of enum imf_backend: whose estimates go by it */
};
/* Those of a kind of device, ended by one without a name; at most IMF_FIT_COSTS. */
const struct imf_rate_row *imf_rate_rows(const struct imf_device *d);

double *imf_rate_of(struct imf_tuning *t, const struct imf_rate_row *row);

/* What was stored for this device. */
bool imf_rates_load(const char *dir, const struct imf_device *d, struct imf_tuning *out);
bool imf_rates_store(const char *dir, const struct imf_device *d, const struct imf_tuning *t);

#endif
