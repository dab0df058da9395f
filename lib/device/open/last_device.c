/* last_device.c - the device that was opened last */
#include "device/open/last_device.h"

#include "base/thread_pool.h"
#include "device/open/probe.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A time to open that is less far from the stored one is not worth a write. */
#define SAME_TIME 1.5
/* Estimates count in int with it; of those that exist the largest has some hundreds. */
#define MOST_UNITS (1u << 16)

struct imf_cache_key imf_last_device_key(void) {
    static const char *const what[] = {"", "last device", NULL};
    struct imf_cache_key key;
    imf_drivers_key(&key, IMF_PROBE_OPENCL, what);
    return key;
}

/* Any bytes may be in an entry whose checksum holds, as of a program with other fields. */
static bool is_bool(const void *data, size_t at) {
    return ((const unsigned char *)data)[at] <= 1;
}
static bool read_device(struct imf_device *d, const void *data) {
    if (!is_bool(data, offsetof(struct imf_device, gpu)) ||
        !is_bool(data, offsetof(struct imf_device, unified)) ||
        !is_bool(data, offsetof(struct imf_device, fp64)))
        return false;
    memcpy(d, data, sizeof *d);
    return d->compute_units > 0 && d->compute_units <= MOST_UNITS && d->max_group > 0 &&
           d->open_ms >= 0 && isfinite(d->open_ms);
}

bool imf_last_device_load(const char *cache_dir, const struct imf_cache_key *key,
                          struct imf_device *out) {
    size_t size = 0;
    void *data = cache_dir ? imf_cache_load(cache_dir, key, &size) : NULL;
    struct imf_device d;
    bool ok = data && size == sizeof d && read_device(&d, data);
    free(data);
    if (!ok)
        return false;
    d.name[sizeof d.name - 1] = d.driver[sizeof d.driver - 1] = '\0';
    d.tuning = NULL;
    if (!d.gpu)
        d.compute_units = (unsigned)imf_cores(); /* that this process may use */
    *out = d;
    return true;
}

void imf_last_device_store(const char *cache_dir, const struct imf_cache_key *key,
                           const struct imf_device *d) {
    struct imf_device before, entry;
    bool known = imf_last_device_load(cache_dir, key, &before);
    memcpy(&entry, d, sizeof entry);
    entry.tuning = NULL;
    bool same =
        known && strcmp(before.name, entry.name) == 0 && strcmp(before.driver, entry.driver) == 0 &&
        entry.open_ms <= before.open_ms * SAME_TIME && entry.open_ms * SAME_TIME >= before.open_ms;
    if (cache_dir && !same)
        imf_cache_store(cache_dir, key, &entry, sizeof entry);
}
