/*
 * select.c - finding an OpenCL device
 *
 * Devices are numbered in the order of platforms and of devices on each. A device is usable when
 * every program of this library will build and run on it.
 */
#include "device/opencl.h"
#include "device/quarantine.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PLATFORMS 16

/* Returns the bytes of the answer, which is zeroed first; *failed keeps the first failure. */
static size_t ask(cl_device_id id, cl_device_info what, const char *name, void *value, size_t size,
                  struct imf_error *failed) {
    size_t n = 0;
    char call[80];
    memset(value, 0, size);
    cl_int code = clGetDeviceInfo(id, what, size, value, &n);
    if (code != CL_SUCCESS && !failed->status) {
        snprintf(call, sizeof call, "clGetDeviceInfo(%s)", name);
        imf_cl_fail(failed, code, call);
    }
    return code == CL_SUCCESS ? n : 0;
}
#define ASK(what, value) ask(id, what, #what, &(value), sizeof(value), failed)

#define ASK_TEXT(what, text) ask_text(id, what, #what, text, sizeof(text), failed)
static void ask_text(cl_device_id id, cl_device_info what, const char *name, char *text,
                     size_t size, struct imf_error *failed) {
    char long_text[1024];
    size_t n = ask(id, what, name, long_text, sizeof long_text, failed);
    long_text[n > 0 ? n - 1 : 0] = '\0';
    const char *p = long_text + strspn(long_text, " ");
    snprintf(text, size, "%.*s", (int)size - 1, p);
}

/* List the missing features that kernels use, and the programs that the driver fails at. */
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

/* A device with a failed query is not used. */
static void describe(struct imf_cl_device *d) {
    struct imf_device_info *info = &d->info;
    struct imf_device *known = &d->known;
    struct imf_error *failed = &d->failed;
    cl_device_id id = d->device;
    size_t n = 0, group, along_x[8];
    cl_device_type type;
    cl_device_fp_config fp64;
    cl_ulong global, local, buffer;
    cl_uint units, clock, vector_width, unified, available, compiler, little;
    char platform[512] = "";

    ASK(CL_DEVICE_TYPE, type);
    ASK_TEXT(CL_DEVICE_NAME, info->name);
    ASK_TEXT(CL_DRIVER_VERSION, info->driver);
    ASK_TEXT(CL_DEVICE_VERSION, info->version);
    ASK(CL_DEVICE_MAX_COMPUTE_UNITS, units);
    ASK(CL_DEVICE_GLOBAL_MEM_SIZE, global);
    ASK(CL_DEVICE_LOCAL_MEM_SIZE, local);
    ASK(CL_DEVICE_MAX_MEM_ALLOC_SIZE, buffer);
    ASK(CL_DEVICE_HOST_UNIFIED_MEMORY, unified);
    ASK(CL_DEVICE_MAX_WORK_GROUP_SIZE, group);
    ASK(CL_DEVICE_MAX_WORK_ITEM_SIZES, along_x);
    /* Some drivers answer this only for devices with float64. */
    if (clGetDeviceInfo(id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof fp64, &fp64, NULL) ==
        CL_INVALID_VALUE)
        fp64 = 0;
    else
        ASK(CL_DEVICE_DOUBLE_FP_CONFIG, fp64);
    ASK(CL_DEVICE_MAX_CLOCK_FREQUENCY, clock);
    ASK(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, vector_width);
    ASK(CL_DEVICE_AVAILABLE, available);
    ASK(CL_DEVICE_COMPILER_AVAILABLE, compiler);
    ASK(CL_DEVICE_ENDIAN_LITTLE, little);
    if (clGetPlatformInfo(d->platform, CL_PLATFORM_NAME, sizeof platform, platform, &n) !=
        CL_SUCCESS)
        platform[0] = '\0';

    if (along_x[0] > 0 && along_x[0] < group)
        group = along_x[0]; /* a group lies along x */
    *known = (struct imf_device){.gpu = (type & CL_DEVICE_TYPE_GPU) != 0,
                                 .clock_mhz = clock,
                                 .vector_width = vector_width,
                                 .unified = (type & CL_DEVICE_TYPE_CPU) != 0 || unified,
                                 .compute_units = units,
                                 .max_group = group > 0 ? group : 1,
                                 .local_memory = local,
                                 .global_memory = global,
                                 .max_alloc = buffer,
                                 .fp64 = fp64 != 0};
    memcpy(known->name, info->name, sizeof known->name);
    memcpy(known->driver, info->driver, sizeof known->driver);
    snprintf(info->platform, sizeof info->platform, "%.*s", (int)sizeof info->platform - 1,
             platform);
    info->gpu = known->gpu;
    info->unified = known->unified;
    info->float64 = known->fp64;
    info->compute_units = units;
    info->max_group = (unsigned)known->max_group;
    info->global_memory = global;
    info->local_memory = local;
    info->max_buffer = buffer;
    find_lacks(info, known);

    const char *why = NULL;
    if (info->version[0] && !version_suffices(info->version))
        why = "OpenCL 1.2 is needed";
    else if (failed->status)
        why = failed->text;
    else if (!available)
        why = "the device is not available";
    else if (!compiler)
        why = "the driver has no compiler";
    else if (!little)
        why = "the device is big-endian";
    info->usable = !why;
    info->failed = why && why == failed->text;
    snprintf(info->why, sizeof info->why, "%.*s", (int)sizeof info->why - 1, why ? why : "");
}

size_t imf_cl_enumerate(struct imf_cl_device list[IMF_CL_DEVICES]) {
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint platform_count = 0;
    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &platform_count) != CL_SUCCESS)
        return 0;
    if (platform_count > MAX_PLATFORMS)
        platform_count = MAX_PLATFORMS;
    size_t n = 0;
    for (cl_uint p = 0; p < platform_count; p++) {
        cl_device_id ids[IMF_CL_DEVICES];
        cl_uint count = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, IMF_CL_DEVICES, ids, &count) !=
            CL_SUCCESS)
            continue;
        if (count > IMF_CL_DEVICES)
            count = IMF_CL_DEVICES;
        for (cl_uint i = 0; i < count && n < IMF_CL_DEVICES; i++, n++) {
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

int imf_cl_worth(const struct imf_cl_device *d) {
    return d->info.gpu ? (d->info.unified ? 2 : 3) : 1;
}

const struct imf_cl_device *imf_cl_best(const struct imf_cl_device *devices, size_t count,
                                        const struct imf_context_options *select) {
    const struct imf_cl_device *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct imf_cl_device *d = &devices[i];
        if (matches(d, select) && d->info.usable && (!best || imf_cl_worth(d) > imf_cl_worth(best)))
            best = d;
    }
    return best;
}

static enum imf_status no_match(const struct imf_context_options *select, size_t count,
                                struct imf_error *err) {
    if (count == 0)
        return imf_fail(err, IMF_ERR_NO_DEVICE,
                        "no OpenCL device was found (install a driver such as "
                        "pocl-opencl-icd, or use --backend=vector)");
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

static enum imf_status not_usable(const struct imf_cl_device *d, struct imf_error *err) {
    return imf_fail(err, IMF_ERR_NO_DEVICE, "device %d (%s) is not usable: %s (see --list-devices)",
                    d->info.index, d->info.name, d->info.why);
}

enum imf_status imf_cl_select(struct imf_cl_device *out, const struct imf_context_options *select,
                              struct imf_error *err) {
    struct imf_cl_device devices[IMF_CL_DEVICES];
    size_t count = imf_cl_enumerate(devices);
    const struct imf_cl_device *best = imf_cl_best(devices, count, select), *unusable = NULL;
    for (size_t i = 0; i < count && !unusable; i++)
        if (matches(&devices[i], select) &&
            (best ? devices[i].info.failed : !devices[i].info.usable))
            unusable = &devices[i];
    if (!best)
        return unusable ? not_usable(unusable, err) : no_match(select, count, err);
    *out = *best;
    if (unusable)
        not_usable(unusable, &out->failed);
    return IMF_OK;
}
