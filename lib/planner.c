/*
 * planner.c - which solver does each convolution, by estimated cost
 *
 * Every solver of the table is asked whether it can do each convolution of the chain exactly
 * enough, and what it would take. A candidate is the chain done by one solver throughout; the
 * automatic choice takes the cheapest for each convolution, adds what a device costs beside the
 * arithmetic (opening the platform, moving pixels), and compares with the plain C solver, which
 * costs nothing to start.
 */
#include "planner.h"

#include "compose.h"
#include "exec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct imf_solver *const device_solvers[] = {
    &imf_solver_direct_local, &imf_solver_direct,    &imf_solver_separable_local,
    &imf_solver_separable,    &imf_solver_fft_local, &imf_solver_fft,
    &imf_solver_transfer};
static const char *const backend_names[] = {[IMF_BACKEND_AUTO] = "auto",
                                            [IMF_BACKEND_DIRECT] = "direct",
                                            [IMF_BACKEND_SEPARABLE] = "separable",
                                            [IMF_BACKEND_FFT] = "fft",
                                            [IMF_BACKEND_CPU] = "cpu"};
#define DEVICE_SOLVERS (sizeof device_solvers / sizeof device_solvers[0])

/* Loading an OpenCL platform and a stored program: measured 22 to 40 ms with PoCL, 145 ms for a
 * context on an NVIDIA H200. */
#define OPEN_CPU_MS 30.0
#define OPEN_GPU_MS 150.0
#define PROGRAM_MS 1.5
/* Copies between the host and a discrete GPU, bytes per millisecond (10 GB/s, not pinned). */
#define TRANSFER_BYTES_PER_MS 1e7
/* A point pass: nanoseconds a sample on one CPU core, and on the plain C solver. */
#define POINT_NS 0.7
#define POINT_HOST_NS 25.0
#define POINT_GPU_NS 0.005

static double samples(const struct imf_chain *c) {
    return (double)c->width * c->height * c->channels_in;
}

static double host_cost(const struct imf_chain *c) {
    double ms = 0;
    for (int i = 0; i < c->count; i++)
        ms += c->passes[i].kind == IMF_PASS_CONVOLVE
                  ? imf_solver_host.cost(&c->passes[i].problem, NULL)
                  : samples(c) * POINT_HOST_NS * 1e-6;
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
    double ms = opened ? 0 : d->gpu ? OPEN_GPU_MS : OPEN_CPU_MS;
    for (int i = 0; i < c->count; i++) {
        ms += PROGRAM_MS;
        if (c->passes[i].kind == IMF_PASS_POINT)
            ms += samples(c) * 1e-6 * (d->gpu ? POINT_GPU_NS : POINT_NS / d->compute_units);
    }
    if (!d->unified)
        ms += 2 * samples(c) * (double)imf_sample_size(c->in) / TRANSFER_BYTES_PER_MS;
    return ms;
}

/* The surfaces within what the device allocates. */
static bool fits(const struct imf_chain *c, const struct imf_solver *const *solver,
                 const struct imf_device *d, char *why) {
    size_t bytes = imf_exec_bytes(c, solver, d);
    if (bytes != SIZE_MAX && bytes <= d->global_memory)
        return true;
    snprintf(why, IMF_WHY, "the image is larger than the device's memory allows");
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

/* What a solver says of a pass. */
struct offer {
    bool asked, able;
    double ms;
    char why[IMF_WHY]; /* !able */
};

/* The offers of every solver for every pass of a chain. Each is asked once, when it is needed: to
 * look for tiles or factors takes a while. */
struct market {
    const struct imf_chain *c;
    const struct imf_device *d;
    struct offer *offers; /* DEVICE_SOLVERS a pass; owned */
};

static enum imf_status market_open(struct market *m, const struct imf_chain *c,
                                   const struct imf_device *d, struct imf_error *err) {
    *m = (struct market){c, d, calloc((size_t)c->count * DEVICE_SOLVERS, sizeof *m->offers)};
    return m->offers ? IMF_OK
                     : imf_fail_memory(err, (size_t)c->count * DEVICE_SOLVERS * sizeof *m->offers);
}

static const struct offer *ask(struct market *m, int pass, size_t solver) {
    const struct imf_problem *p = &m->c->passes[pass].problem;
    struct offer *o = &m->offers[(size_t)pass * DEVICE_SOLVERS + solver];
    if (!o->asked) {
        o->asked = true;
        o->able = device_solvers[solver]->applicable(p, m->d, o->why);
        o->ms = o->able ? device_solvers[solver]->cost(p, m->d) : INFINITY;
    }
    return o;
}

/* The cheapest of a backend's solvers for a pass (AUTO: of all); DEVICE_SOLVERS when none is able,
 * and then `why` is the last one's reason. */
static size_t cheapest(struct market *m, int pass, enum imf_backend backend, char *why) {
    size_t best = DEVICE_SOLVERS;
    double least = INFINITY;
    for (size_t k = 0; k < DEVICE_SOLVERS; k++) {
        if (backend && device_solvers[k]->backend != backend)
            continue;
        const struct offer *o = ask(m, pass, k);
        if (!o->able && o->why[0])
            snprintf(why, IMF_WHY, "%s", o->why);
        if (o->ms < least) {
            least = o->ms;
            best = k;
        }
    }
    return best;
}

/* Estimate the chain done by one backend throughout, or by the best for each pass (AUTO). Writes
 * the solvers taken. */
static void estimate(struct market *m, bool opened, enum imf_backend backend,
                     const struct imf_solver **taken, struct imf_candidate *out) {
    const struct imf_chain *c = m->c;
    out->eligible = true;
    out->estimate_ms = overhead(c, m->d, opened);
    for (int i = 0; i < c->count && out->eligible; i++) {
        char part[64];
        taken[i] = NULL;
        if (c->passes[i].coarse) {
            snprintf(out->why, sizeof out->why,
                     "floats between passes are too coarse for what magnifies them later");
            out->eligible = false;
            break;
        }
        if (c->passes[i].kind != IMF_PASS_CONVOLVE)
            continue;
        size_t best = cheapest(m, i, backend, out->why);
        if (best == DEVICE_SOLVERS) {
            out->eligible = false;
            break;
        }
        taken[i] = device_solvers[best];
        out->estimate_ms += ask(m, i, best)->ms;
        taken[i]->print(&c->passes[i].problem, m->d, part, sizeof part);
        join(out->algorithm, sizeof out->algorithm, part);
    }
    out->eligible = out->eligible && fits(c, taken, m->d, out->why);
    if (!out->eligible)
        out->estimate_ms = -1;
    else
        out->why[0] = 0;
    if (!out->algorithm[0])
        snprintf(out->algorithm, sizeof out->algorithm, "%s", out->eligible ? "pointwise" : "-");
}

/* Prices for imf_chain_compose(). */
static double pass_price(void *market, int index) {
    char why[IMF_WHY];
    if (((const struct market *)market)->c->passes[index].coarse)
        return INFINITY;
    size_t best = cheapest(market, index, IMF_BACKEND_AUTO, why);
    return best < DEVICE_SOLVERS ? ask(market, index, best)->ms : INFINITY;
}

static double problem_price(void *market, const struct imf_problem *p) {
    const struct imf_device *d = ((const struct market *)market)->d;
    char why[IMF_WHY];
    double best = INFINITY;
    for (size_t k = 0; k < DEVICE_SOLVERS; k++)
        if (device_solvers[k]->applicable(p, d, why))
            best = fmin(best, device_solvers[k]->cost(p, d));
    return best;
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

/* Add the device's candidates; returns the index of the cheapest, or SIZE_MAX when none can. */
static size_t device_candidates(struct imf_planning *p, struct market *m, bool opened,
                                enum imf_backend backend) {
    const char *name;
    /* The last estimate is the one whose solvers stay in p->solver. */
    for (size_t k = 0; k < sizeof backends / sizeof *backends; k++)
        estimate(m, opened, backends[k], p->solver, add(p, backend_names[backends[k]]));
    struct imf_candidate best = {.backend = "mixed"};
    estimate(m, opened, backend, p->solver, &best);
    if (!best.eligible)
        return SIZE_MAX;
    if (!same_backend(m->c, p->solver, &name)) {
        p->candidate[p->count] = best;
        return p->count++;
    }
    for (size_t k = 0; k < p->count; k++)
        if (!name || !strcmp(p->candidate[k].backend, name))
            return k;
    return SIZE_MAX;
}

static size_t host_candidate(struct imf_planning *p, const struct imf_chain *c) {
    struct imf_candidate *k = add(p, imf_solver_host.name);
    k->eligible = host_applicable(c, k->why);
    k->estimate_ms = k->eligible ? host_cost(c) : -1;
    for (int i = 0; i < c->count; i++) {
        char part[64];
        if (c->passes[i].kind != IMF_PASS_CONVOLVE)
            continue;
        imf_solver_host.print(&c->passes[i].problem, NULL, part, sizeof part);
        join(k->algorithm, sizeof k->algorithm, part);
    }
    if (!k->algorithm[0])
        snprintf(k->algorithm, sizeof k->algorithm, "pointwise");
    return p->count - 1;
}

/* What the choice was left to. */
struct request {
    enum imf_backend backend;
    bool device_asked;
    bool opened;   /* before this plan */
    bool unusable; /* no device could be opened */
};

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

/* The reason of the backend asked for; left to choose, of the one that takes every size. */
static enum imf_status cannot(const struct imf_planning *p, enum imf_backend backend,
                              struct imf_error *err) {
    const char *name = backend_names[backend ? backend : IMF_BACKEND_FFT], *why = "";
    for (size_t i = 0; i < p->count; i++)
        if (!p->candidate[i].eligible && !strcmp(p->candidate[i].backend, name))
            why = p->candidate[i].why;
    return imf_fail(err, IMF_ERR_ARGUMENT, "--backend=%s cannot do this: %s (try --backend=auto)",
                    name, why);
}

/* The chain's candidates on a device, or on what one would be; *best as device_candidates(). */
static enum imf_status ask_device(struct imf_planning *p, const struct imf_chain *c,
                                  const struct imf_device *d, const struct request *r, size_t *best,
                                  struct imf_error *err) {
    struct market apart, together;
    enum imf_status st = market_open(&apart, c, d, err);
    const struct imf_prices prices = {pass_price, problem_price, &apart};
    /* The host filters the rim of composed passes, in memory that it shares with the device. */
    if (!st && d->unified)
        st = imf_chain_compose(&p->composed, c, &prices, err);
    if (!st && p->composed)
        st = market_open(&together, p->composed, d, err);
    if (!st) {
        enum imf_backend only = r->backend == IMF_BACKEND_CPU ? IMF_BACKEND_AUTO : r->backend;
        *best = device_candidates(p, p->composed ? &together : &apart, r->opened, only);
        if (p->composed)
            free(together.offers);
    }
    free(apart.offers);
    return st;
}

enum imf_status imf_planning_make(struct imf_planning *p, struct imf_context *ctx,
                                  const struct imf_chain *c, enum imf_backend backend,
                                  struct imf_error *err) {
    memset(p, 0, sizeof *p);
    p->solver = calloc((size_t)c->count, sizeof *p->solver);
    if (!p->solver)
        return imf_fail_memory(err, (size_t)c->count * sizeof *p->solver);
    struct request r = {.backend = backend,
                        .device_asked = backend != IMF_BACKEND_CPU && imf_context_device_asked(ctx),
                        .opened = imf_context_opened(ctx)};
    bool backend_on_device = backend && backend != IMF_BACKEND_CPU;
    bool device_only = r.device_asked || backend_on_device;
    char why[IMF_WHY];
    bool host_can = host_applicable(c, why);
    bool want = backend != IMF_BACKEND_CPU &&
                (device_only || r.opened || !host_can || host_cost(c) > OPEN_CPU_MS);
    enum imf_status st = IMF_OK;
    /* A device that failed at its work stays unused where nothing else was asked for. */
    const char *gave_up = backend || device_only || !host_can ? NULL : imf_context_gave_up(ctx);
    if (gave_up) {
        r.unusable = true;
        snprintf(p->note, sizeof p->note, "%.180s; using the plain C solver", gave_up);
    } else if (want) {
        struct imf_error failure;
        st = imf_context_runtime(ctx, &p->rt, &failure);
        if (st && (device_only || !host_can)) {
            if (err)
                *err = failure;
            imf_planning_clear(p);
            return st;
        }
        r.unusable = st != IMF_OK;
        if (r.unusable)
            snprintf(p->note, sizeof p->note, "%.180s; using the plain C solver", failure.text);
    }
    struct imf_device nominal = nominal_device();
    size_t best = SIZE_MAX;
    st = ask_device(p, c, p->rt ? imf_clrt_device(p->rt) : &nominal, &r, &best, err);
    if (st) {
        imf_planning_clear(p);
        return st;
    }
    size_t host = host_candidate(p, c);
    bool host_better =
        best == SIZE_MAX || p->candidate[host].estimate_ms < p->candidate[best].estimate_ms;
    p->on_device = p->rt && best != SIZE_MAX && (device_only || !host_can || !host_better);
    if ((backend_on_device || !host_can) && !p->on_device) {
        st = cannot(p, backend, err);
        imf_planning_clear(p);
        return st;
    }
    if (r.device_asked && !p->on_device)
        snprintf(p->note, sizeof p->note,
                 "the device cannot do this (%.120s); using the plain C solver",
                 p->candidate[0].why);
    p->chosen = p->on_device ? best : host;
    explain(p, &r);
    return IMF_OK;
}

void imf_planning_clear(struct imf_planning *p) {
    free(p->solver);
    p->solver = NULL;
    imf_chain_free(&p->composed);
}

bool imf_planning_fall_back(struct imf_planning *p, const char *why) {
    size_t host = 0;
    while (host < p->count && strcmp(p->candidate[host].backend, imf_solver_host.name))
        host++;
    if (host == p->count || !p->candidate[host].eligible)
        return false;
    struct imf_candidate *failed = &p->candidate[p->chosen], *taken = &p->candidate[host];
    failed->chosen = false;
    snprintf(failed->why, sizeof failed->why, "failed: %.140s", why);
    taken->chosen = true;
    snprintf(taken->why, sizeof taken->why, "taken after the device failed");
    snprintf(p->note, sizeof p->note, "%.180s; using the plain C solver", why);
    p->chosen = host;
    p->on_device = false;
    return true;
}
