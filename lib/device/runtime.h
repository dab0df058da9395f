/*
 * runtime.h - a device that is open, and what its programs share
 *
 * A runtime is one device with its programs and their cache. Threads share it: it
 * locks what it keeps. Jobs make queues (queue.h), buffers (buffer.h) and programs (program.h) from
 * it, each for one thread at a time, unless its header says otherwise.
 *
 * Only this module knows OpenCL. Opening a runtime loads the platform; nothing in the library calls
 * OpenCL before that.
 */
#ifndef IMF_DEVICE_RUNTIME_H
#define IMF_DEVICE_RUNTIME_H

#include "base/error.h"

struct imf_runtime;

/* What solvers and the planner need to know of a device. */
struct imf_device {
    char name[128], driver[64];
    bool gpu;
    bool unified;                      /* shares the host's memory: mapping copies nothing */
    unsigned compute_units, clock_mhz; /* clock 0: unknown */
    unsigned vector_width;             /* floats of its native vectors */
    const struct imf_tuning *tuning;   /* measured; NULL: the shipped rates of its kind */
    size_t max_group;                  /* work-items a work-group */
    uint64_t local_memory, global_memory, max_alloc; /* bytes */
    bool fp64;
    /* Milliseconds that opening it took; 0: as its rates say. So it is for a CPU: one that opens late is busy,
     * and the host's own solvers would be as late. */
    double open_ms;
};

/* Fails with IMF_ERR_NO_DEVICE when there is no such device. cache_dir: where program binaries are
 * kept (made when missing), or NULL for none. */
enum imf_status imf_runtime_open(struct imf_runtime **out, const struct imf_context_options *select,
                                 const char *cache_dir, struct imf_error *err);
/* Close it after everything that was made from it. Writes new programs to the cache. */
void imf_runtime_close(struct imf_runtime **rt);

const struct imf_device *imf_runtime_device(const struct imf_runtime *rt);
/* A program was compiled from its text: the driver's cache may have grown. */
bool imf_runtime_compiled(const struct imf_runtime *rt);
/* The error of another requested device that failed and is not used; or "". */
const char *imf_runtime_passed_over(const struct imf_runtime *rt);
/* Plans made from now on use a copy of these rates, or the previous ones if memory is short. Other
 * threads may plan and run meanwhile. */
void imf_runtime_set_tuning(struct imf_runtime *rt, const struct imf_tuning *tuning);

#endif
