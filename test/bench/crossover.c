/*
 * crossover.c - time over kernel size: direct convolution, Fourier transform, vectors; which is chosen
 *
 *   crossover [--clock=wall|cpu] [--rounds=N] [--chart=FILE.png]
 *
 * One 12-megapixel RGB image, and kernels of n x n real coefficients without structure, for which
 * no shortcut exists: direct convolution takes n^2 products a sample, and the transform hardly more
 * for a large kernel than for a small one. The separable backend has a column times a row of the
 * same size instead. What a user waits for beside decoding and encoding is the sum of starting
 * OpenCL, which is measured once, and the least time of some rounds. The choice is that of a plan
 * for one photo. --clock=cpu counts processor time over the cores, where the device is the processor.
 */
#include "bench.h"
#include "chart.h"
#include "picture/picture.h"
#include "waves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 4000, HEIGHT = 3000, CHANNELS = 3, STRIDE = WIDTH * CHANNELS };
enum { WAYS = 4, SIZES = 10, VECTOR = 3, LARGEST = 75 };
enum { WIDE = 720, HIGH = 420, LEFT = 90, TOP = 60, RIGHT = 40, BOTTOM = 100, CELL = 16 };
enum { LOW = 10, HIGHEST = 10000 }; /* ms, the chart's range */
#define LIMIT_MS 6000               /* what is estimated to take longer is left out */

static const int sizes[SIZES] = {3, 5, 7, 9, 13, 19, 25, 35, 49, LARGEST};
static const enum imf_backend backends[WAYS] = {IMF_BACKEND_DIRECT, IMF_BACKEND_SEPARABLE,
                                                IMF_BACKEND_FFT, IMF_BACKEND_VECTOR};
static const char *const names[WAYS] = {"direct", "separable", "fft", "vector"};
static const char *const titles[WAYS] = {"direct", "separable (rank-1 kernels)", "fft", "vector"};
static const int colors[WAYS] = {IMF_BLUE, IMF_SHADE, IMF_ORANGE, IMF_GREEN};

static const struct imf_info image = {
    .width = WIDTH, .height = HEIGHT, .channels = CHANNELS, .depth = 8, .color = IMF_COLOR_RGB};
static unsigned char pixels[STRIDE * HEIGHT], result[STRIDE * HEIGHT];

/* n x n coefficients, of rank 1 or without structure. */
static struct imf_filter *make_filter(int n, bool product) {
    static char text[LARGEST * LARGEST * 12 + 40];
    const char *spec = text;
    struct imf_filter *filter;
    struct imf_error err;
    size_t at = (size_t)snprintf(text, sizeof text, "kernel:");
    for (int i = 0; i < n * n; i++) {
        int row = (i / n * 7) % 5, column = (i % n * 7) % 5;
        double v = product ? (row + 1.3) * (column + 1.3) : (i * 7) % 11 + 0.3;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%.2f",
                               !i      ? ""
                               : i % n ? ","
                                       : "/",
                               v);
    }
    snprintf(text + at, sizeof text - at, ":scale=auto");
    if (imf_filter_parse(&filter, &spec, 1, &err))
        die(err.text);
    return filter;
}

static struct imf_context *open_context(void) {
    struct imf_context *ctx;
    struct imf_error err;
    if (imf_context_create(&ctx, NULL, &err))
        die(err.text);
    return ctx;
}

/* Milliseconds of one run on this backend, or 0: it cannot, or takes too long. *first, unless NULL:
 * of the first one, with all that comes before it. */
static double measure(struct imf_context *ctx, const struct imf_filter *filter,
                      enum imf_backend backend, int rounds, clockid_t clock, double *first) {
    const struct imf_settings settings = {.backend = backend};
    const struct imf_run_options options = {0};
    struct imf_plan *plan;
    struct imf_workspace *work = NULL;
    struct imf_report report = {0};
    struct imf_error err;
    double begin = now_ms(clock), least = INFINITY;
    if (imf_plan_create(&plan, ctx, filter, &image, &settings, NULL))
        return 0;
    bool run = imf_plan_choice(plan)->chosen->estimate_ms <= LIMIT_MS;
    for (int i = 0; run && i <= rounds; i++) {
        if ((!work && imf_workspace_create(&work, plan, &err)) ||
            imf_workspace_run_memory(work, pixels, STRIDE, result, STRIDE, &options, &report, &err))
            die(err.text);
        double end = now_ms(clock);
        if (i)
            least = fmin(least, end - begin);
        else if (first)
            *first = end - begin;
        begin = end;
    }
    imf_workspace_free(&work);
    imf_plan_free(&plan);
    return run ? least : 0;
}

/* Which backend a plan takes for one photo, whose context has opened nothing yet. */
static int choice(const struct imf_filter *filter) {
    const struct imf_settings settings = {0};
    struct imf_context *ctx = open_context();
    struct imf_plan *plan;
    struct imf_error err;
    if (imf_plan_create(&plan, ctx, filter, &image, &settings, &err))
        die(err.text);
    int w = 0;
    while (w < WAYS && strcmp(names[w], imf_plan_choice(plan)->chosen->backend) != 0)
        w++;
    imf_plan_free(&plan);
    imf_context_free(&ctx);
    return w;
}

/* Starting OpenCL: what a process's first run takes longer than its next ones, the least of some
 * children. Each begins without a driver, and finds the first one's programs in the cache. */
static double start_of_opencl(int rounds, clockid_t clock) {
    double least = INFINITY;
    for (int i = 0; i <= rounds; i++) {
        double start;
        int ends[2];
        if (pipe(ends))
            die("no pipe");
        pid_t child = fork();
        if (!child) {
            double first = 0, later;
            memset(result, 0,
                   sizeof result); /* its pages are the child's own before the clock runs */
            later = measure(open_context(), make_filter(3, false), IMF_BACKEND_DIRECT, 3, clock,
                            &first);
            start = first - later;
            _exit(!(later > 0) || write(ends[1], &start, sizeof start) != sizeof start);
        }
        close(ends[1]);
        if (child < 0 || read(ends[0], &start, sizeof start) != sizeof start)
            die("OpenCL does not start");
        close(ends[0]);
        waitpid(child, NULL, 0);
        least = fmin(least, start);
    }
    return least;
}

/* ---- the chart ------------------------------------------------------------------------------- */

static int to_x(double n) {
    return LEFT + (int)lrint(log(n / 2.5) / log(90 / 2.5) * (WIDE - 1));
}

static int to_y(double ms) {
    return TOP + HIGH - 1 - (int)lrint(log(ms / LOW) / log((double)HIGHEST / LOW) * (HIGH - 1));
}

static void draw_axes(struct imf_picture *p) {
    char number[32];
    imf_picture_text(p, LEFT, 12, IMF_INK, "ms for one 12-megapixel RGB image, OpenCL's start");
    imf_picture_text(p, LEFT, 32, IMF_INK, "included; decoding and encoding come on top");
    for (int ms = LOW; ms <= HIGHEST; ms *= 10)
        for (int k = 1; k < 10 && ms * k <= HIGHEST; k++) {
            imf_picture_rect(p, LEFT, to_y(ms * k), k == 1 ? WIDE : 5, 1, IMF_PALE);
            snprintf(number, sizeof number, "%d", ms);
            if (k == 1)
                imf_picture_text_right(p, LEFT - 10, to_y(ms) - IMF_TEXT_MIDDLE, IMF_INK, number);
        }
    for (int i = 0; i < SIZES; i++) {
        snprintf(number, sizeof number, "%d", sizes[i]);
        imf_picture_rect(p, to_x(sizes[i]), TOP, 1, HIGH + 5, IMF_PALE);
        imf_picture_text_middle(p, to_x(sizes[i]), TOP + HIGH + 8, IMF_INK, number);
    }
    imf_picture_text_middle(p, LEFT + WIDE / 2, TOP + HIGH + 30, IMF_INK,
                            "n: a kernel of n x n real coefficients");
    imf_picture_frame(p, LEFT, TOP, WIDE, HIGH, IMF_SHADE);
}

/* A curve for each backend, a larger mark where it is chosen, and the choices once more below. */
static void draw(struct imf_picture *p, double ms[SIZES][WAYS], const int chosen[SIZES]) {
    const struct imf_plot plot = {LEFT, TOP, WIDE, HIGH, 0, WIDE - 1, 0, HIGH - 1};
    draw_axes(p);
    imf_picture_text_right(p, LEFT - 10, TOP + HIGH + 60, IMF_INK, "chosen");
    for (int w = 0; w < WAYS; w++) {
        double x[SIZES], y[SIZES];
        size_t count = 0;
        for (int i = 0; i < SIZES; i++) {
            int mark = chosen[i] == w ? 6 : 2;
            if (chosen[i] == w)
                imf_picture_rect(p, to_x(sizes[i]) - CELL, TOP + HIGH + 58, 2 * CELL, CELL,
                                 colors[w]);
            if (!(ms[i][w] > 0))
                continue;
            x[count] = to_x(sizes[i]) - LEFT;
            y[count++] = TOP + HIGH - 1 - to_y(ms[i][w]);
            imf_picture_rect(p, to_x(sizes[i]) - mark, to_y(ms[i][w]) - mark, 2 * mark + 1,
                             2 * mark + 1, colors[w]);
        }
        imf_plot_curve(p, &plot, colors[w], count, x, y);
        imf_picture_text(p, LEFT + 24, TOP + 16 + 24 * w, colors[w], titles[w]);
    }
}

int main(int argc, char **argv) {
    clockid_t clock = CLOCK_MONOTONIC;
    const char *chart = NULL;
    int rounds = 5, chosen[SIZES];
    double ms[SIZES][WAYS];
    struct imf_error err;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (!strncmp(a, "--chart=", 8))
            chart = a + 8;
        else if (!strcmp(a, "--clock=cpu") || !strcmp(a, "--clock=wall"))
            clock = a[8] == 'c' ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
        else if (!strncmp(a, "--rounds=", 9) && atoi(a + 9) > 0)
            rounds = atoi(a + 9);
        else
            die("options: --clock=wall|cpu --rounds=N --chart=FILE.png");
    }
    uint64_t state = 42;
    for (int i = 0; i < STRIDE * HEIGHT; i++)
        pixels[i] = (unsigned char)(wave(&state, i % STRIDE / 3, i / STRIDE, i % 3) >> 8);
    double start = start_of_opencl(rounds, clock);
    double cores = clock == CLOCK_MONOTONIC ? 1 : (double)sysconf(_SC_NPROCESSORS_ONLN);
    struct imf_context *ctx = open_context();
    printf(
        "Starting OpenCL: %.0f ms, in the columns of direct, separable and fft.\n\n"
        "| n | direct | separable | fft | vector | chosen |\n|---|---|---|---|---|---|\n",
        start);
    for (int i = 0; i < SIZES; i++) {
        struct imf_filter *kernel[2] = {make_filter(sizes[i], false), make_filter(sizes[i], true)};
        chosen[i] = choice(kernel[0]);
        printf("| %d |", sizes[i]);
        for (int w = 0; w < WAYS; w++) {
            bool product = backends[w] == IMF_BACKEND_SEPARABLE;
            ms[i][w] = measure(ctx, kernel[product], backends[w], rounds, clock, NULL);
            ms[i][w] = ms[i][w] / cores + (ms[i][w] > 0 && w != VECTOR ? start : 0);
            printf(ms[i][w] > 0 ? " %.1f |" : " - |", ms[i][w]);
        }
        printf(" %s |\n", chosen[i] < WAYS ? names[chosen[i]] : "another");
        fflush(stdout);
        imf_filter_free(&kernel[0]);
        imf_filter_free(&kernel[1]);
    }
    imf_context_free(&ctx);
    struct imf_picture *p = NULL;
    if (chart && (imf_picture_create(&p, LEFT + WIDE + RIGHT, TOP + HIGH + BOTTOM, &err)))
        die(err.text);
    if (chart) {
        draw(p, ms, chosen);
        if (chart_write(p, chart, &err))
            die(err.text);
        printf("chart: %s\n", chart);
    }
    imf_picture_free(&p);
    return 0;
}
