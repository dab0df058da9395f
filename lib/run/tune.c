/*
 * tune.c - measure a device: how long filters take, and the rates that explain it
 *
 * Each sample is a filter on an image of two sizes, run by one backend. The planner's own
 * estimates, with the rates as unknowns, are fitted to the measured times (device/fit.h). The least
 * of several times counts. On a shared processor wall time is unreliable: there the process's own
 * processor time divided by the units counts if it is less.
 */
#include "base/clock.h"
#include "device/fit.h"
#include "device/open/context.h"
#include "device/rates.h"
#include "plan/lowering/chain.h"
#include "solver/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 17.0   /* of measuring; compiling programs that are not cached is part of it */
#define ENOUGH_MS 25.0 /* the least time of a measurement */

struct sample {
    const char *spec;
    enum imf_backend backend;
    int depth;
};

/* Samples that distinguish rates come first: a slow device does not reach the end of the list. */
static const struct sample cpu_samples[] = {
    {"sharpen", IMF_BACKEND_DIRECT, 8},    {"disk:10", IMF_BACKEND_FFT, 8},
    {"blur:2", IMF_BACKEND_SEPARABLE, 8},  {"disk:4", IMF_BACKEND_DIRECT, 8},
    {"blur:6", IMF_BACKEND_FFT, 8},        {"blur:6", IMF_BACKEND_SEPARABLE, 8},
    {"disk:3", IMF_BACKEND_DIRECT, 16},    {"disk:15", IMF_BACKEND_DIRECT, 8},
    {"box:5", IMF_BACKEND_SEPARABLE, 8},   {"unsharp:sigma=2", IMF_BACKEND_SEPARABLE, 8},
    {"disk:24", IMF_BACKEND_FFT, 8},       {"motion:9:30", IMF_BACKEND_DIRECT, 8},
    {"blur:1", IMF_BACKEND_SEPARABLE, 16}, {"box:25", IMF_BACKEND_SEPARABLE, 8},
    {"blur:16", IMF_BACKEND_FFT, 8},       {"blur:1", IMF_BACKEND_DIRECT, 8},
    {"disk:5", IMF_BACKEND_FFT, 16},       {"sobel", IMF_BACKEND_DIRECT, 8},
    {"disk:7", IMF_BACKEND_DIRECT, 16},    {"unsharp", IMF_BACKEND_SEPARABLE, 8},
    {"blur:25", IMF_BACKEND_FFT, 8},       {"blur:12", IMF_BACKEND_SEPARABLE, 8},
    {"dog:3:6", IMF_BACKEND_SEPARABLE, 8}, {"disk:6", IMF_BACKEND_DIRECT, 8},
    {"blur:2", IMF_BACKEND_FFT, 8},        {"disk:60", IMF_BACKEND_FFT, 8},
};
static const struct sample gpu_samples[] = {
    {"sharpen", IMF_BACKEND_DIRECT, 8},    {"disk:10", IMF_BACKEND_FFT, 8},
    {"blur:2", IMF_BACKEND_SEPARABLE, 8},  {"disk:7", IMF_BACKEND_DIRECT, 8},
    {"blur:6", IMF_BACKEND_FFT, 8},        {"blur:6", IMF_BACKEND_SEPARABLE, 8},
    {"blur:1", IMF_BACKEND_DIRECT, 8},     {"disk:15", IMF_BACKEND_DIRECT, 8},
    {"blur:3", IMF_BACKEND_DIRECT, 16},    {"unsharp:sigma=2", IMF_BACKEND_DIRECT, 8},
    {"blur:16", IMF_BACKEND_SEPARABLE, 8}, {"blur:3", IMF_BACKEND_SEPARABLE, 8},
    {"blur:2", IMF_BACKEND_FFT, 8},        {"disk:31", IMF_BACKEND_FFT, 8},
    {"disk:3", IMF_BACKEND_DIRECT, 16},    {"blur:1", IMF_BACKEND_SEPARABLE, 16},
    {"blur:16", IMF_BACKEND_FFT, 8},       {"disk:5", IMF_BACKEND_FFT, 16},
};

enum { SIZES = 2, CHANNELS = 3, PASSES = 4 };
#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MOST (SIZES * COUNT(cpu_samples))
_Static_assert(COUNT(gpu_samples) <= COUNT(cpu_samples), "struct tuner has room for either");

/* For GPUs a small image, which launches dominate, and one in which they hardly count. */
static const struct kind {
    const struct sample *samples;
    size_t count;
    int size[SIZES][2];
} kinds[] = {{cpu_samples, COUNT(cpu_samples), {{800, 600}, {2000, 1500}}},
             {gpu_samples, COUNT(gpu_samples), {{400, 300}, {4000, 3000}}}};

struct tuner {
    struct imf_context *ctx;
    struct imf_runtime *rt;
    struct imf_device device; /* a copy, for which estimates are asked */
    struct imf_tuning shipped, trial;
    const struct imf_rate_row *rows;
    const struct kind *kind;
    size_t count; /* samples times sizes */
    struct imf_chain *chain[MOST];
    struct imf_filter *filter[MOST];
    double measured[MOST]; /* ms; 0: not measured */
    double link;           /* GB a second of transfers, at best */
    struct imf_fit fit;
    double times[MOST]; /* those of `measured` that are fitted, */
    size_t of[MOST];    /* and their indices */
    size_t missing;     /* bytes that solvers could not allocate to estimate, or 0 */
    void *in, *out;
};

static struct imf_info info_of(const struct tuner *t, size_t i) {
    const int *size = t->kind->size[i / t->kind->count];
    return (struct imf_info){.width = size[0],
                             .height = size[1],
                             .channels = CHANNELS,
                             .depth = t->kind->samples[i % t->kind->count].depth,
                             .color = IMF_COLOR_RGB};
}

static struct imf_settings settings_of(const struct tuner *t, size_t i) {
    return (struct imf_settings){.backend = t->kind->samples[i % t->kind->count].backend};
}

/* ---- measuring ------------------------------------------------------------------------------- */

static enum imf_status run(struct tuner *t, struct imf_workspace *w, const struct imf_info *info,
                           unsigned bench, struct imf_report *report, struct imf_error *err) {
    struct imf_run_options options = {.bench = bench};
    size_t stride = (size_t)info->width * CHANNELS * (size_t)info->depth / 8;
    return imf_workspace_run_memory(w, t->in, stride, t->out, stride, &options, report, err);
}

/* Measure sample i once more, unless the device cannot do it. */
static enum imf_status measure(struct tuner *t, size_t i, struct imf_error *err) {
    struct imf_plan *plan;
    struct imf_workspace *workspace = NULL;
    struct imf_info info = info_of(t, i);
    struct imf_settings settings = settings_of(t, i);
    struct imf_report report = {0};
    enum imf_status st = imf_plan_create(&plan, t->ctx, t->filter[i], &info, &settings, err);
    if (st)
        return st == IMF_ERR_MEMORY ? st : IMF_OK;
    st = imf_workspace_create(&workspace, plan, err);
    if (!st)
        st = run(t, workspace, &info, 0, &report, err); /* compiles */
    double begin = imf_processor_ms();
    if (!st)
        st = run(t, workspace, &info, 0, &report, err);
    double once = imf_processor_ms();
    unsigned times = (unsigned)fmax(2, fmin(ENOUGH_MS / fmax(report.compute_ms, 0.01), 200));
    if (!st)
        st = run(t, workspace, &info, times, &report, err);
    double all = imf_processor_ms();
    if (!st) {
        double ms = report.compute_min_ms;
        double own = ((all - once) - (once - begin)) / times / imf_tuning_units(&t->device);
        if (!t->device.gpu && own > 0.5 * ms / t->device.compute_units)
            ms = fmin(ms, own);
        t->measured[i] = t->measured[i] > 0 ? fmin(t->measured[i], ms) : ms;
        double bytes = (double)info.width * info.height * CHANNELS * info.depth / 8;
        double copies = report.upload_median_ms + report.download_median_ms;
        t->link = fmax(t->link, 2e-6 * bytes / fmax(copies, 1e-3));
    }
    imf_workspace_free(&workspace);
    imf_plan_free(&plan);
    return st;
}

static enum imf_status measure_all(struct tuner *t, void (*progress)(void *data, double part),
                                   void *data, struct imf_error *err) {
    double begin = imf_now_ms(), spent = 0;
    for (size_t n = 0; n < t->count * PASSES && spent < SECONDS; n++) {
        enum imf_status st = measure(t, n % t->count, err);
        if (st)
            return st;
        spent = (imf_now_ms() - begin) * 1e-3;
        if (progress)
            progress(data,
                     fmin(1, fmax(spent / SECONDS, (double)(n + 1) / (double)(t->count * PASSES))));
    }
    return IMF_OK;
}

/* ---- fitting --------------------------------------------------------------------------------- */

static double estimate(void *data, size_t i, const double *factor) {
    struct tuner *t = data;
    const struct imf_problem *p = &t->chain[t->of[i]]->passes[0].problem;
    enum imf_backend backend = settings_of(t, t->of[i]).backend;
    struct imf_proposal proposal;
    double ms = INFINITY;
    t->trial = t->shipped;
    for (size_t j = 0; t->rows[j].name; j++)
        *imf_rate_of(&t->trial, &t->rows[j]) *= t->rows[j].cost ? factor[j] : 1 / factor[j];
    t->device.tuning = &t->trial;
    for (size_t k = 0; imf_solvers[k]; k++) {
        if (imf_solvers[k]->backend != backend || !imf_solver_takes(imf_solvers[k], p->kind))
            continue;
        imf_propose(&proposal, imf_solvers[k], p, &t->device);
        t->missing += proposal.missing;
        if (proposal.feasible)
            ms = fmin(ms, proposal.ms);
    }
    return isfinite(ms) && ms > 0 ? ms : 1;
}

static uint32_t uses(void *data, size_t i) {
    struct tuner *t = data;
    uint32_t set = 0;
    for (size_t j = 0; t->rows[j].name; j++)
        if (t->rows[j].backends >> settings_of(t, t->of[i]).backend & 1)
            set |= (uint32_t)1 << j;
    return set;
}

/* Fit t->trial to the measured times. */
static enum imf_status fit(struct tuner *t, struct imf_error *err) {
    double factor[IMF_FIT_COSTS];
    uint32_t determined;
    struct imf_fit *f = &t->fit;
    *f = (struct imf_fit){.measured = t->times, .estimate = estimate, .uses = uses, .data = t};
    while (t->rows[f->costs].name)
        f->costs++;
    for (size_t i = 0; i < t->count; i++) {
        if (!(t->measured[i] > 0))
            continue;
        t->of[f->times] = i;
        t->times[f->times++] = t->measured[i];
    }
    if (f->times == 0)
        return imf_fail(err, IMF_ERR_DEVICE,
                        "the device can do none of the filters that are timed");
    double before, off = imf_fit_costs(f, factor, &before, &determined);
    (void)estimate(t, 0, factor);
    if (isinf(off))
        return imf_fail_memory(err, 2 * f->times * sizeof *f->measured);
    if (t->missing) /* estimates were other solvers' */
        return imf_fail_memory(err, t->missing);
    t->trial.determined = determined;
    t->trial.wanted = (unsigned)t->count;
    t->trial.measured = true;
    t->trial.times = (unsigned)f->times;
    t->trial.shipped_off = before;
    t->trial.off = off;
    if (!t->device.unified)
        t->trial.link = t->link;
    return IMF_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void release(struct tuner *t) {
    for (size_t i = 0; i < MOST; i++) {
        imf_chain_free(&t->chain[i]);
        imf_filter_free(&t->filter[i]);
    }
    free(t->in);
    free(t->out);
}

static enum imf_status prepare(struct tuner *t, struct imf_error *err) {
    const int *largest = t->kind->size[SIZES - 1];
    size_t samples = (size_t)largest[0] * (size_t)largest[1] * CHANNELS;
    t->in = malloc(2 * samples);
    t->out = malloc(2 * samples);
    if (!t->in || !t->out)
        return imf_fail_memory(err, 2 * samples);
    uint32_t state = 1;
    for (size_t i = 0; i < samples; i++) { /* noise on waves */
        state = state * 1664525u + 1013904223u;
        ((uint16_t *)t->in)[i] = (uint16_t)((i * 96) ^ (state >> 19));
    }
    for (size_t i = 0; i < t->count; i++) {
        struct imf_info info = info_of(t, i);
        struct imf_settings settings = settings_of(t, i);
        const char *spec = t->kind->samples[i % t->kind->count].spec;
        enum imf_status st = imf_filter_parse(&t->filter[i], &spec, 1, err);
        if (!st)
            st = imf_chain_build(&t->chain[i], t->filter[i], &info, &settings, err);
        if (st)
            return st;
    }
    return IMF_OK;
}

/* Print where a rate in use comes from. */
static void write_origin(FILE *f, bool determined, double now, double shipped) {
    if (determined)
        fprintf(f, "  %-14s", "measured");
    else if (now == shipped)
        fprintf(f, "  %-14s", "as shipped");
    else
        fprintf(f, "  shipped x %-4.2g", now / shipped);
}

enum imf_status imf_context_rates(char **text, struct imf_context *ctx, struct imf_error *err) {
    struct imf_runtime *rt;
    size_t size = 0;
    *text = NULL;
    enum imf_status st = imf_context_runtime(ctx, &rt, err);
    if (st)
        return st;
    const struct imf_device *d = imf_runtime_device(rt);
    struct imf_device untuned = *d;
    untuned.tuning = NULL;
    struct imf_tuning now = *imf_tuning(d), shipped = *imf_tuning(&untuned);
    FILE *f = open_memstream(text, &size);
    if (!f)
        return imf_fail_memory(err, 1);
    const struct imf_rate_row *rows = imf_rate_rows(d);
    fprintf(f, "%s, driver %s: rates %s\n  %-16s %12s %12s  %-14s  unit\n", d->name, d->driver,
            now.measured ? "measured here" : "as shipped", "", "in use", "shipped", "");
    for (const struct imf_rate_row *row = rows; row->name; row++) {
        double used = *imf_rate_of(&now, row), usual = *imf_rate_of(&shipped, row);
        fprintf(f, "  %-16s %12.4g %12.4g", row->name, used, usual);
        write_origin(f, now.measured && now.determined >> (row - rows) & 1, used, usual);
        fprintf(f, "  %s\n", row->unit);
    }
    if (now.times)
        fprintf(f,
                "%u of %u times were taken: estimates differ from them by %.0f %%, by %.0f %% with "
                "the shipped rates\n",
                now.times, now.wanted, 100 * (now.off - 1), 100 * (now.shipped_off - 1));
    if (now.times < now.wanted)
        fprintf(f,
                "the device is slow or busy: rates that these times do not determine are the "
                "shipped ones, scaled to go with the others\n");
    if (fclose(f) == 0 && *text)
        return IMF_OK;
    free(*text);
    *text = NULL;
    return imf_fail_memory(err, 1);
}

static enum imf_status keep(struct imf_context *ctx, struct imf_runtime *rt,
                            const struct imf_tuning *rates, struct imf_error *err) {
    const char *dir = imf_context_cache_dir(ctx);
    imf_runtime_set_tuning(rt, rates);
    if (imf_rates_store(dir, imf_runtime_device(rt), rates))
        return IMF_OK;
    return imf_fail(err, IMF_ERR_IO,
                    "the rates were measured but not kept: the cache directory %s cannot be "
                    "written, or others can (XDG_CACHE_HOME chooses another)",
                    dir ? dir : "is not known or");
}

enum imf_status imf_context_tune(struct imf_context *ctx, void (*progress)(void *data, double part),
                                 void *data, struct imf_error *err) {
    struct imf_runtime *rt;
    enum imf_status st = imf_context_runtime(ctx, &rt, err);
    if (st)
        return st;
    struct tuner *t = calloc(1, sizeof *t);
    if (!t)
        return imf_fail_memory(err, sizeof *t);
    t->ctx = ctx;
    t->device = *imf_runtime_device(rt);
    t->device.tuning = NULL;
    t->shipped = *imf_tuning(&t->device);
    t->rows = imf_rate_rows(&t->device);
    t->kind = &kinds[t->device.gpu];
    t->count = SIZES * t->kind->count;
    st = prepare(t, err);
    if (!st)
        st = measure_all(t, progress, data, err);
    if (!st)
        st = fit(t, err);
    if (!st)
        st = keep(ctx, rt, &t->trial, err);
    release(t);
    free(t);
    return st;
}
