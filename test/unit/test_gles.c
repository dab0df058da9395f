/*
 * test_gles.c - OpenGL ES: the standards' constants, several threads, tiles, and what fails
 *
 * Where there is no such device only the constants are compared, if there are headers.
 */
#include "base/thread_pool.h"
#include "check.h"
#include "gles/program.h"
#include "gles/state.h"
#include "imfilter_program.h"
#include "run/plan.h"

/* A macro that is defined again as something else is an error. */
#if defined __has_include
#if __has_include(<EGL/eglext.h>) && __has_include(<GLES2/gl2.h>)
#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#endif
#endif

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 701, HEIGHT = 500, CHANNELS = 1, SIZE = WIDTH * HEIGHT * CHANNELS };
static unsigned char image[SIZE];
static const struct imf_info shape = {
    .width = WIDTH, .height = HEIGHT, .channels = CHANNELS, .depth = 8, .color = IMF_COLOR_GRAY};

static struct imf_filter *parse(const char *spec) {
    struct imf_filter *filter;
    struct imf_error err;
    if (imf_filter_parse(&filter, &spec, 1, &err)) {
        fprintf(stderr, "%s: %s\n", spec, err.text);
        exit(1);
    }
    return filter;
}

/* A magnitude of kernels of so many products that only devices and plain C take them. */
static struct imf_filter *wide(void) {
    char directory[] = "/tmp/test_gles.XXXXXX", path[64];
    if (!mkdtemp(directory))
        abort();
    snprintf(path, sizeof path, "%s/wide.flt", directory);
    FILE *file = fopen(path, "w");
    if (!file)
        abort();
    fprintf(file, "combine magnitude\n");
    for (int k = 0; k < 2; k++) {
        fprintf(file, "\nkernel %c\n", 'a' + k);
        for (int i = 1; i <= 961; i++)
            fprintf(file, "%d%c", i * i * 31 % 101 - 50 + k, i % 31 ? ' ' : '\n');
    }
    fclose(file);
    struct imf_filter *filter = parse(path);
    unlink(path);
    rmdir(directory);
    return filter;
}

/* Filter the image. */
static enum imf_status filter_by(enum imf_backend backend, struct imf_context *ctx,
                                 const struct imf_filter *filter, unsigned char *out,
                                 struct imf_report *report, struct imf_error *err) {
    const struct imf_settings settings = {.backend = backend};
    struct imf_plan *plan;
    struct imf_workspace *ws = NULL;
    enum imf_status st = imf_plan_create(&plan, ctx, filter, &shape, &settings, err);
    if (!st)
        st = imf_workspace_create(&ws, plan, err);
    if (!st)
        st = imf_workspace_run_memory(ws, image, WIDTH * CHANNELS, out, WIDTH * CHANNELS, NULL,
                                      report, err);
    imf_workspace_free(&ws);
    imf_plan_free(&plan);
    return st;
}

/* ---- several threads ------------------------------------------------------------------------ */

struct worker {
    pthread_t thread;
    struct imf_context *ctx;
    const struct imf_filter *filter;
    const unsigned char *want;
    int wrong;
};

static void *work(void *data) {
    struct worker *w = data;
    static _Thread_local unsigned char out[SIZE];
    struct imf_report report = {0};
    for (int i = 0; i < 4; i++)
        w->wrong += filter_by(IMF_BACKEND_GLES, w->ctx, w->filter, out, &report, NULL) ||
                    memcmp(out, w->want, SIZE) != 0;
    return NULL;
}

static void check_threads(struct imf_context *ctx, const struct imf_filter *filter,
                          const unsigned char *want) {
    struct worker w[3];
    for (int i = 0; i < 3; i++) {
        w[i] = (struct worker){.ctx = ctx, .filter = filter, .want = want};
        if (pthread_create(&w[i].thread, NULL, work, &w[i]))
            abort();
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(w[i].thread, NULL);
        CHECK(w[i].wrong == 0, "%d of 4 results of thread %d are wrong", w[i].wrong, i);
    }
}

/* A thread that draws by itself keeps its context. */
#define OPENGL 0x30A2 /* EGL_OPENGL_API */
static void check_guest(struct imf_context *ctx, const struct imf_filter *filter,
                        const unsigned char *want) {
    struct imf_gles *own;
    struct imf_gles_saved turn;
    static _Thread_local unsigned char out[SIZE];
    struct imf_report report = {0};
    if (imf_gles_open(&own, NULL) || imf_gles_enter(own, &turn, NULL))
        abort();
    CHECK(!filter_by(IMF_BACKEND_GLES, ctx, filter, out, &report, NULL) && !memcmp(out, want, SIZE),
          "beside another context");
    CHECK(own->call.egl.GetCurrentContext() == own->context, "the thread's context is another");
    imf_gles_leave(own, &turn);
    CHECK(!own->call.egl.GetCurrentContext(), "a context is left");
    /* So does one that uses another interface. */
    if (own->call.egl.BindAPI(OPENGL)) {
        CHECK(!filter_by(IMF_BACKEND_GLES, ctx, filter, out, &report, NULL), "beside OpenGL");
        CHECK(own->call.egl.QueryAPI() == OPENGL, "the thread's interface is another");
        own->call.egl.BindAPI(EGL_OPENGL_ES_API);
    }
    imf_gles_close(&own);
}

/* ---- failures ------------------------------------------------------------------------------- */

/* Told once: asking takes it back. */
static unsigned lost(void) {
    static unsigned asked;
    return asked++ % 2 ? GL_NO_ERROR : GL_OUT_OF_MEMORY;
}
static unsigned refuse(void *display, void *draw, void *read, void *context) {
    (void)display, (void)draw, (void)read, (void)context;
    return 0;
}
static void no_status(unsigned shader, unsigned name, int *out) {
    (void)shader, (void)name;
    *out = 0;
}

/* It fails with its reason. */
static void check_failure(struct imf_context *ctx, const char *what, const char *reason,
                          const struct imf_filter *filter) {
    struct imf_error err = {.text = ""};
    struct imf_report report = {0};
    static _Thread_local unsigned char out[SIZE];
    enum imf_status st = filter_by(IMF_BACKEND_GLES, ctx, filter, out, &report, &err);
    CHECK(st && strstr(err.text, reason), "%s: status %d, %s", what, st, err.text);
}

/* A context for each: one that failed stays unused. */
static void check_failures(const struct imf_filter *filter) {
    for (int i = 0; i < 5; i++) {
        struct imf_context *ctx;
        struct imf_gles *g;
        if (imf_context_create(&ctx, NULL, NULL) || imf_context_gles(ctx, &g, NULL, NULL))
            abort();
        struct imf_gles_calls *call = &g->call;
        switch (i) {
        case 0:
            call->egl.MakeCurrent = refuse;
            check_failure(ctx, "a lost context", "the context is lost", filter);
            break;
        case 1:
            call->gl.GetError = lost;
            check_failure(ctx, "errors", "error 0x505", filter);
            break;
        case 2:
            call->gl.GetShaderiv = no_status;
            check_failure(ctx, "a compiler", "does not compile", filter);
            break;
        case 3:
            g->vectors = 16;
            check_failure(ctx, "few uniforms", "has room for 16", filter);
            break;
        default:
            imf_gles_limit(g, 16);
            check_failure(ctx, "small textures", "have only 16 texels", filter);
        }
        imf_context_free(&ctx);
    }
}

/* ---- programs ------------------------------------------------------------------------------ */

static void (*compile)(unsigned shader);
static int compiled;
static void count_compiled(unsigned shader) {
    compiled++;
    compile(shader);
}

/* Compiled once, for as long as few others are. */
static void check_programs(void) {
    enum { OTHERS = 20 };
    static unsigned char out[SIZE];
    struct imf_context *ctx;
    struct imf_gles *g;
    struct imf_report report = {0};
    struct imf_filter *first = parse("box:3");
    if (imf_context_create(&ctx, NULL, NULL) || imf_context_gles(ctx, &g, NULL, NULL))
        abort();
    compile = g->call.gl.CompileShader;
    g->call.gl.CompileShader = count_compiled;
    for (int i = 0; i < 3; i++) {
        bool ok = !filter_by(IMF_BACKEND_GLES, ctx, first, out, &report, NULL);
        CHECK(ok && compiled == 2, "time %d: %d shaders are compiled", i, compiled);
    }
    for (int i = 1; i <= OTHERS; i++) {
        char spec[32];
        snprintf(spec, sizeof spec, "kernel:1,%d,1", i);
        struct imf_filter *other = parse(spec);
        bool ok = !filter_by(IMF_BACKEND_GLES, ctx, other, out, &report, NULL);
        CHECK(ok && compiled == 2 + 2 * i, "%s: %d shaders are compiled", spec, compiled);
        imf_filter_free(&other);
    }
    int kept = 0;
    for (const struct imf_gles_program *p = g->programs; p; p = p->next)
        kept++;
    CHECK(kept > 0 && kept < OTHERS, "%d programs are kept", kept);
    filter_by(IMF_BACKEND_GLES, ctx, first, out, &report, NULL);
    CHECK(compiled == 4 + 2 * OTHERS, "the first is still kept: %d", compiled);
    imf_filter_free(&first);
    imf_context_free(&ctx);
}

/* ---- the list ------------------------------------------------------------------------------- */

/* Without OpenCL it is the only device. */
static struct imf_device_info listed(struct imf_context *ctx) {
    struct imf_device_info list[2] = {{.index = 0}};
    size_t count = imf_context_devices(ctx, list, 2);
    CHECK(count == 1 && list[0].index == -1, "%zu devices, the first is %d", count, list[0].index);
    count = imf_context_devices(ctx, NULL, 0);
    CHECK(count == 1, "%zu devices without room for any", count);
    return list[0];
}

static void check_list(void) {
    struct imf_context *ctx;
    struct imf_gles *g;
    struct imf_device_info d;
    if (imf_context_create(&ctx, NULL, NULL) || imf_context_gles(ctx, &g, NULL, NULL))
        abort();
    d = listed(ctx);
    CHECK(d.usable && !strcmp(d.name, imf_gles_name(g)) && !strncmp(d.version, "OpenGL ES ", 10),
          "it is %s, %s", d.name, d.version);
    CHECK(d.gpu == !imf_gles_on_processor(g) && !d.automatic && !d.tuned, "a GPU %d, taken %d",
          d.gpu, d.automatic);
    /* 22 rows of six vectors and two more fit, 23 do not. */
    g->vectors = 136;
    d = listed(ctx);
    CHECK(strstr(d.lacks, "(for 22x22 at most)"), "of 136 vectors it has %s", d.lacks);
    struct imf_filter *filter[2] = {parse("box:21"), parse("box:23")};
    for (int i = 0; i < 2; i++) {
        static unsigned char out[SIZE];
        struct imf_report report = {0};
        enum imf_status st = filter_by(IMF_BACKEND_GLES, ctx, filter[i], out, &report, NULL);
        CHECK(!st == !i, "kernel %d: status %d", i, st);
        imf_filter_free(&filter[i]);
    }
    imf_context_free(&ctx);
}

int main(void) {
    struct imf_context *ctx;
    struct imf_gles *g;
    struct imf_error err;
    struct imf_report report = {0};
    static unsigned char want[SIZE], out[SIZE];
    uint32_t state = 1;
    /* OpenCL would be chosen otherwise. */
    setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
    for (int i = 0; i < SIZE; i++)
        image[i] = (unsigned char)((state = state * 1664525u + 1013904223u) >> 24);
    if (imf_context_create(&ctx, NULL, &err))
        abort();
    if (imf_context_gles(ctx, &g, NULL, &err)) {
        CHECK(err.status == IMF_ERR_NO_DEVICE && strstr(err.text, "OpenGL ES 2"), "%s", err.text);
        CHECK(!getenv("IMFILTER_NEED_GLES"), "it is needed here: %s", err.text);
        printf("test_gles: passed over: %s\n", err.text);
        imf_context_free(&ctx);
        return check_done("test_gles");
    }
    /* The outer taps tell the kernel's own from what fills up its rows. */
    struct imf_filter *small = parse("kernel:3,-1,2/0,5,-4/1,1,-2:scale=3"), *large = wide();
    CHECK(!filter_by(IMF_BACKEND_CPU, ctx, small, want, &report, &err), "%s", err.text);
    check_threads(ctx, small, want);
    check_guest(ctx, small, want);
    imf_gles_limit(g, 96);
    CHECK(!filter_by(IMF_BACKEND_GLES, ctx, small, out, &report, &err), "%s", err.text);
    CHECK(!memcmp(out, want, SIZE), "in tiles");
    imf_context_free(&ctx);

    CHECK(!imf_context_create(&ctx, NULL, &err), "%s", err.text);
    CHECK(!imf_context_gles(ctx, &g, NULL, &err), "%s", err.text);
    check_failures(large);
    check_programs();
    check_list();
    imf_context_free(&ctx);
    imf_filter_free(&small);
    imf_filter_free(&large);
    return check_done("test_gles");
}
