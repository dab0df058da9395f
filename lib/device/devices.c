/* devices.c - the list of devices: OpenCL's, and OpenGL ES */
#include "device/context.h"
#include "device/opencl.h"
#include "device/rates.h"

#include <string.h>

static size_t list_devices(struct imf_device_info *list, size_t capacity, const char *cache_dir) {
    static const char *const kinds[] = {"", "is a processor", "is a GPU",
                                        "is a GPU with memory of its own"};
    const struct imf_context_options automatic = {.device = IMF_DEVICE_AUTO};
    struct imf_cl_device devices[IMF_CL_DEVICES];
    size_t n = imf_cl_enumerate(devices);
    const struct imf_cl_device *best = imf_cl_best(devices, n, &automatic);
    for (size_t i = 0; i < n && i < capacity; i++) {
        struct imf_cl_device *d = &devices[i];
        struct imf_tuning rates;
        d->info.tuned = cache_dir && imf_rates_load(cache_dir, &d->known, &rates);
        d->info.automatic = d == best;
        if (best && d != best && d->info.usable)
            snprintf(d->info.why, sizeof d->info.why, "device %d %s", best->info.index,
                     imf_cl_worth(best) > imf_cl_worth(d) ? kinds[imf_cl_worth(best)]
                                                          : "comes first");
        list[i] = d->info;
    }
    return n;
}

size_t imf_device_list(struct imf_device_info *list, size_t capacity) {
    return list_devices(list, capacity, NULL);
}

/* Describe OpenGL ES; `first` is the OpenCL device that is preferred, or NULL. */
static bool describe_gles(struct imf_device_info *out, struct imf_context *ctx,
                          const struct imf_device_info *first) {
    const struct imf_gles *g = imf_context_gles_found(ctx);
    struct imf_gles *usable;
    struct imf_error failure;
    bool broken;
    enum imf_status st = imf_context_gles(ctx, &usable, &broken, &failure);
    if (!g && !broken)
        return false;
    *out = (struct imf_device_info){
        .index = -1, .name = "OpenGL ES", .platform = "OpenGL ES", .usable = !st};
    if (broken) {
        const char *trial = strstr(failure.text, "a trial");
        snprintf(out->why, sizeof out->why, "%.120s", trial ? trial : failure.text);
        return true;
    }
    bool processor = imf_gles_on_processor(g);
    int side = imf_gles_kernel_side(g);
    snprintf(out->name, sizeof out->name, "%s", imf_gles_name(g));
    snprintf(out->version, sizeof out->version, "%s", imf_gles_version(g));
    out->gpu = !processor;
    out->automatic = !st && !processor && !first;
    if (side < IMF_GLES_KERNEL_MOST)
        snprintf(out->lacks, sizeof out->lacks, "room for kernels of 31x31 (for %dx%d at most)",
                 side, side);
    if (st)
        snprintf(out->why, sizeof out->why, "%s", imf_gles_why_not(g));
    else if (processor)
        snprintf(out->why, sizeof out->why, "it draws on the processor");
    else if (first)
        snprintf(out->why, sizeof out->why, "OpenCL's device %d comes first", first->index);
    return true;
}

size_t imf_context_devices(struct imf_context *ctx, struct imf_device_info *list, size_t capacity) {
    const struct imf_device_info *first = NULL;
    struct imf_device_info gles;
    size_t n = 0;
    if (imf_context_prepare(ctx, NULL) == IMF_OK)
        n = list_devices(list, capacity, imf_context_cache_dir(ctx));
    for (size_t i = 0; i < n && i < capacity; i++)
        first = list[i].automatic ? &list[i] : first;
    if (!describe_gles(&gles, ctx, first))
        return n;
    if (n < capacity)
        list[n] = gles;
    return n + 1;
}
