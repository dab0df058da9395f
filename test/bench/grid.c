/*
 * grid.c - does the planner choose the fastest backend?
 *
 *   grid [--budget=SECONDS] [--clock=wall|cpu] [--slow=FACTOR] [--largest=MEGAPIXELS]
 *        [--device=cpu|gpu] [--shard=K/N] [--chart=FILE.png] [--verbose]
 *
 * Filters from 3x3 to 201x201 on images from 256x256 to 24 megapixels, of 1 and 3 channels, 8 and
 * 16 bits: each backend that can do it is timed, one after the other, round by round, and the least
 * time of each is kept; the planner's choice is one of them. A backend that is estimated to take
 * more than FACTOR times the cheapest estimate is left out, but for a sample that tests the
 * estimates. Where the choice looks wrong, more rounds follow: noise only ever adds time.
 *
 * Cases come in an order in which every part of it is spread over the whole grid, so that a budget
 * takes an even sample. --clock=cpu counts the process's own processor time instead of the clock's:
 * for CPU devices on machines that others use at the same time.
 */
#include "bench.h"
#include "chart.h"
#include "grid_chart.h"
#include "waves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const enum imf_backend backends[WAYS] = {IMF_BACKEND_DIRECT, IMF_BACKEND_SEPARABLE,
                                                IMF_BACKEND_FFT};
static const char *const names[WAYS + 1] = {"direct", "separable", "fft", "mixed"};

#define GOOD 1.1   /* a choice that takes no longer than so many times the fastest is right */
#define WORST 1.25 /* none should take longer */
#define SAMPLE 16  /* of what --slow leaves out, every so many is timed all the same */
#define ROUNDS 3
#define MORE_ROUNDS 6 /* where the choice looks wrong */

struct grid {
    double budget, slow, largest;
    bool by_cpu, verbose;
    int part, parts; /* this one of so many, for several at once */
    const char *chart;
    enum imf_device_kind device;
    struct imf_context *ctx;
    unsigned units;
    void *pixels[2], *out; /* of 8 and 16 bits */
    size_t count;
    struct grid_result *results;
    int left_out, sampled, sampled_wrong;
};

/* ---- one case ------------------------------------------------------------------------------ */

/* n x n real taps that are no sum of few products. */
static char *unstructured(int n) {
    size_t size = 64 + (size_t)n * (size_t)n * 8;
    char *text = malloc(size);
    size_t used = text ? (size_t)snprintf(text, size, "kernel:") : 0;
    for (int i = 0; text && i < n * n; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%.1f",
                                 !i      ? ""
                                 : i % n ? ","
                                         : "/",
                                 (i * 7) % 11 - 5 + 0.3);
    if (text)
        snprintf(text + used, size - used, ":scale=16");
    return text;
}

static struct imf_info info_of(const struct grid_result *r) {
    return (struct imf_info){.width = sizes[r->size].width,
                             .height = sizes[r->size].height,
                             .channels = r->channels,
                             .depth = r->depth,
                             .color = r->channels == 3 ? IMF_COLOR_RGB : IMF_COLOR_GRAY};
}

static void run(struct grid *g, struct imf_workspace *work, const struct grid_result *r,
                unsigned bench, struct imf_report *report) {
    struct imf_info info = info_of(r);
    struct imf_run_options options = {.bench = bench};
    struct imf_error err;
    size_t stride = (size_t)info.width * (size_t)info.channels * (size_t)info.depth / 8;
    if (imf_workspace_run_memory(work, g->pixels[info.depth == 16], stride, g->out, stride,
                                 &options, report, &err))
        die(err.text);
}

/* Milliseconds of one run on pixels that are on the device, by the clock or in processor time of
 * all of its units; `times` runs. */
static double time_work(struct grid *g, struct imf_workspace *work, const struct grid_result *r,
                        unsigned times) {
    struct imf_report report = {0};
    if (!g->by_cpu) {
        run(g, work, r, times, &report);
        return report.compute_min_ms;
    }
    double begin = now_ms(CLOCK_PROCESS_CPUTIME_ID);
    run(g, work, r, 0, &report);
    double once = now_ms(CLOCK_PROCESS_CPUTIME_ID);
    run(g, work, r, times, &report);
    double all = now_ms(CLOCK_PROCESS_CPUTIME_ID);
    return fmax(((all - once) - (once - begin)) / times / g->units, 1e-6);
}

struct way {
    struct imf_plan *plan;
    struct imf_workspace *work;
    double estimate;
    char algorithm[128];
};

static void plan_way(struct grid *g, struct way *w, const struct grid_result *r,
                     const struct imf_filter *filter, enum imf_backend backend) {
    struct imf_settings settings = {.backend = backend};
    struct imf_info info = info_of(r);
    w->estimate = 0;
    if (imf_plan_create(&w->plan, g->ctx, filter, &info, &settings, NULL))
        return;
    const struct imf_candidate *chosen = imf_plan_choice(w->plan)->chosen;
    w->estimate = chosen->estimate_ms;
    snprintf(w->algorithm, sizeof w->algorithm, "%s", chosen->algorithm);
}

/* Leave out what is estimated to be far slower, but for a sample. */
static void drop_slow(struct grid *g, struct way way[WAYS + 1], size_t at) {
    double least = INFINITY;
    for (int w = 0; w < WAYS; w++)
        if (way[w].plan)
            least = fmin(least, way[w].estimate);
    for (int w = 0; w < WAYS; w++) {
        if (!way[w].plan || way[w].estimate <= g->slow * least)
            continue;
        bool sample = (at + (size_t)w) % SAMPLE == 0 && way[w].estimate < 500;
        g->sampled += sample;
        g->left_out += !sample;
        if (!sample)
            imf_plan_free(&way[w].plan);
    }
}

static double ratio_of(const struct grid_result *r) {
    return r->chosen_ms / r->ms[r->best];
}

static void time_ways(struct grid *g, struct way way[WAYS + 1], struct grid_result *r) {
    struct imf_report report = {0};
    for (int w = 0; w <= WAYS; w++)
        if (way[w].plan && imf_workspace_create(&way[w].work, way[w].plan, NULL))
            die("out of memory");
        else if (way[w].plan)
            run(g, way[w].work, r, 0, &report); /* compiles */
    for (int round = 0; round < MORE_ROUNDS; round++) {
        if (round >= ROUNDS && ratio_of(r) <= GOOD)
            break;
        for (int w = 0; w <= WAYS; w++) {
            if (!way[w].plan)
                continue;
            unsigned times = (unsigned)fmin(fmax(20 / fmax(way[w].estimate, 0.01), 1), 50);
            double ms = time_work(g, way[w].work, r, times);
            double *least = w < WAYS ? &r->ms[w] : &r->chosen_ms;
            *least = *least > 0 ? fmin(*least, ms) : ms;
        }
        r->best = -1;
        for (int w = 0; w < WAYS; w++)
            if (r->ms[w] > 0 && (r->best < 0 || r->ms[w] < r->ms[r->best]))
                r->best = w;
        if (r->chosen < WAYS)
            r->chosen_ms = r->ms[r->chosen];
    }
}

static void measure(struct grid *g, size_t at) {
    struct grid_result *r = &g->results[at];
    const struct grid_filter *f = &filters[r->filter];
    struct way way[WAYS + 1] = {0};
    struct imf_filter *filter;
    struct imf_error err;
    char *made = f->spec ? NULL : unstructured(f->size);
    const char *spec = f->spec ? f->spec : made;
    if (!spec || imf_filter_parse(&filter, &spec, 1, &err))
        die(spec ? err.text : "out of memory");
    for (int w = 0; w < WAYS; w++) {
        plan_way(g, &way[w], r, filter, backends[w]);
        r->estimate[w] = way[w].estimate;
    }
    plan_way(g, &way[WAYS], r, filter, IMF_BACKEND_AUTO);
    if (!way[WAYS].plan)
        die("the planner has no plan");
    snprintf(r->algorithm, sizeof r->algorithm, "%s", way[WAYS].algorithm);
    r->chosen = WAYS;
    for (int w = 0; w < WAYS; w++)
        if (way[w].plan && !strcmp(way[w].algorithm, way[WAYS].algorithm))
            r->chosen = w;
    if (r->chosen < WAYS) /* the same work */
        imf_plan_free(&way[WAYS].plan);
    drop_slow(g, way, at);
    time_ways(g, way, r);
    r->done = r->best >= 0;
    double least = INFINITY;
    for (int w = 0; w < WAYS; w++)
        least = r->estimate[w] > 0 ? fmin(least, r->estimate[w]) : least;
    for (int w = 0; w < WAYS; w++)
        g->sampled_wrong += r->ms[w] > 0 && r->estimate[w] > g->slow * least && w == r->best;
    for (int w = 0; w <= WAYS; w++) {
        imf_workspace_free(&way[w].work);
        imf_plan_free(&way[w].plan);
    }
    imf_filter_free(&filter);
    free(made);
}

/* ---- the grid ------------------------------------------------------------------------------ */

static void list_cases(struct grid *g) {
    g->count = (size_t)(COUNT(filters) * COUNT(sizes)) * 4;
    g->results = calloc(g->count, sizeof *g->results);
    if (!g->results)
        die("out of memory");
    for (size_t i = 0; i < g->count; i++) {
        struct grid_result *r = &g->results[i];
        r->filter = (int)(i % COUNT(filters));
        r->size = (int)(i / COUNT(filters) % COUNT(sizes));
        size_t kind = i / (COUNT(filters) * COUNT(sizes));
        r->channels = kind / 2 ? 3 : 1;
        r->depth = kind % 2 ? 16 : 8;
    }
}

static size_t common_factor(size_t a, size_t b) {
    return b ? common_factor(b, a % b) : a;
}

static void measure_all(struct grid *g) {
    double begin = now_ms(CLOCK_MONOTONIC);
    size_t step = (size_t)((double)g->count * 0.6180339887);
    while (common_factor(step, g->count) != 1)
        step++;
    for (size_t i = 0; i < g->count; i++) {
        size_t at = i * step % g->count;
        const struct grid_size *s = &sizes[g->results[at].size];
        if (now_ms(CLOCK_MONOTONIC) - begin > g->budget * 1e3)
            break;
        if ((double)s->width * s->height > g->largest * 1e6 ||
            (int)(i % (size_t)g->parts) != g->part - 1)
            continue;
        measure(g, at);
        if (isatty(2))
            fprintf(stderr, "\r%zu of %zu ", i + 1, g->count);
    }
    if (isatty(2))
        fprintf(stderr, "\r%20s\r", "");
}

static void print_row(const struct grid_result *r) {
    printf("| %s | %s | %d x %d |", filters[r->filter].name, sizes[r->size].name, r->channels,
           r->depth);
    for (int w = 0; w < WAYS; w++) {
        if (r->ms[w] > 0)
            printf(" %.3f (%.3f) |", r->ms[w], r->estimate[w]);
        else
            printf(r->estimate[w] > 0 ? " - (%.3f) |" : " - |", r->estimate[w]);
    }
    printf(" %s: %s | %.2f |\n", names[r->chosen], r->algorithm, ratio_of(r));
}

static const struct grid_result *sorted_by;
static int by_ratio(const void *a, const void *b) {
    double x = ratio_of(&sorted_by[*(const size_t *)a]);
    double y = ratio_of(&sorted_by[*(const size_t *)b]);
    return (x < y) - (x > y);
}

static void print_all(struct grid *g) {
    static const char heading[] =
        "| filter | image | channels x bits | direct ms (estimate) | separable | fft | choice | "
        "ratio |\n|---|---|---|---|---|---|---|---|\n";
    size_t *order = malloc(g->count * sizeof *order), done = 0, good = 0, over = 0;
    if (!order)
        die("out of memory");
    if (g->verbose)
        fputs(heading, stdout);
    for (size_t i = 0; i < g->count; i++) {
        const struct grid_result *r = &g->results[i];
        if (!r->done)
            continue;
        order[done++] = i;
        good += ratio_of(r) <= GOOD;
        over += ratio_of(r) > WORST;
        if (g->verbose)
            print_row(r);
    }
    sorted_by = g->results;
    qsort(order, done, sizeof *order, by_ratio);
    printf("\nThe %d worst choices:\n\n%s", done < 20 ? (int)done : 20, heading);
    for (size_t i = 0; i < done && i < 20; i++)
        print_row(&g->results[order[i]]);
    printf("\n%zu of %zu cases; %s\n", done, g->count,
           g->by_cpu ? "processor time over the units" : "time by the clock");
    if (done)
        printf("choice within %.2f of the fastest: %.1f %%; over %.2f: %zu; worst %.2f\n", GOOD,
               100.0 * (double)good / (double)done, WORST, over, ratio_of(&g->results[order[0]]));
    printf(
        "left out as over %g times the cheapest estimate: %d; %d of these timed all the same, "
        "the fastest after all: %d\n",
        g->slow, g->left_out + g->sampled, g->sampled, g->sampled_wrong);
    free(order);
}

static void write_chart(const struct grid *g) {
    struct imf_picture *p = NULL;
    struct imf_error err;
    if (chart_draw(&p, g->results, g->count, &err) || chart_write(p, g->chart, &err))
        die(err.text);
    imf_picture_free(&p);
    printf("chart: %s\n", g->chart);
}

static void fill(struct grid *g) {
    const struct grid_size *s = &sizes[COUNT(sizes) - 1];
    size_t samples = (size_t)s->width * (size_t)s->height * 3, i = 0;
    uint64_t state = 42;
    g->pixels[0] = malloc(samples);
    g->pixels[1] = malloc(2 * samples);
    g->out = malloc(2 * samples);
    if (!g->pixels[0] || !g->pixels[1] || !g->out)
        die("out of memory");
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            for (int c = 0; c < 3; c++, i++) {
                unsigned v = wave(&state, x, y, c);
                ((uint8_t *)g->pixels[0])[i] = (uint8_t)(v >> 8);
                ((uint16_t *)g->pixels[1])[i] = (uint16_t)v;
            }
}

/* A device must be asked for: beside one that is not opened yet, plain C would be an answer. */
static void open_device(struct grid *g) {
    struct imf_device_info list[16] = {{0}};
    size_t n = imf_device_list(list, 16);
    bool gpu = g->device == IMF_DEVICE_GPU;
    for (size_t i = 0; i < n && i < 16; i++)
        gpu = gpu || (g->device == IMF_DEVICE_AUTO && list[i].gpu && list[i].usable);
    for (size_t i = 0; i < n && i < 16 && !g->units; i++) {
        if (!list[i].usable || list[i].gpu != gpu)
            continue;
        g->units = list[i].compute_units;
        printf("imfilter %s on %s, %u compute units\n", imf_version(), list[i].name, g->units);
    }
    if (!g->units)
        die("there is no such device");
    struct imf_context_options options = {.device = gpu ? IMF_DEVICE_GPU : IMF_DEVICE_CPU};
    struct imf_error err;
    if (imf_context_create(&g->ctx, &options, &err))
        die(err.text);
}

int main(int argc, char **argv) {
    struct grid g = {.budget = 1e9, .slow = 4, .largest = 1e9, .part = 1, .parts = 1};
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (!strncmp(a, "--budget=", 9))
            g.budget = atof(a + 9);
        else if (!strncmp(a, "--slow=", 7))
            g.slow = atof(a + 7);
        else if (!strncmp(a, "--largest=", 10))
            g.largest = atof(a + 10);
        else if (sscanf(a, "--shard=%d/%d", &g.part, &g.parts) == 2 && g.parts > 0)
            continue;
        else if (!strncmp(a, "--chart=", 8))
            g.chart = a + 8;
        else if (!strcmp(a, "--clock=cpu") || !strcmp(a, "--clock=wall"))
            g.by_cpu = a[8] == 'c';
        else if (!strcmp(a, "--device=cpu") || !strcmp(a, "--device=gpu"))
            g.device = a[9] == 'g' ? IMF_DEVICE_GPU : IMF_DEVICE_CPU;
        else if (!strcmp(a, "--verbose"))
            g.verbose = true;
        else
            die("options: --budget=SECONDS --clock=wall|cpu --slow=FACTOR --largest=MEGAPIXELS "
                "--device=cpu|gpu --shard=K/N --chart=FILE.png --verbose");
    }
    open_device(&g);
    fill(&g);
    list_cases(&g);
    measure_all(&g);
    print_all(&g);
    if (g.chart)
        write_chart(&g);
    free(g.results);
    free(g.pixels[0]);
    free(g.pixels[1]);
    free(g.out);
    imf_context_free(&g.ctx);
    return 0;
}
