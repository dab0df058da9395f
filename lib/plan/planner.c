/*
 * planner.c - which solver does each convolution, by estimated cost
 *
 * Every solver of the table is asked whether it can do each convolution of the chain exactly
 * enough, and what it would take. A candidate is the chain done by one solver throughout; the
 * automatic choice takes the cheapest for each convolution, adds what a device costs beside the
 * arithmetic (opening the platform, moving pixels), and compares with the plain C solver, which
 * costs nothing to start.
 */
#include "plan/planner.h"

#include "device/tuning.h"
#include "plan/bands.h"
#include "plan/fallback.h"
#include "plan/layout.h"
#include "plan/offers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const backend_names[] = {[IMF_BACKEND_AUTO] = "auto",
                                            [IMF_BACKEND_DIRECT] = "direct",
                                            [IMF_BACKEND_SEPARABLE] = "separable",
                                            [IMF_BACKEND_FFT] = "fft",
                                            [IMF_BACKEND_CPU] = "cpu"};

static double samples(const struct imf_chain *c) {
    return (double)c->width * c->height * c->channels_in;
}

static double host_cost(const struct imf_chain *c) {
    double ms = 0;
    for (int i = 0; i < c->count; i++)
        ms += c->passes[i].kind == IMF_PASS_CONVOLVE
                  ? imf_solver_host.cost(&c->passes[i].problem, NULL)
                  : samples(c) * imf_host_rates.point * 1e-6;
    return ms;
}

static bool host_applicable(const struct imf_chain *c, char *why) {
    for (int i = 0; i < c->count; i++)
        if (c->passes[i].kind == IMF_PASS_CONVOLVE &&
            !imf_solver_host.applicable(&c->passes[i].problem, NULL, why))
            return false;
    return true;
}

/* What a device costs beside its convolutions. */
static double overhead(const struct imf_chain *c, const struct imf_device *d, bool opened) {
    const struct imf_tuning *t = imf_tuning(d);
    double ms = opened ? 0 : t->open_ms;
    for (int i = 0; i < c->count; i++) {
        ms += t->program_ms;
        if (c->passes[i].kind == IMF_PASS_POINT)
            ms += samples(c) * 1e-6 / (t->point * imf_tuning_units(d));
    }
    if (!d->unified)
        ms += 2 * samples(c) * (double)imf_sample_size(c->in) * 1e-6 / t->transfer;
    return ms;
}

/* The process without images and driver: measured 4 to 5.5 MB. */
#define PROCESS_BYTES 5e6

/* What the choice is left to. */
struct request {
    enum imf_backend backend;
    double limit; /* bytes of the process */
    double base;  /* of these, what it takes without surfaces, buffers and driver */
    bool device_asked;
    bool opened;   /* before this plan */
    bool unusable; /* no device could be opened */
};

/* Note what a way would take, and whether it may. */
static bool within(struct imf_candidate *k, const struct request *r, double bytes) {
    char need[IMF_BYTES_TEXT], most[IMF_BYTES_TEXT];
    bytes += r->base;
    k->bytes = (uint64_t)fmin(bytes, 0x1p62);
    if (bytes <= r->limit)
        return true;
    snprintf(k->why, sizeof k->why, "needs %s, over the limit of %s", imf_bytes_text(need, bytes),
             imf_bytes_text(most, r->limit));
    return false;
}

/* Surfaces and buffers within what the device allocates, and all within the limit. */
static bool fits(struct imf_candidate *k, const struct imf_chain *c,
                 const struct imf_solver *const *solver, const struct imf_device *d,
                 const struct request *r) {
    double bytes = imf_layout_bytes(c, solver, d);
    if (bytes <= (double)d->global_memory)
        return within(k, r, bytes + imf_tuning(d)->driver_bytes);
    snprintf(k->why, sizeof k->why, "the image is larger than the device's memory allows");
    return false;
}

/* A device that was not opened: PoCL on this machine's processors. */
static struct imf_device nominal_device(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    struct imf_device d = {.name = "OpenCL (not opened)",
                           .unified = true,
                           .compute_units = n > 0 ? (unsigned)n : 1,
                           .max_group = 4096,
                           .local_memory = 262144,
                           .global_memory = UINT64_MAX,
                           .max_alloc = UINT64_MAX,
                           .fp64 = true};
    return d;
}

static void join(char *text, size_t size, const char *part) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? " + " : "", part);
}

/* What the solvers do, in the bands that they are run in. */
static void describe(const struct imf_chain *c, const struct imf_device *d,
                     const struct imf_solver *const *taken, struct imf_candidate *out) {
    struct imf_bands *bands;
    bool banded = imf_bands_plan(&bands, c, taken, 0, d, NULL) == IMF_OK;
    for (int i = 0; i < c->count; i++) {
        struct imf_problem p = c->passes[i].problem;
        char part[64];
        if (!taken[i])
            continue;
        if (banded)
            p.height = bands->window[i + 1].tallest;
        taken[i]->print(&p, d, part, sizeof part);
        join(out->algorithm, sizeof out->algorithm, part);
    }
    imf_bands_free(&bands);
    if (!out->algorithm[0])
        snprintf(out->algorithm, sizeof out->algorithm, "pointwise");
}

/* Price the chain done by one backend throughout, or by the best for each pass (AUTO). Writes the
 * solvers taken; false, with the reason, when one of the passes has none. */
static bool price(struct imf_offers *offers, const struct request *r, enum imf_backend backend,
                  const struct imf_solver **taken, struct imf_candidate *out) {
    const struct imf_chain *c = offers->chain;
    out->estimate_ms = overhead(c, offers->device, r->opened);
    for (int i = 0; i < c->count; i++) {
        taken[i] = NULL;
        if (c->passes[i].coarse) {
            snprintf(out->why, sizeof out->why,
                     "floats between passes are too coarse for what magnifies them later");
            return false;
        }
        if (c->passes[i].kind != IMF_PASS_CONVOLVE)
            continue;
        double ms;
        taken[i] = imf_offers_cheapest(offers, i, backend, &ms, out->why);
        if (!taken[i])
            return false;
        out->estimate_ms += ms;
    }
    return true;
}

/* What remains to be said of a chain that was priced, or could not be. */
static void judge(const struct imf_offers *offers, const struct request *r, bool able,
                  const struct imf_solver *const *taken, struct imf_candidate *out) {
    out->eligible = able && fits(out, offers->chain, taken, offers->device, r);
    if (out->eligible) {
        out->why[0] = 0;
        describe(offers->chain, offers->device, taken, out);
    } else {
        out->estimate_ms = -1;
        snprintf(out->algorithm, sizeof out->algorithm, "-");
    }
}

static struct imf_candidate *add(struct imf_planning *p, const char *backend) {
    struct imf_candidate *k = &p->candidate[p->count++];
    memset(k, 0, sizeof *k);
    snprintf(k->backend, sizeof k->backend, "%s", backend);
    return k;
}

static bool same_backend(const struct imf_chain *c, const struct imf_solver **taken,
                         const char **name) {
    *name = NULL;
    for (int i = 0; i < c->count; i++) {
        if (!taken[i])
            continue;
        if (*name && strcmp(*name, taken[i]->name))
            return false;
        *name = taken[i]->name;
    }
    return true;
}

/* What candidates are made for, beside a mixture of them and the plain C solver. */
static const enum imf_backend backends[] = {IMF_BACKEND_DIRECT, IMF_BACKEND_SEPARABLE,
                                            IMF_BACKEND_FFT};
_Static_assert(sizeof backends / sizeof *backends + 2 <= IMF_MAX_CANDIDATES,
               "struct imf_planning has room for every candidate");

/* The cheapest eligible candidate, its solvers in p->solver; SIZE_MAX when there is none. */
static size_t cheapest_alone(struct imf_planning *p, struct imf_offers *offers,
                             const struct request *r, enum imf_backend only) {
    struct imf_candidate again = {.eligible = false};
    size_t best = SIZE_MAX;
    for (size_t k = 0; k < sizeof backends / sizeof *backends; k++)
        if (p->candidate[k].eligible && (!only || only == backends[k]) &&
            (best == SIZE_MAX || p->candidate[k].estimate_ms < p->candidate[best].estimate_ms))
            best = k;
    if (best != SIZE_MAX)
        price(offers, r, backends[best], p->solver, &again);
    return best;
}

/* Add the device's candidates; returns the index of the cheapest, or SIZE_MAX when none can. */
static size_t device_candidates(struct imf_planning *p, struct imf_offers *offers,
                                const struct request *r) {
    enum imf_backend only = r->backend == IMF_BACKEND_CPU ? IMF_BACKEND_AUTO : r->backend;
    const char *name;
    for (size_t k = 0; k < sizeof backends / sizeof *backends; k++) {
        struct imf_candidate *out = add(p, backend_names[backends[k]]);
        bool able = price(offers, r, backends[k], p->solver, out);
        judge(offers, r, able, p->solver, out);
    }
    struct imf_candidate best = {.backend = "mixed"};
    bool able = price(offers, r, only, p->solver, &best);
    if (able && !same_backend(offers->chain, p->solver, &name)) {
        judge(offers, r, able, p->solver, &best);
        if (best.eligible) {
            p->candidate[p->count] = best;
            return p->count++;
        }
    }
    return cheapest_alone(p, offers, r, only);
}

static struct imf_candidate host_candidate(const struct imf_chain *c, const struct request *r) {
    struct imf_candidate k = {.estimate_ms = -1};
    snprintf(k.backend, sizeof k.backend, "%s", imf_solver_host.name);
    k.eligible = host_applicable(c, k.why) && within(&k, r, imf_layout_bytes(c, NULL, NULL));
    if (k.eligible)
        k.estimate_ms = host_cost(c);
    for (int i = 0; i < c->count; i++) {
        char part[64];
        if (c->passes[i].kind != IMF_PASS_CONVOLVE)
            continue;
        imf_solver_host.print(&c->passes[i].problem, NULL, part, sizeof part);
        join(k.algorithm, sizeof k.algorithm, part);
    }
    if (!k.algorithm[0])
        snprintf(k.algorithm, sizeof k.algorithm, "pointwise");
    return k;
}

static const char *why_chosen(const struct imf_planning *p, const struct request *r) {
    if (r->backend)
        return "asked for with --backend";
    if (r->unusable)
        return "OpenCL is not usable here";
    if (r->device_asked)
        return p->on_device ? "cheapest on the device asked for" : "the device cannot do this";
    return p->on_device || r->opened ? "cheapest" : "cheapest: starting OpenCL would cost more";
}

/* Why one that could do it was passed over though it is estimated to take no longer, or NULL. */
static const char *why_passed_over(const struct imf_planning *p, const struct request *r,
                                   const struct imf_candidate *k) {
    bool host = !strcmp(k->backend, imf_solver_host.name);
    if (r->backend)
        return r->backend == IMF_BACKEND_CPU ? "--backend=cpu" : "--backend";
    if (r->unusable)
        return "OpenCL is not usable";
    if (k->estimate_ms >= p->candidate[p->chosen].estimate_ms)
        return NULL;
    return r->device_asked && host ? "a device was asked for" : "not done by one backend alone";
}

/* Say of each candidate why it was taken or passed over. */
static void explain(struct imf_planning *p, const struct request *r) {
    const struct imf_candidate *chosen = &p->candidate[p->chosen];
    for (size_t i = 0; i < p->count; i++) {
        struct imf_candidate *k = &p->candidate[i];
        k->chosen = i == p->chosen;
        if (!k->eligible)
            continue;
        const char *over = k->chosen ? NULL : why_passed_over(p, r, k);
        if (k->chosen)
            snprintf(k->why, sizeof k->why, "%s", why_chosen(p, r));
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
    const char *name = backend_names[r->backend], *why = "";
    double least = INFINITY;
    for (size_t i = 0; i < p->count; i++) {
        const struct imf_candidate *k = &p->candidate[i];
        bool asked = !r->backend || !strcmp(k->backend, name);
        if (asked && (double)k->bytes > r->limit)
            least = fmin(least, (double)k->bytes);
        if (asked && !k->eligible && !*why)
            why = k->why;
    }
    if (least < INFINITY)
        return imf_planning_over_limit(least, r->limit, err);
    if (!r->backend)
        return imf_fail(err, IMF_ERR_LIMIT, "no backend can do this: %s", why);
    return imf_fail(err, IMF_ERR_ARGUMENT, "--backend=%s cannot do this: %s (try --backend=auto)",
                    name, why);
}

/* The chain's candidates on a device, or on what one would be; *best as device_candidates(). */
static enum imf_status ask_device(struct imf_planning *p, const struct imf_chain *c,
                                  const struct imf_device *d, const struct request *r, size_t *best,
                                  struct imf_error *err) {
    struct imf_offers apart, together;
    c = imf_chain_on_device(c);
    enum imf_status st = imf_offers_open(&apart, c, d, err);
    if (st)
        return st;
    const struct imf_prices prices = imf_offers_prices(&apart);
    /* The host filters the rim of composed passes, in memory that it shares with the device. */
    if (d->unified)
        st = imf_chain_compose(&p->composed, c, &prices, err);
    if (!st && p->composed)
        st = imf_offers_open(&together, p->composed, d, err);
    if (!st) {
        *best = device_candidates(p, p->composed ? &together : &apart, r);
        if (p->composed)
            imf_offers_close(&together);
    }
    imf_offers_close(&apart);
    return st;
}

/* Open the device if the work may be worth it, or it must be. */
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
    r->unusable = why != NULL;
    if (why)
        snprintf(p->note, sizeof p->note, IMF_HOST_NOTE, why);
    return IMF_OK;
}

static enum imf_status make(struct imf_planning *p, struct imf_context *ctx,
                            const struct imf_chain *c, struct request *r, struct imf_error *err) {
    bool device_only = r->device_asked || (r->backend && r->backend != IMF_BACKEND_CPU);
    struct imf_candidate host = host_candidate(c, r);
    bool host_can = host.eligible && (!r->backend || r->backend == IMF_BACKEND_CPU);
    enum imf_status st = IMF_OK;
    struct imf_device nominal = nominal_device();
    if (r->backend != IMF_BACKEND_CPU &&
        (device_only || r->opened || !host_can || host.estimate_ms > imf_tuning(&nominal)->open_ms))
        st = open_device(p, ctx, device_only || !host_can, r, err);
    size_t best = SIZE_MAX;
    if (!st)
        st = ask_device(p, c, p->rt ? imf_runtime_device(p->rt) : &nominal, r, &best, err);
    if (st)
        return st;
    p->candidate[p->count++] = host;
    bool device_can = p->rt && best != SIZE_MAX;
    if (!device_can && !host_can)
        return cannot(p, r, err);
    p->on_device = device_can &&
                   (device_only || !host_can || p->candidate[best].estimate_ms <= host.estimate_ms);
    if (r->device_asked && !p->on_device)
        snprintf(p->note, sizeof p->note,
                 "the device cannot do this (%.120s); using the plain C solver",
                 p->candidate[0].why);
    p->chosen = p->on_device ? best : p->count - 1;
    explain(p, r);
    return IMF_OK;
}

enum imf_status imf_planning_make(struct imf_planning *p, struct imf_context *ctx,
                                  const struct imf_chain *c, const struct imf_settings *settings,
                                  struct imf_error *err) {
    memset(p, 0, sizeof *p);
    p->solver = calloc((size_t)c->count, sizeof *p->solver);
    if (!p->solver)
        return imf_fail_memory(err, (size_t)c->count * sizeof *p->solver);
    enum imf_backend backend = settings->backend;
    struct request r = {.backend = backend,
                        .limit = settings->max_memory ? (double)settings->max_memory : INFINITY,
                        .base = PROCESS_BYTES + (double)settings->held,
                        .device_asked = backend != IMF_BACKEND_CPU && imf_context_device_asked(ctx),
                        .opened = imf_context_opened(ctx)};
    enum imf_status st = make(p, ctx, c, &r, err);
    if (st)
        imf_planning_clear(p);
    return st;
}

void imf_planning_clear(struct imf_planning *p) {
    free(p->solver);
    p->solver = NULL;
    imf_chain_free(&p->composed);
}
