/*
 * test_threads.c - what the interface promises to threads: one context, one filter and one plan
 * serve several at once, each with a workspace of its own, and give the bytes that one gives
 */
#include "check.h"
#include "imfilter.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 101, HEIGHT = 67, CHANNELS = 4, THREADS = 4, IMAGES = 2 };
enum { SIZE = WIDTH * HEIGHT * CHANNELS };

static const struct imf_info info = {.width = WIDTH,
                                     .height = HEIGHT,
                                     .channels = CHANNELS,
                                     .depth = 8,
                                     .color = IMF_COLOR_RGB,
                                     .alpha = true};

/* One filter on one backend, for all threads. */
struct test_case {
    const char *specs[3]; /* NULL: no more */
    enum imf_backend backend;
    enum imf_range range;
    bool own_plans; /* each thread makes its own, with whatever opening and building that takes */
    bool thorough;  /* like others, and compiles programs of its own */
    double feather; /* of a mask */
    struct imf_context *ctx;
    struct imf_filter *filter;
    struct imf_settings settings;
    struct imf_plan *plan;
    unsigned char want[THREADS * IMAGES][SIZE];
};

struct worker {
    pthread_t thread;
    struct test_case *t;
    int index;
    char error[512]; /* "": every image is right */
};

static void draw(unsigned char *image, unsigned seed) {
    for (int i = 0; i < SIZE; i++) {
        seed = seed * 1664525u + 1013904223u;
        image[i] = (unsigned char)(seed >> 24);
    }
}

static void *work(void *argument) {
    struct worker *w = argument;
    struct test_case *t = w->t;
    struct imf_plan *own = NULL;
    struct imf_workspace *ws = NULL;
    struct imf_error err = {.text = "?"};
    static const size_t stride = (size_t)WIDTH * CHANNELS;
    unsigned char *in = malloc(SIZE), *out = calloc(SIZE, 1); /* gray leaves bytes of a row */
    bool ok =
        in && out &&
        (!t->own_plans || !imf_plan_create(&own, t->ctx, t->filter, &info, &t->settings, &err));
    ok = ok && !imf_workspace_create(&ws, own ? own : t->plan, &err);
    for (int i = 0; i < IMAGES && ok; i++) {
        int number = w->index * IMAGES + i;
        draw(in, (unsigned)number);
        ok = !imf_workspace_run_memory(ws, in, stride, out, stride, NULL, NULL, &err);
        if (ok && memcmp(out, t->want[number], SIZE) != 0) {
            ok = false;
            snprintf(err.text, sizeof err.text, "image %d differs", i);
        }
    }
    if (!ok)
        snprintf(w->error, sizeof w->error, "%s", err.text);
    imf_workspace_free(&ws);
    imf_plan_free(&own);
    free(in);
    free(out);
    return NULL;
}

static bool expect(struct test_case *t, const struct imf_plan *plan, struct imf_error *err) {
    static unsigned char image[SIZE];
    static const size_t stride = (size_t)WIDTH * CHANNELS;
    struct imf_workspace *ws = NULL;
    bool ok = !imf_workspace_create(&ws, plan, err);
    for (int i = 0; i < THREADS * IMAGES && ok; i++) {
        draw(image, (unsigned)i);
        ok = !imf_workspace_run_memory(ws, image, stride, t->want[i], stride, NULL, NULL, err);
    }
    imf_workspace_free(&ws);
    return ok;
}

/* The case's stages, and a mask where it has a feather. */
static enum imf_status parse(struct imf_filter **out, const struct test_case *t,
                             struct imf_error *err) {
    size_t count = 0;
    while (count < 3 && t->specs[count])
        count++;
    enum imf_status st = imf_filter_parse(out, t->specs, count, err);
    if (st || !t->feather)
        return st;
    char path[] = "/tmp/imfilter.XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!f)
        abort();
    fprintf(f, "P5 %d %d 255\n", WIDTH, HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        fputc(i % WIDTH * 7 & 255, f);
    fclose(f);
    struct imf_filter *mask = NULL;
    st = imf_filter_from_mask(&mask, path, NULL, err);
    unlink(path);
    return st ? st : imf_filter_append(*out, &mask, err);
}

/* Pixels from one thread, with a context and a filter of its own, then the same from several. */
static void check_case(struct test_case *t) {
    const struct imf_context_options options = {.cache_dir = ""};
    struct worker worker[THREADS] = {{.t = t}};
    struct imf_context *alone = NULL;
    struct imf_filter *filter = NULL;
    struct imf_plan *plan = NULL;
    struct imf_error err = {.text = ""};
    t->settings =
        (struct imf_settings){.backend = t->backend, .range = t->range, .mask_feather = t->feather};
    bool ok =
        !parse(&filter, t, &err) && !parse(&t->filter, t, &err) &&
        !imf_context_create(&alone, &options, &err) &&
        !imf_context_create(&t->ctx, &options, &err) &&
        !imf_plan_create(&plan, alone, filter, &info, &t->settings, &err) &&
        expect(t, plan, &err) &&
        (t->own_plans || !imf_plan_create(&t->plan, t->ctx, t->filter, &info, &t->settings, &err));
    CHECK(ok, "%s: %s", t->specs[0], err.text);
    for (int i = 0; i < THREADS && ok; i++) {
        worker[i].t = t;
        worker[i].index = i;
        if (pthread_create(&worker[i].thread, NULL, work, &worker[i]))
            abort();
    }
    for (int i = 0; i < THREADS && ok; i++) {
        pthread_join(worker[i].thread, NULL);
        CHECK(!*worker[i].error, "%s on %s, thread %d: %s", t->specs[0],
              imf_plan_choice(plan)->device, i, worker[i].error);
    }
    imf_plan_free(&plan);
    imf_plan_free(&t->plan);
    imf_context_free(&t->ctx);
    imf_context_free(&alone);
    imf_filter_free(&t->filter);
    imf_filter_free(&filter);
}

int main(void) {
    static struct test_case cases[] = {
        {.specs = {"sobel", "gray"}, .backend = IMF_BACKEND_CPU, .own_plans = true},
        {.specs = {"disk:3"}, .backend = IMF_BACKEND_CPU},
        {.specs = {"invert"}, .backend = IMF_BACKEND_CPU, .feather = 2, .own_plans = true},
        {.specs = {"invert"}, .backend = IMF_BACKEND_CPU, .feather = 2},
        {.specs = {"highpass:0.1"}, .backend = IMF_BACKEND_CPU},
        {.specs = {"unsharp:2:1.5"}, .range = IMF_RANGE_NORMALIZE, .backend = IMF_BACKEND_CPU},
        {.specs = {"invert"}, .backend = IMF_BACKEND_DIRECT, .own_plans = true},
        {.specs = {"blur:2", "sobel"}, .backend = IMF_BACKEND_DIRECT},
        {.specs = {"blur:4"}, .backend = IMF_BACKEND_SEPARABLE},
        {.specs = {"blur:9"}, .backend = IMF_BACKEND_FFT, .own_plans = true},
        {.specs = {"blur:9"}, .backend = IMF_BACKEND_FFT},
        {.specs = {"lowpass:0.1"}, .backend = IMF_BACKEND_FFT, .thorough = true},
        {.specs = {"laplacian"}, .range = IMF_RANGE_NORMALIZE, .backend = IMF_BACKEND_DIRECT},
    };
    struct imf_device_info device = {0};
    bool opencl = imf_device_list(&device, 1) > 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if ((opencl || cases[i].backend == IMF_BACKEND_CPU) &&
            (!cases[i].thorough || check_thorough()))
            check_case(&cases[i]);
    if (!opencl)
        printf("threads: no OpenCL device, the host alone was tested\n");
    return check_done("threads");
}
