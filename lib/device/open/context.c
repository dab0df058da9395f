/* context.c - the device, opened when something first needs it */
#include "device/open/context.h"

#include "base/arguments.h"
#include "base/clock.h"
#include "base/sized.h"
#include "device/open/last_device.h"
#include "device/open/mark.h"
#include "device/open/probe.h"
#include "device/rates.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define PROBE_SECONDS 20

struct imf_context {
    struct imf_context_options options; /* its strings are owned copies */
    struct imf_driver_guard guard;
    char *name, *cache_dir;  /* cache_dir NULL: keep nothing on disk */
    pthread_mutex_t opening; /* held during probes, which take seconds; protects: */
    bool prepared;
    struct imf_pocl_cache pocl;
    struct imf_driver_mark mark;
    bool failed; /* to open, */
    struct imf_error failure;
    struct imf_gles *gles;
    bool gles_failed, gles_broken;
    struct imf_error gles_failure;
    pthread_mutex_t lock;   /* acquired after `opening`, and held briefly; protects the rest: */
    struct imf_runtime *rt; /* set once, with both locks held */
    bool gave_up;           /* a run failed on it; never reset */
    struct imf_error surrender;
    double setup_ms;
    bool looked_up;             /* and so set, before a driver is loaded: */
    struct imf_cache_key last;  /* of last_device.h */
    struct imf_device expected; /* compute_units 0: not known */
    struct imf_tuning expected_tuning;
};

bool imf_default_cache_dir(char **out) {
    const char *base = getenv("XDG_CACHE_HOME"), *middle = "";
    *out = NULL;
    /* The XDG specification: relative paths are to be ignored. */
    if (!base || base[0] != '/') {
        base = getenv("HOME");
        middle = "/.cache";
    }
    if (!base || base[0] != '/')
        return true;
    size_t size = strlen(base) + strlen(middle) + sizeof "/imfilter";
    *out = malloc(size);
    if (*out)
        snprintf(*out, size, "%s%s/imfilter", base, middle);
    return *out != NULL;
}

enum imf_status imf_context_create(struct imf_context **out,
                                   const struct imf_context_options *options,
                                   struct imf_error *err) {
    struct imf_context_options checked;
    *out = NULL;
    imf_sized_read(&checked, sizeof checked, options);
    enum imf_status status = imf_check_context(&checked, err);
    if (status)
        return status;
    struct imf_context *ctx = calloc(1, sizeof *ctx);
    if (!ctx || pthread_mutex_init(&ctx->lock, NULL)) {
        free(ctx);
        return imf_fail_memory(err, sizeof *ctx);
    }
    if (pthread_mutex_init(&ctx->opening, NULL)) {
        pthread_mutex_destroy(&ctx->lock);
        free(ctx);
        return imf_fail_memory(err, sizeof *ctx);
    }
    *out = ctx;
    ctx->mark = (struct imf_driver_mark){.file = -1, .directory = -1};
    bool ok = true;
    ctx->options = checked;
    if (ctx->options.name)
        ok = (ctx->name = strdup(ctx->options.name)) != NULL;
    const char *dir = ctx->options.cache_dir;
    if (!dir)
        ok = imf_default_cache_dir(&ctx->cache_dir) && ok;
    else if (*dir)
        ok = (ctx->cache_dir = strdup(dir)) != NULL && ok;
    if (!ok) {
        imf_context_free(out);
        return imf_fail_memory(err, 64);
    }
    ctx->options.name = ctx->name;
    ctx->options.cache_dir = ctx->cache_dir;
    return IMF_OK;
}

void imf_context_guard(struct imf_context *ctx, const struct imf_driver_guard *guard) {
    ctx->guard = *guard;
}

void imf_context_driver_loaded(const struct imf_context *ctx) {
    if (ctx->guard.opened)
        ctx->guard.opened();
}

void imf_context_free(struct imf_context **ctx) {
    if (!*ctx)
        return;
    bool compiled = (*ctx)->rt && imf_runtime_compiled((*ctx)->rt);
    imf_runtime_close(&(*ctx)->rt);
    imf_gles_close(&(*ctx)->gles);
    imf_pocl_cache_close(&(*ctx)->pocl, compiled);
    imf_mark_close(&(*ctx)->mark, (*ctx)->guard.mark);
    pthread_mutex_destroy(&(*ctx)->opening);
    pthread_mutex_destroy(&(*ctx)->lock);
    free((*ctx)->name);
    free((*ctx)->cache_dir);
    free(*ctx);
    *ctx = NULL;
}

static bool try_out(const struct imf_context *ctx, enum imf_probe_of of, const char *const *argv,
                    struct imf_error *err) {
    unsigned seconds = ctx->guard.probe_seconds ? ctx->guard.probe_seconds : PROBE_SECONDS;
    return imf_probe(ctx->cache_dir, of, argv, seconds, err) == IMF_OK;
}

static void add_setup(struct imf_context *ctx, double ms) {
    pthread_mutex_lock(&ctx->lock);
    ctx->setup_ms += ms;
    pthread_mutex_unlock(&ctx->lock);
}

/* If a run crashed with its driver in use, PoCL begins anew, and this run does without. A crash soon after
 * had another reason. */
static void look_for_crash(struct imf_context *ctx) {
    const struct imf_driver_guard *guard = &ctx->guard;
    bool others;
    enum imf_crash crash = imf_mark_sweep(ctx->cache_dir, &others);
    if (crash == IMF_CRASH_NONE)
        return;
    if (guard->probe)
        imf_probe_crashed(ctx->cache_dir, IMF_PROBE_OPENCL, guard->probe, crash == IMF_CRASH_AGAIN);
    char *aside = others ? NULL : imf_pocl_cache_set_aside(ctx->cache_dir);
    ctx->failed = imf_fail(&ctx->failure, IMF_ERR_NO_DEVICE,
                           "the OpenCL driver is not used this time: an earlier run crashed while "
                           "it was in use (%s%.300s)",
                           aside ? "what PoCL had compiled was moved to " : "PoCL's cache is kept",
                           aside ? aside : "");
    free(aside);
}

/* Both with `opening` held. */
static void prepare(struct imf_context *ctx) {
    const struct imf_driver_guard *guard = &ctx->guard;
    if (ctx->prepared)
        return;
    ctx->prepared = true;
    if (guard->mark)
        look_for_crash(ctx);
    if (guard->probe && !ctx->failed)
        ctx->failed = !try_out(ctx, IMF_PROBE_OPENCL, guard->probe, &ctx->failure);
    if (guard->pocl_cache && !ctx->failed)
        imf_pocl_cache_open(&ctx->pocl, ctx->cache_dir);
    if (guard->mark && !ctx->failed)
        imf_mark_open(&ctx->mark, ctx->cache_dir, guard->mark);
}

static enum imf_status tell(const struct imf_context *ctx, struct imf_error *err) {
    if (ctx->failed && err)
        *err = ctx->failure;
    return ctx->failed ? ctx->failure.status : IMF_OK;
}

enum imf_status imf_context_prepare(struct imf_context *ctx, struct imf_error *err) {
    pthread_mutex_lock(&ctx->opening);
    prepare(ctx);
    enum imf_status st = tell(ctx, err);
    pthread_mutex_unlock(&ctx->opening);
    return st;
}

/* With `lock` held. */
static void look_up(struct imf_context *ctx) {
    if (ctx->looked_up || ctx->options.device != IMF_DEVICE_AUTO)
        return;
    ctx->looked_up = true;
    ctx->last = imf_last_device_key();
    if (imf_last_device_load(ctx->cache_dir, &ctx->last, &ctx->expected) &&
        imf_rates_load(ctx->cache_dir, &ctx->expected, &ctx->expected_tuning))
        imf_tuning_publish(&ctx->expected, &ctx->expected_tuning);
}

enum imf_status imf_context_runtime(struct imf_context *ctx, struct imf_runtime **out,
                                    struct imf_error *err) {
    pthread_mutex_lock(&ctx->opening);
    if (!ctx->rt && !ctx->failed) {
        double begin = imf_now_ms();
        struct imf_runtime *rt = NULL;
        imf_context_expected_device(ctx);
        prepare(ctx);
        if (!ctx->failed)
            ctx->failed = imf_runtime_open(&rt, &ctx->options, ctx->cache_dir, &ctx->failure);
        imf_context_driver_loaded(ctx);
        pthread_mutex_lock(&ctx->lock);
        ctx->rt = rt;
        pthread_mutex_unlock(&ctx->lock);
        if (rt && ctx->looked_up)
            imf_last_device_store(ctx->cache_dir, &ctx->last, imf_runtime_device(rt));
        add_setup(ctx, imf_now_ms() - begin);
    }
    *out = ctx->failed ? NULL : ctx->rt;
    enum imf_status st = tell(ctx, err);
    pthread_mutex_unlock(&ctx->opening);
    return st;
}

/* With `opening` held. */
static void find_gles(struct imf_context *ctx) {
    const char *const *probe = ctx->guard.gles_probe;
    struct imf_error *err = &ctx->gles_failure;
    if (ctx->gles || ctx->gles_failed)
        return;
    double begin = imf_now_ms();
    ctx->gles_broken = probe && !try_out(ctx, IMF_PROBE_GLES, probe, err);
    ctx->gles_failed = ctx->gles_broken || imf_gles_open(&ctx->gles, err) != IMF_OK;
    if (!ctx->gles_failed && imf_gles_why_not(ctx->gles))
        ctx->gles_failed = imf_fail(err, IMF_ERR_NO_DEVICE, "OpenGL ES 2 on %.60s will not do: %s",
                                    imf_gles_name(ctx->gles), imf_gles_why_not(ctx->gles));
    add_setup(ctx, imf_now_ms() - begin);
}

enum imf_status imf_context_gles(struct imf_context *ctx, struct imf_gles **out, bool *broken,
                                 struct imf_error *err) {
    pthread_mutex_lock(&ctx->opening);
    find_gles(ctx);
    *out = ctx->gles_failed ? NULL : ctx->gles;
    if (broken)
        *broken = ctx->gles_broken;
    enum imf_status st = ctx->gles_failed ? ctx->gles_failure.status : IMF_OK;
    if (st && err)
        *err = ctx->gles_failure;
    pthread_mutex_unlock(&ctx->opening);
    return st;
}

const struct imf_gles *imf_context_gles_found(struct imf_context *ctx) {
    pthread_mutex_lock(&ctx->opening);
    find_gles(ctx);
    pthread_mutex_unlock(&ctx->opening);
    return ctx->gles;
}

const struct imf_device *imf_context_expected_device(struct imf_context *ctx) {
    pthread_mutex_lock(&ctx->lock);
    look_up(ctx);
    pthread_mutex_unlock(&ctx->lock);
    return ctx->expected.compute_units > 0 ? &ctx->expected : NULL;
}

bool imf_context_opened(struct imf_context *ctx) {
    pthread_mutex_lock(&ctx->lock);
    bool opened = ctx->rt != NULL;
    pthread_mutex_unlock(&ctx->lock);
    return opened;
}

const char *imf_context_cache_dir(const struct imf_context *ctx) {
    return ctx->cache_dir;
}

bool imf_context_device_asked(const struct imf_context *ctx) {
    return ctx->options.device != IMF_DEVICE_AUTO;
}

void imf_context_give_up(struct imf_context *ctx, const struct imf_error *why) {
    pthread_mutex_lock(&ctx->lock);
    if (!ctx->gave_up)
        ctx->surrender = *why;
    ctx->gave_up = true;
    pthread_mutex_unlock(&ctx->lock);
}

const char *imf_context_gave_up(struct imf_context *ctx) {
    pthread_mutex_lock(&ctx->lock);
    const char *text = ctx->gave_up ? ctx->surrender.text : NULL;
    pthread_mutex_unlock(&ctx->lock);
    return text;
}

double imf_context_take_setup_ms(struct imf_context *ctx) {
    pthread_mutex_lock(&ctx->lock);
    double ms = ctx->setup_ms;
    ctx->setup_ms = 0;
    pthread_mutex_unlock(&ctx->lock);
    return ms;
}
