/*
 * pace.c - how long the host takes for a filter, compared to the estimate by the shipped rates
 *
 * Shipped rates are those of one machine, and estimates divide the work by the number of cores. Elsewhere an
 * exponential takes seven times as long, for want of longer vectors, and cores that are two threads of one do less
 * together. What the host does in much time is run before it is weighed against a GPU, as FFTW measures its plans.
 */
#include "run/pace.h"

#include "base/clock.h"
#include "base/image/surface.h"
#include "base/thread_pool.h"
#include "device/cache.h"
#include "device/open/probe.h"
#include "run/plan.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TRIAL_MS 3  /* of a run, by its estimate */
#define LIMIT_MS 40 /* no run is begun after it */
#define MOST 8      /* a factor further from 1 is no machine's */
enum { RUNS = 2, WIDTH = 512, LEAST_ROWS = 64, MOST_ROWS = 2048 };

static double processor_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* A plan for so many rows; its estimate, or 0. */
static double plan(struct imf_plan **out, struct imf_context *ctx, const struct imf_filter *filter,
                   struct imf_info *info, const struct imf_settings *settings, double rows) {
    imf_plan_free(out);
    info->height = imf_min(info->height, (int)rows);
    return imf_plan_make(out, ctx, filter, info, settings, NULL, false, 1, NULL)
               ? 0
               : imf_plan_choice(*out)->chosen->estimate_ms;
}

/* The least time of some runs after one that touches the memory, or 0. Where other processes have a part of the cores, the
 * processor time of a core counts. */
static double run(const struct imf_plan *plan, const void *in, void *out, size_t stride) {
    struct imf_workspace *w;
    double least = INFINITY, start = imf_now_ms();
    if (imf_workspace_create(&w, plan, NULL))
        return 0;
    for (int i = 0; i <= RUNS && (i < 2 || imf_now_ms() - start < LIMIT_MS); i++) {
        double begin = imf_now_ms(), used = processor_ms();
        if (imf_workspace_run_memory(w, in, stride, out, stride, NULL, NULL, NULL))
            least = 0;
        used = (processor_ms() - used) / imf_cores();
        if (i > 0)
            least = fmin(least, fmin(imf_now_ms() - begin, used));
    }
    imf_workspace_free(&w);
    return least;
}

/* Noise on waves, of bytes, 16 bits or floats. */
static void draw(void *pixels, const struct imf_info *info, size_t samples) {
    uint32_t state = 1;
    for (size_t i = 0; i < samples; i++) {
        state = state * 1664525u + 1013904223u;
        uint32_t value = ((uint32_t)i * 24u ^ state >> 20) & 0xffff;
        if (info->depth == 8)
            ((uint8_t *)pixels)[i] = (uint8_t)(value >> 8);
        else if (info->depth == 16)
            ((uint16_t *)pixels)[i] = (uint16_t)value;
        else
            ((float *)pixels)[i] = (float)value / 65535;
    }
}

static double measure(struct imf_context *ctx, const struct imf_filter *filter,
                      const struct imf_info *input, const struct imf_settings *given) {
    struct imf_info info = *input;
    struct imf_settings settings = *given;
    struct imf_plan *trial = NULL;
    settings.pictures = settings.workers = 0;
    info.width = imf_min(info.width, WIDTH);
    double whole = plan(&trial, ctx, filter, &info, &settings, MOST_ROWS);
    double rows = whole > 0 ? fmax(info.height * TRIAL_MS / whole, LEAST_ROWS) : 0;
    double estimate = rows > 0 ? plan(&trial, ctx, filter, &info, &settings, rows) : 0;
    /* Results may have float samples. */
    size_t samples = (size_t)info.width * (size_t)info.height * 4;
    void *in = malloc(samples * sizeof(float)), *out = malloc(samples * sizeof(float));
    double factor = 0;
    if (in && out && estimate > 0) {
        draw(in, &info, samples);
        factor = run(trial, in, out, (size_t)info.width * 4 * sizeof(float)) / estimate;
    }
    free(in);
    free(out);
    imf_plan_free(&trial);
    return factor > 0 ? fmin(fmax(factor, 1.0 / MOST), MOST) : 1;
}

static bool load(const char *dir, const struct imf_cache_key *key, double *out) {
    size_t size = 0;
    void *data = imf_cache_load(dir, key, &size);
    if (data && size == sizeof *out)
        memcpy(out, data, sizeof *out);
    free(data);
    return data && *out >= 1.0 / MOST && *out <= MOST;
}

double imf_pace(struct imf_context *ctx, const struct imf_filter *filter,
                const struct imf_info *input, const struct imf_settings *settings) {
    const char *dir = imf_context_cache_dir(ctx);
    /* One that knows nothing of the machine opens no device for so little. */
    const struct imf_context_options options = {.size = sizeof options, .cache_dir = ""};
    struct imf_context *alone;
    char shape[96];
    snprintf(shape, sizeof shape, "%d cores, %d channels, %d bits, %d%d%d", imf_cores(),
             input->channels, input->depth, settings->linear, (int)settings->edge,
             (int)settings->backend);
    const char *const what[] = {"", "host pace", imf_filter_text(filter), shape, NULL};
    struct imf_cache_key key;
    imf_drivers_key(&key, IMF_PROBE_OPENCL, what);
    double pace = 0;
    if (!dir || load(dir, &key, &pace))
        return dir ? pace : 1;
    int lock = imf_cache_lock(dir, &key); /* one measures, others wait for it */
    if (!load(dir, &key, &pace)) {
        /* Whether it can be kept is found out by keeping what says nothing. */
        const double unknown = 0;
        pace = 1;
        if (imf_cache_store(dir, &key, &unknown, sizeof unknown) &&
            !imf_context_create(&alone, &options, NULL)) {
            pace = measure(alone, filter, input, settings);
            imf_cache_store(dir, &key, &pace, sizeof pace);
            imf_context_free(&alone);
        }
    }
    imf_cache_unlock(lock);
    return pace;
}
