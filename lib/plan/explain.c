/*
 * explain.c - the report of a plan: candidates for each pass, the chosen path, warnings
 */
#include "plan/explain.h"

#include "device/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOST_NOTE "%.210s; filtering on the host"

/* Why the path was chosen. */
static const char *reason_of(const struct imf_planning *p, const struct imf_planning_request *r) {
    if (r->backend)
        return "asked for with --backend";
    if (r->device_asked)
        return p->path.on_device ? "cheapest on the device asked for" : "the device cannot do this";
    if (r->opencl_failure)
        return "OpenCL is not usable here";
    return "cheapest";
}

/* What a cheaper candidate at another place costs besides, to the host or to this device. */
static const char *besides(const struct imf_planning *p, const struct imf_device *d) {
    if (p->path.on_device)
        return imf_throughput_overlaps(&p->throughput, d)
                   ? "the cores are to read and write meanwhile"
                   : "the transfers would cost more";
    return p->throughput.pictures == 1 ? "starting OpenCL would cost more"
                                       : "OpenCL's start and transfers would cost more";
}

static void explain_way(struct imf_candidate *k, const struct imf_planning *p,
                        const struct imf_device *d, const struct imf_planning_request *r,
                        double chosen_ms) {
    unsigned allowed = r->host_backends | r->device_backends;
    enum imf_backend backend = IMF_BACKEND_AUTO;
    for (enum imf_backend b = IMF_BACKEND_DIRECT; b <= IMF_BACKEND_GLES; b++)
        backend = strcmp(k->backend, imf_backend_name(b)) ? backend : b;
    if (!k->eligible)
        return;
    if (backend == IMF_BACKEND_GLES && !r->backend)
        snprintf(k->why, sizeof k->why, "passed over: only with --backend=gles");
    else if (r->backend && !(allowed >> backend & 1))
        snprintf(k->why, sizeof k->why, "passed over: --backend");
    else if (r->opencl_failure && (IMF_DEVICE_BACKENDS >> backend & 1))
        snprintf(k->why, sizeof k->why, "passed over: OpenCL is not usable");
    else if (r->device_asked && imf_backend_is_host(backend))
        snprintf(k->why, sizeof k->why, "passed over: a device was asked for");
    else if (k->estimate_ms < chosen_ms)
        snprintf(k->why, sizeof k->why, "passed over: %s", besides(p, d));
    else
        snprintf(k->why, sizeof k->why, "%.1f times the chosen one's estimate",
                 k->estimate_ms / fmax(chosen_ms, 1e-3));
}

/* One candidate of each backend for a pass; returns how many. */
static size_t list_pass(struct imf_planning *p, struct imf_proposals *all, int i,
                        const struct imf_planning_request *r, struct imf_candidate *out) {
    static const enum imf_backend order[] = {IMF_BACKEND_DIRECT, IMF_BACKEND_SEPARABLE,
                                             IMF_BACKEND_FFT,    IMF_BACKEND_VECTOR,
                                             IMF_BACKEND_GLES,   IMF_BACKEND_CPU};
    enum { WAYS = sizeof order / sizeof *order };
    const struct imf_proposal *chosen = &p->path.chosen[i];
    const struct imf_pass *pass = &p->chain->passes[i];
    const struct imf_candidate *device = NULL;
    double chosen_ms = chosen->ms;
    size_t count = 0;
    for (size_t k = 0; k < WAYS; k++) {
        const struct imf_proposal *one = imf_proposals_cheapest(all, i, order[k]);
        bool point = pass->kind == IMF_PASS_POINT;
        /* A device's point passes are the same for all of its backends. */
        if (point && (order[k] == IMF_BACKEND_SEPARABLE || order[k] == IMF_BACKEND_FFT))
            continue;
        struct imf_candidate *to = &out[count++];
        *to = (struct imf_candidate){.stage = pass->stage + 1,
                                     .estimate_ms = one->feasible ? one->ms : -1,
                                     .eligible = one->feasible};
        snprintf(to->backend, sizeof to->backend, "%s", imf_backend_name(order[k]));
        snprintf(to->algorithm, sizeof to->algorithm, "%s",
                 one->feasible || order[k] == IMF_BACKEND_CPU ? one->description : "-");
        snprintf(to->why, sizeof to->why, "%s", one->why);
        bool device_point = point && chosen->place == IMF_PLACE_DEVICE;
        to->chosen = device_point ? order[k] == IMF_BACKEND_DIRECT : chosen->backend == order[k];
        if (to->chosen) {
            to->transfer_ms = p->path.transfer_ms[i];
            chosen_ms = one->ms;
        }
        if (one->feasible && !imf_backend_is_host(order[k]) && *r->no_memory_for_driver) {
            to->eligible = false;
            to->estimate_ms = -1;
            snprintf(to->why, sizeof to->why, "%s", r->no_memory_for_driver);
        } else if (one->feasible && !imf_backend_is_host(order[k])) {
            device = to;
            to->start_ms =
                r->opened ? 0
                          : imf_throughput_share(&p->throughput, imf_tuning_open_ms(all->device));
        }
    }
    for (size_t k = 0; k < count; k++) {
        if (!out[k].chosen) {
            explain_way(&out[k], p, all->device, r, chosen_ms);
            continue;
        }
        if (chosen->place == IMF_PLACE_HOST && !r->backend && !r->device_asked &&
            !r->opencl_failure && !p->path.on_device && !r->opened)
            snprintf(out[k].why, sizeof out[k].why, "cheapest%s%s",
                     device && r->device_backends ? ": " : " of those that can do this",
                     device && r->device_backends ? besides(p, all->device) : "");
        else
            snprintf(out[k].why, sizeof out[k].why, "%s", reason_of(p, r));
    }
    return count;
}

enum imf_status imf_explain_passes(struct imf_planning *p, struct imf_proposals *all,
                                   const struct imf_planning_request *r, struct imf_error *err) {
    size_t most = (size_t)p->chain->count * (IMF_BACKEND_GLES + 1);
    p->candidates = calloc(most, sizeof *p->candidates);
    if (!p->candidates)
        return imf_fail_memory(err, most * sizeof *p->candidates);
    for (int i = 0; i < p->chain->count; i++)
        p->count += list_pass(p, all, i, r, p->candidates + p->count);
    return IMF_OK;
}

static void summarise(struct imf_candidate *out, const struct imf_path *path,
                      const struct imf_chain *chain, const char *why) {
    *out = (struct imf_candidate){.estimate_ms = path->ms,
                                  .transfer_ms = path->transfer_ms[chain->count],
                                  .start_ms = path->start_ms,
                                  .bytes = (uint64_t)fmin(path->bytes, 0x1p62),
                                  .eligible = true,
                                  .chosen = true,
                                  .whole_image_reason = path->whole_image_reason};
    imf_path_describe(path, chain, out);
    snprintf(out->why, sizeof out->why, "%s", why);
}

static const struct imf_path_over *over_of(const struct imf_planning *p) {
    return p->path.over.ms <= p->host.over.ms ? &p->path.over : &p->host.over;
}

/* Another way than without the limit; results that are not exact may differ. */
static void tell_limit(struct imf_planning *p) {
    const struct imf_path_over *over = over_of(p);
    char need[IMF_BYTES_TEXT];
    if (over->ms == INFINITY || strcmp(over->algorithm, p->chosen.algorithm) == 0)
        return;
    snprintf(p->limited, sizeof p->limited, "--max-memory leads to %s; with %s it would be %s",
             p->chosen.algorithm, imf_bytes_text(need, over->bytes), over->algorithm);
}

/* Warn if what fits into the limit takes this long, and this many times as long as with more
 * memory. */
#define LONG_MS 5000
#define MUCH_LONGER 8
static void warn_of_limit(struct imf_planning *p) {
    const struct imf_path *path = &p->path;
    const struct imf_path_over *over = over_of(p);
    double ms = over->ms;
    char need[IMF_BYTES_TEXT];
    if (ms == INFINITY || path->ms < LONG_MS || path->ms < MUCH_LONGER * ms)
        return;
    snprintf(p->note, sizeof p->note,
             "--max-memory leaves %s, an estimated %.0f s; with %s it would be %s and %.0f s",
             p->chosen.algorithm, path->ms / 1000, imf_bytes_text(need, over->bytes),
             over->algorithm, ceil(ms / 1000));
}

/* Warn if the cheapest way takes this long, whatever the memory. */
#define SLOW_MS 30000
static void warn_of_time(struct imf_planning *p) {
    warn_of_limit(p);
    if (!*p->note && p->path.ms >= SLOW_MS)
        snprintf(
            p->note, sizeof p->note,
            "filtering an image takes an estimated %.0f s (a smaller window or part takes less)",
            p->path.ms / 1000);
}

/* Warn when the plan deviates from what the user asked for or would expect. */
static void note(struct imf_planning *p, struct imf_proposals *all,
                 const struct imf_planning_request *r) {
    if (r->opencl_failure)
        snprintf(p->note, sizeof p->note, HOST_NOTE, r->opencl_failure);
    else if (r->device_asked && !p->path.on_device)
        snprintf(p->note, sizeof p->note,
                 "the device cannot do this (%.120s); filtering on the host",
                 imf_proposals_cheapest(all, 0, IMF_BACKEND_AUTO)->why);
    else if (p->rt && *imf_runtime_passed_over(p->rt))
        snprintf(p->note, sizeof p->note, "%.210s; another is used",
                 imf_runtime_passed_over(p->rt));
    else if (!r->backend)
        warn_of_time(p);
}

void imf_explain_whole(struct imf_planning *p, struct imf_proposals *all,
                       const struct imf_planning_request *r) {
    summarise(&p->chosen, &p->path, p->chain, reason_of(p, r));
    note(p, all, r);
    tell_limit(p);
}

bool imf_planning_fall_back(const struct imf_planning *p, const char *why,
                            struct imf_fallback *out) {
    static const char reason[] = "chosen after the device failed";
    *out = (struct imf_fallback){.candidates = NULL};
    if (!p->host.chosen || !(out->candidates = malloc(p->count * sizeof *out->candidates)))
        return false;
    memcpy(out->candidates, p->candidates, p->count * sizeof *out->candidates);
    int pass = -1;
    for (size_t i = 0; i < p->count; i++) {
        struct imf_candidate *k = &out->candidates[i];
        pass += !strcmp(k->backend, imf_backend_name(IMF_BACKEND_DIRECT)); /* the first of a pass */
        bool host = !strcmp(k->backend, imf_backend_name(p->host.chosen[pass].backend));
        if (host && !k->chosen)
            snprintf(k->why, sizeof k->why, "%s", reason);
        else if (k->chosen && !host)
            snprintf(k->why, sizeof k->why, "failed: %.140s", why);
        k->chosen = host;
    }
    summarise(&out->chosen, &p->host, p->chain, reason);
    snprintf(out->note, sizeof out->note, HOST_NOTE, why);
    return true;
}
