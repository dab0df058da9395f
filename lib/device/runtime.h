/*
 * runtime.h - the OpenCL runtime: one device, its queue, buffers and the program cache
 *
 * The only place that builds a program. Opening a runtime loads the platform; nothing else in the
 * library calls OpenCL before that.
 */
#ifndef IMF_DEVICE_RUNTIME_H
#define IMF_DEVICE_RUNTIME_H

#include "base/surface.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

struct imf_clrt;

/* What solvers and the planner need to know of a device. */
struct imf_device {
    char name[128];
    bool gpu;
    bool unified; /* shares the host's memory: mapping copies nothing */
    unsigned compute_units;
    size_t max_group;                                /* work-items a work-group */
    uint64_t local_memory, global_memory, max_alloc; /* bytes */
    bool fp64;
};

/* Fails with IMF_ERR_NO_DEVICE when there is no such device. cache_dir: where program binaries are
 * kept (made when missing), or NULL for none. */
enum imf_status imf_clrt_open(struct imf_clrt **out, const struct imf_context_options *select,
                              const char *cache_dir, struct imf_error *err);
void imf_clrt_close(struct imf_clrt **rt);

const struct imf_device *imf_clrt_device(const struct imf_clrt *rt);
cl_context imf_clrt_context(const struct imf_clrt *rt);
cl_command_queue imf_clrt_queue(const struct imf_clrt *rt); /* in order */

/* A string builder for "#define" lines; grows as needed; `failed` is set when memory ran out. */
struct imf_defines {
    char *text;
    size_t length, capacity;
    bool failed;
};
void imf_define(struct imf_defines *d, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Never pass a float to imf_define: printf's decimal point is the locale's. */
void imf_define_float(struct imf_defines *d, const char *name, double value);
void imf_define_double(struct imf_defines *d, const char *name, double value);
/* "#define name v,v,v": floats as exact hexadecimal with an f suffix, integers as decimal. */
void imf_define_floats(struct imf_defines *d, const char *name, const double *values, size_t n);
void imf_define_ints(struct imf_defines *d, const char *name, const double *values, size_t n);
void imf_defines_free(struct imf_defines *d);

/*
 * A kernel of cl/`file` compiled with `defines`; IMF_ERR_MEMORY where they failed, since programs
 * have defaults: one that lacks a line would build and compute something else. The source handed to
 * the compiler is defines + common.cl + file. Programs are looked up in memory, then in the cache
 * directory as device binaries, then built. The caller releases the kernel.
 */
enum imf_status imf_clrt_kernel(struct imf_clrt *rt, const char *file,
                                const struct imf_defines *defines, const char *kernel,
                                cl_kernel *out, struct imf_error *err);

enum imf_status imf_clrt_buffer(struct imf_clrt *rt, cl_mem_flags flags, size_t bytes, cl_mem *out,
                                struct imf_error *err);
/* A buffer for reading and writing in the host's memory: `memory`, from malloc(), becomes the
 * buffer's and is freed when nothing on the device uses it any more, or at once on failure. */
enum imf_status imf_clrt_buffer_over(struct imf_clrt *rt, void *memory, size_t bytes, cl_mem *out,
                                     struct imf_error *err);

/* A long within a struct that is a kernel's argument: OpenCL aligns it to 8 bytes, while the ABI of
 * 32-bit x86 gives 4. */
typedef cl_long imf_cl_long __attribute__((aligned(8)));

/* Set arguments 0..count-1 from (size, pointer) pairs, and enqueue. local may be NULL. */
struct imf_arg {
    size_t size;
    const void *value;
};
enum imf_status imf_clrt_launch(struct imf_clrt *rt, cl_kernel kernel, const struct imf_arg *args,
                                unsigned count, unsigned dims, const size_t *global,
                                const size_t *local, struct imf_error *err);
enum imf_status imf_clrt_finish(struct imf_clrt *rt, struct imf_error *err);

/* IMF_ERR_DEVICE (IMF_ERR_MEMORY for allocation codes) with "WHAT: CL_NAME (code)". */
enum imf_status imf_clrt_fail(struct imf_error *err, cl_int code, const char *what);

#endif
