/* devices.c - the list of devices: OpenCL's, and OpenGL ES */
#include "base/sized.h"
#include "device/open/context.h"
#include "device/opencl.h"
#include "device/rates.h"
#include "imfilter_program.h"

#include <string.h>

/* The list's first element says the size of all. */
static void put(struct imf_device_info *list, size_t i, const struct imf_device_info *info) {
    size_t size = list->size ? list->size : sizeof *list;
    char *at = (char *)list + i * size;
    memcpy(at, &size, sizeof size);
    imf_sized_write(at, info, sizeof *info);
}

/* *automatic becomes the index of the device that IMF_DEVICE_AUTO takes, or -1. */
static size_t list_devices(struct imf_device_info *list, size_t capacity, const char *cache_dir,
                           int *automatic) {
    static const char *const kinds[] = {"", "is a processor", "is a GPU",
                                        "is a GPU with memory of its own"};
    const struct imf_context_options any = {.device = IMF_DEVICE_AUTO};
    struct imf_cl_device devices[IMF_CL_DEVICES];
    size_t n = imf_cl_enumerate(devices);
    const struct imf_cl_device *best = imf_cl_best(devices, n, &any);
    *automatic = best ? best->info.index : -1;
    for (size_t i = 0; i < n && i < capacity; i++) {
        struct imf_cl_device *d = &devices[i];
        struct imf_tuning rates;
        d->info.tuned = cache_dir && imf_rates_load(cache_dir, &d->known, &rates);
        d->info.automatic = d == best;
        if (best && d != best && d->info.usable)
            snprintf(d->info.why, sizeof d->info.why, "device %d %s", best->info.index,
                     imf_cl_worth(best) > imf_cl_worth(d) ? kinds[imf_cl_worth(best)]
                                                          : "comes first");
        put(list, i, &d->info);
    }
    return n;
}

size_t imf_device_list(struct imf_device_info *list, size_t capacity) {
    int automatic;
    return list_devices(list, capacity, NULL, &automatic);
}

/* Describe OpenGL ES. */
static bool describe_gles(struct imf_device_info *out, struct imf_context *ctx) {
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
    int side = imf_gles_kernel_side(g);
    snprintf(out->name, sizeof out->name, "%s", imf_gles_name(g));
    snprintf(out->version, sizeof out->version, "%s", imf_gles_version(g));
    out->gpu = !imf_gles_on_processor(g);
    if (side < IMF_GLES_KERNEL_MOST)
        snprintf(out->lacks, sizeof out->lacks, "room for kernels of 31x31 (for %dx%d at most)",
                 side, side);
    if (st)
        snprintf(out->why, sizeof out->why, "%s", imf_gles_why_not(g));
    else
        snprintf(out->why, sizeof out->why, "only with --backend=gles");
    return true;
}

size_t imf_context_devices(struct imf_context *ctx, struct imf_device_info *list, size_t capacity) {
    struct imf_device_info gles;
    size_t n = 0;
    int first;
    if (imf_context_prepare(ctx, NULL) == IMF_OK)
        n = list_devices(list, capacity, imf_context_cache_dir(ctx), &first);
    if (!describe_gles(&gles, ctx))
        return n;
    if (n < capacity)
        put(list, n, &gles);
    return n + 1;
}
