/*
 * last_device.h - the device that was opened last, so that plans can be priced before it is opened
 *
 * Opening PoCL takes 45 ms, a GPU 0.1 to 0.4 s. A plan that knows the device decides without opening
 * it whether that would pay. The entry lies in the cache directory; it is for estimates only: what
 * runs on a device is planned for the device that was opened.
 */
#ifndef IMF_DEVICE_OPEN_LAST_DEVICE_H
#define IMF_DEVICE_OPEN_LAST_DEVICE_H

#include "device/cache.h"
#include "device/runtime.h"

/* The entry of this machine and these drivers. To be made before a driver is loaded: drivers set
 * variables that the key depends on. */
struct imf_cache_key imf_last_device_key(void);
/* The device that was opened last; false: none. cache_dir may be NULL. */
bool imf_last_device_load(const char *cache_dir, const struct imf_cache_key *key,
                          struct imf_device *out);
/* Keep a device that was opened. */
void imf_last_device_store(const char *cache_dir, const struct imf_cache_key *key,
                           const struct imf_device *d);

#endif
