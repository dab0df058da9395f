/*
 * test_memory.c - what a plan says that the process will take is what it takes, within a tenth
 *
 * Each case filters twice in a child process: the first may have to compile, which takes the driver
 * some 150 MB more and is not part of the promise; the second is measured.
 */
#include "check.h"
#include "imfilter.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define WIDTH 2601
#define HEIGHT 1803
#define BYTES ((size_t)WIDTH * HEIGHT * 3)

struct test_case {
    const char *spec;
    enum imf_backend backend;
    enum imf_range range;
};

struct message {
    bool other_device; /* none, or one with memory of its own */
    uint64_t announced;
    char device[64], text[200];
};

/* Filter, and tell what the plan announced; never returns. */
static void filter(const struct test_case *t, int answer) {
    const struct imf_info info = {
        .width = WIDTH, .height = HEIGHT, .channels = 3, .depth = 8, .color = IMF_COLOR_RGB};
    const struct imf_settings settings = {.backend = t->backend, .range = t->range};
    const struct imf_context_options options = {.device = IMF_DEVICE_AUTO};
    struct imf_context *ctx = NULL;
    struct imf_filter *filter = NULL;
    struct imf_plan *plan = NULL;
    struct imf_workspace *ws = NULL;
    struct imf_error err = {.text = ""};
    struct message m = {0};
    unsigned char *src = malloc(BYTES), *dst = malloc(BYTES);
    struct imf_device_info device = {0};
    if (!src || !dst)
        _exit(1);
    /* Here, for no child may be made once a driver has its threads. */
    if (t->backend != IMF_BACKEND_CPU)
        m.other_device = !imf_device_list(&device, 1) || !device.usable || device.gpu;
    if (m.other_device)
        _exit(write(answer, &m, sizeof m) != sizeof m);
    memset(src, 77, BYTES);
    memset(dst, 1, BYTES);
    enum imf_status st = imf_context_create(&ctx, &options, &err);
    if (!st)
        st = imf_filter_parse(&filter, &t->spec, 1, &err);
    if (!st)
        st = imf_plan_create(&plan, ctx, filter, &info, &settings, &err);
    if (!st) {
        m.announced = imf_plan_choice(plan)->chosen->bytes;
        snprintf(m.device, sizeof m.device, "%.60s", imf_plan_choice(plan)->device);
        st = imf_workspace_create(&ws, plan, &err);
    }
    if (!st)
        st = imf_workspace_run_memory(ws, src, WIDTH * 3, dst, WIDTH * 3, NULL, NULL, &err);
    snprintf(m.text, sizeof m.text, "%.199s", err.text);
    bool told = write(answer, &m, sizeof m) == sizeof m;
    /* The driver's own clean-up at exit is not ours to measure. */
    _exit(st || !told);
}

/* Bytes at most resident in a child that filters. */
static double measure(const struct test_case *t, struct message *m) {
    int ends[2], status = -1;
    struct rusage usage = {0};
    *m = (struct message){.text = "no child"};
    if (pipe(ends))
        return 0;
    pid_t child = fork();
    if (child == 0)
        filter(t, ends[1]);
    close(ends[1]);
    if (read(ends[0], m, sizeof *m) != sizeof *m)
        snprintf(m->text, sizeof m->text, "no answer");
    close(ends[0]);
    bool good = child > 0 && wait4(child, &status, 0, &usage) == child && WIFEXITED(status) &&
                WEXITSTATUS(status) == 0;
    CHECK(good, "%s: %s", t->spec, m->text);
    return (double)usage.ru_maxrss * 1024;
}

int main(void) {
    static const struct test_case cases[] = {
        {"sharpen", IMF_BACKEND_CPU, IMF_RANGE_DEFAULT},
        {"highpass:0.05", IMF_BACKEND_CPU, IMF_RANGE_DEFAULT},
        {"log:1", IMF_BACKEND_CPU, IMF_RANGE_NORMALIZE},
        {"sharpen", IMF_BACKEND_DIRECT, IMF_RANGE_DEFAULT},
        {"disk:60", IMF_BACKEND_FFT, IMF_RANGE_DEFAULT},
        {"highpass:0.05", IMF_BACKEND_FFT, IMF_RANGE_DEFAULT},
    };
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    /* Sanitizers multiply what a process takes: only that the plans run is checked. */
    const double allowed = 100;
#else
    const double allowed = 0.1;
#endif
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct message m;
        if (cases[i].backend != IMF_BACKEND_CPU)
            measure(&cases[i], &m);
        double taken = measure(&cases[i], &m), announced = (double)m.announced + 2.0 * BYTES;
        if (m.other_device)
            continue;
        CHECK(announced > taken * (1 - allowed) && announced < taken * (1 + allowed),
              "%s on %s: announced %.1f MB, took %.1f", cases[i].spec, m.device, announced / 1e6,
              taken / 1e6);
        printf("%s on %s: announced %.1f MB, took %.1f\n", cases[i].spec, m.device, announced / 1e6,
               taken / 1e6);
    }
    return check_done("test_memory");
}
