/* devices.c - the list of devices: OpenCL's, and OpenGL ES */
#include "device/list.h"
#include "device/open/context.h"
#include "imfilter_program.h"

#include <string.h>

size_t imf_device_list(struct imf_device_info *list, size_t capacity) {
    return imf_list_opencl(list, capacity, NULL);
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
    if (imf_context_prepare(ctx, NULL) == IMF_OK)
        n = imf_list_opencl(list, capacity, imf_context_cache_dir(ctx));
    imf_context_driver_loaded(ctx);
    if (!describe_gles(&gles, ctx))
        return n;
    if (n < capacity)
        imf_list_put(list, n, &gles);
    return n + 1;
}
