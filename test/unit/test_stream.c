/*
 * test_stream.c - rows that stream give the bytes that the whole image gives at once, whatever the
 * bands and however late the stages are
 *
 * The input and the output are streams that sleep now and then, so that readers and writers are
 * overtaken, or hold up the others. On one thread there are no such stages.
 */
#include "check.h"
#include "imfilter.h"
#include "run/pipeline/workspace.h"
#include "run/plan.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes in memory as a stream, which fails at byte `broken` if that is above 0. */
struct tape {
    unsigned char *data;
    size_t size, at, broken;
    unsigned seed; /* 0: never sleeps */
    pthread_t owner;
    bool *moved; /* some other thread than its owner used it */
};

static void dawdle(struct tape *t) {
    t->seed = t->seed * 1664525u + 1013904223u;
    if (t->seed >> 29 == 0)
        usleep((t->seed >> 8) % 3000);
}

static ssize_t tape_read(void *cookie, char *to, size_t size) {
    struct tape *t = cookie;
    *t->moved = *t->moved || !pthread_equal(pthread_self(), t->owner);
    if (t->seed)
        dawdle(t);
    if (t->broken && t->at >= t->broken) {
        errno = EIO;
        return -1;
    }
    size = size < t->size - t->at ? size : t->size - t->at;
    memcpy(to, t->data + t->at, size);
    t->at += size;
    return (ssize_t)size;
}

static ssize_t tape_write(void *cookie, const char *from, size_t size) {
    struct tape *t = cookie;
    if (t->seed)
        dawdle(t);
    if (t->broken && t->at + size > t->broken) {
        errno = ENOSPC;
        return 0;
    }
    if (t->at + size > t->size)
        return 0;
    memcpy(t->data + t->at, from, size);
    t->at += size;
    return (ssize_t)size;
}

static FILE *open_tape(struct tape *t, const char *mode) {
    const cookie_io_functions_t io = {.read = tape_read, .write = tape_write};
    FILE *f = fopencookie(t, mode, io);
    if (!f)
        abort();
    setvbuf(f, NULL, _IOFBF, 4096);
    return f;
}

struct test_case {
    const char *specs[4];
    int channels, depth;
    struct imf_settings settings;
};

#define WIDTH 131
#define HEIGHT 270

static struct imf_info info_of(const struct test_case *t) {
    return (struct imf_info){.width = WIDTH,
                             .height = HEIGHT,
                             .channels = t->channels,
                             .depth = t->depth,
                             .color = t->channels < 3 ? IMF_COLOR_GRAY : IMF_COLOR_RGB,
                             .alpha = t->channels % 2 == 0};
}

/* A PAM of pixels that are dark and transparent here and there. */
static struct tape draw(const struct test_case *t) {
    size_t row = (size_t)WIDTH * (size_t)t->channels * (size_t)t->depth / 8;
    struct tape tape = {.data = malloc(row * HEIGHT + 200)};
    static const char *const types[] = {"", "GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
    if (!tape.data)
        abort();
    tape.size = (size_t)sprintf(
        (char *)tape.data, "P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n",
        WIDTH, HEIGHT, t->channels, t->depth == 8 ? 255 : 65535, types[t->channels]);
    unsigned seed = 5;
    for (size_t i = 0; i < row * HEIGHT; i++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned shift = i / row / 20 % 3 == 2 ? 29 : 24;
        tape.data[tape.size++] = (unsigned char)(seed >> shift);
    }
    return tape;
}

struct outcome {
    enum imf_status status;
    struct imf_report report;
    char text[512];
    unsigned char *data;
    size_t size;
    bool moved; /* another thread read the input */
};

/* A file of the tape's bytes, which can be read twice. */
static FILE *file_of(const struct tape *t) {
    FILE *f = tmpfile();
    if (!f || fwrite(t->data, 1, t->size, f) != t->size)
        abort();
    rewind(f);
    return f;
}

static struct outcome run_with(struct imf_workspace *ws, const struct imf_run_options *options,
                               struct tape in, size_t out_broken) {
    struct outcome o = {.size = in.size * 3 + 4096};
    in.owner = pthread_self();
    in.moved = &o.moved;
    struct tape out = {
        .data = calloc(o.size, 1), .size = o.size, .broken = out_broken, .seed = in.seed * 3};
    bool twice = imf_workspace_plan(ws)->settings.twice;
    FILE *source = twice ? file_of(&in) : open_tape(&in, "r"), *sink = open_tape(&out, "w");
    struct imf_reader *reader = NULL;
    struct imf_writer *writer = NULL;
    struct imf_error err = {.text = ""};
    struct imf_info info = *imf_plan_output(imf_workspace_plan(ws));
    info.format = IMF_FORMAT_PNM;
    o.status = imf_reader_open(&reader, source, NULL, &err);
    if (!o.status)
        o.status = imf_writer_open(&writer, sink, &info, NULL, NULL, &err);
    if (!o.status)
        o.status = imf_workspace_run(ws, reader, writer, options, &o.report, &err);
    imf_reader_close(&reader);
    imf_writer_close(&writer);
    fclose(source);
    fclose(sink);
    snprintf(o.text, sizeof o.text, "%s", err.text);
    o.data = out.data;
    o.size = out.at;
    return o;
}

static struct outcome run_on(struct imf_workspace *ws, int threads, struct tape in,
                             size_t out_broken) {
    const struct imf_run_options options = {.threads = threads};
    return run_with(ws, &options, in, out_broken);
}

static struct outcome run(struct imf_workspace *ws, struct tape in, size_t out_broken) {
    return run_on(ws, 0, in, out_broken);
}

static struct imf_plan *make_plan(struct imf_context *ctx, const struct imf_filter *filter,
                                  const struct test_case *t, bool whole) {
    const struct imf_info info = info_of(t);
    struct imf_settings settings = t->settings;
    struct imf_plan *plan = NULL;
    struct imf_error err;
    settings.whole = whole;
    enum imf_status st = imf_plan_create(&plan, ctx, filter, &info, &settings, &err);
    CHECK(!st, "%s: %s", t->specs[0], err.text);
    if (plan) /* as if the image were too large to be held */
        plan->planning.path.twice = settings.twice;
    return plan;
}

/* The same bytes in bands of so many rows, with such delays, and again in the same workspace. */
static void test_bands(struct imf_context *ctx, const struct imf_filter *filter,
                       const struct test_case *t, struct tape in, const struct outcome *want,
                       size_t number) {
    static const int advances[] = {1, 2, 7, 40, 133};
    for (size_t i = 0; i < sizeof advances / sizeof *advances; i++) {
        /* One of a later case, in turn. */
        if (number > 0 && (i + number) % 5 > 0 && !check_thorough())
            continue;
        struct imf_plan *plan = make_plan(ctx, filter, t, false);
        struct imf_workspace *ws = NULL;
        if (!plan)
            return;
        plan->form.advance = advances[i];
        plan->form.transfers = i % 2;
        bool ok = !imf_workspace_create(&ws, plan, NULL);
        for (int again = 0; again < 4 && ok; again++) {
            in.seed = again ? 0 : 17 * (unsigned)(i + 1);
            int threads = again < 2 ? 2 : 3 - again; /* 1, and 0: as many as pay */
            struct outcome got = run_on(ws, threads, in, 0);
            ok = !got.status && got.size == want->size && got.report.bands > 1 &&
                 !memcmp(got.data, want->data, want->size) && !(got.moved && threads == 1);
            CHECK(ok, "%s, backend %d, %d rows a band, %d bands, %d threads: status %d %s",
                  t->specs[0], (int)t->settings.backend, advances[i], got.report.bands, threads,
                  (int)got.status, got.text);
            free(got.data);
        }
        imf_workspace_free(&ws);
        imf_plan_free(&plan);
    }
}

/* An input or an output that fails on the way ends the run with its error, and the workspace is as
 * good as new. */
static void test_failures(struct imf_context *ctx, const struct imf_filter *filter,
                          const struct test_case *t, struct tape in, const struct outcome *want) {
    struct imf_plan *plan = make_plan(ctx, filter, t, false);
    struct imf_workspace *ws = NULL;
    if (!plan)
        return;
    plan->form.advance = 9;
    bool ok = !imf_workspace_create(&ws, plan, NULL);
    for (unsigned i = 0; i < 12 && ok; i++) {
        struct tape broken = in;
        size_t where = in.size * (i + 1) / 14;
        broken.seed = i % 3 ? i : 0;
        if (i % 2)
            broken.broken = where;
        struct outcome bad = run(ws, broken, i % 2 ? 0 : where);
        CHECK(bad.status == IMF_ERR_IO, "%s, %u: status %d, %s", t->specs[0], i, (int)bad.status,
              bad.text);
        free(bad.data);
        broken = in;
        broken.size = where;
        bad = run(ws, broken, 0);
        CHECK(bad.status == IMF_ERR_DAMAGED && strstr(bad.text, "truncated"), "%s, %u: %d %s",
              t->specs[0], i, (int)bad.status, bad.text);
        free(bad.data);
        struct outcome good = run(ws, in, 0);
        CHECK(!good.status && good.size == want->size && !memcmp(good.data, want->data, want->size),
              "%s, %u: after a failure: %d %s", t->specs[0], i, (int)good.status, good.text);
        free(good.data);
    }
    imf_workspace_free(&ws);
    imf_plan_free(&plan);
}

struct watch {
    pthread_t thread;
    int calls, filtered, stop_at; /* stop_at: the call that cancels, from 1 on; 0: none */
    bool bad;
};

static int watch(void *data, int filtered, int rows) {
    struct watch *w = data;
    w->bad |= !pthread_equal(w->thread, pthread_self()) || rows != HEIGHT ||
              filtered < w->filtered || filtered > rows;
    w->filtered = filtered;
    return ++w->calls == w->stop_at;
}

/* Rows are told in order and by one thread; a run that is cancelled ends, and the next one in that
 * workspace is as good as new, from files and in memory. */
static void test_progress(struct imf_context *ctx, const struct imf_filter *filter,
                          const struct test_case *t, struct tape in, const struct outcome *want) {
    struct imf_plan *plan = make_plan(ctx, filter, t, false);
    struct imf_workspace *ws = NULL;
    if (!plan)
        return;
    plan->form.advance = 31;
    bool ok = !imf_workspace_create(&ws, plan, NULL);
    for (int stop_at = 4; stop_at >= 0 && ok; stop_at -= 2) {
        struct watch w = {.thread = pthread_self(), .stop_at = stop_at};
        const struct imf_run_options options = {
            .size = sizeof options, .progress = watch, .progress_data = &w};
        struct outcome got = run_with(ws, &options, in, 0);
        CHECK(!w.bad && w.calls == (stop_at ? stop_at : w.calls), "%d calls", w.calls);
        if (stop_at)
            CHECK(got.status == IMF_ERR_CANCELLED && w.filtered < HEIGHT, "status %d, %d rows",
                  (int)got.status, w.filtered);
        else
            CHECK(!got.status && w.filtered == HEIGHT && w.calls >= HEIGHT / 31 &&
                      got.size == want->size && !memcmp(got.data, want->data, want->size),
                  "%d calls, %d rows: %s", w.calls, w.filtered, got.text);
        free(got.data);
        size_t stride = (size_t)WIDTH * (size_t)t->channels * (size_t)t->depth / 8;
        unsigned char *out = calloc(stride, HEIGHT);
        struct imf_error err = {.text = ""};
        w = (struct watch){.thread = pthread_self(), .stop_at = stop_at};
        enum imf_status st = imf_workspace_run_memory(ws, in.data + in.size - stride * HEIGHT,
                                                      stride, out, stride, &options, NULL, &err);
        CHECK(!w.bad && st == (stop_at ? IMF_ERR_CANCELLED : IMF_OK), "memory: %d, %s", (int)st,
              err.text);
        CHECK(stop_at || (w.filtered == HEIGHT &&
                          !memcmp(out, want->data + want->size - stride * HEIGHT, stride * HEIGHT)),
              "memory: %d rows, or others", w.filtered);
        free(out);
    }
    imf_workspace_free(&ws);
    imf_plan_free(&plan);
}

/* Rows that are read twice come from a file, which has to stay as it is. */
static void test_file(struct imf_context *ctx) {
    static const struct test_case t = {
        {"equalize"}, 1, 8, {.backend = IMF_BACKEND_VECTOR, .twice = IMF_TWICE_FREELY}};
    bool moved = false;
    struct imf_filter *filter = NULL;
    struct imf_workspace *ws = NULL;
    struct tape in = draw(&t);
    in.moved = &moved;
    FILE *streams[] = {open_tape(&in, "r"), file_of(&in)};
    if (imf_filter_parse(&filter, t.specs, 1, NULL))
        abort();
    struct imf_plan *plan = make_plan(ctx, filter, &t, false);
    plan->form.advance = 9;
    for (int i = 0; i < 2 && !imf_workspace_create(&ws, plan, NULL); i++) {
        struct imf_reader *reader = NULL;
        struct imf_error err = {.text = ""};
        CHECK(!imf_reader_open(&reader, streams[i], NULL, &err) && imf_reader_seeks(reader) == i,
              "%d %s", i, err.text);
        if (i)
            fseek(streams[i], 0, SEEK_SET), fputs("P5 2 2 255\n....", streams[i]),
                fseek(streams[i], (long)in.size, SEEK_SET);
        enum imf_status st = imf_workspace_run(ws, reader, NULL, NULL, NULL, &err);
        CHECK(st == (i ? IMF_ERR_FORMAT : IMF_ERR_ARGUMENT) &&
                  strstr(err.text, i ? "it changed while it was read" : "read twice"),
              "%d %s", i, err.text);
        imf_reader_close(&reader);
        imf_workspace_free(&ws);
        fclose(streams[i]);
    }
    imf_plan_free(&plan);
    imf_filter_free(&filter);
    free(in.data);
}

static void test(struct imf_context *ctx, struct test_case t, size_t number, bool failures) {
    struct imf_filter *filter = NULL;
    struct imf_workspace *ws = NULL;
    size_t specs = 0;
    while (t.specs[specs])
        specs++;
    if (imf_filter_parse(&filter, t.specs, specs, NULL))
        abort();
    struct tape in = draw(&t);
    struct imf_plan *plan = make_plan(ctx, filter, &t, true);
    if (plan && !imf_workspace_create(&ws, plan, NULL)) {
        struct outcome want = run(ws, in, 0);
        CHECK(!want.status && want.report.bands == 0, "%s at once: %s", t.specs[0], want.text);
        test_bands(ctx, filter, &t, in, &want, number);
        if (failures)
            test_failures(ctx, filter, &t, in, &want);
        if (failures)
            test_progress(ctx, filter, &t, in, &want);
        free(want.data);
    }
    imf_workspace_free(&ws);
    imf_plan_free(&plan);
    imf_filter_free(&filter);
    free(in.data);
}

int main(void) {
    static const struct test_case cases[] = {
        {{"sharpen"}, 3, 8, {.edge = IMF_EDGE_MIRROR}},
        {{"blur:2", "sobel"}, 3, 8, {.edge = IMF_EDGE_REFLECT}},
        {{"unsharp:sigma=1.5:threshold=0.02"},
         4,
         8,
         {.linear = true, .edge = IMF_EDGE_CONSTANT, .edge_value = 0.4}},
        {{"blur:1.2"}, 4, 16, {.edge = IMF_EDGE_CONSTANT, .edge_value = 0.4}},
        {{"disk:6", "gray", "invert"}, 4, 8, {.alpha = IMF_ALPHA_KEEP, .depth = 16}},
        {{"kernel:1/0/0/0/0/0/2:scale=3", "emboss"}, 1, 8, {.edge = IMF_EDGE_CLAMP}},
    };
    struct imf_device_info device = {0};
    bool any = imf_device_list(&device, 1) && device.usable;
    struct imf_context *ctx;
    const struct imf_context_options options = {0};
    if (imf_context_create(&ctx, &options, NULL))
        return 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_case t = cases[i];
        t.settings.backend = IMF_BACKEND_CPU;
        test(ctx, t, i, i == 0);
        t.settings.backend = any ? IMF_BACKEND_DIRECT : IMF_BACKEND_AUTO;
        if (i != 3 || check_thorough()) /* samples of 16 bits have programs of their own */
            test(ctx, t, i, i == 1);
        if (i < 2) { /* where it can */
            t.settings.backend = IMF_BACKEND_VECTOR;
            test(ctx, t, i, false);
        }
        if (any && t.specs[0][0] == 'd') /* tiles lie where they lie in the image */
            t.settings.backend = IMF_BACKEND_FFT, test(ctx, t, i, false);
    }
    static const struct test_case twice[] = {
        {{"equalize", "blur:1.5"}, 3, 8, {.edge = IMF_EDGE_MIRROR}},
        {{"clahe:tiles=3x5"}, 4, 8, {.edge = IMF_EDGE_CLAMP}},
        {{"blur:2", "clahe:tiles=2x2", "sharpen"}, 3, 16, {.edge = IMF_EDGE_REFLECT}},
        {{"sobel", "invert"}, 4, 8, {.range = IMF_RANGE_NORMALIZE, .edge = IMF_EDGE_MIRROR}},
        {{"disk:5", "threshold:otsu", "dilate:2"}, 2, 8, {.alpha = IMF_ALPHA_FILTER}},
    };
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) {
        struct test_case t = twice[i];
        t.settings.backend = IMF_BACKEND_VECTOR;
        t.settings.twice = IMF_TWICE_IF_NEEDED;
        test(ctx, t, 0, false);
    }
    test_file(ctx);
    imf_context_free(&ctx);
    return check_done("test_stream");
}
