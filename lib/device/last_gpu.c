/* last_gpu.c - the GPU that was opened last */
#include "device/last_gpu.h"

#include "device/probe.h"

#include <stdlib.h>
#include <string.h>

/* A time to open that is less far from the stored one is not worth a write. */
#define SAME_TIME 1.5

struct imf_cache_key imf_last_gpu_key(void) {
    static const char *const what[] = {"", "last GPU", NULL};
    struct imf_cache_key key;
    imf_drivers_key(&key, IMF_PROBE_OPENCL, what);
    return key;
}

bool imf_last_gpu_load(const char *cache_dir, const struct imf_cache_key *key,
                       struct imf_device *out) {
    size_t size = 0;
    void *data = cache_dir ? imf_cache_load(cache_dir, key, &size) : NULL;
    struct imf_device d = {.gpu = false};
    if (data && size == sizeof d)
        memcpy(&d, data, size);
    free(data);
    if (!d.gpu || d.compute_units == 0)
        return false;
    d.name[sizeof d.name - 1] = d.driver[sizeof d.driver - 1] = '\0';
    d.tuning = NULL;
    *out = d;
    return true;
}

void imf_last_gpu_store(const char *cache_dir, const struct imf_cache_key *key,
                        const struct imf_device *d) {
    struct imf_device before, entry;
    bool known = imf_last_gpu_load(cache_dir, key, &before);
    if (!cache_dir || (!known && !d->gpu))
        return;
    memcpy(&entry, d, sizeof entry);
    entry.tuning = NULL;
    if (known && before.gpu == d->gpu && strcmp(before.name, d->name) == 0 &&
        strcmp(before.driver, d->driver) == 0 && d->open_ms < before.open_ms * SAME_TIME &&
        d->open_ms * SAME_TIME > before.open_ms)
        return;
    imf_cache_store(cache_dir, key, &entry, sizeof entry);
}
