/* test_context.c - what threads share of a device: its rates, and what is known while it is opened */
#include "base/clock.h"
#include "base/thread_pool.h"
#include "check.h"
#include "device/open/context.h"
#include "device/open/last_device.h"
#include "device/tuning.h"
#include "imfilter_program.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rates that a run reads stay as they are when others replace them. */
static void test_rates(void) {
    struct imf_runtime *rt;
    struct imf_context_options any = {0};
    CHECK(!imf_runtime_open(&rt, &any, "", NULL), "a device");
    const struct imf_device *d = imf_runtime_device(rt);
    CHECK(d->gpu == (d->open_ms > 0), "a CPU's start is not measured: %g ms", d->open_ms);
    struct imf_tuning rates = *imf_tuning(d);
    rates.finish = 1;
    imf_runtime_set_tuning(rt, &rates);
    const struct imf_tuning *first = imf_tuning(imf_runtime_device(rt));
    rates.finish = 2;
    imf_runtime_set_tuning(rt, &rates);
    const struct imf_tuning *second = imf_tuning(imf_runtime_device(rt));
    CHECK(first->finish < 1.5 && second->finish > 1.5, "%g, then %g", first->finish,
          second->finish);
    imf_runtime_close(&rt);
}

static void *open_context(void *ctx) {
    CHECK(imf_context_prepare(ctx, NULL) == IMF_ERR_NO_DEVICE, "a probe that takes too long");
    return NULL;
}

/* While one thread waits for a probe, others are told what is known. */
static void test_slow_probe(void) {
    static const char *const sleeps[] = {"/bin/sleep", "10", NULL};
    const struct imf_context_options options = {.cache_dir = ""};
    const struct imf_driver_guard guard = {.probe = sleeps, .probe_seconds = 2};
    struct imf_context *ctx;
    pthread_t thread;
    CHECK(!imf_context_create(&ctx, &options, NULL), "a context");
    imf_context_guard(ctx, &guard);
    CHECK(!pthread_create(&thread, NULL, open_context, ctx), "a thread");
    usleep(300000);
    double begin = imf_now_ms();
    CHECK(!imf_context_opened(ctx) && !imf_context_gave_up(ctx), "nothing is known yet");
    double ms = imf_now_ms() - begin;
    CHECK(ms < 1000, "waited for %g ms", ms);
    pthread_join(thread, NULL);
    imf_context_free(&ctx);
}

/* The last device is known until another one was opened, or other drivers are chosen. */
static void test_last_device(void) {
    char dir[] = "/tmp/imfilter-gpu-XXXXXX", command[64];
    struct imf_device d,
        gpu = {.name = "a GPU", .driver = "1", .gpu = true, .compute_units = 100, .max_group = 256};
    gpu.open_ms = 300;
    struct imf_cache_key key = imf_last_device_key(), other;
    CHECK(mkdtemp(dir) != NULL, "a folder");
    CHECK(!imf_last_device_load(dir, &key, &d) && !imf_last_device_load(NULL, &key, &d),
          "nothing is known");
    imf_last_device_store(dir, &key, &gpu);
    CHECK(imf_last_device_load(dir, &key, &d) && strcmp(d.name, "a GPU") == 0 && d.open_ms > 299,
          "kept");
    gpu.open_ms = 310; /* as good as before */
    imf_last_device_store(dir, &key, &gpu);
    CHECK(imf_last_device_load(dir, &key, &d) && d.open_ms < 301, "%g ms", d.open_ms);
    gpu.open_ms = 100;
    imf_last_device_store(dir, &key, &gpu);
    CHECK(imf_last_device_load(dir, &key, &d) && d.open_ms < 101, "%g ms", d.open_ms);

    struct imf_context_options automatic = {.cache_dir = dir}, cpu = automatic;
    cpu.device = IMF_DEVICE_CPU;
    struct imf_context *ctx = NULL, *asked = NULL;
    CHECK(!imf_context_create(&ctx, &automatic, NULL) && !imf_context_create(&asked, &cpu, NULL),
          "contexts");
    const struct imf_device *expected = imf_context_expected_device(ctx);
    CHECK(expected && expected->compute_units == 100, "expected");
    CHECK(!imf_context_expected_device(asked), "a CPU was asked for");
    imf_context_free(&ctx);
    imf_context_free(&asked);

    setenv("POCL_DEVICES", "basic", 1);
    other = imf_last_device_key();
    CHECK(!imf_last_device_load(dir, &other, &d), "other drivers");
    unsetenv("POCL_DEVICES");
    gpu.gpu = false;
    gpu.open_ms = 0;
    imf_last_device_store(dir, &key, &gpu);
    CHECK(imf_last_device_load(dir, &key, &d) && !d.gpu && d.open_ms == 0 &&
              (int)d.compute_units == imf_cores(),
          "a CPU since");
    snprintf(command, sizeof command, "rm -r %s", dir);
    CHECK(system(command) == 0, "%s", command);
}

/* The factor of the host's estimates in a plan, and its estimate by the host's vectors. */
static double pace_of(const struct imf_context_options *options, const struct imf_filter *filter,
                      int pictures, double *ms) {
    static const struct imf_info large = {
        .width = 4000, .height = 3000, .channels = 3, .depth = 8, .color = IMF_COLOR_RGB};
    const struct imf_settings settings = {.size = sizeof settings, .pictures = pictures};
    struct imf_context *ctx;
    struct imf_plan *plan = NULL;
    CHECK(!imf_context_create(&ctx, options, NULL), "a context");
    CHECK(!imf_plan_create(&plan, ctx, filter, &large, &settings, NULL), "a plan");
    const struct imf_choice *c = imf_plan_choice(plan);
    double pace = c->host_pace;
    for (size_t i = 0; i < c->count; i++)
        *ms = strcmp(c->candidates[i].backend, "vector") ? *ms : c->candidates[i].estimate_ms;
    imf_plan_free(&plan);
    imf_context_free(&ctx);
    return pace;
}

/* Where a GPU competes with much work of the host, that is measured, once, and estimates go by it; but not where it cannot
 * be kept. */
static void test_pace(void) {
    static const char *const spec = "bilateral:3:0.1";
    char dir[] = "/tmp/imfilter-pace-XXXXXX", command[64];
    const struct imf_device gpu = {.name = "a GPU",
                                   .driver = "1",
                                   .gpu = true,
                                   .compute_units = 100,
                                   .clock_mhz = 1500,
                                   .max_group = 256,
                                   .local_memory = 49152,
                                   .global_memory = 1ull << 34,
                                   .max_alloc = 1ull << 32,
                                   .fp64 = true,
                                   .open_ms = 300};
    CHECK(mkdtemp(dir) != NULL, "a folder");
    const struct imf_context_options options = {.cache_dir = dir}, nowhere = {.cache_dir = ""};
    struct imf_filter *filter;
    double ms, shipped;
    CHECK(!imf_filter_parse(&filter, &spec, 1, NULL), "%s", spec);
    CHECK(pace_of(&nowhere, filter, 100, &shipped) == 1, "no GPU is known");
    CHECK(pace_of(&options, filter, 100, &shipped) == 1, "nor here");
    const struct imf_cache_key key = imf_last_device_key();
    imf_last_device_store(dir, &key, &gpu);
    double pace = pace_of(&options, filter, 100, &ms);
    CHECK(pace != 1 && pace >= 0.125 && pace <= 8, "%g", pace);
    CHECK(fabs(ms - pace * shipped) < 1e-6 * ms, "%g ms, %g times %g", ms, pace, shipped);
    imf_last_device_store(dir, &key, &gpu); /* another was opened meanwhile */
    CHECK(pace_of(&options, filter, 100, &ms) == pace, "measured once");
    imf_filter_free(&filter);
    snprintf(command, sizeof command, "rm -r %s", dir);
    CHECK(system(command) == 0, "%s", command);
}

int main(void) {
    test_rates();
    test_pace();
    test_last_device();
    test_slow_probe();
    return check_done("context");
}
