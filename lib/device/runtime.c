/* runtime.c - a device that is open, and what its programs share */
#include "base/clock.h"
#include "device/opencl.h"
#include "device/rates.h"

#include <stdlib.h>
#include <string.h>

/* What the driver is, which built binaries are for. */
static enum imf_status start_key(struct imf_cache_key *key, const struct imf_cl_device *d,
                                 struct imf_error *err) {
    static const struct {
        cl_uint what;
        const char *call;
    } identity[] = {{CL_DEVICE_NAME, "clGetDeviceInfo(CL_DEVICE_NAME)"},
                    {CL_DEVICE_VENDOR, "clGetDeviceInfo(CL_DEVICE_VENDOR)"},
                    {CL_DEVICE_VERSION, "clGetDeviceInfo(CL_DEVICE_VERSION)"},
                    {CL_DRIVER_VERSION, "clGetDeviceInfo(CL_DRIVER_VERSION)"},
                    {CL_PLATFORM_VERSION, "clGetPlatformInfo(CL_PLATFORM_VERSION)"}};
    imf_cache_key_start(key);
    for (size_t i = 0; i < sizeof identity / sizeof *identity; i++) {
        char text[1024];
        size_t n = 0;
        cl_uint what = identity[i].what;
        cl_int code = what == CL_PLATFORM_VERSION
                          ? clGetPlatformInfo(d->platform, what, sizeof text, text, &n)
                          : clGetDeviceInfo(d->device, what, sizeof text, text, &n);
        if (code != CL_SUCCESS)
            return imf_cl_fail(err, code, identity[i].call);
        text[n > 0 ? n - 1 : 0] = '\0';
        imf_cache_key_add(key, text);
    }
    imf_cache_key_add(key, IMF_CL_BUILD_OPTIONS);
    return IMF_OK;
}

enum imf_status imf_runtime_open(struct imf_runtime **out, const struct imf_context_options *select,
                                 const char *cache_dir, struct imf_error *err) {
    struct imf_cl_device chosen;
    double begin = imf_now_ms();
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
    rt->device = chosen.known;
    rt->passed_over = chosen.failed;
    rt->own_builtins = strcmp(chosen.info.platform, "Portable Computing Language") == 0;
    struct imf_tuning tuned;
    if (imf_rates_load(cache_dir, &rt->device, &tuned))
        imf_runtime_set_tuning(rt, &tuned);
    status = start_key(&rt->base, &chosen, err);
    if (status != IMF_OK) {
        imf_runtime_close(&rt);
        return status;
    }
    if (cache_dir && *cache_dir)
        rt->cache_dir = strdup(cache_dir); /* without it there is no cache, and that is all */
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)chosen.platform, 0};
    cl_int code;
    rt->context = clCreateContext(properties, 1, &rt->id, NULL, NULL, &code);
    if (code != CL_SUCCESS) {
        imf_runtime_close(&rt);
        return imf_cl_fail(err, code, "cannot open the device");
    }
    if (rt->device.gpu)
        rt->device.open_ms = imf_now_ms() - begin;
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
    for (struct imf_tuned *t = r->tuned, *before; t; t = before) {
        before = t->before;
        free(t);
    }
    pthread_cond_destroy(&r->built);
    pthread_mutex_destroy(&r->lock);
    free(r->cache_dir);
    free(r);
}

const struct imf_device *imf_runtime_device(const struct imf_runtime *rt) {
    return &rt->device;
}

bool imf_runtime_compiled(const struct imf_runtime *rt) {
    return rt->compiled > 0;
}

const char *imf_runtime_passed_over(const struct imf_runtime *rt) {
    return rt->passed_over.text;
}

void imf_runtime_set_tuning(struct imf_runtime *rt, const struct imf_tuning *tuning) {
    struct imf_tuned *t = malloc(sizeof *t);
    if (!t)
        return;
    t->tuning = *tuning;
    pthread_mutex_lock(&rt->lock);
    t->before = rt->tuned;
    rt->tuned = t;
    imf_tuning_publish(&rt->device, &t->tuning);
    pthread_mutex_unlock(&rt->lock);
}
