/*
 * devices.c - finding an OpenCL device
 *
 * Devices are numbered in the order of platforms and of devices on each. A device is usable when
 * every program of this library will build and run on it.
 */
#include "device/context.h"
#include "device/opencl.h"
#include "device/quarantine.h"
#include "device/rates.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PLATFORMS 16
#define MAX_DEVICES 64

static void device_text(cl_device_id id, cl_device_info what, char *text, size_t size) {
    char long_text[1024];
    size_t n = 0;
    if (clGetDeviceInfo(id, what, sizeof long_text, long_text, &n) != CL_SUCCESS || n == 0)
        n = 1;
    long_text[n - 1] = '\0';
    const char *p = long_text + strspn(long_text, " ");
    snprintf(text, size, "%.*s", (int)size - 1, p);
}

static cl_uint device_uint(cl_device_id id, cl_device_info what) {
    cl_uint v = 0;
    return clGetDeviceInfo(id, what, sizeof v, &v, NULL) == CL_SUCCESS ? v : 0;
}

static uint64_t device_ulong(cl_device_id id, cl_device_info what) {
    cl_ulong v = 0;
    return clGetDeviceInfo(id, what, sizeof v, &v, NULL) == CL_SUCCESS ? v : 0;
}

/* Of what kernels use; a driver that crashes in one is none for it. */
static void find_lacks(struct imf_device_info *info, const struct imf_device *known) {
    const struct {
        bool lacks;
        const char *what;
    } all[] = {{!info->float64, "float64"},
               {!info->unified, "unified memory"},
               {info->gpu && info->local_memory < IMF_GPU_LOCAL, "48 KiB of local memory"},
               {info->gpu && info->max_group < IMF_GPU_GROUP, "work-groups of 256"},
               {info->max_buffer < (uint64_t)128 << 20, "buffers of 128 MiB"}};
    size_t n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].lacks)
            n += (size_t)snprintf(info->lacks + n, sizeof info->lacks - n, "%s%s", n ? ", " : "",
                                  all[i].what);
    char harm[140];
    imf_quarantine_list(known, harm, sizeof harm);
    if (harm[0] && n < sizeof info->lacks)
        snprintf(info->lacks + n, sizeof info->lacks - n, "%s%s", n ? ", " : "", harm);
}

/* "OpenCL 3.0 ..." is at least 1.2. */
static bool version_suffices(const char *version) {
    int major = 0, minor = 0;
    if (sscanf(version, "OpenCL %d.%d", &major, &minor) != 2)
        return false;
    return major > 1 || (major == 1 && minor >= 2);
}

static void describe(struct imf_cl_device *d) {
    struct imf_device_info *info = &d->info;
    size_t n = 0;
    cl_device_type type = 0;
    clGetDeviceInfo(d->device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    device_text(d->device, CL_DEVICE_NAME, info->name, sizeof info->name);
    device_text(d->device, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    device_text(d->device, CL_DEVICE_VERSION, info->version, sizeof info->version);
    char platform[512] = "";
    if (clGetPlatformInfo(d->platform, CL_PLATFORM_NAME, sizeof platform, platform, &n) !=
        CL_SUCCESS)
        platform[0] = '\0';
    snprintf(info->platform, sizeof info->platform, "%.*s", (int)sizeof info->platform - 1,
             platform);
    info->gpu = (type & CL_DEVICE_TYPE_GPU) != 0;
    info->compute_units = device_uint(d->device, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->global_memory = device_ulong(d->device, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->local_memory = device_ulong(d->device, CL_DEVICE_LOCAL_MEM_SIZE);
    d->unified = (type & CL_DEVICE_TYPE_CPU) != 0 ||
                 device_uint(d->device, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;

    struct imf_device known;
    imf_cl_describe(&known, d);
    info->unified = d->unified;
    info->float64 = known.fp64;
    info->max_group = (unsigned)known.max_group;
    info->max_buffer = known.max_alloc;
    find_lacks(info, &known);

    const char *why = NULL;
    if (!device_uint(d->device, CL_DEVICE_AVAILABLE))
        why = "the device is not available";
    else if (!device_uint(d->device, CL_DEVICE_COMPILER_AVAILABLE))
        why = "the driver has no compiler";
    else if (!device_uint(d->device, CL_DEVICE_ENDIAN_LITTLE))
        why = "the device is big-endian";
    else if (!version_suffices(info->version))
        why = "OpenCL 1.2 is needed";
    info->usable = !why;
    snprintf(info->why, sizeof info->why, "%s", why ? why : "");
}

/* Every device of every platform. */
static size_t enumerate(struct imf_cl_device *list, size_t capacity) {
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint platform_count = 0;
    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &platform_count) != CL_SUCCESS)
        return 0;
    if (platform_count > MAX_PLATFORMS)
        platform_count = MAX_PLATFORMS;
    size_t n = 0;
    for (cl_uint p = 0; p < platform_count; p++) {
        cl_device_id ids[MAX_DEVICES];
        cl_uint count = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, ids, &count) !=
            CL_SUCCESS)
            continue;
        if (count > MAX_DEVICES)
            count = MAX_DEVICES;
        for (cl_uint i = 0; i < count && n < capacity; i++, n++) {
            list[n] = (struct imf_cl_device){.platform = platforms[p], .device = ids[i]};
            list[n].info.index = (int)n;
            describe(&list[n]);
        }
    }
    return n;
}

static bool contains(const char *text, const char *part) {
    for (;; text++) {
        size_t i = 0;
        while (part[i] && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (!part[i])
            return true;
        if (!*text)
            return false;
    }
}

static bool matches(const struct imf_cl_device *d, const struct imf_context_options *select) {
    switch (select->device) {
    case IMF_DEVICE_CPU:
        return !d->info.gpu;
    case IMF_DEVICE_GPU:
        return d->info.gpu;
    case IMF_DEVICE_INDEX:
        return d->info.index == select->index;
    case IMF_DEVICE_NAME:
        return select->name && contains(d->info.name, select->name);
    default:
        return true;
    }
}

/* A GPU with its own memory is worth most, then one that shares the host's, then the rest. */
static int worth(const struct imf_cl_device *d) {
    return d->info.gpu ? (d->unified ? 2 : 3) : 1;
}

/* The usable one that is asked for, or NULL; of those that are worth the same the first. */
static const struct imf_cl_device *best_of(const struct imf_cl_device *devices, size_t count,
                                           const struct imf_context_options *select) {
    const struct imf_cl_device *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct imf_cl_device *d = &devices[i];
        if (matches(d, select) && d->info.usable && (!best || worth(d) > worth(best)))
            best = d;
    }
    return best;
}

static size_t list_devices(struct imf_device_info *list, size_t capacity, const char *cache_dir) {
    static const char *const kinds[] = {"", "is a processor", "is a GPU",
                                        "is a GPU with memory of its own"};
    const struct imf_context_options automatic = {.device = IMF_DEVICE_AUTO};
    struct imf_cl_device devices[MAX_DEVICES];
    size_t n = enumerate(devices, MAX_DEVICES);
    const struct imf_cl_device *best = best_of(devices, n, &automatic);
    for (size_t i = 0; i < n && i < capacity; i++) {
        struct imf_cl_device *d = &devices[i];
        struct imf_device known;
        struct imf_tuning rates;
        imf_cl_describe(&known, d);
        d->info.tuned = cache_dir && imf_rates_load(cache_dir, &known, &rates);
        d->info.automatic = d == best;
        if (best && d != best && d->info.usable)
            snprintf(d->info.why, sizeof d->info.why, "device %d %s", best->info.index,
                     worth(best) > worth(d) ? kinds[worth(best)] : "comes first");
        list[i] = d->info;
    }
    return n;
}

size_t imf_device_list(struct imf_device_info *list, size_t capacity) {
    return list_devices(list, capacity, NULL);
}

/* What OpenGL ES there is; `first` is the OpenCL device that is taken before it, or NULL. */
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

static enum imf_status no_match(const struct imf_context_options *select, size_t count,
                                struct imf_error *err) {
    if (count == 0)
        return imf_fail(err, IMF_ERR_NO_DEVICE,
                        "no OpenCL device was found (install a driver such as "
                        "pocl-opencl-icd, or use --backend=cpu)");
    switch (select->device) {
    case IMF_DEVICE_INDEX:
        return imf_fail(err, IMF_ERR_NO_DEVICE,
                        "there is no device %d: they are numbered 0 to %zu (see --list-devices)",
                        select->index, count - 1);
    case IMF_DEVICE_NAME:
        return imf_fail(err, IMF_ERR_NO_DEVICE,
                        "no device's name contains '%s' (see --list-devices)",
                        select->name ? select->name : "");
    default:
        return imf_fail(err, IMF_ERR_NO_DEVICE, "there is no OpenCL %s (see --list-devices)",
                        select->device == IMF_DEVICE_GPU ? "GPU" : "CPU device");
    }
}

enum imf_status imf_cl_select(struct imf_cl_device *out, const struct imf_context_options *select,
                              struct imf_error *err) {
    struct imf_cl_device devices[MAX_DEVICES];
    size_t count = enumerate(devices, MAX_DEVICES);
    const struct imf_cl_device *best = best_of(devices, count, select), *unusable = NULL;
    for (size_t i = 0; i < count && !unusable; i++)
        if (matches(&devices[i], select) && !devices[i].info.usable)
            unusable = &devices[i];
    if (best) {
        *out = *best;
        return IMF_OK;
    }
    if (unusable)
        return imf_fail(err, IMF_ERR_NO_DEVICE,
                        "device %d (%s) is not usable: %s (see "
                        "--list-devices)",
                        unusable->info.index, unusable->info.name, unusable->info.why);
    return no_match(select, count, err);
}
