/* runtime.c - a device that is open, and what its programs share */
#include "device/opencl.h"
#include "device/rates.h"

#include <stdlib.h>
#include <string.h>

static bool key_add_device(struct imf_cache_key *key, cl_device_id id, cl_device_info what) {
    char text[1024];
    size_t n = 0;
    if (clGetDeviceInfo(id, what, sizeof text, text, &n) != CL_SUCCESS || n == 0)
        return false;
    text[n - 1] = '\0';
    imf_cache_key_add(key, text);
    return true;
}

/* False when the driver does not say what it is: its binaries must not be kept. */
static bool start_key(struct imf_cache_key *key, const struct imf_cl_device *d) {
    static const cl_device_info identity[] = {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION,
                                              CL_DRIVER_VERSION};
    char version[1024];
    size_t n = 0;
    imf_cache_key_start(key);
    for (size_t i = 0; i < sizeof identity / sizeof *identity; i++)
        if (!key_add_device(key, d->device, identity[i]))
            return false;
    if (clGetPlatformInfo(d->platform, CL_PLATFORM_VERSION, sizeof version, version, &n) !=
            CL_SUCCESS ||
        n == 0)
        return false;
    version[n - 1] = '\0';
    imf_cache_key_add(key, version);
    imf_cache_key_add(key, IMF_CL_BUILD_OPTIONS);
    return true;
}

void imf_cl_describe(struct imf_device *out, const struct imf_cl_device *d) {
    size_t group = 1, along_x[8] = {0};
    cl_ulong max_alloc = 0;
    cl_device_fp_config fp64 = 0;
    clGetDeviceInfo(d->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL);
    /* A group lies along x; only devices of more than eight dimensions do not tell. */
    if (clGetDeviceInfo(d->device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof along_x, along_x, NULL) ==
            CL_SUCCESS &&
        along_x[0] > 0 && along_x[0] < group)
        group = along_x[0];
    clGetDeviceInfo(d->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof max_alloc, &max_alloc, NULL);
    clGetDeviceInfo(d->device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof fp64, &fp64, NULL);
    cl_uint clock = 0, lanes = 0;
    clGetDeviceInfo(d->device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof clock, &clock, NULL);
    clGetDeviceInfo(d->device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof lanes, &lanes, NULL);
    *out = (struct imf_device){.gpu = d->info.gpu,
                               .clock_mhz = clock,
                               .lanes = lanes,
                               .unified = d->unified,
                               .compute_units = d->info.compute_units,
                               .max_group = group > 0 ? group : 1,
                               .local_memory = d->info.local_memory,
                               .global_memory = d->info.global_memory,
                               .max_alloc = max_alloc,
                               .fp64 = fp64 != 0};
    memcpy(out->name, d->info.name, sizeof out->name);
    memcpy(out->driver, d->info.driver, sizeof out->driver);
}

enum imf_status imf_runtime_open(struct imf_runtime **out, const struct imf_context_options *select,
                                 const char *cache_dir, struct imf_error *err) {
    struct imf_cl_device chosen;
    *out = NULL;
    enum imf_status status = imf_cl_select(&chosen, select, err);
    if (status != IMF_OK)
        return status;
    struct imf_runtime *rt = calloc(1, sizeof *rt);
    if (!rt)
        return imf_fail_memory(err, sizeof *rt);
    pthread_mutex_init(&rt->lock, NULL);
    pthread_cond_init(&rt->built, NULL);
    rt->id = chosen.device;
    imf_cl_describe(&rt->device, &chosen);
    if (imf_rates_load(cache_dir, &rt->device, &rt->tuned))
        rt->device.tuning = &rt->tuned;
    bool named = start_key(&rt->base, &chosen);
    if (named && cache_dir && *cache_dir)
        rt->cache_dir = strdup(cache_dir); /* without it there is no cache, and that is all */
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)chosen.platform, 0};
    cl_int code;
    rt->context = clCreateContext(properties, 1, &rt->id, NULL, NULL, &code);
    if (code != CL_SUCCESS) {
        imf_runtime_close(&rt);
        return imf_cl_fail(err, code, "cannot open the device");
    }
    *out = rt;
    return IMF_OK;
}

void imf_runtime_close(struct imf_runtime **rt) {
    struct imf_runtime *r = *rt;
    *rt = NULL;
    if (!r)
        return;
    imf_builds_free(r);
    if (r->context)
        clReleaseContext(r->context);
    pthread_cond_destroy(&r->built);
    pthread_mutex_destroy(&r->lock);
    free(r->cache_dir);
    free(r);
}

const struct imf_device *imf_runtime_device(const struct imf_runtime *rt) {
    return &rt->device;
}

void imf_runtime_set_tuning(struct imf_runtime *rt, const struct imf_tuning *tuning) {
    rt->tuned = *tuning;
    rt->device.tuning = &rt->tuned;
}
