/*
 * cheapest_path.c - the cheapest plan of a chain, by dynamic programming
 *
 *     least(i, q) = min over r of least(i - 1, r) + transfers(i, q) + ms(i, q)
 *
 * where q and r are the places of pass i and of the pass before, and ms(i, q) is the cheapest
 * proposal at q. A pass may read surfaces of earlier passes: the states that led to (i - 1, r) tell
 * where they are.
 */
#include "plan/cheapest_path.h"

#include "device/tuning.h"
#include "plan/layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Added to the proposals of the host if the user asked for a device. */
#define UNWANTED_MS 1e9
/* A device's time counts this much in a search for what spares the cores. */
#define SPARING 0.0625

struct state {
    double ms;
    const struct imf_proposal *proposal; /* NULL: nothing can do it here */
    double transfer_ms;
    enum imf_place from; /* of the pass before */
};

struct search {
    struct imf_proposals *proposals;
    const struct imf_chain *chain;
    const struct imf_path_options *options;
    double device_weight;              /* of the device's milliseconds */
    struct state (*state)[IMF_PLACES]; /* of each pass */
};

/* Where surface `index` is, on the path that ends with `pass` at `place`. */
static enum imf_place place_of(const struct search *s, int index, int pass, enum imf_place place) {
    if (index == 0)
        return IMF_PLACE_HOST;
    for (; pass > index - 1; pass--)
        place = s->state[pass][place].from;
    return place;
}

/* Milliseconds of a surface's transfer from one place to another. */
static double transfer_ms(const struct search *s, int index, enum imf_place from,
                          enum imf_place to) {
    const struct imf_device *d = s->proposals->device;
    const struct imf_chain *c = s->chain;
    if (from == to || !d)
        return 0;
    const struct imf_tuning *t = imf_tuning(d);
    if (d->unified) /* the host waits for the device; for the image and the result it does anyway */
        return index == 0 || index == c->count ? 0 : t->launch_ms;
    int channels = index ? c->passes[index - 1].channels_out : c->channels_in;
    enum imf_sample sample = imf_chain_sample(c, index, false);
    return (double)c->width * c->height * channels * (double)imf_sample_size(sample) * 1e-6 /
           t->link;
}

static bool is_fill(const struct imf_pass *pass) {
    return pass->kind == IMF_PASS_CONVOLVE && pass->problem.kind == IMF_FILLING;
}

/* The cheapest proposal of the allowed backends for a pass at a place, or NULL. */
static const struct imf_proposal *cheapest(const struct search *s, int pass, enum imf_place place) {
    const struct imf_proposal *best = NULL;
    unsigned backends = s->options->backends;
    if (is_fill(&s->chain->passes[pass]) && backends != 1u << IMF_BACKEND_CPU)
        backends |=
            1u << IMF_BACKEND_VECTOR; /* no device does it, whatever else one is asked to do */
    for (enum imf_backend b = IMF_BACKEND_DIRECT; b <= IMF_BACKEND_GLES; b++) {
        if (!(backends >> b & 1) || imf_backend_is_host(b) != (place == IMF_PLACE_HOST))
            continue;
        const struct imf_proposal *one = imf_proposals_cheapest(s->proposals, pass, b);
        /* At equal cost the host's vectors are preferred to plain C. */
        bool prefer = b == IMF_BACKEND_VECTOR && best && one->ms == best->ms;
        if (one->feasible && (!best || one->ms < best->ms || prefer))
            best = one;
    }
    return best;
}

/* Fill the state of a pass at a place from those of the pass before. */
static void step(const struct search *s, int i, enum imf_place q) {
    const struct imf_pass *pass = &s->chain->passes[i];
    struct state *to = &s->state[i][q];
    *to = (struct state){.ms = INFINITY, .proposal = cheapest(s, i, q)};
    if (!to->proposal)
        return;
    double ms = to->proposal->ms * (q == IMF_PLACE_DEVICE ? s->device_weight : 1);
    if (q == IMF_PLACE_HOST && s->options->prefers_device)
        ms += UNWANTED_MS;
    for (enum imf_place r = 0; r < IMF_PLACES; r++) {
        if (i > 0 && s->state[i - 1][r].ms == INFINITY)
            continue;
        double moved = transfer_ms(s, pass->source + 1, place_of(s, pass->source + 1, i - 1, r), q);
        if (pass->second >= -1)
            moved += transfer_ms(s, pass->second + 1, place_of(s, pass->second + 1, i - 1, r), q);
        double all = (i > 0 ? s->state[i - 1][r].ms : 0) + moved * s->device_weight + ms;
        if (all < to->ms) {
            to->ms = all;
            to->transfer_ms = moved;
            to->from = r;
        }
    }
}

/* Set out->why to the first reason why a backend cannot do a pass. */
static void refuse(struct imf_path *out, const struct search *s, int pass) {
    for (enum imf_backend b = IMF_BACKEND_DIRECT; b <= IMF_BACKEND_GLES; b++) {
        if (!(s->options->backends >> b & 1) || (!imf_backend_is_host(b) && !s->proposals->device))
            continue;
        const struct imf_proposal *one = imf_proposals_cheapest(s->proposals, pass, b);
        if (!*out->why)
            snprintf(out->why, sizeof out->why, "%s", one->why);
    }
}

/* The path of the least sum; out->chosen stays NULL if there is none. */
static enum imf_status search_sum(struct imf_path *out, const struct search *s,
                                  struct imf_error *err) {
    const struct imf_chain *c = s->chain;
    size_t count = (size_t)c->count;
    double least = INFINITY;
    enum imf_place q = IMF_PLACE_HOST;
    for (int i = 0; i < c->count; i++) {
        bool feasible = false;
        for (enum imf_place p = 0; p < IMF_PLACES; p++) {
            step(s, i, p);
            feasible = feasible || s->state[i][p].ms < INFINITY;
        }
        if (s->proposals->missing) /* results would be another solver's */
            return imf_fail_memory(err, s->proposals->missing);
        if (!feasible) {
            refuse(out, s, i);
            return IMF_OK;
        }
    }
    for (enum imf_place p = 0; p < IMF_PLACES; p++) {
        double back = transfer_ms(s, c->count, p, IMF_PLACE_HOST) * s->device_weight;
        if (s->state[count - 1][p].ms + back < least) {
            least = s->state[count - 1][p].ms + back;
            q = p;
        }
    }
    out->chosen = calloc(count, sizeof *out->chosen);
    out->transfer_ms = calloc(count + 1, sizeof *out->transfer_ms);
    if (!out->chosen || !out->transfer_ms) {
        imf_path_clear(out);
        return imf_fail_memory(err, count * sizeof *out->chosen);
    }
    struct imf_spent spent = {.copies_ms = transfer_ms(s, c->count, q, IMF_PLACE_HOST)};
    out->transfer_ms[count] = spent.copies_ms;
    for (int i = c->count - 1; i >= 0; q = s->state[i][q].from, i--) {
        out->chosen[i] = *s->state[i][q].proposal;
        out->transfer_ms[i] = s->state[i][q].transfer_ms;
        *(q == IMF_PLACE_DEVICE ? &spent.kernels_ms : &spent.host_ms) += out->chosen[i].ms;
        spent.copies_ms += out->transfer_ms[i];
        out->on_device = out->on_device || q == IMF_PLACE_DEVICE;
        out->on_gles = out->on_gles || (out->chosen[i].solver &&
                                        out->chosen[i].solver->backend == IMF_BACKEND_GLES);
    }
    const struct imf_throughput *t = &s->options->throughput;
    spent.start_ms = out->on_gles ? imf_gles_rates.open_ms : 0;
    if (out->on_device && !s->options->opened)
        spent.start_ms += imf_tuning_open_ms(s->proposals->device);
    out->start_ms = imf_throughput_share(t, spent.start_ms);
    out->filter_ms = spent.host_ms + spent.kernels_ms + spent.copies_ms;
    out->ms = imf_throughput_ms(t, s->proposals->device, &spent);
    return IMF_OK;
}

/* The cheapest path; out->chosen stays NULL if there is none. */
static enum imf_status search(struct imf_path *out, struct search *s, struct imf_error *err) {
    struct imf_path sparing = *out;
    s->device_weight = 1;
    enum imf_status st = search_sum(out, s, err);
    if (st || !out->chosen ||
        !imf_throughput_overlaps(&s->options->throughput, s->proposals->device))
        return st;
    s->device_weight = SPARING;
    st = search_sum(&sparing, s, err);
    if (!st && sparing.ms < out->ms) {
        const struct imf_path dearer = *out;
        *out = sparing;
        sparing = dearer;
    }
    imf_path_clear(&sparing);
    if (st)
        imf_path_clear(out);
    return st;
}

/* Set out->bytes to what the process takes with the surfaces and solvers in these bands. IMF_ERR_LIMIT,
 * with out->why, if that is impossible: the proposal that cannot do it is not feasible then. */
static enum imf_status measure_form(struct imf_path *out, const struct search *s,
                                    struct imf_bands_form form, struct imf_error *err) {
    const struct imf_device *d = out->on_device ? s->proposals->device : NULL;
    struct imf_bands *bands = NULL;
    struct imf_error why;
    enum imf_status st = imf_proposals_band(&bands, s->chain, out->chosen, form, d, &why);
    if (st) {
        snprintf(out->why, sizeof out->why, "%.150s", why.text);
        return st == IMF_ERR_LIMIT ? st : imf_fail(err, st, "%s", why.text);
    }
    double bytes = imf_layout_bytes(bands, out->chosen, d);
    out->twice = form.twice;
    out->halved = form.halved;
    out->whole_image_reason = bands->whole_image_reason;
    imf_bands_free(&bands);
    if (d && bytes > (double)d->global_memory) {
        snprintf(out->why, sizeof out->why, "the image is larger than the device's memory allows");
        return IMF_ERR_LIMIT;
    }
    out->bytes = s->options->base + bytes * imf_max(s->options->times, 1) +
                 (d ? imf_tuning(d)->driver_bytes : 0) +
                 (out->on_gles ? imf_gles_rates.driver_bytes : 0);
    return IMF_OK;
}

/* Results do not depend on bands, nor on reading rows twice: before a path is given up for its
 * memory, its bands are halved until they fit, of an image that is read once and then twice. */
static enum imf_status measure(struct imf_path *out, const struct search *s,
                               struct imf_error *err) {
    enum imf_twice may = s->options->twice;
    struct imf_bands_form form = {.streams = !s->options->whole,
                                  .twice = may == IMF_TWICE_FREELY ? may : IMF_TWICE_NEVER,
                                  .float64 = out->float64};
    for (;; form.twice = IMF_TWICE_IF_NEEDED) {
        for (form.halved = 0; form.halved == 0 || s->chain->height >> form.halved; form.halved++) {
            enum imf_status st = measure_form(out, s, form, err);
            if (st == IMF_ERR_LIMIT && out->bytes > 0) /* it was possible in higher bands */
                return IMF_OK;
            if (st || out->bytes <= s->options->limit)
                return st;
        }
        if (may == IMF_TWICE_NEVER || form.twice == IMF_TWICE_IF_NEEDED)
            return IMF_OK;
    }
}

/* Refuse the proposals of a path that are not feasible in bands, or else the largest one: the
 * device's before the host's, and of these one that holds the whole image. False if none is
 * left. */
static bool refuse_largest(const struct search *s, const struct imf_path *path, const char *why) {
    int worst = -1;
    bool any = imf_proposals_drop(s->proposals, path->chosen);
    if (any)
        return true;
    for (int i = 0; i < s->chain->count; i++) {
        const struct imf_proposal *one = &path->chosen[i], *most = &path->chosen[imf_max(worst, 0)];
        if (!one->solver)
            continue;
        double a = one->bytes + (one->bands == IMF_BANDS_WHOLE ? 1e15 : 0) +
                   (one->place == IMF_PLACE_DEVICE ? 1e18 : 0);
        double b = most->bytes + (most->bands == IMF_BANDS_WHOLE ? 1e15 : 0) +
                   (most->place == IMF_PLACE_DEVICE ? 1e18 : 0);
        if (worst < 0 || a > b)
            worst = i;
    }
    if (worst < 0)
        return false;
    imf_proposals_refuse(s->proposals, worst, &path->chosen[worst], why);
    return true;
}

enum imf_status imf_path_find(struct imf_path *out, struct imf_proposals *proposals,
                              const struct imf_path_options *options, struct imf_error *err) {
    struct search s = {proposals, proposals->chain, options, 1, NULL};
    struct imf_path_over over = {INFINITY, INFINITY, "", ""};
    double least = INFINITY;
    char need[IMF_BYTES_TEXT], most[IMF_BYTES_TEXT], why[IMF_WHY] = "";
    size_t count = (size_t)proposals->chain->count;
    s.state = calloc(count, sizeof *s.state);
    enum imf_status st = s.state ? IMF_OK : imf_fail_memory(err, count * sizeof *s.state);
    for (bool again = true; again && !st;) {
        *out =
            (struct imf_path){.over = over, .float64 = options->backends == 1u << IMF_BACKEND_CPU};
        again = false;
        st = search(out, &s, err);
        if (st || !out->chosen)
            break;
        enum imf_status measured = measure(out, &s, err);
        bool fits = !measured;
        if (fits && out->bytes <= options->limit)
            break;
        if (!fits && measured != IMF_ERR_LIMIT) {
            st = measured;
            imf_path_clear(out);
            break;
        }
        snprintf(why, sizeof why, "%s", out->why);
        if (fits) {
            if (over.ms == INFINITY)
                imf_path_pass_over(out, s.chain, &over);
            least = fmin(least, out->bytes);
            snprintf(why, sizeof why, "needs %s, over the limit of %s",
                     imf_bytes_text(need, out->bytes), imf_bytes_text(most, options->limit));
        }
        again = refuse_largest(&s, out, why);
        imf_path_clear(out);
    }
    out->over = over;
    if (!st && !out->chosen) {
        out->over.bytes = least;
        if (*why)
            snprintf(out->why, sizeof out->why, "%s", why);
    }
    free(s.state);
    return st;
}

void imf_path_clear(struct imf_path *path) {
    free(path->chosen);
    free(path->transfer_ms);
    path->chosen = NULL;
    path->transfer_ms = NULL;
}

void imf_path_describe(const struct imf_path *path, const struct imf_chain *c,
                       struct imf_candidate *out) {
    const size_t room = sizeof out->algorithm - sizeof " + 999 more";
    const char *backend = NULL;
    size_t used = 0;
    int left = 0;
    snprintf(out->algorithm, sizeof out->algorithm, "pointwise");
    for (int i = 0; i < c->count; i++) {
        const struct imf_proposal *one = &path->chosen[i];
        if (!one->solver || is_fill(&c->passes[i]))
            continue;
        const char *name = imf_backend_name(one->solver->backend);
        backend = !backend || !strcmp(backend, name) ? name : "mixed";
        left += left || used + strlen(one->description) + 3 >= room;
        if (!left)
            used += (size_t)snprintf(out->algorithm + used, room - used, "%s%s", used ? " + " : "",
                                     one->description);
    }
    if (left)
        snprintf(out->algorithm + used, sizeof out->algorithm - used, " + %d more", left);
    if (!backend)
        backend = imf_backend_name(path->on_device ? IMF_BACKEND_DIRECT
                                   : path->float64 ? IMF_BACKEND_CPU
                                                   : IMF_BACKEND_VECTOR);
    snprintf(out->backend, sizeof out->backend, "%s", backend);
}

void imf_path_pass_over(const struct imf_path *path, const struct imf_chain *chain,
                        struct imf_path_over *out) {
    struct imf_candidate whole;
    imf_path_describe(path, chain, &whole);
    *out = (struct imf_path_over){.ms = path->ms, .bytes = path->bytes};
    memcpy(out->backend, whole.backend, sizeof out->backend);
    memcpy(out->algorithm, whole.algorithm, sizeof out->algorithm);
}
