/* list.c - describe the devices of OpenCL */
#include "device/list.h"

#include "device/opencl.h"
#include "device/rates.h"

size_t imf_list_opencl(struct imf_device_info *list, size_t capacity, const char *cache_dir) {
    static const char *const kinds[] = {"", "is a processor", "is a GPU",
                                        "is a GPU with memory of its own"};
    const struct imf_context_options any = {.device = IMF_DEVICE_AUTO};
    struct imf_cl_device devices[IMF_CL_DEVICES];
    size_t n = imf_cl_enumerate(devices);
    const struct imf_cl_device *best = imf_cl_best(devices, n, &any);
    for (size_t i = 0; i < n && i < capacity; i++) {
        struct imf_cl_device *d = &devices[i];
        struct imf_tuning rates;
        d->info.tuned = cache_dir && imf_rates_load(cache_dir, &d->known, &rates);
        d->info.automatic = d == best;
        if (best && d != best && d->info.usable)
            snprintf(d->info.why, sizeof d->info.why, "device %d %s", best->info.index,
                     imf_cl_worth(best) > imf_cl_worth(d) ? kinds[imf_cl_worth(best)]
                                                          : "comes first");
        imf_list_put(list, i, &d->info);
    }
    return n;
}
