/*
 * rates.h - the rates of a device that can be measured, and where they are kept
 *
 * One text file a device in the cache directory. Its name is a hash of the device, its driver and
 * its number of units; it contains these, the rates, and for each whether it was determined. A file
 * that is malformed, or of another version or device, is ignored.
 */
#ifndef IMF_DEVICE_RATES_H
#define IMF_DEVICE_RATES_H

#include "device/tuning.h"

/* A member of struct imf_tuning. */
struct imf_rate_row {
    const char *name, *unit;
    size_t offset;
    bool cost;         /* the time of an operation, not operations a second */
    unsigned backends; /* bits of enum imf_backend: whose estimates use it */
};
/* The rates of this kind of device, ended by a row without a name; at most IMF_FIT_COSTS. */
const struct imf_rate_row *imf_rate_rows(const struct imf_device *d);

double *imf_rate_of(struct imf_tuning *t, const struct imf_rate_row *row);

/* What was stored for this device. */
bool imf_rates_load(const char *dir, const struct imf_device *d, struct imf_tuning *out);
bool imf_rates_store(const char *dir, const struct imf_device *d, const struct imf_tuning *t);

#endif
