/*
 * runtime.c - the OpenCL runtime: one device, its queue, buffers and the program cache
 *
 * A program is named by the hash of all that goes into its build. It is looked for in memory, then
 * on disk as a device binary, then built from source. New programs go to disk when the runtime is
 * closed, not when they are built: a driver such as PoCL compiles a kernel at its first launch,
 * and only a binary taken after that holds the machine code.
 */
#include "base/embed.h"
#include "device/cache.h"
#include "device/devices.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BUILD_OPTIONS "-cl-std=CL1.2 -w"
#define LARGE_BUFFER ((size_t)4 << 20) /* bytes: two large pages */

struct program {
    struct imf_cache_key key;
    cl_program handle;
    bool fresh; /* built from source in this run */
    struct program *next;
};

struct imf_clrt {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    struct imf_device device;
    struct imf_cache_key base; /* device, driver and options */
    char *cache_dir;           /* or NULL */
    struct program *programs;
};

/* ---- opening and closing ------------------------------------------------------------------ */

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
    imf_cache_key_add(key, BUILD_OPTIONS);
    return true;
}

static void describe(struct imf_device *out, const struct imf_cl_device *d) {
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
    *out = (struct imf_device){.gpu = d->info.gpu,
                               .unified = d->unified,
                               .compute_units = d->info.compute_units,
                               .max_group = group > 0 ? group : 1,
                               .local_memory = d->info.local_memory,
                               .global_memory = d->info.global_memory,
                               .max_alloc = max_alloc,
                               .fp64 = fp64 != 0};
    memcpy(out->name, d->info.name, sizeof out->name);
}

enum imf_status imf_clrt_open(struct imf_clrt **out, const struct imf_context_options *select,
                              const char *cache_dir, struct imf_error *err) {
    struct imf_cl_device chosen;
    *out = NULL;
    enum imf_status status = imf_cl_select(&chosen, select, err);
    if (status != IMF_OK)
        return status;
    struct imf_clrt *rt = calloc(1, sizeof *rt);
    if (!rt)
        return imf_fail_memory(err, sizeof *rt);
    rt->id = chosen.device;
    describe(&rt->device, &chosen);
    bool named = start_key(&rt->base, &chosen);
    if (named && cache_dir && *cache_dir)
        rt->cache_dir = strdup(cache_dir); /* without it there is no cache, and that is all */
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)chosen.platform, 0};
    const char *what = "cannot open the device";
    cl_int code;
    rt->context = clCreateContext(properties, 1, &rt->id, NULL, NULL, &code);
    if (code == CL_SUCCESS) {
        what = "cannot make a command queue";
        rt->queue = clCreateCommandQueue(rt->context, rt->id, 0, &code);
    }
    if (code != CL_SUCCESS) {
        imf_clrt_close(&rt);
        return imf_clrt_fail(err, code, what);
    }
    *out = rt;
    return IMF_OK;
}

/* A program has one device here, so the arrays of the API are single values. */
static void store(const struct imf_clrt *rt, const struct program *p) {
    size_t size = 0;
    if (clGetProgramInfo(p->handle, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) !=
            CL_SUCCESS ||
        size == 0)
        return;
    unsigned char *data = malloc(size);
    if (data &&
        clGetProgramInfo(p->handle, CL_PROGRAM_BINARIES, sizeof data, &data, NULL) == CL_SUCCESS)
        imf_cache_store(rt->cache_dir, &p->key, data, size);
    free(data);
}

void imf_clrt_close(struct imf_clrt **rt) {
    struct imf_clrt *r = *rt;
    *rt = NULL;
    if (!r)
        return;
    if (r->queue)
        clFinish(r->queue);
    for (struct program *p = r->programs, *next; p; p = next) {
        next = p->next;
        if (p->fresh && r->cache_dir)
            store(r, p);
        clReleaseProgram(p->handle);
        free(p);
    }
    if (r->queue)
        clReleaseCommandQueue(r->queue);
    if (r->context)
        clReleaseContext(r->context);
    free(r->cache_dir);
    free(r);
}

const struct imf_device *imf_clrt_device(const struct imf_clrt *rt) {
    return &rt->device;
}

cl_context imf_clrt_context(const struct imf_clrt *rt) {
    return rt->context;
}

cl_command_queue imf_clrt_queue(const struct imf_clrt *rt) {
    return rt->queue;
}

/* ---- programs ----------------------------------------------------------------------------- */

static const char *embedded(const char *name) {
    for (const struct imf_embedded *e = imf_embedded_cl; e->name; e++)
        if (strcmp(e->name, name) == 0)
            return e->text;
    return NULL;
}

/* Fails with the first line of the build log that is an error, or else its first line. */
static enum imf_status build_failed(struct imf_clrt *rt, cl_program program, cl_int code,
                                    const char *file, struct imf_error *err) {
    char *log = NULL;
    size_t size = 0;
    clGetProgramBuildInfo(program, rt->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    if (size > 0 && (log = calloc(size + 1, 1)))
        clGetProgramBuildInfo(program, rt->id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    const char *line = log ? strstr(log, "error:") : NULL;
    while (line && line > log && line[-1] != '\n')
        line--;
    if (!line)
        line = log ? log + strspn(log, "\r\n \t") : "";
    char what[400];
    snprintf(what, sizeof what, "%s does not build on %s: %.*s", file, rt->device.name,
             (int)strcspn(line, "\r\n"), line);
    free(log);
    return imf_clrt_fail(err, code, what);
}

/* A program from the cache's binary, ready to use, or NULL. */
static cl_program load(const struct imf_clrt *rt, const struct imf_cache_key *key) {
    size_t size;
    unsigned char *data = imf_cache_load(rt->cache_dir, key, &size);
    if (!data)
        return NULL;
    cl_int code, binary = CL_INVALID_BINARY;
    const unsigned char *const_data = data;
    cl_program program =
        clCreateProgramWithBinary(rt->context, 1, &rt->id, &size, &const_data, &binary, &code);
    if (code == CL_SUCCESS && binary == CL_SUCCESS)
        code = clBuildProgram(program, 1, &rt->id, BUILD_OPTIONS, NULL, NULL);
    else if (code == CL_SUCCESS)
        code = binary;
    free(data);
    if (code != CL_SUCCESS && program) {
        clReleaseProgram(program);
        program = NULL;
    }
    return program;
}

static enum imf_status build(struct imf_clrt *rt, const char *const *parts, cl_uint count,
                             const char *file, cl_program *out, struct imf_error *err) {
    cl_int code;
    cl_program program =
        clCreateProgramWithSource(rt->context, count, (const char **)parts, NULL, &code);
    if (code != CL_SUCCESS)
        return imf_clrt_fail(err, code, "cannot make a program");
    code = clBuildProgram(program, 1, &rt->id, BUILD_OPTIONS, NULL, NULL);
    if (code != CL_SUCCESS) {
        enum imf_status status = build_failed(rt, program, code, file, err);
        clReleaseProgram(program);
        return status;
    }
    *out = program;
    return IMF_OK;
}

/*
 * Load or build p. One process at a time builds a program: PoCL removes and writes again what
 * another has just put in its own cache, and the third to come finds nothing to remove, which is
 * CL_BUILD_PROGRAM_FAILURE. Where nothing can be locked, that passes when it is tried again.
 */
static enum imf_status obtain(struct imf_clrt *rt, struct program *p, const char *const *parts,
                              cl_uint count, const char *file, struct imf_error *err) {
    enum imf_status status = IMF_OK;
    int lock = imf_cache_lock(rt->cache_dir, &p->key);
    p->handle = load(rt, &p->key);
    if (!p->handle) {
        p->fresh = true;
        status = build(rt, parts, count, file, &p->handle, err);
        if (status != IMF_OK)
            status = build(rt, parts, count, file, &p->handle, err);
    }
    imf_cache_unlock(lock);
    return status;
}

/* The program of cl/`file` with `defines`: from memory, from disk or built. */
static enum imf_status find_program(struct imf_clrt *rt, const char *file, const char *defines,
                                    struct program **out, struct imf_error *err) {
    const char *common = embedded("common.cl"), *body = embedded(file);
    if (!body || !common)
        return imf_fail(err, IMF_ERR_ARGUMENT, "there is no program %s in the library", file);
    char line[128];
    snprintf(line, sizeof line, "\n#line 1 \"cl/%s\"\n", file);
    const char *const parts[] = {defines, "\n#line 1 \"cl/common.cl\"\n", common, line, body};
    enum { PARTS = sizeof parts / sizeof *parts };
    struct imf_cache_key key = rt->base;
    for (int i = 0; i < PARTS; i++)
        imf_cache_key_add(&key, parts[i]);
    for (struct program *p = rt->programs; p; p = p->next) {
        if (memcmp(&p->key, &key, sizeof key) == 0) {
            *out = p;
            return IMF_OK;
        }
    }
    struct program *p = calloc(1, sizeof *p);
    if (!p)
        return imf_fail_memory(err, sizeof *p);
    p->key = key;
    enum imf_status status = obtain(rt, p, parts, PARTS, file, err);
    if (status != IMF_OK) {
        free(p);
        return status;
    }
    p->next = rt->programs;
    rt->programs = p;
    *out = p;
    return IMF_OK;
}

enum imf_status imf_clrt_kernel(struct imf_clrt *rt, const char *file,
                                const struct imf_defines *defines, const char *kernel,
                                cl_kernel *out, struct imf_error *err) {
    struct program *p = NULL;
    *out = NULL;
    if (defines->failed)
        return imf_fail_memory(err, defines->capacity);
    enum imf_status status = find_program(rt, file, defines->text ? defines->text : "", &p, err);
    if (status != IMF_OK)
        return status;
    cl_int code;
    *out = clCreateKernel(p->handle, kernel, &code);
    if (code == CL_SUCCESS)
        return IMF_OK;
    *out = NULL;
    return imf_clrt_fail(err, code, kernel);
}

/* ---- work --------------------------------------------------------------------------------- */

/* What a CPU device has just been given is mapped page by page as it is first touched: with large
 * pages in a hundredth of the faults. Only a hint, so a failure does not matter. */
static void advise_large_pages(struct imf_clrt *rt, cl_mem mem, size_t bytes) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    char *p = clEnqueueMapBuffer(rt->queue, mem, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes,
                                 0, NULL, NULL, NULL);
    if (!p)
        return;
    size_t skip = (page - (uintptr_t)p % page) % page;
    (void)madvise(p + skip, (bytes - skip) / page * page, MADV_HUGEPAGE);
    (void)clEnqueueUnmapMemObject(rt->queue, mem, p, 0, NULL, NULL);
}

static enum imf_status make_buffer(struct imf_clrt *rt, cl_mem_flags flags, size_t bytes,
                                   void *memory, cl_mem *out, struct imf_error *err) {
    cl_int code;
    *out = NULL;
    if (bytes > rt->device.max_alloc && rt->device.max_alloc > 0)
        return imf_fail(err, IMF_ERR_MEMORY,
                        "a buffer of %zu bytes is over the device's limit of %llu", bytes,
                        (unsigned long long)rt->device.max_alloc);
    *out = clCreateBuffer(rt->context, flags, bytes ? bytes : 1, memory, &code);
    if (code == CL_SUCCESS) {
        if (rt->device.unified && !rt->device.gpu && bytes >= LARGE_BUFFER)
            advise_large_pages(rt, *out, bytes);
        return IMF_OK;
    }
    *out = NULL;
    char what[64];
    snprintf(what, sizeof what, "cannot make a buffer of %zu bytes", bytes);
    return imf_clrt_fail(err, code, what);
}

enum imf_status imf_clrt_buffer(struct imf_clrt *rt, cl_mem_flags flags, size_t bytes, cl_mem *out,
                                struct imf_error *err) {
    return make_buffer(rt, flags, bytes, NULL, out, err);
}

/* Work that was given to the device may outlive our last use of a buffer when something fails. */
static void CL_CALLBACK free_memory(cl_mem mem, void *memory) {
    (void)mem;
    free(memory);
}

enum imf_status imf_clrt_buffer_over(struct imf_clrt *rt, void *memory, size_t bytes, cl_mem *out,
                                     struct imf_error *err) {
    enum imf_status st =
        make_buffer(rt, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory, out, err);
    if (st) {
        free(memory);
        return st;
    }
    cl_int code = clSetMemObjectDestructorCallback(*out, free_memory, memory);
    if (code == CL_SUCCESS)
        return IMF_OK;
    clReleaseMemObject(*out);
    *out = NULL;
    free(memory);
    return imf_clrt_fail(err, code, "cannot keep a buffer in the host's memory");
}

enum imf_status imf_clrt_launch(struct imf_clrt *rt, cl_kernel kernel, const struct imf_arg *args,
                                unsigned count, unsigned dims, const size_t *global,
                                const size_t *local, struct imf_error *err) {
    for (unsigned i = 0; i < count; i++) {
        cl_int code = clSetKernelArg(kernel, i, args[i].size, args[i].value);
        if (code != CL_SUCCESS) {
            char what[64];
            snprintf(what, sizeof what, "kernel argument %u", i);
            return imf_clrt_fail(err, code, what);
        }
    }
    cl_int code =
        clEnqueueNDRangeKernel(rt->queue, kernel, dims, NULL, global, local, 0, NULL, NULL);
    return code == CL_SUCCESS ? IMF_OK : imf_clrt_fail(err, code, "cannot start a kernel");
}

enum imf_status imf_clrt_finish(struct imf_clrt *rt, struct imf_error *err) {
    cl_int code = clFinish(rt->queue);
    return code == CL_SUCCESS ? IMF_OK : imf_clrt_fail(err, code, "the device failed");
}
