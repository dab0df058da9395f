/*
 * candidates.c - a chain done by one backend throughout, or by the best for each pass
 *
 * Each pass is done by its cheapest proposal. A device adds what it costs beside the arithmetic:
 * opening the platform, programs, point passes, moving pixels. The host's solvers are backends like
 * the others, whose chain is the host's and which cost nothing to start.
 */
#include "plan/candidates.h"

#include "base/parallel.h"
#include "device/tuning.h"
#include "plan/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *imf_backend_name(enum imf_backend backend) {
    static const char *const names[] = {[IMF_BACKEND_AUTO] = "mixed",
                                        [IMF_BACKEND_DIRECT] = "direct",
                                        [IMF_BACKEND_SEPARABLE] = "separable",
                                        [IMF_BACKEND_FFT] = "fft",
                                        [IMF_BACKEND_VECTOR] = "vector",
                                        [IMF_BACKEND_CPU] = "cpu",
                                        [IMF_BACKEND_GLES] = "gles"};
    return names[backend];
}

/* Floats between passes, and point passes by the host's vectors: by shaders, only sums are others. */
static bool is_vector(enum imf_backend backend) {
    return backend == IMF_BACKEND_VECTOR || backend == IMF_BACKEND_GLES;
}

/* Milliseconds of one core for a point pass of the host's vectors: samples * ns * 1e-6. */
static double rows_ms(const struct imf_chain *c, const struct imf_pass *pass) {
    const struct imf_vector_rates *r = &imf_vector_rates;
    const struct imf_point *p = &pass->point;
    bool map = imf_point_is_map(p) && pass->in != IMF_F32;
    double ns = map ? r->map : r->point;
    if (p->delinearize && !map)
        ns += r->curve * pass->channels_out / pass->channels_in;
    return (double)c->width * c->height * pass->channels_in * ns * 1e-6;
}

/*
 * Milliseconds beside the convolutions: on the host, for point passes in plain C, passes * samples *
 * point * 1e-6, and as rows_ms() says otherwise; on a
 * device, opening + passes * program + point passes * samples / (point * units) * 1e-6 + bytes
 * there and back / link, in the rates of its tuning.
 */
static double overhead(const struct imf_chain *c, const struct imf_device *d,
                       enum imf_backend backend, bool opened) {
    double samples = (double)c->width * c->height * c->channels_in, rows = 0;
    int points = 0;
    for (int i = 0; i < c->count; i++)
        if (c->passes[i].kind == IMF_PASS_POINT) {
            points++;
            rows += rows_ms(c, &c->passes[i]) / imf_cores() + imf_vector_rates.start_ms;
        }
    if (is_vector(backend))
        return rows + (backend == IMF_BACKEND_GLES ? imf_gles_rates.open_ms : 0);
    if (!d)
        return points * samples * imf_host_rates.point * 1e-6;
    const struct imf_tuning *t = imf_tuning(d);
    double ms = (opened ? 0 : t->open_ms) + c->count * t->program_ms +
                points * samples * 1e-6 / (t->point * imf_tuning_units(d));
    if (!d->unified)
        ms += 2 * samples * (double)imf_sample_size(c->in) * 1e-6 / t->link;
    return ms;
}

/* Why the host's vectors cannot do a point pass, or NULL. */
static const char *why_no_rows(const struct imf_chain *c, int i) {
    const struct imf_pass *pass = &c->passes[i];
    return (double)c->width * pass->channels_in > INT32_MAX - 4096 ? "rows are too long" : NULL;
}

/* Take the cheapest for each pass; false, with the reason, where one has none. */
static bool take(struct imf_candidate *out, struct imf_proposals *from, enum imf_backend backend,
                 struct imf_proposal *taken) {
    const struct imf_chain *c = from->chain;
    bool able = true, floats = from->device || is_vector(backend);
    for (int i = 0; i < c->count && (able || !from->device); i++) {
        taken[i] = (struct imf_proposal){.able = true};
        if (c->passes[i].coarse && floats && (from->device || c->passes[i].out == IMF_F32)) {
            snprintf(out->why, sizeof out->why,
                     "floats between passes are too coarse for what magnifies them later");
            return false;
        }
        if (c->passes[i].kind != IMF_PASS_CONVOLVE) {
            const char *why = is_vector(backend) ? why_no_rows(c, i) : NULL;
            if (!why)
                continue;
            snprintf(out->why, sizeof out->why, "%s", why);
            return false;
        }
        taken[i] = *imf_proposals_cheapest(from, i, backend);
        if (!taken[i].able && able)
            snprintf(out->why, sizeof out->why, "%s", taken[i].why);
        able = able && taken[i].able;
        out->estimate_ms += taken[i].ms;
    }
    return able;
}

/* The process's bytes with what the surfaces and solvers take, within what the device has. */
static bool measure(struct imf_candidate *out, const struct imf_proposals *from,
                    enum imf_backend backend, const struct imf_bounds *bounds,
                    struct imf_proposal *taken, double *bytes) {
    const struct imf_device *d = from->device;
    const struct imf_bands_form form = {.ends = !bounds->whole,
                                        .floats = backend != IMF_BACKEND_CPU};
    struct imf_bands *bands = NULL;
    struct imf_error err;
    if (imf_proposals_band(&bands, from->chain, taken, form, d, &err)) {
        snprintf(out->why, sizeof out->why, "%.150s", err.text);
        return false;
    }
    *bytes = imf_layout_bytes(bands, taken, d);
    out->holds = bands->holds;
    imf_bands_free(&bands);
    if (d && *bytes > (double)d->global_memory) {
        snprintf(out->why, sizeof out->why, "the image is larger than the device's memory allows");
        return false;
    }
    *bytes += d                             ? imf_tuning(d)->driver_bytes
              : backend == IMF_BACKEND_GLES ? imf_gles_rates.driver_bytes
                                            : 0;
    return true;
}

/* Note what it would take, and whether it may. */
static bool within(struct imf_candidate *out, double bytes, const struct imf_bounds *bounds) {
    char need[IMF_BYTES_TEXT], most[IMF_BYTES_TEXT];
    bytes += bounds->base;
    out->bytes = (uint64_t)fmin(bytes, 0x1p62);
    if (bytes <= bounds->limit)
        return true;
    snprintf(out->why, sizeof out->why, "needs %s, over the limit of %s",
             imf_bytes_text(need, bytes), imf_bytes_text(most, bounds->limit));
    return false;
}

/* What the solvers do, of as many passes as there is room for. */
static void describe(struct imf_candidate *out, const struct imf_chain *c,
                     const struct imf_proposal *taken) {
    const size_t room = sizeof out->algorithm - sizeof " + 999 more";
    size_t used = 0;
    int left = 0;
    snprintf(out->algorithm, sizeof out->algorithm, "pointwise");
    for (int i = 0; i < c->count; i++) {
        if (!taken[i].solver)
            continue;
        left += left || used + strlen(taken[i].phrase) + 3 >= room;
        if (!left)
            used += (size_t)snprintf(out->algorithm + used, room - used, "%s%s", used ? " + " : "",
                                     taken[i].phrase);
    }
    if (left)
        snprintf(out->algorithm + used, sizeof out->algorithm - used, " + %d more", left);
}

static bool is_mixture(const struct imf_chain *c, const struct imf_proposal *taken) {
    const struct imf_solver *first = NULL;
    for (int i = 0; i < c->count; i++) {
        if (taken[i].solver && first && taken[i].solver->backend != first->backend)
            return true;
        first = first ? first : taken[i].solver;
    }
    return false;
}

double imf_candidate_make(struct imf_candidate *out, struct imf_proposals *from,
                          enum imf_backend backend, const struct imf_bounds *bounds,
                          struct imf_proposal *taken) {
    double bytes, over = INFINITY;
    bool able, again;
    do { /* until no solver is taken that even bands are too large for */
        again = false;
        *out = (struct imf_candidate){
            .estimate_ms = overhead(from->chain, from->device, backend, bounds->opened)};
        snprintf(out->backend, sizeof out->backend, "%s", imf_backend_name(backend));
        able = take(out, from, backend, taken) && (backend || is_mixture(from->chain, taken));
        if (able && !measure(out, from, backend, bounds, taken, &bytes)) {
            able = false;
            again = imf_proposals_drop(from, taken);
        }
    } while (again);
    out->eligible = able && within(out, bytes, bounds);
    if (able && !out->eligible)
        over = out->estimate_ms;
    if (out->eligible)
        out->why[0] = 0;
    else
        out->estimate_ms = -1;
    if (out->eligible || backend == IMF_BACKEND_CPU)
        describe(out, from->chain, taken);
    else
        snprintf(out->algorithm, sizeof out->algorithm, "-");
    return over;
}
