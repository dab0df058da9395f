/*
 * liar.c - an OpenCL device that is less than it is: a layer that the ICD loader puts before drivers
 *
 *   OPENCL_LAYERS=liar.so LIES=LIE[:N],... [LIES_OF=INDEX] PROGRAM
 *
 *   no-double        no float64: no program that has the word is compiled
 *   group:N          work-groups of at most N work-items, along each axis
 *   local:N          N bytes of local memory, for a kernel's variables and arguments
 *   alloc:N          buffers of at most N bytes
 *   taken:N          N bytes of memory are all that others left, which it does not tell
 *   gpu, discrete    a GPU, which shares the host's memory; one that does not, and copies what it is given
 *   big-endian, no-compiler, unavailable, version:N (1.N)
 *                    what makes a device useless
 *
 * A lie is held to: what goes beyond it fails as OpenCL says. Caches know a device by its name, so that
 * lies are told there. LIES_OF is one device's index among all (all of them).
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl_layer.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum lie {
    NO_DOUBLE,
    GROUP,
    LOCAL,
    ALLOC,
    TAKEN,
    GPU,
    DISCRETE,
    BIG_ENDIAN_,
    NO_COMPILER,
    UNAVAILABLE,
    VERSION,
    LIES
};
static const char *const names[LIES] = {"no-double",   "group",       "local",    "alloc",
                                        "taken",       "gpu",         "discrete", "big-endian",
                                        "no-compiler", "unavailable", "version"};
static bool told[LIES];
static unsigned long long amount[LIES];

static const struct _cl_icd_dispatch *next;
static struct _cl_icd_dispatch layer;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cl_device_id devices[64]; /* in the order in which platforms have them */
static int device_count;
static size_t taken; /* bytes of all buffers */

/* ---- which device ---------------------------------------------------------------------------- */

static void count_devices(void) {
    cl_platform_id platforms[16];
    cl_uint n = 0, got = 0;
    if (device_count || next->clGetPlatformIDs(16, platforms, &n) != CL_SUCCESS)
        return;
    for (cl_uint i = 0; i < n && i < 16; i++)
        if (next->clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, (cl_uint)(64 - device_count),
                                 devices + device_count, &got) == CL_SUCCESS)
            device_count += (int)got;
}

static bool lied_of(cl_device_id device) {
    const char *of = getenv("LIES_OF");
    if (!of)
        return true;
    pthread_mutex_lock(&lock);
    count_devices();
    int i = 0;
    while (i < device_count && devices[i] != device)
        i++;
    pthread_mutex_unlock(&lock);
    return i == atoi(of);
}

static bool lied_in(cl_context context) { /* contexts of one device */
    cl_device_id device = NULL;
    return next->clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL) ==
               CL_SUCCESS &&
           lied_of(device);
}

static bool lies(enum lie lie, cl_device_id device) {
    return told[lie] && lied_of(device);
}

/* ---- what it says ---------------------------------------------------------------------------- */

static cl_int answer(const void *data, size_t bytes, size_t size, void *value, size_t *size_ret) {
    if (value && size < bytes)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, data, bytes);
    if (size_ret)
        *size_ret = bytes;
    return CL_SUCCESS;
}

static cl_int with_lies(cl_device_id device, size_t size, void *value, size_t *size_ret) {
    char name[1024] = "";
    cl_int code = next->clGetDeviceInfo(device, CL_DEVICE_NAME, 512, name, NULL);
    if (code == CL_SUCCESS)
        snprintf(name + strlen(name), sizeof name - strlen(name), " (%s)", getenv("LIES"));
    return code == CL_SUCCESS ? answer(name, strlen(name) + 1, size, value, size_ret) : code;
}

static cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info what, size_t size,
                                          void *value, size_t *size_ret) {
    static const struct {
        cl_device_info what;
        enum lie lie;
        cl_uint value;
    } numbers[] = {{CL_DEVICE_HOST_UNIFIED_MEMORY, GPU, CL_TRUE},
                   {CL_DEVICE_HOST_UNIFIED_MEMORY, DISCRETE, CL_FALSE},
                   {CL_DEVICE_ENDIAN_LITTLE, BIG_ENDIAN_, CL_FALSE},
                   {CL_DEVICE_COMPILER_AVAILABLE, NO_COMPILER, CL_FALSE},
                   {CL_DEVICE_AVAILABLE, UNAVAILABLE, CL_FALSE},
                   {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, NO_DOUBLE, 0},
                   {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, NO_DOUBLE, 0}};
    static const struct {
        cl_device_info what;
        enum lie lie;
    } sizes[] = {{CL_DEVICE_LOCAL_MEM_SIZE, LOCAL},
                 {CL_DEVICE_MAX_MEM_ALLOC_SIZE, ALLOC},
                 {CL_DEVICE_DOUBLE_FP_CONFIG, NO_DOUBLE}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].what == what && lies(numbers[i].lie, device))
            return answer(&numbers[i].value, sizeof(cl_uint), size, value, size_ret);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].what == what && lies(sizes[i].lie, device))
            return answer(&(cl_ulong){amount[sizes[i].lie]}, sizeof(cl_ulong), size, value,
                          size_ret);
    size_t group[3] = {amount[GROUP], amount[GROUP], amount[GROUP]};
    if (lies(GROUP, device) && what == CL_DEVICE_MAX_WORK_GROUP_SIZE)
        return answer(group, sizeof *group, size, value, size_ret);
    if (lies(GROUP, device) && what == CL_DEVICE_MAX_WORK_ITEM_SIZES)
        return answer(group, sizeof group, size, value, size_ret);
    if (what == CL_DEVICE_TYPE && (lies(GPU, device) || lies(DISCRETE, device)))
        return answer(&(cl_device_type){CL_DEVICE_TYPE_GPU}, sizeof(cl_device_type), size, value,
                      size_ret);
    if (what == CL_DEVICE_VERSION && lies(VERSION, device)) {
        char text[64];
        int n = snprintf(text, sizeof text, "OpenCL 1.%llu liar", amount[VERSION]);
        return answer(text, (size_t)n + 1, size, value, size_ret);
    }
    if (what == CL_DEVICE_NAME && lied_of(device))
        return with_lies(device, size, value, size_ret);
    return next->clGetDeviceInfo(device, what, size, value, size_ret);
}

/* ---- what it can ----------------------------------------------------------------------------- */

static cl_program CL_API_CALL create_program(cl_context context, cl_uint count, const char **texts,
                                             const size_t *lengths, cl_int *code) {
    static const char head[] =
        "#undef cl_khr_fp64\n"
        "#define double this_device_has_no_float64\n"
        "#line 1\n";
    if (!told[NO_DOUBLE] || !lied_in(context) || count > 62)
        return next->clCreateProgramWithSource(context, count, texts, lengths, code);
    const char *all[64] = {head};
    size_t sizes[64] = {sizeof head - 1};
    for (cl_uint i = 0; i < count; i++) {
        all[i + 1] = texts[i];
        sizes[i + 1] = lengths && lengths[i] ? lengths[i] : strlen(texts[i]);
    }
    return next->clCreateProgramWithSource(context, count + 1, all, sizes, code);
}

static void CL_CALLBACK give_back(cl_mem mem, void *bytes) {
    (void)mem;
    pthread_mutex_lock(&lock);
    taken -= *(size_t *)bytes;
    pthread_mutex_unlock(&lock);
    free(bytes);
}

static cl_mem refuse(cl_int why, cl_int *code) {
    if (code)
        *code = why;
    return NULL;
}

static cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t bytes,
                                        void *memory, cl_int *code) {
    size_t *kept = NULL;
    if (!lied_in(context))
        return next->clCreateBuffer(context, flags, bytes, memory, code);
    if (told[ALLOC] && bytes > amount[ALLOC])
        return refuse(CL_INVALID_BUFFER_SIZE, code);
    if (told[TAKEN]) {
        pthread_mutex_lock(&lock);
        bool fits = taken + bytes <= amount[TAKEN];
        taken += fits ? bytes : 0;
        pthread_mutex_unlock(&lock);
        kept = fits ? malloc(sizeof *kept) : NULL;
        if (!kept)
            return refuse(CL_MEM_OBJECT_ALLOCATION_FAILURE, code);
        *kept = bytes;
    }
    if (told[DISCRETE] && (flags & CL_MEM_USE_HOST_PTR))
        flags = (flags & ~(cl_mem_flags)CL_MEM_USE_HOST_PTR) | CL_MEM_COPY_HOST_PTR;
    cl_mem mem = next->clCreateBuffer(context, flags, bytes, memory, code);
    if (kept && mem)
        next->clSetMemObjectDestructorCallback(mem, give_back, kept);
    else if (kept)
        give_back(NULL, kept);
    return mem;
}

static cl_int CL_API_CALL get_kernel_group(cl_kernel kernel, cl_device_id device,
                                           cl_kernel_work_group_info what, size_t size, void *value,
                                           size_t *size_ret) {
    if (what == CL_KERNEL_WORK_GROUP_SIZE && lies(GROUP, device))
        return answer(&(size_t){amount[GROUP]}, sizeof(size_t), size, value, size_ret);
    return next->clGetKernelWorkGroupInfo(kernel, device, what, size, value, size_ret);
}

static cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint axes,
                                         const size_t *offset, const size_t *global,
                                         const size_t *local, cl_uint count, const cl_event *wait,
                                         cl_event *event) {
    cl_device_id device = NULL;
    cl_ulong bytes = 0;
    next->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (lies(GROUP, device) && local) {
        size_t items = 1;
        for (cl_uint i = 0; i < axes; i++)
            items *= local[i];
        if (items > amount[GROUP])
            return CL_INVALID_WORK_GROUP_SIZE;
    }
    if (lies(LOCAL, device)) {
        next->clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes,
                                       &bytes, NULL);
        if (bytes > amount[LOCAL])
            return CL_OUT_OF_RESOURCES;
    }
    return next->clEnqueueNDRangeKernel(queue, kernel, axes, offset, global, local, count, wait,
                                        event);
}

/* ---- the loader's side ----------------------------------------------------------------------- */

static void read_lies(void) {
    const char *text = getenv("LIES");
    for (const char *p = text ? text : ""; *p; p += *p == ',') {
        size_t length = strcspn(p, ","), word = strcspn(p, ":,");
        bool known = false;
        for (int i = 0; i < LIES; i++)
            if (strlen(names[i]) == word && strncmp(names[i], p, word) == 0) {
                known = told[i] = true;
                amount[i] = p[word] == ':' ? strtoull(p + word + 1, NULL, 10) : 0;
            }
        if (!known) {
            fprintf(stderr, "liar: LIES=%s: '%.*s' is none\n", text, (int)word, p);
            abort(); /* rather than a test of nothing */
        }
        p += length;
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value,
                                               size_t *size_ret) {
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char name[] = "liar";
    if (what == CL_LAYER_API_VERSION)
        return answer(&version, sizeof version, size, value, size_ret);
    return what == CL_LAYER_NAME ? answer(name, sizeof name, size, value, size_ret)
                                 : CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *target,
                                            cl_uint *entries_ret,
                                            const struct _cl_icd_dispatch **dispatch) {
    if (entries < sizeof layer / sizeof(void (*)(void)) || !entries_ret || !dispatch)
        return CL_INVALID_VALUE;
    read_lies();
    next = target;
    layer = *target;
    layer.clGetDeviceInfo = get_device_info;
    layer.clCreateProgramWithSource = create_program;
    layer.clCreateBuffer = create_buffer;
    layer.clGetKernelWorkGroupInfo = get_kernel_group;
    layer.clEnqueueNDRangeKernel = enqueue_kernel;
    *entries_ret = sizeof layer / sizeof(void (*)(void));
    *dispatch = &layer;
    return CL_SUCCESS;
}
