/*
 * opencl.h - the module's structs with their OpenCL objects
 *
 * For this module alone, and for programs that measure or test it.
 */
#ifndef IMF_DEVICE_OPENCL_H
#define IMF_DEVICE_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>

#include "device/cache.h"
#include "device/program.h"
#include "device/tuning.h"

struct imf_build; /* program.c */

/* Measured rates of a device. They do not change once published; replaced ones are freed when the
 * runtime is closed, as runs may still read them. */
struct imf_tuned {
    struct imf_tuning tuning;
    struct imf_tuned *before;
};

struct imf_runtime {
    cl_device_id id;
    cl_context context;
    struct imf_device device;
    struct imf_error passed_over; /* another device whose properties could not be read */
    struct imf_tuned *tuned;      /* the newest measured rates, or NULL */
    struct imf_cache_key base;    /* device, driver and options */
    char *cache_dir;              /* or NULL */
    pthread_mutex_t lock;         /* of `builds` */
    pthread_cond_t built;         /* signals that a build completed or failed */
    struct imf_build *builds;
    bool own_builtins; /* programs begin with parts/builtins.cl: PoCL */
    unsigned compiled; /* number of builds from text */
    unsigned refused;  /* number of builds that failed with parts/builtins.cl, for tests */
};

struct imf_queue {
    struct imf_runtime *rt;
    cl_command_queue handle;
    double spare; /* imf_queue_limit() */
};

struct imf_event {
    cl_event handle;
};

struct imf_buffer {
    cl_mem handle;
};

#define IMF_CL_BUILD_OPTIONS "-cl-std=CL1.2 -w"
#define IMF_CL_OWN_BUILTINS " -D_OPENCL_H_" /* see parts/builtins.cl */

/* Store what was built in this run, and free all. */
void imf_builds_free(struct imf_runtime *rt);

/* IMF_ERR_DEVICE (IMF_ERR_MEMORY for allocation codes) with "WHAT: CL_NAME (code)". */
enum imf_status imf_cl_fail(struct imf_error *err, cl_int code, const char *what);

/* ---- select.c ----------------------------------------------------------------------------- */

struct imf_cl_device {
    cl_platform_id platform;
    cl_device_id device;
    struct imf_device_info info;
    struct imf_error
        failed; /* the first failed query of this device; in a selected one, another device's */
    struct imf_device known; /* for the rest of the library; without measured rates */
};

#define IMF_CL_DEVICES 64
/* Every device of every platform; returns their number. */
size_t imf_cl_enumerate(struct imf_cl_device list[IMF_CL_DEVICES]);
/* The usable device that `select` asks for, or NULL; of those of the same worth, the first. */
const struct imf_cl_device *imf_cl_best(const struct imf_cl_device *devices, size_t count,
                                        const struct imf_context_options *select);
/* 3: a GPU with its own memory, 2: a GPU that shares the host's, 1: anything else. */
int imf_cl_worth(const struct imf_cl_device *d);

/* The device that `select` asks for. Loads the OpenCL platforms, creates nothing on them. */
enum imf_status imf_cl_select(struct imf_cl_device *out, const struct imf_context_options *select,
                              struct imf_error *err);

#endif
