/*
 * faults.c - a layer for LD_PRELOAD that makes one call fail
 *
 * IMF_FAULT=NAME:N lets the Nth call of NAME fail, NAME:N+ that one and all after it. NAME is an
 * OpenCL function or "malloc", which stands for the whole family. IMF_FAULT_COUNT=FILE appends
 * "NAME calls" for each when the process ends, so that a sweep knows how far N goes.
 * IMF_FAULT_PROGRAM is the path of the one executable in which this happens.
 *
 * Allocations count where the caller is the program, libpng, libjpeg or zlib, and where it is libc
 * (fopen, strdup) on the main thread outside of OpenCL's functions. Those of a driver do not: LLVM
 * aborts the process when malloc fails, by design, and no caller of OpenCL can help that. A driver
 * that fails properly is what the OpenCL functions' own failures stand for.
 */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc's own names: asking dlsym for malloc would allocate. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

struct function {
    const char *name;
    struct function *next;
    atomic_ulong calls;
    unsigned long fail;  /* which call fails; 0: none */
    unsigned long after; /* all from this one on; 0: none */
    void (*real)(void);
};

/* A function that returns a status, and one that returns an object and its status by a last
 * pointer. */
#define STATUS_CALLS(X)                                                                            \
    X(clBuildProgram, CL_BUILD_PROGRAM_FAILURE,                                                    \
      (cl_program a, cl_uint b, const cl_device_id *c, const char *d,                              \
       void(CL_CALLBACK * e)(cl_program, void *), void *f),                                        \
      (a, b, c, d, e, f))                                                                          \
    X(clEnqueueBarrierWithWaitList, CL_OUT_OF_RESOURCES,                                           \
      (cl_command_queue a, cl_uint b, const cl_event *c, cl_event *d), (a, b, c, d))               \
    X(clEnqueueCopyBuffer, CL_OUT_OF_RESOURCES,                                                    \
      (cl_command_queue a, cl_mem b, cl_mem c, size_t d, size_t e, size_t f, cl_uint g,            \
       const cl_event *h, cl_event *i),                                                            \
      (a, b, c, d, e, f, g, h, i))                                                                 \
    X(clEnqueueFillBuffer, CL_OUT_OF_RESOURCES,                                                    \
      (cl_command_queue a, cl_mem b, const void *c, size_t d, size_t e, size_t f, cl_uint g,       \
       const cl_event *h, cl_event *i),                                                            \
      (a, b, c, d, e, f, g, h, i))                                                                 \
    X(clEnqueueMarkerWithWaitList, CL_OUT_OF_RESOURCES,                                            \
      (cl_command_queue a, cl_uint b, const cl_event *c, cl_event *d), (a, b, c, d))               \
    X(clEnqueueNDRangeKernel, CL_INVALID_WORK_GROUP_SIZE,                                          \
      (cl_command_queue a, cl_kernel b, cl_uint c, const size_t *d, const size_t *e,               \
       const size_t *f, cl_uint g, const cl_event *h, cl_event *i),                                \
      (a, b, c, d, e, f, g, h, i))                                                                 \
    X(clEnqueueReadBuffer, CL_OUT_OF_RESOURCES,                                                    \
      (cl_command_queue a, cl_mem b, cl_bool c, size_t d, size_t e, void *f, cl_uint g,            \
       const cl_event *h, cl_event *i),                                                            \
      (a, b, c, d, e, f, g, h, i))                                                                 \
    X(clEnqueueUnmapMemObject, CL_OUT_OF_RESOURCES,                                                \
      (cl_command_queue a, cl_mem b, void *c, cl_uint d, const cl_event *e, cl_event *f),          \
      (a, b, c, d, e, f))                                                                          \
    X(clEnqueueWriteBuffer, CL_OUT_OF_RESOURCES,                                                   \
      (cl_command_queue a, cl_mem b, cl_bool c, size_t d, size_t e, const void *f, cl_uint g,      \
       const cl_event *h, cl_event *i),                                                            \
      (a, b, c, d, e, f, g, h, i))                                                                 \
    X(clFinish, CL_OUT_OF_RESOURCES, (cl_command_queue a), (a))                                    \
    X(clFlush, CL_OUT_OF_RESOURCES, (cl_command_queue a), (a))                                     \
    X(clGetDeviceIDs, CL_DEVICE_NOT_FOUND,                                                         \
      (cl_platform_id a, cl_device_type b, cl_uint c, cl_device_id * d, cl_uint * e),              \
      (a, b, c, d, e))                                                                             \
    X(clGetDeviceInfo, CL_OUT_OF_HOST_MEMORY,                                                      \
      (cl_device_id a, cl_device_info b, size_t c, void *d, size_t *e), (a, b, c, d, e))           \
    X(clGetEventProfilingInfo, CL_PROFILING_INFO_NOT_AVAILABLE,                                    \
      (cl_event a, cl_profiling_info b, size_t c, void *d, size_t *e), (a, b, c, d, e))            \
    X(clGetKernelWorkGroupInfo, CL_OUT_OF_HOST_MEMORY,                                             \
      (cl_kernel a, cl_device_id b, cl_kernel_work_group_info c, size_t d, void *e, size_t *f),    \
      (a, b, c, d, e, f))                                                                          \
    X(clGetPlatformIDs, CL_OUT_OF_HOST_MEMORY, (cl_uint a, cl_platform_id * b, cl_uint * c),       \
      (a, b, c))                                                                                   \
    X(clGetPlatformInfo, CL_OUT_OF_HOST_MEMORY,                                                    \
      (cl_platform_id a, cl_platform_info b, size_t c, void *d, size_t *e), (a, b, c, d, e))       \
    X(clGetProgramBuildInfo, CL_OUT_OF_HOST_MEMORY,                                                \
      (cl_program a, cl_device_id b, cl_program_build_info c, size_t d, void *e, size_t *f),       \
      (a, b, c, d, e, f))                                                                          \
    X(clGetProgramInfo, CL_OUT_OF_HOST_MEMORY,                                                     \
      (cl_program a, cl_program_info b, size_t c, void *d, size_t *e), (a, b, c, d, e))            \
    X(clReleaseCommandQueue, CL_OUT_OF_RESOURCES, (cl_command_queue a), (a))                       \
    X(clReleaseContext, CL_OUT_OF_RESOURCES, (cl_context a), (a))                                  \
    X(clReleaseEvent, CL_OUT_OF_RESOURCES, (cl_event a), (a))                                      \
    X(clReleaseKernel, CL_OUT_OF_RESOURCES, (cl_kernel a), (a))                                    \
    X(clReleaseMemObject, CL_OUT_OF_RESOURCES, (cl_mem a), (a))                                    \
    X(clReleaseProgram, CL_OUT_OF_RESOURCES, (cl_program a), (a))                                  \
    X(clSetKernelArg, CL_INVALID_ARG_VALUE, (cl_kernel a, cl_uint b, size_t c, const void *d),     \
      (a, b, c, d))                                                                                \
    X(clSetMemObjectDestructorCallback, CL_OUT_OF_HOST_MEMORY,                                     \
      (cl_mem a, void(CL_CALLBACK * b)(cl_mem, void *), void *c), (a, b, c))                       \
    X(clWaitForEvents, CL_OUT_OF_RESOURCES, (cl_uint a, const cl_event *b), (a, b))
#define OBJECT_CALLS(X)                                                                            \
    X(cl_mem, clCreateBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE,                                    \
      (cl_context a, cl_mem_flags b, size_t c, void *d, cl_int *code), (a, b, c, d, code))         \
    X(cl_command_queue, clCreateCommandQueue, CL_OUT_OF_RESOURCES,                                 \
      (cl_context a, cl_device_id b, cl_command_queue_properties c, cl_int * code),                \
      (a, b, c, code))                                                                             \
    X(cl_context, clCreateContext, CL_DEVICE_NOT_AVAILABLE,                                        \
      (const cl_context_properties *a, cl_uint b, const cl_device_id *c,                           \
       void(CL_CALLBACK * d)(const char *, const void *, size_t, void *), void *e, cl_int *code),  \
      (a, b, c, d, e, code))                                                                       \
    X(cl_kernel, clCreateKernel, CL_OUT_OF_RESOURCES, (cl_program a, const char *b, cl_int *code), \
      (a, b, code))                                                                                \
    X(cl_program, clCreateProgramWithBinary, CL_INVALID_BINARY,                                    \
      (cl_context a, cl_uint b, const cl_device_id *c, const size_t *d, const unsigned char **e,   \
       cl_int *f, cl_int *code),                                                                   \
      (a, b, c, d, e, f, code))                                                                    \
    X(cl_program, clCreateProgramWithSource, CL_OUT_OF_RESOURCES,                                  \
      (cl_context a, cl_uint b, const char **c, const size_t *d, cl_int *code),                    \
      (a, b, c, d, code))                                                                          \
    X(cl_mem, clCreateSubBuffer, CL_MISALIGNED_SUB_BUFFER_OFFSET,                                  \
      (cl_mem a, cl_mem_flags b, cl_buffer_create_type c, const void *d, cl_int *code),            \
      (a, b, c, d, code))                                                                          \
    X(void *, clEnqueueMapBuffer, CL_MAP_FAILURE,                                                  \
      (cl_command_queue a, cl_mem b, cl_bool c, cl_map_flags d, size_t e, size_t f, cl_uint g,     \
       const cl_event *h, cl_event *i, cl_int *code),                                              \
      (a, b, c, d, e, f, g, h, i, code))

static struct function *functions;
static struct function allocations = {.name = "malloc"};
static __thread int inside __attribute__((tls_model("initial-exec")));
static pthread_t main_thread;
static bool ready;

/* Where counted callers' code lies. */
static struct range {
    uintptr_t from, to;
    bool libc;
} ranges[16];
static int range_count;

static int note_range(struct dl_phdr_info *info, size_t size, void *data) {
    static const char *const counted[] = {"/libpng", "/libjpeg", "/libz.", "/libc."};
    const char *name = info->dlpi_name;
    bool wanted = !*name; /* the program itself */
    (void)size;
    (void)data;
    for (int i = 0; i < 4; i++)
        wanted = wanted || strstr(name, counted[i]);
    for (int i = 0; wanted && i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X) &&
            range_count < 16) {
            uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            ranges[range_count++] = (struct range){from, from + info->dlpi_phdr[i].p_memsz,
                                                   strstr(name, "/libc.") != NULL};
        }
    return 0;
}

static bool counted_caller(const void *caller) {
    if (!ready || inside)
        return false;
    for (int i = 0; i < range_count; i++)
        if ((uintptr_t)caller >= ranges[i].from && (uintptr_t)caller < ranges[i].to)
            return !ranges[i].libc || pthread_equal(pthread_self(), main_thread);
    return false;
}

static bool fails(struct function *f) {
    unsigned long call = atomic_fetch_add(&f->calls, 1) + 1;
    return call == f->fail || (f->after && call >= f->after);
}

static bool no_memory(const void *caller) {
    if (!counted_caller(caller) || !fails(&allocations))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return no_memory(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    void *block = no_memory(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
    if (block)
        *out = block;
    return block ? 0 : ENOMEM;
}

/* A release that fails has still to let go, or what is tested is only a leak. */
#define STATUS_CALL(name, error, parameters, arguments)                                            \
    static struct function f_##name = {#name, NULL, 0, 0, 0, NULL};                                \
    CL_API_ENTRY cl_int CL_API_CALL name parameters {                                              \
        bool fail = fails(&f_##name);                                                              \
        if (fail && strncmp(#name, "clRelease", 9) != 0)                                           \
            return error;                                                                          \
        inside++;                                                                                  \
        cl_int result = ((cl_int(*) parameters)f_##name.real)arguments;                            \
        inside--;                                                                                  \
        return fail ? error : result;                                                              \
    }
#define OBJECT_CALL(type, name, error, parameters, arguments)                                      \
    static struct function f_##name = {#name, NULL, 0, 0, 0, NULL};                                \
    CL_API_ENTRY type CL_API_CALL name parameters {                                                \
        if (fails(&f_##name)) {                                                                    \
            if (code)                                                                              \
                *code = error;                                                                     \
            return NULL;                                                                           \
        }                                                                                          \
        inside++;                                                                                  \
        type result = ((type(*) parameters)f_##name.real)arguments;                                \
        inside--;                                                                                  \
        return result;                                                                             \
    }
STATUS_CALLS(STATUS_CALL)
OBJECT_CALLS(OBJECT_CALL)

/* IMF_FAULT, where it names this function. */
static void enlist(struct function *f) {
    const char *fault = getenv("IMF_FAULT");
    size_t length = strlen(f->name);
    f->next = functions;
    functions = f;
    if (fault && strncmp(fault, f->name, length) == 0 && fault[length] == ':') {
        char *end;
        unsigned long call = strtoul(fault + length + 1, &end, 10);
        *(*end == '+' ? &f->after : &f->fail) = call;
    }
    if (f != &allocations)
        *(void **)&f->real = dlsym(RTLD_NEXT, f->name); /* as POSIX has it */
}

/* A driver's compiler runs a linker, which inherits the layer: its faults are not the program's. */
static bool in_program(void) {
    const char *program = getenv("IMF_FAULT_PROGRAM");
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (!program || length < 0)
        return true;
    self[length] = '\0';
    return strcmp(self, program) == 0;
}

__attribute__((constructor)) static void start(void) {
#define ENLIST_STATUS(name, error, parameters, arguments) enlist(&f_##name);
#define ENLIST_OBJECT(type, name, error, parameters, arguments) enlist(&f_##name);
    STATUS_CALLS(ENLIST_STATUS)
    OBJECT_CALLS(ENLIST_OBJECT)
    enlist(&allocations);
    dl_iterate_phdr(note_range, NULL);
    main_thread = pthread_self();
    ready = in_program();
}

__attribute__((destructor)) static void finish(void) {
    const char *path = getenv("IMF_FAULT_COUNT");
    ready = false;
    FILE *file = path ? fopen(path, "a") : NULL;
    for (struct function *f = functions; file && f; f = f->next)
        if (atomic_load(&f->calls))
            fprintf(file, "%s %lu\n", f->name, atomic_load(&f->calls));
    if (file)
        fclose(file);
}
