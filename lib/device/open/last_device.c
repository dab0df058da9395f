/* last_device.c - the device that was opened last */
#include "device/open/last_device.h"

#include "base/thread_pool.h"
#include "device/open/probe.h"

#include <stdlib.h>
#include <string.h>

/* A time to open that is less far from the stored one is not worth a write. */
#define SAME_TIME 1.5

struct imf_cache_key imf_last_device_key(void) {
    static const char *const what[] = {"", "last device", NULL};
    struct imf_cache_key key;
    imf_drivers_key(&key, IMF_PROBE_OPENCL, what);
    return key;
}

bool imf_last_device_load(const char *cache_dir, const struct imf_cache_key *key,
                          struct imf_device *out) {
    size_t size = 0;
    void *data = cache_dir ? imf_cache_load(cache_dir, key, &size) : NULL;
    struct imf_device d = {.compute_units = 0};
    if (data && size == sizeof d)
        memcpy(&d, data, size);
    free(data);
    if (d.compute_units == 0)
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
    if (!entry.gpu)
        entry.open_ms = 0; /* the table's was fitted to whole processes */
    bool same =
        known && strcmp(before.name, entry.name) == 0 && strcmp(before.driver, entry.driver) == 0 &&
        entry.open_ms <= before.open_ms * SAME_TIME && entry.open_ms * SAME_TIME >= before.open_ms;
    if (cache_dir && !same)
        imf_cache_store(cache_dir, key, &entry, sizeof entry);
}
