/*
 * gles.c - OpenGL ES beside plain C on the same machine, over sizes, in one run
 *
 *   gles [--clock=wall|cpu] [--rounds=N] [--largest=SIDE] [--chart=FILE.png]
 *
 * The comparison of M. M. Trompouki and L. Kosmidis, "Towards general purpose computations on
 * low-end mobile GPUs": how many times as fast the device is as plain C on the processor beside it,
 * for a sum of integers (of two neighbours) and, for their products of matrices, for convolutions
 * whose number of products grows. Gray images of 8 bits in the host's memory, there and back;
 * contexts and shaders are made before. The least time of some rounds, which take turns: noise only
 * ever adds. --clock=cpu counts the process's processor time, for devices that are the processor.
 */
#include "bench.h"
#include "chart.h"
#include "picture/picture.h"
#include "waves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KERNELS = 4, SIZES = 6, LEAST = 64, SIDE = LEAST << (SIZES - 1), WAYS = 2 };
enum { WIDE = 640, HIGH = 400, LEFT = 100, TOP = 60, RIGHT = 150, BOTTOM = 70 };
enum { SHIFT = 5 }; /* the chart's ratios: from 2^-SHIFT to 2^SHIFT */

static const int kernels[KERNELS] = {2, 3, 9, 31};
static const char *const names[KERNELS] = {"sum of two", "3x3", "9x9", "31x31"};
static const int colors[KERNELS] = {IMF_BLUE, IMF_GREEN, IMF_ORANGE, IMF_INK};
static const enum imf_backend backends[WAYS] = {IMF_BACKEND_GLES, IMF_BACKEND_CPU};

static unsigned char pixels[SIDE * SIDE], result[WAYS][SIDE * SIDE];

/* Integers from -1 to 3, none of which is 0, so that plain C has as many products. */
static struct imf_filter *make_filter(int n) {
    char text[31 * 31 * 3 + 40] = "kernel:1,1";
    const char *spec = text;
    struct imf_filter *filter;
    struct imf_error err;
    size_t at = strlen("kernel:");
    for (int i = 0; n > 2 && i < n * n; i++) {
        int v = (i + 1) * (i + 1) % 7 % 4;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%d",
                               !i      ? ""
                               : i % n ? ","
                                       : "/",
                               v ? v : -1);
    }
    if (n > 2)
        snprintf(text + at, sizeof text - at, ":scale=%d", n * n);
    if (imf_filter_parse(&filter, &spec, 1, &err))
        die(err.text);
    return filter;
}

static void run(struct imf_workspace *w, int way, int side) {
    const struct imf_run_options options = {0};
    struct imf_report report = {0};
    struct imf_error err;
    if (imf_workspace_run_memory(w, pixels, (size_t)side, result[way], (size_t)side, &options,
                                 &report, &err))
        die(err.text);
}

/* Milliseconds of each way; small images are filtered often enough for the clock. */
static void measure(double ms[WAYS], struct imf_context *ctx, int kernel, int side, int rounds,
                    clockid_t clock) {
    const struct imf_info info = {
        .width = side, .height = side, .channels = 1, .depth = 8, .color = IMF_COLOR_GRAY};
    struct imf_filter *filter = make_filter(kernel);
    struct imf_plan *plan[WAYS];
    struct imf_workspace *work[WAYS];
    struct imf_error err;
    int times = 1 + (1 << 20) / (side * side * kernel);
    for (int w = 0; w < WAYS; w++) {
        const struct imf_settings settings = {.backend = backends[w]};
        ms[w] = INFINITY;
        if (imf_plan_create(&plan[w], ctx, filter, &info, &settings, &err) ||
            imf_workspace_create(&work[w], plan[w], &err))
            die(err.text);
        run(work[w], w, side);
    }
    if (memcmp(result[0], result[1], (size_t)side * (size_t)side) != 0)
        die("the two differ");
    for (int round = 0; round < rounds; round++)
        for (int w = 0; w < WAYS; w++) {
            double begin = now_ms(clock);
            for (int i = 0; i < times; i++)
                run(work[w], w, side);
            ms[w] = fmin(ms[w], (now_ms(clock) - begin) / times);
        }
    for (int w = 0; w < WAYS; w++) {
        imf_workspace_free(&work[w]);
        imf_plan_free(&plan[w]);
    }
    imf_filter_free(&filter);
}

/* Both axes by powers of two. */
static void draw(struct imf_picture *p, double ratio[KERNELS][SIZES], int count,
                 const char *title) {
    const struct imf_plot plot = {LEFT, TOP, WIDE, HIGH, 0, SIZES - 1, -SHIFT, SHIFT};
    char number[32];
    imf_picture_text(p, LEFT, 16, IMF_INK, title);
    for (int i = 0; i < SIZES; i++) {
        int x = LEFT + i * (WIDE - 1) / (SIZES - 1);
        imf_picture_rect(p, x, TOP, 1, HIGH + 5, IMF_PALE);
        snprintf(number, sizeof number, "%d", LEAST << i);
        imf_picture_text_middle(p, x, TOP + HIGH + 8, IMF_INK, number);
    }
    for (int i = -SHIFT; i <= SHIFT; i++) {
        int y = TOP + (SHIFT - i) * (HIGH - 1) / (2 * SHIFT);
        imf_picture_rect(p, LEFT - 5, y, WIDE + 5, i ? 1 : 2, i ? IMF_PALE : IMF_SHADE);
        snprintf(number, sizeof number, i < 0 ? "1/%d" : "%d", 1 << abs(i));
        imf_picture_text_right(p, LEFT - 10, y - IMF_TEXT_MIDDLE, IMF_INK, number);
    }
    imf_picture_text_middle(p, LEFT + WIDE / 2, TOP + HIGH + 36, IMF_INK,
                            "width and height of a gray image");
    for (int k = 0; k < KERNELS; k++) {
        double x[SIZES], y[SIZES];
        for (int i = 0; i < count; i++) {
            x[i] = i;
            y[i] = log2(ratio[k][i]);
            imf_picture_rect(p, LEFT + i * (WIDE - 1) / (SIZES - 1) - 2,
                             TOP + (int)((SHIFT - y[i]) * (HIGH - 1) / (2 * SHIFT)) - 2, 5, 5,
                             colors[k]);
        }
        imf_plot_curve(p, &plot, colors[k], (size_t)count, x, y);
        imf_picture_text(p, LEFT + WIDE + 16, TOP + 24 * k, colors[k], names[k]);
    }
    imf_picture_frame(p, LEFT, TOP, WIDE, HIGH, IMF_SHADE);
}

int main(int argc, char **argv) {
    clockid_t clock = CLOCK_MONOTONIC;
    const char *chart = NULL;
    int rounds = 5, count = 0, largest = SIDE;
    double ratio[KERNELS][SIZES];
    struct imf_context *ctx;
    struct imf_error err;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (!strncmp(a, "--chart=", 8))
            chart = a + 8;
        else if (!strcmp(a, "--clock=cpu") || !strcmp(a, "--clock=wall"))
            clock = a[8] == 'c' ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
        else if (!strncmp(a, "--rounds=", 9) && atoi(a + 9) > 0)
            rounds = atoi(a + 9);
        else if (!strncmp(a, "--largest=", 10) && atoi(a + 10) >= LEAST)
            largest = atoi(a + 10);
        else
            die("options: --clock=wall|cpu --rounds=N --largest=SIDE --chart=FILE.png");
    }
    uint64_t state = 42;
    for (int i = 0; i < SIDE * SIDE; i++)
        pixels[i] = (unsigned char)(wave(&state, i % SIDE, i / SIDE, 0) >> 8);
    if (imf_context_create(&ctx, NULL, &err))
        die(err.text);
    printf(
        "| gray, 8 bits | kernel | OpenGL ES, ms | plain C, ms | times as fast |\n"
        "|---|---|---|---|---|\n");
    for (int side = LEAST; side <= SIDE && side <= largest; side *= 2, count++)
        for (int k = 0; k < KERNELS; k++) {
            double ms[WAYS];
            measure(ms, ctx, kernels[k], side, rounds, clock);
            ratio[k][count] = ms[1] / ms[0];
            printf("| %dx%d | %s | %.3f | %.3f | %.2f |\n", side, side, names[k], ms[0], ms[1],
                   ratio[k][count]);
            fflush(stdout);
        }
    imf_context_free(&ctx);
    struct imf_picture *p = NULL;
    if (chart && imf_picture_create(&p, LEFT + WIDE + RIGHT, TOP + HIGH + BOTTOM, &err))
        die(err.text);
    if (chart) {
        draw(p, ratio, count,
             clock == CLOCK_MONOTONIC ? "OpenGL ES: times as fast as plain C, by the clock"
                                      : "OpenGL ES: times as fast as plain C, in processor time");
        if (chart_write(p, chart, &err))
            die(err.text);
        printf("chart: %s\n", chart);
    }
    imf_picture_free(&p);
    return 0;
}
