/*
 * planner.c - which solver does each pass, by estimated cost
 *
 * At most three searches: over the host's solvers; over those of a nominal device as well, which
 * tells whether opening a device may pay; and over those of the device that was opened. Options
 * only say which solvers and places are allowed.
 */
#include "plan/explain.h"
#include "plan/reference.h"

#include "base/thread_pool.h"
#include "device/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Opening any device takes longer: what the host does in this time needs no look at the cache for the
 * device that was opened last, which takes 0.1 ms. */
#define LEAST_OPENING_MS 10

/* Stands for a device that is not opened: PoCL on this machine's processors. */
static struct imf_device nominal_device(void) {
    struct imf_device d = {.name = "OpenCL (not opened)",
                           .unified = true,
                           .compute_units = (unsigned)imf_cores(),
                           .max_group = 4096,
                           .local_memory = 262144,
                           .global_memory = UINT64_MAX,
                           .max_alloc = UINT64_MAX,
                           .fp64 = true};
    return d;
}

/* What needs less than measuring the noise of a whole picture. */
static const char *sparing(const struct imf_chain *c) {
    for (int i = 0; i < c->count; i++)
        if (c->passes[i].kind == IMF_PASS_CONVOLVE && c->passes[i].problem.kind == IMF_DENOISE &&
            c->passes[i].problem.denoise->sigma < 0)
            return "; denoise:SIGMA, as denoise:2%, does not measure the whole image";
    return "";
}

enum imf_status imf_planning_over_limit(const struct imf_chain *chain, double bytes, double limit,
                                        struct imf_error *err) {
    char need[IMF_BYTES_TEXT], most[IMF_BYTES_TEXT];
    return imf_fail(err, IMF_ERR_LIMIT,
                    "filtering needs %s, over the limit of %s (raise it with --max-memory%s)",
                    imf_bytes_text(need, bytes), imf_bytes_text(most, limit), sparing(chain));
}

/* Fail because there is no path: for the limit, or for the backends' reasons. */
static enum imf_status fail_without_path(const struct imf_chain *chain, const struct imf_path *path,
                                         const struct imf_planning_request *r,
                                         struct imf_error *err) {
    if (path->over.bytes < INFINITY)
        return imf_planning_over_limit(chain, path->over.bytes, r->options.limit, err);
    if (!r->backend)
        return imf_fail(err, IMF_ERR_LIMIT, "no backend can do this: %s", path->why);
    return imf_fail(err, IMF_ERR_ARGUMENT, "--backend=%s cannot do this: %s (try --backend=auto)",
                    imf_backend_name(r->backend), path->why);
}

/* ---- searches -------------------------------------------------------------------------------- */

static enum imf_status find(struct imf_path *out, struct imf_proposals *all,
                            const struct imf_planning_request *r, unsigned backends,
                            struct imf_error *err) {
    struct imf_path_options options = r->options;
    options.backends = backends;
    options.opened = r->opened;
    options.prefers_device = r->device_asked && (backends & IMF_DEVICE_BACKENDS);
    return imf_path_find(out, all, &options, err);
}

/* What the host filters all pictures in; INFINITY: it cannot. */
static double host_filters_ms(const struct imf_planning *p, const struct imf_planning_request *r) {
    return p->host.chosen ? p->host.filter_ms * r->options.throughput.pictures : INFINITY;
}

/* A device that is not known may pay to open if it would win at this many times PoCL's speed. */
#define FASTER 2
static bool may_win(const struct imf_path *path, const struct imf_path *host, bool known) {
    double work = path->ms - path->start_ms;
    return path->on_device && path->start_ms + (known ? work : work / FASTER) < host->ms;
}

/* Where the host filters this long a device that is not known is opened once, since it may be a GPU, which has solvers that
 * PoCL lacks. What it is is remembered. */
#define LEARNING_MS 500

/* Open the device. If the host can do the work, a failure becomes a note. */
static enum imf_status open_device(struct imf_planning *p, struct imf_context *ctx, bool must,
                                   struct imf_planning_request *r, struct imf_error *err) {
    /* A device that failed in an earlier run is used again only if the user asked for it. */
    const char *why = must ? NULL : imf_context_gave_up(ctx);
    enum imf_status st = why ? IMF_OK : imf_context_runtime(ctx, &p->rt, &r->failure);
    if (st && must) {
        if (err)
            *err = r->failure;
        return st;
    }
    r->opencl_failure = st ? r->failure.text : why;
    return IMF_OK;
}

/* The driver exceeds the limit: note what the device would need. */
static enum imf_status note_driver_memory(struct imf_planning *p, struct imf_proposals *all,
                                          double driver, struct imf_planning_request *r,
                                          struct imf_error *err) {
    struct imf_planning_request free = *r;
    struct imf_path path = {.chosen = NULL};
    char need[IMF_BYTES_TEXT], most[IMF_BYTES_TEXT];
    snprintf(r->no_memory_for_driver, sizeof r->no_memory_for_driver,
             "the driver needs %s, over the limit of %s", imf_bytes_text(need, driver),
             imf_bytes_text(most, r->options.limit));
    if (!r->device_backends)
        return IMF_OK;
    free.options.limit = INFINITY;
    enum imf_status st = find(&path, all, &free, r->host_backends | r->device_backends, err);
    if (!st && path.on_device)
        imf_path_pass_over(&path, p->chain, &p->path.over);
    imf_path_clear(&path);
    return st;
}

/* Open the device if it has to be or may pay, and find the path that may use it. A driver that
 * exceeds the memory limit is not even loaded. */
static enum imf_status search_device(struct imf_planning *p, struct imf_context *ctx,
                                     struct imf_proposals *all, const struct imf_device *nominal,
                                     bool known, struct imf_planning_request *r,
                                     struct imf_error *err) {
    bool must = !p->host.chosen || r->device_asked || !r->host_backends;
    double driver = r->options.base + imf_tuning(nominal)->driver_bytes;
    struct imf_path path = {.chosen = NULL};
    enum imf_status st = IMF_OK;
    if (driver > r->options.limit && !r->opened)
        return note_driver_memory(p, all, driver, r, err);
    if (!r->device_backends)
        return IMF_OK;
    if (!must && !r->opened) {
        st = find(&path, all, r, r->host_backends | r->device_backends, err);
        bool may = !st && (may_win(&path, &p->host, known) ||
                           (!known && host_filters_ms(p, r) >= LEARNING_MS));
        imf_path_clear(&path);
        if (st || !may)
            return st;
    }
    st = open_device(p, ctx, must, r, err);
    if (st || !p->rt)
        return st;
    const struct imf_chain *chain = all->chain;
    bool float64 = all->float64;
    imf_proposals_close(all);
    st = imf_proposals_open(all, chain, imf_runtime_device(p->rt), float64, err);
    all->pace = p->pace;
    return st ? st : find(&p->path, all, r, r->host_backends | r->device_backends, err);
}

/* ---- making ---------------------------------------------------------------------------------- */

/* Choose the host's path, and remember the cheapest that only the limit forbids. */
static void choose_host(struct imf_planning *p) {
    if (p->path.over.ms < p->host.over.ms)
        p->host.over = p->path.over;
    imf_path_clear(&p->path);
    p->path = p->host;
    p->host = (struct imf_path){.over.ms = INFINITY};
}

/* The device that a run would open; NULL: it is not known, or its driver may not be loaded. */
static const struct imf_device *look_at_device(struct imf_context *ctx,
                                               const struct imf_planning_request *r) {
    struct imf_device nominal = nominal_device();
    double driver = r->options.base + imf_tuning(&nominal)->driver_bytes;
    struct imf_runtime *rt;
    bool may = r->explain && r->device_backends && driver <= r->options.limit;
    return !may || imf_context_gave_up(ctx) || imf_context_runtime(ctx, &rt, NULL)
               ? NULL
               : imf_runtime_device(rt);
}

static enum imf_status make(struct imf_planning *p, struct imf_context *ctx,
                            struct imf_planning_request *r, struct imf_error *err) {
    struct imf_device nominal = nominal_device();
    struct imf_proposals all;
    bool float64 = r->host_backends == IMF_BACKEND_BIT(IMF_BACKEND_CPU);
    enum imf_status st = imf_proposals_open(&all, p->chain, &nominal, float64, err);
    if (st)
        return st;
    all.pace = p->pace;
    p->path.over.ms = p->host.over.ms = INFINITY;
    if (r->host_backends)
        st = find(&p->host, &all, r, r->host_backends, err);
    const struct imf_device *expected =
        host_filters_ms(p, r) < LEAST_OPENING_MS ? NULL : imf_context_expected_device(ctx);
    const struct imf_device *seen = look_at_device(ctx, r);
    if (seen || expected)
        nominal = seen ? *seen : *expected;
    if (!st)
        st = search_device(p, ctx, &all, &nominal, expected != NULL, r, err);
    p->wants_pace = !r->pace_known && !r->device_asked && r->device_backends && p->host.chosen &&
                    (nominal.gpu || (p->rt && imf_runtime_device(p->rt)->gpu)) &&
                    host_filters_ms(p, r) >= LEARNING_MS;
    if (!st && p->host.on_gles) /* which was asked for */
        st = imf_context_gles(ctx, &p->gles, NULL, err);
    bool better =
        p->path.chosen && (!p->host.chosen || r->device_asked || p->path.ms <= p->host.ms);
    if (!st && !better && !p->host.chosen)
        st = fail_without_path(p->chain, r->host_backends ? &p->host : &p->path, r, err);
    if (!st && !better)
        choose_host(p);
    for (int i = 0; !st && i < p->chain->count; i++)
        p->path.chosen[i].gles = p->gles;
    if (!st)
        st = imf_explain_passes(p, &all, r, err);
    if (!st) {
        /* A driver that was loaded stays in memory, even if the host does the work. */
        if (p->rt && !p->path.on_device) {
            double bytes = p->path.bytes + imf_tuning(imf_runtime_device(p->rt))->driver_bytes;
            p->path.bytes = bytes <= r->options.limit ? bytes : p->path.bytes;
        }
        imf_explain_whole(p, &all, r);
    }
    imf_proposals_close(&all);
    return st;
}

enum imf_status imf_planning_make(struct imf_planning *p, struct imf_context *ctx,
                                  const struct imf_chain *c, const struct imf_settings *settings,
                                  const struct imf_planning_beside *beside, struct imf_error *err) {
    enum imf_backend backend = settings->backend;
    bool again = false; /* verifying runs the chain once more */
    bool host = imf_backend_is_host(backend);
    struct imf_planning_request r = {
        .backend = backend,
        .device_asked = imf_context_device_asked(ctx) && !host,
        /* Where results of backends may differ within the tolerance, the choice depends on this
         * image alone, not on what a batch has opened before. */
        .opened = c->exact && imf_context_opened(ctx) && !beside->explain,
        .explain = beside->explain,
        .pace_known = beside->pace > 0,
        .host_backends = !backend ? IMF_HOST_BACKENDS
                         : host   ? IMF_BACKEND_BIT(backend)
                                  : 0,
        .device_backends = !backend ? IMF_DEVICE_BACKENDS
                           : host   ? 0
                                    : IMF_BACKEND_BIT(backend),
        .options = {.limit = settings->max_memory ? (double)settings->max_memory : INFINITY,
                    .base = IMF_PROCESS_BYTES + (double)settings->held + beside->filter +
                            (beside->verify ? imf_reference_bytes(c, &again) : 0),
                    .times = 1,
                    .throughput = imf_throughput_of(settings, beside->input),
                    .whole = settings->whole,
                    .twice = settings->twice}};
    r.options.times += again;
    memset(p, 0, sizeof *p);
    p->chain = c;
    p->pace = beside->pace > 0 ? beside->pace : 1;
    r.options.throughput.coding_ms *= p->pace;
    p->throughput = r.options.throughput;
    enum imf_status st = make(p, ctx, &r, err);
    if (st)
        imf_planning_clear(p);
    return st;
}

void imf_planning_clear(struct imf_planning *p) {
    imf_path_clear(&p->path);
    imf_path_clear(&p->host);
    free(p->candidates);
    p->candidates = NULL;
}
