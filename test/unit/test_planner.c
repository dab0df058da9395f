/*
 * test_planner.c - what starting and feeding a device costs is part of the estimates; and which
 * images a plan takes
 */
#include "check.h"
#include "imfilter.h"

#include <math.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>

static const struct imf_info tiny = {
    .width = 8, .height = 8, .channels = 1, .depth = 8, .color = IMF_COLOR_GRAY};

/* The estimate of `backend` in all stages, with its start; whether it was chosen for all. */
static double estimate_of(struct imf_context *ctx, const struct imf_info *info,
                          const char *const *specs, size_t count, enum imf_backend asked,
                          const char *backend, bool *chosen) {
    struct imf_filter *filter = NULL;
    struct imf_plan *plan = NULL;
    struct imf_error err = {.text = ""};
    const struct imf_settings settings = {.backend = asked};
    double ms = -2;
    *chosen = false;
    if (!imf_filter_parse(&filter, specs, count, &err) &&
        !imf_plan_create(&plan, ctx, filter, info, &settings, &err)) {
        const struct imf_choice *choice = imf_plan_choice(plan);
        double start = 0;
        *chosen = !strcmp(choice->chosen->backend, backend);
        ms = 0;
        for (size_t i = 0; i < choice->count; i++)
            if (!strcmp(choice->candidates[i].backend, backend)) {
                ms += choice->candidates[i].estimate_ms;
                start = fmax(start, choice->candidates[i].start_ms);
            }
        ms += start;
    }
    imf_plan_free(&plan);
    imf_filter_free(&filter);
    return ms;
}

static double estimate(struct imf_context *ctx, const char *const *specs, size_t count,
                       enum imf_backend asked, const char *backend, bool *chosen) {
    return estimate_of(ctx, &tiny, specs, count, asked, backend, chosen);
}

/* Of a device that is not opened, which has this process's cores: beyond its start, one core takes
 * as many times as long as there were. */
static void test_cores(struct imf_context *ctx) {
    static const struct imf_info large = {
        .width = 1000, .height = 1000, .channels = 3, .depth = 8, .color = IMF_COLOR_RGB};
    static const char *const specs = "blur:1";
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) || CPU_COUNT(&all) < 2)
        return;
    bool chosen;
    int first = 0;
    while (!CPU_ISSET(first, &all))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    double start = estimate(ctx, &specs, 1, IMF_BACKEND_AUTO, "direct", &chosen);
    double many = estimate_of(ctx, &large, &specs, 1, IMF_BACKEND_AUTO, "direct", &chosen);
    CHECK(!chosen && !sched_setaffinity(0, sizeof one, &one), "one core");
    double alone = estimate_of(ctx, &large, &specs, 1, IMF_BACKEND_AUTO, "direct", &chosen);
    CHECK(alone - start > 1.5 * (many - start), "on one core %g ms, on %d %g, start %g", alone,
          CPU_COUNT(&all), many, start);
    sched_setaffinity(0, sizeof all, &all);
}

/* auto takes what is estimated to be cheapest, on whichever side of the host and the device it is. */
static void test_cheapest(struct imf_context *ctx) {
    static const struct {
        const char *spec;
        int width, height;
    } cases[] = {{"sharpen", 640, 480},        {"blur:2", 640, 480},
                 {"disk:12", 4000, 3000},      {"disk:120", 4000, 3000},
                 {"highpass:0.05", 64, 64},    {"highpass:0.05", 4000, 3000},
                 {"motion:101:30", 4000, 3000}};
    int on_host = 0, on_device = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct imf_info info = {.width = cases[k].width,
                                      .height = cases[k].height,
                                      .channels = 3,
                                      .depth = 8,
                                      .color = IMF_COLOR_RGB};
        const struct imf_settings settings = {.backend = IMF_BACKEND_AUTO};
        struct imf_filter *filter = NULL;
        struct imf_plan *plan = NULL;
        struct imf_error err = {.text = ""};
        CHECK(!imf_filter_parse(&filter, &cases[k].spec, 1, &err) &&
                  !imf_plan_create(&plan, ctx, filter, &info, &settings, &err),
              "%s: %s", cases[k].spec, err.text);
        const struct imf_choice *choice = plan ? imf_plan_choice(plan) : NULL;
        const struct imf_candidate *chosen = NULL, *cheapest = NULL;
        for (size_t i = 0; choice && i < choice->count; i++) {
            const struct imf_candidate *c = &choice->candidates[i];
            /* OpenGL ES is no choice of auto's beside OpenCL. */
            if (c->estimate_ms >= 0 && strcmp(c->backend, "gles") != 0 &&
                (!cheapest ||
                 c->estimate_ms + c->start_ms < cheapest->estimate_ms + cheapest->start_ms))
                cheapest = c;
            if (c->chosen)
                chosen = c;
        }
        CHECK(chosen && chosen == cheapest, "%s of %dx%d: %s was chosen, %s is cheapest",
              cases[k].spec, info.width, info.height, chosen ? chosen->backend : "nothing",
              cheapest ? cheapest->backend : "nothing");
        if (chosen)
            *(!strcmp(chosen->backend, "vector") || !strcmp(chosen->backend, "cpu") ? &on_host
                                                                                    : &on_device) +=
                1;
        imf_plan_free(&plan);
        imf_filter_free(&filter);
    }
    CHECK(on_host > 0 && (on_device > 0 || imf_device_list(NULL, 0) == 0),
          "%d on the host, %d on the device", on_host, on_device);
}

/* A CMYK JPEG of 8x8 pixels, as a reader. */
static struct imf_reader *cmyk_reader(FILE *file) {
    const struct imf_info info = {.width = 8,
                                  .height = 8,
                                  .channels = 4,
                                  .depth = 8,
                                  .color = IMF_COLOR_CMYK,
                                  .format = IMF_FORMAT_JPEG};
    const struct imf_encode encode = {.quality = 90};
    const struct imf_limits limits = {0};
    static const uint8_t pixels[8 * 8 * 4];
    struct imf_writer *writer = NULL;
    struct imf_reader *reader = NULL;
    struct imf_error err = {.text = ""};
    bool ok = !imf_writer_open(&writer, file, &info, &encode, NULL, &err) &&
              !imf_writer_rows(writer, pixels, 32, 8, &err) && !imf_writer_finish(writer, &err);
    imf_writer_close(&writer);
    rewind(file);
    CHECK(ok && !imf_reader_open(&reader, file, &limits, &err), "a CMYK JPEG: %s", err.text);
    return reader;
}

/* Four channels are not enough to be alike. */
static void test_colors(struct imf_context *ctx) {
    const struct imf_info rgba = {
        .width = 8, .height = 8, .channels = 4, .depth = 8, .color = IMF_COLOR_RGB, .alpha = true};
    const struct imf_settings settings = {.backend = IMF_BACKEND_CPU};
    const char *const spec = "invert";
    struct imf_error err = {.text = ""};
    struct imf_filter *filter = NULL;
    struct imf_plan *plan = NULL;
    struct imf_workspace *ws = NULL;
    FILE *file = tmpfile();
    struct imf_reader *reader = file ? cmyk_reader(file) : NULL;
    CHECK(!imf_filter_parse(&filter, &spec, 1, &err) &&
              !imf_plan_create(&plan, ctx, filter, &rgba, &settings, &err) &&
              !imf_workspace_create(&ws, plan, &err),
          "%s", err.text);
    if (ws && reader)
        CHECK(imf_workspace_run(ws, reader, NULL, NULL, NULL, &err) == IMF_ERR_ARGUMENT &&
                  strstr(err.text, "another image"),
              "a plan for RGBA took CMYK: %s", err.text);
    imf_workspace_free(&ws);
    imf_plan_free(&plan);
    imf_filter_free(&filter);
    imf_reader_close(&reader);
    if (file)
        fclose(file);
}

/* A caller of another version: what its structs lack is 0, and nothing is written behind them. */
static void test_sizes(struct imf_context *ctx) {
    const char *spec = "invert";
    struct imf_filter *filter = NULL;
    struct imf_plan *plan = NULL;
    struct imf_workspace *ws = NULL;
    struct imf_error err = {.text = ""};
    const struct imf_info info = {.width = 3, .height = 1, .channels = 1, .depth = 8};
    /* What is behind these sizes asks for another depth, and for a check. */
    const struct imf_settings settings = {.size = offsetof(struct imf_settings, depth),
                                          .depth = 16};
    const struct imf_run_options options = {.size = offsetof(struct imf_run_options, verify),
                                            .verify = true};
    struct imf_report report;
    unsigned char in[3] = {0, 7, 255}, out[4] = {9, 9, 9, 9};
    memset(&report, 0x55, sizeof report);
    report.size = offsetof(struct imf_report, decode_ms);
    bool ok = !imf_filter_parse(&filter, &spec, 1, &err) &&
              !imf_plan_create(&plan, ctx, filter, &info, &settings, &err) &&
              !imf_workspace_create(&ws, plan, &err) &&
              !imf_workspace_run_memory(ws, in, 3, out, 3, &options, &report, &err);
    CHECK(ok && imf_plan_output(plan)->depth == 8, "%s", err.text);
    CHECK(!memcmp(out, "\377\370\0\11", 4), "%d %d %d %d", out[0], out[1], out[2], out[3]);
    unsigned char behind[1024];
    memset(behind, 0x55, sizeof behind);
    CHECK(report.size == offsetof(struct imf_report, decode_ms) && report.setup_ms >= 0 &&
              report.setup_ms < 1e6 &&
              !memcmp((char *)&report + report.size, behind, sizeof report - report.size),
          "a short report");
    imf_workspace_free(&ws);
    imf_plan_free(&plan);
    imf_filter_free(&filter);
    /* Devices in a list whose elements are longer than the library's. */
    struct {
        struct imf_device_info info;
        char more[24];
    } list[3];
    memset(list, 0x55, sizeof list);
    list[0].info.size = sizeof list[0];
    size_t n = imf_device_list(&list[0].info, 2);
    for (size_t i = 0; i < n && i < 2; i++)
        CHECK(list[i].info.index == (int)i && list[i].info.size == sizeof list[0] &&
                  !memcmp(list[i].more, behind, sizeof list[i].more),
              "device %zu", i);
    CHECK(!memcmp(&list[2], behind, sizeof list[2]), "behind the list");
}

/* No device is opened for what the host does at the speed of memory, nor is plain C taken. */
static void test_points(struct imf_context *ctx) {
    static const char *const chains[][3] = {{"gray"},
                                            {"invert"},
                                            {"threshold:0.5"},
                                            {"gray", "threshold:0.5"},
                                            {"gray", "equalize"},
                                            {"gray", "threshold:otsu"},
                                            {"gray", "sobel"},
                                            {"invert", "erode:2"},
                                            {"sobel", "threshold:0.2"},
                                            {"sobel", "gray", "threshold:0.2"}};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        for (int k = 0; k < 8; k++) {
            const struct imf_info photo = {.width = 4000,
                                           .height = 3000,
                                           .channels = k % 4 + 1,
                                           .depth = k < 4 ? 8 : 16,
                                           .color = k % 4 < 2 ? IMF_COLOR_GRAY : IMF_COLOR_RGB,
                                           .alpha = k % 2};
            size_t count = 0;
            bool chosen;
            while (count < 3 && chains[i][count])
                count++;
            double ms =
                estimate_of(ctx, &photo, chains[i], count, IMF_BACKEND_AUTO, "vector", &chosen);
            CHECK(chosen, "%s ... of %d channels, %d bits: vectors estimated at %g ms",
                  chains[i][0], photo.channels, photo.depth, ms);
        }
}

int main(void) {
    static const char *const specs[] = {"blur:1", "invert", "blur:1", "invert", "blur:1",
                                        "invert", "blur:1", "invert", "blur:1"};
    static const char *const exact = "sharpen";
    struct imf_context *ctx = NULL;
    const struct imf_context_options options = {.cache_dir = ""};
    bool chosen;
    CHECK(!imf_context_create(&ctx, &options, NULL), "a context");
    test_points(ctx);
    test_cheapest(ctx);
    /* Loading OpenCL takes 20 ms and more, which 64 pixels are not worth. */
    double cold = estimate(ctx, specs, 1, IMF_BACKEND_AUTO, "direct", &chosen);
    CHECK(cold >= 20 && !chosen, "direct, not started: %g ms%s", cold, chosen ? ", chosen" : "");
    double host = estimate(ctx, specs, 1, IMF_BACKEND_AUTO, "vector", &chosen);
    CHECK(host >= 0 && host < 1 && chosen, "vectors: %g ms%s", host, chosen ? "" : ", passed over");
    double plain = estimate(ctx, specs, 1, IMF_BACKEND_AUTO, "cpu", &chosen);
    CHECK(plain > host && !chosen, "plain C: %g ms%s", plain, chosen ? ", chosen" : "");
    if (imf_device_list(NULL, 0) > 0) {
        double first = estimate(ctx, specs, 1, IMF_BACKEND_DIRECT, "direct", &chosen);
        CHECK(first >= 0 && chosen, "direct: %g ms", first);
        /* Started, it costs what each program does: a millisecond or more. But where backends may
         * differ in the last bit a batch's images are planned as if each were alone. */
        double warm = estimate(ctx, &exact, 1, IMF_BACKEND_AUTO, "direct", &chosen);
        CHECK(warm >= 1 && warm < cold - 15 && !chosen, "direct, started: %g ms", warm);
        double alone = estimate(ctx, specs, 1, IMF_BACKEND_AUTO, "direct", &chosen);
        CHECK(alone == cold && !chosen, "direct, started, of reals: %g ms, before %g", alone, cold);
        double many = estimate(ctx, specs, 9, IMF_BACKEND_DIRECT, "direct", &chosen);
        CHECK(many >= warm + 4, "five blurs: %g ms, one %g", many, warm);
    }
    test_colors(ctx);
    test_cores(ctx);
    test_sizes(ctx);
    imf_context_free(&ctx);
    return check_done("test_planner");
}
