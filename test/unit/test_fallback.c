/*
 * test_fallback.c - every OpenCL call of a run fails in turn, once or from then on
 *
 * The program's own definitions take the place of the loader's functions. Left to choose, a plan
 * gives the host solver's pixels whatever fails, and says so; a plan that insists on the device
 * gives right pixels or an error.
 */
#include "check.h"
#include "device/opencl.h"
#include "run/plan.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 150, HEIGHT = 60, CHANNELS = 3, SIZE = WIDTH * HEIGHT * CHANNELS * 2 };

enum call {
    BUILD,
    KERNEL,
    BUFFER,
    KEEP,
    ARGUMENT,
    LAUNCH,
    MAP,
    UNMAP,
    FINISH,
    /* Only where rows are sent while the device computes. */
    WRITE,
    READ,
    MARK,
    BARRIER,
    WAIT,
    CALLS
};
static const char *const names[CALLS] = {"clBuildProgram",
                                         "clCreateKernel",
                                         "clCreateBuffer",
                                         "clSetMemObjectDestructorCallback",
                                         "clSetKernelArg",
                                         "clEnqueueNDRangeKernel",
                                         "clEnqueueMapBuffer",
                                         "clEnqueueUnmapMemObject",
                                         "clFinish",
                                         "clEnqueueWriteBuffer",
                                         "clEnqueueReadBuffer",
                                         "clEnqueueMarkerWithWaitList",
                                         "clEnqueueBarrierWithWaitList",
                                         "clWaitForEvents"};
static int made[CALLS];
/* Where kernels were started last, and what did not wait was given. */
static cl_command_queue computing, sending, fetching;
static enum call failing = CALLS;
static int first;
static bool lasting;

static bool fails(enum call c) {
    int n = made[c]++;
    return c == failing && (n == first || (lasting && n > first));
}

/* Forward to the loader, or fail. ISO C has no
 * conversion from an object's pointer to a function's. */
#define REAL(type, call)                                                                           \
    union {                                                                                        \
        void *object;                                                                              \
        type;                                                                                      \
    } real = {dlsym(RTLD_NEXT, names[call])}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                      const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                      void *data) {
    REAL(cl_int(*f)(cl_program, cl_uint, const cl_device_id *, const char *,
                    void(CL_CALLBACK *)(cl_program, void *), void *),
         BUILD);
    return fails(BUILD) ? CL_BUILD_PROGRAM_FAILURE
                        : real.f(program, count, devices, options, notify, data);
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *code) {
    REAL(cl_kernel(*f)(cl_program, const char *, cl_int *), KERNEL);
    if (!fails(KERNEL))
        return real.f(program, name, code);
    *code = CL_OUT_OF_RESOURCES;
    return NULL;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                      cl_int *code) {
    REAL(cl_mem(*f)(cl_context, cl_mem_flags, size_t, void *, cl_int *), BUFFER);
    if (!fails(BUFFER))
        return real.f(context, flags, size, host, code);
    *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

cl_int clSetMemObjectDestructorCallback(cl_mem mem, void(CL_CALLBACK *notify)(cl_mem, void *),
                                        void *data) {
    REAL(cl_int(*f)(cl_mem, void(CL_CALLBACK *)(cl_mem, void *), void *), KEEP);
    return fails(KEEP) ? CL_OUT_OF_HOST_MEMORY : real.f(mem, notify, data);
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value) {
    REAL(cl_int(*f)(cl_kernel, cl_uint, size_t, const void *), ARGUMENT);
    return fails(ARGUMENT) ? CL_OUT_OF_RESOURCES : real.f(kernel, index, size, value);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint count, const cl_event *waits, cl_event *event) {
    REAL(cl_int(*f)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                    const size_t *, cl_uint, const cl_event *, cl_event *),
         LAUNCH);
    computing = queue;
    return fails(LAUNCH) ? CL_OUT_OF_RESOURCES
                         : real.f(queue, kernel, dims, offset, global, local, count, waits, event);
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                         cl_map_flags flags, size_t offset, size_t size, cl_uint count,
                         const cl_event *waits, cl_event *event, cl_int *code) {
    REAL(void *(*f)(cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t, size_t, cl_uint,
                    const cl_event *, cl_event *, cl_int *),
         MAP);
    if (!fails(MAP))
        return real.f(queue, buffer, blocking, flags, offset, size, count, waits, event, code);
    if (code)
        *code = CL_MAP_FAILURE;
    return NULL;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *pointer, cl_uint count,
                               const cl_event *waits, cl_event *event) {
    REAL(cl_int(*f)(cl_command_queue, cl_mem, void *, cl_uint, const cl_event *, cl_event *),
         UNMAP);
    return fails(UNMAP) ? CL_OUT_OF_RESOURCES : real.f(queue, mem, pointer, count, waits, event);
}

cl_int clFinish(cl_command_queue queue) {
    REAL(cl_int(*f)(cl_command_queue), FINISH);
    return fails(FINISH) ? CL_OUT_OF_RESOURCES : real.f(queue);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                            size_t size, const void *data, cl_uint count, const cl_event *waits,
                            cl_event *event) {
    REAL(cl_int(*f)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint,
                    const cl_event *, cl_event *),
         WRITE);
    sending = blocking ? sending : queue;
    return fails(WRITE) ? CL_OUT_OF_RESOURCES
                        : real.f(queue, buffer, blocking, offset, size, data, count, waits, event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t size, void *data, cl_uint count, const cl_event *waits,
                           cl_event *event) {
    REAL(cl_int(*f)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint,
                    const cl_event *, cl_event *),
         READ);
    fetching = blocking ? fetching : queue;
    return fails(READ) ? CL_OUT_OF_RESOURCES
                       : real.f(queue, buffer, blocking, offset, size, data, count, waits, event);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *waits,
                                   cl_event *event) {
    REAL(cl_int(*f)(cl_command_queue, cl_uint, const cl_event *, cl_event *), MARK);
    return fails(MARK) ? CL_OUT_OF_RESOURCES : real.f(queue, count, waits, event);
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *waits,
                                    cl_event *event) {
    REAL(cl_int(*f)(cl_command_queue, cl_uint, const cl_event *, cl_event *), BARRIER);
    return fails(BARRIER) ? CL_OUT_OF_RESOURCES : real.f(queue, count, waits, event);
}

cl_int clWaitForEvents(cl_uint count, const cl_event *events) {
    REAL(cl_int(*f)(cl_uint, const cl_event *), WAIT);
    return fails(WAIT) ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : real.f(count, events);
}

/* ---- runs ---------------------------------------------------------------------------------- */

static unsigned char image[SIZE];
static const struct imf_info info = {.width = WIDTH,
                                     .height = HEIGHT,
                                     .channels = CHANNELS,
                                     .depth = 16,
                                     .color = IMF_COLOR_RGB,
                                     .format = IMF_FORMAT_PNM};

struct result {
    enum imf_status status;
    bool noted, on_host, by_host, fell_back;
    int bands;
    char error[512];
    unsigned char pixels[SIZE];
};

/* A backend of the host's solvers, or several of them. */
static bool is_host(const char *backend) {
    static const char *const hosts[] = {"cpu", "vector", "mixed"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        if (strcmp(backend, hosts[i]) == 0)
            return true;
    return false;
}

/* Filter the image from a stream that is read only once. */
static void run_workspace(struct result *r, struct imf_workspace *ws) {
    char header[32];
    struct imf_error err = {0};
    struct imf_reader *reader = NULL;
    struct imf_report report = {0};
    FILE *file = tmpfile();
    if (!file)
        abort();
    int n = snprintf(header, sizeof header, "P6 %d %d 65535\n", WIDTH, HEIGHT);
    fwrite(header, 1, (size_t)n, file);
    fwrite(image, 1, SIZE, file);
    rewind(file);
    r->status = imf_reader_open(&reader, file, NULL, &err);
    if (!r->status) {
        char *out = NULL;
        size_t size = 0;
        FILE *sink = open_memstream(&out, &size);
        struct imf_writer *writer = NULL;
        r->status = imf_writer_open(&writer, sink, &info, NULL, NULL, &err);
        if (!r->status)
            r->status = imf_workspace_run(ws, reader, writer, NULL, &report, &err);
        imf_writer_close(&writer);
        fclose(sink);
        if (!r->status && size > SIZE)
            memcpy(r->pixels, out + size - SIZE, SIZE);
        free(out);
    }
    imf_reader_close(&reader);
    fclose(file);
    snprintf(r->error, sizeof r->error, "%s", err.text);
    const struct imf_choice *choice = imf_workspace_choice(ws);
    r->noted = choice->note && strstr(choice->note, "on the host");
    r->on_host = strcmp(choice->device, "host") == 0;
    r->by_host = is_host(choice->chosen->backend);
    r->fell_back = report.fell_back;
    r->bands = report.bands;
}

/* Rows of a band of rows that stream; 0: the image is small, and whole. */
static int advance;

static void run(struct result *r, const struct imf_filter *filter, const char *cache,
                enum imf_backend backend) {
    struct imf_context *ctx = NULL;
    struct imf_plan *plan = NULL;
    struct imf_workspace *ws = NULL;
    struct imf_error err = {0};
    const struct imf_context_options options = {.cache_dir = cache};
    const struct imf_settings settings = {.backend = backend};
    const struct imf_settings direct = {.backend = IMF_BACKEND_DIRECT};
    memset(r, 0, sizeof *r);
    memset(made, 0, sizeof made);
    r->status = imf_context_create(&ctx, &options, &err);
    /* An open device is worth its while for small images. */
    if (!r->status)
        r->status = imf_plan_create(&plan, ctx, filter, &info, &direct, &err);
    imf_plan_free(&plan);
    if (!r->status)
        r->status = imf_plan_create(&plan, ctx, filter, &info, &settings, &err);
    if (!r->status) {
        plan->form.advance = advance;
        plan->form.transfers = advance % 2;
        r->status = imf_workspace_create(&ws, plan, &err);
    }
    snprintf(r->error, sizeof r->error, "%s", err.text);
    if (!r->status)
        run_workspace(r, ws);
    imf_workspace_free(&ws);
    imf_plan_free(&plan);
    if (ctx)
        imf_context_free(&ctx);
}

static bool on_host(const struct imf_choice *c) {
    return strcmp(c->device, "host") == 0 && c->note && strstr(c->note, "on the host") &&
           c->chosen->chosen && is_host(c->chosen->backend);
}

/* A device that failed at its work is left alone: by the workspace, by others of the plan, which
 * says what it said, and by plans that are made then. */
static void test_given_up(const struct imf_filter *filter, const char *cache,
                          const unsigned char *want) {
    const struct imf_context_options options = {.cache_dir = cache};
    const struct imf_settings settings = {.backend = IMF_BACKEND_AUTO};
    static const struct imf_settings direct = {.backend = IMF_BACKEND_DIRECT};
    struct imf_context *ctx = NULL;
    struct imf_plan *open = NULL, *plan = NULL, *later = NULL;
    struct imf_workspace *ws = NULL, *other = NULL;
    static struct result got;
    bool ok = !imf_context_create(&ctx, &options, NULL) &&
              !imf_plan_create(&open, ctx, filter, &info, &direct, NULL) &&
              !imf_plan_create(&plan, ctx, filter, &info, &settings, NULL) &&
              !imf_workspace_create(&ws, plan, NULL) && !imf_workspace_create(&other, plan, NULL);
    CHECK(ok && !on_host(imf_plan_choice(plan)) && !on_host(imf_workspace_choice(ws)), "a plan");
    made[LAUNCH] = first = 0;
    lasting = false;
    failing = LAUNCH;
    run_workspace(&got, ws);
    CHECK(!got.status && got.fell_back && on_host(imf_workspace_choice(ws)) &&
              !memcmp(got.pixels, want, SIZE),
          "status %d, fell back %d", got.status, got.fell_back);
    CHECK(strstr(imf_workspace_choice(ws)->note, "cannot start a kernel"), "the note");
    CHECK(!on_host(imf_plan_choice(plan)), "the plan has changed");
    int launches = made[LAUNCH];
    run_workspace(&got, other);
    CHECK(!got.status && got.fell_back && on_host(imf_workspace_choice(other)) &&
              !memcmp(got.pixels, want, SIZE),
          "another workspace: status %d", got.status);
    CHECK(!imf_plan_create(&later, ctx, filter, &info, &settings, NULL) &&
              on_host(imf_plan_choice(later)),
          "a later plan");
    CHECK(made[LAUNCH] == launches, "the device was used again");
    failing = CALLS;
    imf_workspace_free(&ws);
    imf_workspace_free(&other);
    imf_plan_free(&open);
    imf_plan_free(&plan);
    imf_plan_free(&later);
    imf_context_free(&ctx);
}

/* The call to fail after this one: each, or of a long run all early ones and ever fewer later ones. */
static int next_call(enum call c, int call) {
    return call + (check_thorough() ? c == ARGUMENT ? 7 : 1 : 1 + call / 2);
}

/* Fail each call in turn; `rows` a band. */
static void test_calls(const struct imf_filter *filter, const char *cache,
                       const struct result *want, bool gpu, int rows) {
    static struct result got;
    advance = rows;
    failing = CALLS;
    run(&got, filter, cache, IMF_BACKEND_AUTO); /* fills the cache */
    run(&got, filter, cache, IMF_BACKEND_AUTO);
    CHECK(got.status == IMF_OK && !got.on_host && !got.noted, "the device");
    CHECK((got.bands > 1) == (rows > 0), "%d bands", got.bands);
    int counts[CALLS], fallen = 0, failed = 0;
    memcpy(counts, made, sizeof counts);
    bool sends = rows && (gpu || rows % 2);
    for (int c = 0; c < CALLS; c++)
        CHECK(counts[c] > 0 || (c == KEEP && (gpu || sends)) || (c >= WRITE && !sends),
              "%s is not called", names[c]);
    if (sends)
        CHECK(sending && fetching && sending != computing && fetching != computing &&
                  sending != fetching,
              "rows are sent, computed and fetched one after the other");
    for (int c = 0; c < CALLS; c++)
        for (first = 0; first < counts[c]; first = next_call((enum call)c, first))
            for (int more = 0; more < 2; more++) {
                failing = (enum call)c;
                lasting = more;
                run(&got, filter, cache, IMF_BACKEND_AUTO);
                CHECK(got.status == IMF_OK && !memcmp(got.pixels, want->pixels, SIZE) &&
                          got.noted == got.on_host && (got.by_host || !got.on_host) &&
                          got.fell_back == got.on_host,
                      "%s, call %d%s: status %d, note %d, host %d %d", names[c], first,
                      more ? " and later ones" : "", got.status, got.noted, got.on_host,
                      got.by_host);
                fallen += got.on_host;
                run(&got, filter, cache, IMF_BACKEND_DIRECT);
                CHECK(got.status || (!memcmp(got.pixels, want->pixels, SIZE) && !got.on_host),
                      "%s, call %d, --backend=direct: wrong pixels", names[c], first);
                failed += got.status != IMF_OK;
            }
    CHECK(fallen > 20 && failed > 20, "%d fell back, %d failed", fallen, failed);
    failing = CALLS;
    advance = 0;
}

int main(void) {
    struct imf_device_info devices[16] = {{0}};
    size_t count = imf_device_list(devices, 16);
    bool gpu = false; /* which is what is taken, then */
    for (size_t i = 0; i < count && i < 16; i++)
        gpu = gpu || (devices[i].usable && devices[i].gpu);
    if (count == 0) {
        printf("fallback: no OpenCL device, nothing tested\n");
        return check_done("fallback");
    }
    char cache[] = "/tmp/imf-fallback-XXXXXX", command[64];
    /* Exact, and its last sums are too large for floats and for the host's transforms. */
    enum { SIDE = 61 };
    char large[SIDE * SIDE * 8 + 32] = "kernel:";
    for (int i = 0; i < SIDE * SIDE; i++)
        snprintf(large + strlen(large), 16, "%d%c", 400000 + i * i % 7 - i % 2 * 700000,
                 i % SIDE < SIDE - 1 ? ',' : '/');
    strcpy(large + strlen(large) - 1, ":scale=20000000");
    const char *const specs[] = {"kernel:1,2,1/2,4,2/1,2,1", "threshold:0.3", large};
    struct imf_filter *filter = NULL;
    struct imf_error err;
    if (!mkdtemp(cache) || imf_filter_parse(&filter, specs, 3, &err))
        return 1;
    for (int i = 0; i < SIZE; i++)
        image[i] = (unsigned char)(i * 7 + i / 1000 * 31);
    static struct result want, got;
    run(&want, filter, cache, IMF_BACKEND_CPU);
    CHECK(want.status == IMF_OK && want.on_host, "the plain C solver: %s", want.error);
    /* Other processes can make a driver's first build fail. */
    failing = BUILD;
    run(&got, filter, cache, IMF_BACKEND_DIRECT);
    CHECK(got.status == IMF_OK && !got.on_host, "the first build was not tried again: %s",
          got.error);
    test_calls(filter, cache, &want, gpu, 0);
    test_calls(filter, cache, &want, gpu, 23);
    test_calls(filter, cache, &want, gpu, 26);
    test_given_up(filter, cache, want.pixels);

    imf_filter_free(&filter);
    snprintf(command, sizeof command, "rm -r %s", cache);
    CHECK(system(command) == 0, "%s", command);
    return check_done("fallback");
}
