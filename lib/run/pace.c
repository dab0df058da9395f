/*
 * pace.c - how long the host takes for a filter, compared to the estimate by the shipped rates
 *
 * Shipped rates are those of one machine, and estimates divide the work by the number of cores. Elsewhere an
 * exponential takes seven times as long, for want of longer vectors, and cores that are two threads of one do less
 * together. What the host does in much time is run before it is weighed against a GPU, as FFTW measures its plans.
 */
#include "run/pace.h"

#include "base/clock.h"
#include "base/thread_pool.h"
#include "device/cache.h"
#include "run/plan.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define TRIAL_MS 3  /* of a run, by its estimate */
#define LIMIT_MS 40 /* no run is begun after so many */
#define MOST 8      /* a factor further from 1 is no machine's */
enum { RUNS = 2, WIDTH = 512, LEAST_ROWS = 32, MOST_ROWS = 2048 };

/* A plan for so many rows; its estimate, or 0. */
static double plan(struct imf_plan **out, struct imf_context *ctx, const struct imf_filter *filter,
                   struct imf_info *info, const struct imf_settings *settings, double rows) {
    imf_plan_free(out);
    info->height = (int)rows;
    enum imf_status st = imf_plan_make(out, ctx, filter, info, settings, NULL, false, 1, NULL);
    return st || (*out)->planning.path.on_device ? 0 : imf_plan_choice(*out)->chosen->estimate_ms;
}

static size_t stride_of(const struct imf_info *info) {
    return (size_t)info->width * (size_t)info->channels * (size_t)info->depth / 8;
}

/* The least time of some runs after one that touches the memory, unless that took long; or 0. Where other processes have a part of the cores, the
 * processor time of a core counts. */
static double run(const struct imf_plan *plan, const void *in, void *out) {
    size_t in_stride = stride_of(&plan->input), out_stride = stride_of(&plan->output);
    struct imf_workspace *w;
    double least = INFINITY, start = imf_now_ms();
    if (imf_workspace_create(&w, plan, NULL))
        return 0;
    bool late = false;
    for (int i = 0; i <= RUNS && !late; i++) {
        double begin = imf_now_ms(), used = imf_processor_ms();
        if (imf_workspace_run_memory(w, in, in_stride, out, out_stride, NULL, NULL, NULL))
            least = 0;
        used = (imf_processor_ms() - used) / imf_cores();
        late = imf_now_ms() - start >= LIMIT_MS;
        if (i > 0 || late)
            least = fmin(least, fmin(imf_now_ms() - begin, used));
    }
    imf_workspace_free(&w);
    return least;
}

/* Noise on waves. */
static void draw(void *pixels, const struct imf_info *info) {
    size_t samples = (size_t)info->width * (size_t)info->height * (size_t)info->channels;
    uint32_t state = 1;
    for (size_t i = 0; i < samples; i++) {
        state = state * 1664525u + 1013904223u;
        uint32_t value = ((uint32_t)i * 24u ^ state >> 20) & 0xffff;
        switch (info->depth) {
        case 8:
            ((uint8_t *)pixels)[i] = (uint8_t)(value >> 8);
            break;
        case 16:
            ((uint16_t *)pixels)[i] = (uint16_t)value;
            break;
        case 32:
            ((float *)pixels)[i] = (float)value / 65535;
            break;
        default:
            ((double *)pixels)[i] = value / 65535.0;
        }
    }
}

/* 0: it could not be measured. */
static double measure(struct imf_context *ctx, const struct imf_filter *filter,
                      const struct imf_info *input, const struct imf_settings *given) {
    struct imf_info info = *input;
    struct imf_settings settings = *given;
    struct imf_plan *trial = NULL;
    double factor = 0;
    settings.pictures = settings.workers = 0;
    info.width = WIDTH;
    double whole = plan(&trial, ctx, filter, &info, &settings, MOST_ROWS);
    double rows = whole > 0 ? fmin(fmax(MOST_ROWS * TRIAL_MS / whole, LEAST_ROWS), MOST_ROWS) : 0;
    double estimate = rows > 0 ? plan(&trial, ctx, filter, &info, &settings, rows) : 0;
    if (estimate > 0) {
        size_t in_size = stride_of(&info) * (size_t)info.height;
        size_t out_size = stride_of(&trial->output) * (size_t)info.height;
        double bytes = (double)(in_size + out_size + imf_plan_choice(trial)->chosen->bytes);
        bool fits = !settings.max_memory || bytes <= (double)settings.max_memory;
        void *in = fits ? malloc(in_size) : NULL, *out = fits ? malloc(out_size) : NULL;
        if (in && out) {
            draw(in, &info);
            factor = run(trial, in, out) / estimate;
        }
        free(in);
        free(out);
    }
    imf_plan_free(&trial);
    return factor > 0 ? fmin(fmax(factor, 1.0 / MOST), MOST) : 0;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

/* Of the filter, but not of the picture's shape: who filters another one at the same time waits for the first, so that
 * nothing else of this process is at work while it is measured. */
static struct imf_cache_key key_of(const struct imf_filter *filter,
                                   const struct imf_settings *settings) {
    struct imf_cache_key key;
    struct utsname machine;
    char how[64];
    snprintf(how, sizeof how, "%d cores%s", imf_cores(), settings->linear ? ", linear" : "");
    imf_cache_key_start(&key);
    imf_cache_key_add(&key, "host pace " IMF_VERSION);
    if (uname(&machine) == 0)
        imf_cache_key_add(&key, machine.nodename);
    imf_cache_key_add(&key, how);
    imf_cache_key_add(&key, imf_filter_text(filter));
    return key;
}

static bool load(const char *dir, const struct imf_cache_key *key, double *out) {
    size_t size = 0;
    void *data = imf_cache_load(dir, key, &size);
    bool whole = data && size == sizeof *out;
    if (whole)
        memcpy(out, data, sizeof *out);
    free(data);
    return whole && *out >= 1.0 / MOST && *out <= MOST;
}

/* On a context that knows nothing of the machine, and opens no device. */
static double measure_alone(const struct imf_filter *filter, const struct imf_info *input,
                            const struct imf_settings *settings) {
    static const struct imf_error never = {.status = IMF_ERR_NO_DEVICE,
                                           .text = "the host is measured"};
    const struct imf_context_options options = {.size = sizeof options, .cache_dir = ""};
    struct imf_context *alone;
    if (imf_context_create(&alone, &options, NULL))
        return 0;
    imf_context_give_up(alone, &never);
    double pace = measure(alone, filter, input, settings);
    imf_context_free(&alone);
    return pace;
}

double imf_pace(struct imf_context *ctx, const struct imf_filter *filter,
                const struct imf_info *input, const struct imf_settings *settings) {
    const char *dir = imf_context_cache_dir(ctx);
    const struct imf_cache_key key = key_of(filter, settings);
    double pace = 1;
    if (!dir || load(dir, &key, &pace))
        return dir ? pace : 1;
    int lock = imf_cache_lock(dir, &key); /* one measures, others wait for it */
    if (!load(dir, &key, &pace)) {
        /* Whether it can be kept is found out by keeping what says nothing. */
        const double unknown = 0;
        pace = imf_cache_store(dir, &key, &unknown, sizeof unknown)
                   ? measure_alone(filter, input, settings)
                   : 0;
        pace = pace > 0 ? pace : 1;
        imf_cache_store(dir, &key, &pace, sizeof pace);
    }
    imf_cache_unlock(lock);
    return pace;
}
