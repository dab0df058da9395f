/*
 * planner.c - which solver does each convolution, by estimated cost
 *
 * Every solver is asked what it proposes for each convolution of the chain. A candidate is the
 * chain done by one backend throughout; the automatic choice takes the cheapest for each
 * convolution and compares with the host's. What an option leaves to this choice is a table.
 */
#include "plan/planner.h"

#include "base/parallel.h"
#include "device/tuning.h"
#include "plan/candidates.h"
#include "plan/compose.h"
#include "plan/fallback.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The process without images and driver: measured 4 to 5.5 MB. */
#define PROCESS_BYTES 5e6

enum policy { HOST_ASKED, BACKEND_ASKED, DEVICE_ASKED, OPENED, FREE, HOST_ALONE, UNUSABLE };

/* What is left to the choice. */
static const struct rule {
    bool device; /* a device may be taken, */
    bool must;   /* and has to be opened whatever it costs */
    bool host;   /* the host's solvers may be taken: */
    bool last;   /* where the device cannot, instead of where it takes longer */
    const char *device_why, *host_why; /* why one that was taken was */
    const char *over;                  /* why others were passed over; NULL: they take longer, */
    const char *over_host;             /* but for the host that does not, */
    const char *over_device;           /* or for one of the device's that does not */
} rules[] = {
    [HOST_ASKED] = {.host = true, .host_why = "asked for with --backend", .over = "--backend"},
    [BACKEND_ASKED] = {.device = true,
                       .must = true,
                       .device_why = "asked for with --backend",
                       .over = "--backend"},
    [DEVICE_ASKED] = {.device = true,
                      .must = true,
                      .host = true,
                      .last = true,
                      .device_why = "cheapest on the device asked for",
                      .host_why = "the device cannot do this",
                      .over_host = "a device was asked for",
                      .over_device = "not done by one backend alone"},
    [OPENED] = {.device = true,
                .host = true,
                .device_why = "cheapest",
                .host_why = "cheapest",
                .over_host = "not done by one backend alone",
                .over_device = "not done by one backend alone"},
    [FREE] = {.device = true,
              .host = true,
              .device_why = "cheapest",
              .host_why = "cheapest: starting OpenCL would cost more",
              .over_host = "not done by one backend alone",
              .over_device = "not done by one backend alone"},
    [HOST_ALONE] = {.host = true,
                    .host_why = "cheapest of those that can do this",
                    .over_host = "not done by one backend alone"},
    [UNUSABLE] = {.host = true,
                  .host_why = "OpenCL is not usable here",
                  .over = "OpenCL is not usable"},
};

struct request {
    enum imf_backend backend;
    enum policy policy;
    struct imf_bounds bounds;
    struct imf_error unusable; /* why OpenCL is */
};

/* A device that was not opened: PoCL on this machine's processors. */
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

static const enum imf_backend backends[] = {IMF_BACKEND_DIRECT, IMF_BACKEND_SEPARABLE,
                                            IMF_BACKEND_FFT};
#define BACKENDS (sizeof backends / sizeof *backends)
/* Without a device: of equally cheap ones the first is taken. */
static const enum imf_backend hosts[] = {IMF_BACKEND_VECTOR, IMF_BACKEND_GLES, IMF_BACKEND_CPU};
#define GLES 1
/* A note, as IMF_HOST_NOTE. */
#define GLES_NOTE "%.210s; filtering by OpenGL ES"
#define HOSTS (sizeof hosts / sizeof *hosts)
_Static_assert(BACKENDS + 1 + HOSTS <= IMF_MAX_CANDIDATES,
               "struct imf_planning has room for every candidate: those, a mixture, the host's");

/* Remember a candidate that the limit forbids, if it is the fastest of these. */
static void note_over(struct imf_planning *p, const struct imf_candidate *k, double ms) {
    if (ms == INFINITY || (p->over.candidate && p->over.ms <= ms))
        return;
    p->over.candidate = k;
    p->over.ms = ms;
}

/* Add the device's candidates; returns the index of the cheapest that may be taken, how its passes
 * are done in p->taken, or SIZE_MAX. */
static size_t device_candidates(struct imf_planning *p, struct imf_proposals *from,
                                const struct request *r, struct imf_proposal *taken) {
    enum imf_backend only = r->policy == BACKEND_ASKED ? r->backend : IMF_BACKEND_AUTO;
    size_t best = SIZE_MAX, bytes = (size_t)from->chain->count * sizeof *taken;
    for (size_t k = 0; k < BACKENDS; k++) {
        struct imf_candidate *out = &p->candidate[p->count++];
        note_over(p, out, imf_candidate_make(out, from, backends[k], &r->bounds, taken));
        if (!out->eligible || (only && only != backends[k]) ||
            (best != SIZE_MAX && out->estimate_ms >= p->candidate[best].estimate_ms))
            continue;
        best = k;
        memcpy(p->taken, taken, bytes);
    }
    struct imf_candidate mixture = {.eligible = false};
    if (!only)
        imf_candidate_make(&mixture, from, IMF_BACKEND_AUTO, &r->bounds, taken);
    if (!mixture.eligible)
        return best;
    memcpy(p->taken, taken, bytes);
    p->candidate[p->count] = mixture;
    return p->count++;
}

/* The chain's candidates on a device, or on what one would be; *best as device_candidates(). */
static enum imf_status ask_device(struct imf_planning *p, const struct imf_chain *c,
                                  const struct imf_device *d, const struct request *r, size_t *best,
                                  struct imf_error *err) {
    struct imf_proposals apart, together = {.list = NULL};
    p->chain = c;
    enum imf_status st = imf_proposals_open(&apart, c, d, err);
    if (st)
        return st;
    const struct imf_prices prices = imf_proposals_prices(&apart);
    /* The host filters the rim of composed passes, in memory that it shares with the device. */
    if (d->unified)
        st = imf_chain_compose(&p->composed, c, &prices, err);
    if (!st && p->composed)
        st = imf_proposals_open(&together, p->composed, d, err);
    p->chain = p->composed ? p->composed : c;
    struct imf_proposal *taken = calloc((size_t)c->count, sizeof *taken);
    if (!taken && !st)
        st = imf_fail_memory(err, (size_t)c->count * sizeof *taken);
    if (!st)
        *best = device_candidates(p, p->composed ? &together : &apart, r, taken);
    free(taken);
    imf_proposals_close(&together);
    imf_proposals_close(&apart);
    return st;
}

/* The candidates of the host's solvers, for the chain as it is, and what each takes that only the
 * limit forbids; *best: the one asked for, or the cheapest that needs no device, or the last. */
static enum imf_status ask_host(struct imf_candidate out[HOSTS], double over[HOSTS],
                                const struct imf_chain *c, const struct request *r, size_t *best,
                                struct imf_error *err) {
    struct imf_proposals host;
    enum imf_status st = imf_proposals_open(&host, c, NULL, err);
    struct imf_proposal *taken = st ? NULL : calloc((size_t)c->count, sizeof *taken);
    if (!st && !taken)
        st = imf_fail_memory(err, (size_t)c->count * sizeof *taken);
    *best = HOSTS - 1;
    for (size_t k = HOSTS; k-- > 0 && !st;) {
        over[k] = imf_candidate_make(&out[k], &host, hosts[k], &r->bounds, taken);
        if (r->policy == HOST_ASKED)
            *best = hosts[k] == r->backend ? k : *best;
        else if (k != GLES && out[k].eligible &&
                 (!out[*best].eligible || out[k].estimate_ms <= out[*best].estimate_ms))
            *best = k;
    }
    free(taken);
    imf_proposals_close(&host);
    return st;
}

/* Why one that could do it was passed over though it is estimated to take no longer, or NULL. */
static const char *why_passed_over(const struct imf_planning *p, const struct rule *rule,
                                   const struct imf_candidate *k) {
    const struct imf_candidate *hosts_first = &p->candidate[p->count - HOSTS];
    bool longer = k->estimate_ms >= p->candidate[p->chosen].estimate_ms;
    if (rule == &rules[UNUSABLE] && k >= hosts_first && longer)
        return NULL;
    if (rule->over || longer)
        return rule->over;
    if (k == hosts_first + GLES)
        return "left to choose, only where OpenCL is not usable";
    return k >= &p->candidate[p->count - HOSTS] ? rule->over_host : rule->over_device;
}

/* Say of each candidate why it was taken or passed over. */
static void explain(struct imf_planning *p, const struct rule *rule) {
    const struct imf_candidate *chosen = &p->candidate[p->chosen];
    for (size_t i = 0; i < p->count; i++) {
        struct imf_candidate *k = &p->candidate[i];
        k->chosen = i == p->chosen;
        if (!k->eligible)
            continue;
        const char *over = k->chosen ? NULL : why_passed_over(p, rule, k);
        if (k->chosen)
            snprintf(k->why, sizeof k->why, "%s", p->on_device ? rule->device_why : rule->host_why);
        else if (over)
            snprintf(k->why, sizeof k->why, "passed over: %s", over);
        else
            snprintf(k->why, sizeof k->why, "%.1f times the chosen one's estimate",
                     k->estimate_ms / fmax(chosen->estimate_ms, 1e-3));
    }
}

enum imf_status imf_planning_over_limit(double bytes, double limit, struct imf_error *err) {
    char need[IMF_BYTES_TEXT], most[IMF_BYTES_TEXT];
    return imf_fail(err, IMF_ERR_LIMIT,
                    "filtering needs %s, over the limit of %s (raise it with --max-memory)",
                    imf_bytes_text(need, bytes), imf_bytes_text(most, limit));
}

/* Why nothing is left: the limit if it is that, else the reason of the backend asked for or, left
 * to choose, of the first. */
static enum imf_status cannot(const struct imf_planning *p, const struct request *r,
                              struct imf_error *err) {
    const char *name = imf_backend_name(r->backend), *why = "";
    double least = INFINITY;
    for (size_t i = 0; i < p->count; i++) {
        const struct imf_candidate *k = &p->candidate[i];
        bool asked = !r->backend || !strcmp(k->backend, name);
        if (asked && (double)k->bytes > r->bounds.limit)
            least = fmin(least, (double)k->bytes);
        if (asked && !k->eligible && !*why)
            why = k->why;
    }
    if (least < INFINITY)
        return imf_planning_over_limit(least, r->bounds.limit, err);
    if (!r->backend)
        return imf_fail(err, IMF_ERR_LIMIT, "no backend can do this: %s", why);
    return imf_fail(err, IMF_ERR_ARGUMENT, "--backend=%s cannot do this: %s (try --backend=auto)",
                    name, why);
}

/* Open the device; where the host can do without, a failure is a note. */
static enum imf_status open_device(struct imf_planning *p, struct imf_context *ctx, bool must,
                                   struct request *r, struct imf_error *err) {
    struct imf_error failure;
    /* A device that failed at its work stays unused where nothing else was asked for. */
    const char *why = must ? NULL : imf_context_gave_up(ctx);
    enum imf_status st = why ? IMF_OK : imf_context_runtime(ctx, &p->rt, &failure);
    if (st && must) {
        if (err)
            *err = failure;
        return st;
    }
    if (st)
        why = failure.text;
    if (why) {
        r->policy = UNUSABLE;
        imf_fail(&r->unusable, IMF_ERR_NO_DEVICE, "%s", why);
    }
    return IMF_OK;
}

/* May a device that is not opened win against the host, if it is so many times as fast as the
 * nominal one? The answer's candidates are left in *p. */
#define FASTER 2
static bool may_win(const struct imf_planning *p, const struct imf_device *nominal, size_t best,
                    double host_ms) {
    double open_ms = imf_tuning(nominal)->open_ms;
    return best != SIZE_MAX &&
           open_ms + (p->candidate[best].estimate_ms - open_ms) / FASTER < host_ms;
}

/* A driver that was loaded stays in memory, whoever does the work. What a limit allowed without it
 * stays allowed: it was loaded because a device was asked for, or an image before needed it. */
static double with_driver(const struct imf_candidate *host, const struct imf_device *d) {
    return (double)host->bytes + imf_tuning(d)->driver_bytes;
}

static void count_driver(struct imf_candidate host[HOSTS], const struct imf_device *d,
                         double limit) {
    for (size_t k = 0; k < HOSTS; k++)
        if (host[k].eligible && with_driver(&host[k], d) <= limit)
            host[k].bytes = (uint64_t)with_driver(&host[k], d);
}

/* The device's candidates, once it is opened if it has to be or may be worth it: only to compare,
 * it is where there is room for it beside what the host would do. */
static enum imf_status make_device(struct imf_planning *p, struct imf_context *ctx,
                                   const struct imf_chain *c, bool must,
                                   const struct imf_candidate *host, struct request *r,
                                   size_t *best, struct imf_error *err) {
    struct imf_device nominal = nominal_device();
    /* A driver that there is no room for is not even loaded: the system might end the process. */
    bool opened = r->policy == OPENED,
         room = r->bounds.base + imf_tuning(&nominal)->driver_bytes <= r->bounds.limit,
         may = rules[r->policy].device && (opened || room), at_once = may && (must || opened),
         open = at_once;
    enum imf_status st = IMF_OK;
    if (!at_once) {
        st = ask_device(p, c, &nominal, r, best, err);
        open = may && may_win(p, &nominal, *best, host->estimate_ms) &&
               with_driver(host, &nominal) <= r->bounds.limit;
    }
    if (st || !open)
        return st;
    st = open_device(p, ctx, must, r, err);
    if (st || (!at_once && !p->rt))
        return st;
    imf_chain_free(&p->composed);
    p->count = 0;
    p->over.candidate = NULL;
    *best = SIZE_MAX;
    return ask_device(p, c, p->rt ? imf_runtime_device(p->rt) : &nominal, r, best, err);
}

/* What is left within the limit may take minutes where more memory takes seconds. */
#define LONG_MS 5000
#define MUCH_LONGER 8
static void warn_of_limit(struct imf_planning *p) {
    const struct imf_candidate *taken = &p->candidate[p->chosen], *over = p->over.candidate;
    char need[IMF_BYTES_TEXT];
    if (!over || taken->estimate_ms < LONG_MS || taken->estimate_ms < MUCH_LONGER * p->over.ms)
        return;
    snprintf(p->note, sizeof p->note,
             "--max-memory leaves %s, an estimated %.0f s; with %s it would be %s and %.0f s",
             taken->backend, taken->estimate_ms / 1000, imf_bytes_text(need, (double)over->bytes),
             over->backend, ceil(p->over.ms / 1000));
}

/* OpenGL ES, where it was asked for or is all there is and estimated to win; *own: as ask_host(). */
static enum imf_status open_gles(struct imf_planning *p, struct imf_context *ctx,
                                 struct imf_candidate host[HOSTS], size_t own, struct request *r,
                                 struct imf_error *err) {
    struct imf_candidate *gles = &host[GLES];
    struct imf_error failure, unusable = r->unusable;
    bool broken;
    bool must = r->backend == IMF_BACKEND_GLES;
    bool wins = r->policy == UNUSABLE && !imf_context_gave_up(ctx) &&
                (!host[own].eligible || gles->estimate_ms < host[own].estimate_ms);
    if (!gles->eligible || !(must || wins))
        return IMF_OK;
    enum imf_status st = imf_context_gles(ctx, &p->gles, &broken, &failure);
    if (st && must) {
        if (err)
            *err = failure;
        return st;
    }
    if (!st && !must && imf_gles_on_processor(p->gles)) {
        p->gles = NULL;
        st = imf_fail(&failure, IMF_ERR_NO_DEVICE, "OpenGL ES draws on the processor here");
    }
    if (st) {
        gles->eligible = false;
        gles->estimate_ms = -1;
        snprintf(gles->why, sizeof gles->why, "%.150s", failure.text);
        if (broken) /* the user is told, who may have waited for it */
            imf_fail(&r->unusable, unusable.status, "%.140s; %.68s", unusable.text, failure.text);
    }
    return IMF_OK;
}

/* A warning of what is not as it was asked for or might be. */
static void note(struct imf_planning *p, const struct request *r) {
    if (r->policy == UNUSABLE)
        snprintf(p->note, sizeof p->note, p->gles ? GLES_NOTE : IMF_HOST_NOTE, r->unusable.text);
    else if (rules[r->policy].last && !p->on_device)
        snprintf(p->note, sizeof p->note,
                 "the device cannot do this (%.120s); filtering on the host", p->candidate[0].why);
    else if (p->rt && *imf_runtime_passed_over(p->rt))
        snprintf(p->note, sizeof p->note, "%.210s; another is used",
                 imf_runtime_passed_over(p->rt));
    else if (r->policy == FREE || r->policy == OPENED || r->policy == HOST_ALONE)
        warn_of_limit(p);
}

static enum imf_status make(struct imf_planning *p, struct imf_context *ctx,
                            const struct imf_chain *c, struct request *r, struct imf_error *err) {
    const struct rule *rule = &rules[r->policy];
    struct imf_candidate host[HOSTS];
    double host_over[HOSTS];
    size_t best = SIZE_MAX, own;
    enum imf_status st = ask_host(host, host_over, c, r, &own, err);
    if (st)
        return st;
    bool host_can = host[own].eligible && rule->host;
    st = make_device(p, ctx, c, rule->must || !host_can, &host[own], r, &best, err);
    if (!st)
        st = open_gles(p, ctx, host, own, r, err);
    if (st)
        return st;
    if (p->rt)
        count_driver(host, imf_runtime_device(p->rt), r->bounds.limit);
    if (r->policy == FREE && best == SIZE_MAX)
        r->policy = HOST_ALONE;
    p->host = p->count + own;
    p->host_backend = hosts[own];
    memcpy(&p->candidate[p->count], host, sizeof host);
    for (size_t k = 0; k < HOSTS; k++)
        note_over(p, &p->candidate[p->count++], k == GLES ? INFINITY : host_over[k]);
    bool device_can = p->rt && best != SIZE_MAX;
    if (!device_can && !host_can && !p->gles)
        return cannot(p, r, err);
    p->on_device = device_can && !p->gles &&
                   (rule->last || !host_can ||
                    p->candidate[best].estimate_ms <= p->candidate[p->host].estimate_ms);
    p->chosen = p->on_device ? best : p->gles ? p->count - HOSTS + GLES : p->host;
    explain(p, &rules[r->policy]);
    note(p, r);
    return IMF_OK;
}

static enum policy policy_of(enum imf_backend backend, const struct imf_context *ctx, bool opened) {
    if (backend)
        return imf_backend_is_host(backend) ? HOST_ASKED : BACKEND_ASKED;
    return imf_context_device_asked(ctx) ? DEVICE_ASKED : opened ? OPENED : FREE;
}

enum imf_status imf_planning_make(struct imf_planning *p, struct imf_context *ctx,
                                  const struct imf_chain *c, const struct imf_settings *settings,
                                  struct imf_error *err) {
    memset(p, 0, sizeof *p);
    p->taken = calloc((size_t)c->count, sizeof *p->taken);
    if (!p->taken)
        return imf_fail_memory(err, (size_t)c->count * sizeof *p->taken);
    /* Where backends may differ within the tolerance, the choice goes by this image alone: what a
     * batch has opened before must not show in the result. */
    bool opened = c->exact && imf_context_opened(ctx);
    struct request r = {
        .backend = settings->backend,
        .policy = policy_of(settings->backend, ctx, opened),
        .bounds = {.limit = settings->max_memory ? (double)settings->max_memory : INFINITY,
                   .base = PROCESS_BYTES + (double)settings->held,
                   .opened = opened,
                   .whole = settings->whole}};
    enum imf_status st = make(p, ctx, c, &r, err);
    if (st)
        imf_planning_clear(p);
    return st;
}

void imf_planning_clear(struct imf_planning *p) {
    free(p->taken);
    p->taken = NULL;
    imf_chain_free(&p->composed);
}
