/* test_context.c - what threads share of a device: its rates, and what is known while it is opened */
#include "base/clock.h"
#include "check.h"
#include "device/context.h"
#include "device/tuning.h"
#include "imfilter_program.h"

#include <pthread.h>
#include <unistd.h>

/* Rates that a run reads stay as they are when others replace them. */
static void test_rates(void) {
    struct imf_runtime *rt;
    struct imf_context_options any = {0};
    CHECK(!imf_runtime_open(&rt, &any, "", NULL), "a device");
    struct imf_tuning rates = *imf_tuning(imf_runtime_device(rt));
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

int main(void) {
    test_rates();
    test_slow_probe();
    return check_done("context");
}
