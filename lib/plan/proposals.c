/*
 * proposals.c - what the solvers propose for a chain's passes
 *
 * Searching for tiles and factors takes time, so a solver is asked once for each pass. Point passes
 * have no solvers: their costs on the host and on a device are estimated here.
 */
#include "plan/proposals.h"

#include "base/thread_pool.h"
#include "device/tuning.h"
#include "plan/lowering/operations.h"

#include <math.h>
#include <stdlib.h>

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

#define BACKENDS (IMF_BACKEND_GLES + 1)

enum imf_status imf_proposals_open(struct imf_proposals *out, const struct imf_chain *chain,
                                   const struct imf_device *d, bool float64,
                                   struct imf_error *err) {
    size_t solvers = 0, passes = (size_t)chain->count;
    while (imf_solvers[solvers])
        solvers++;
    *out = (struct imf_proposals){.chain = chain,
                                  .device = d,
                                  .float64 = float64,
                                  .pace = 1,
                                  .solvers = solvers,
                                  .list = calloc(passes * solvers, sizeof *out->list),
                                  .point = calloc(passes * BACKENDS, sizeof *out->point)};
    if (out->list && out->point)
        return IMF_OK;
    imf_proposals_close(out);
    return imf_fail_memory(err, passes * solvers * sizeof *out->list);
}

void imf_proposals_close(struct imf_proposals *proposals) {
    free(proposals->list);
    free(proposals->point);
    proposals->list = proposals->point = NULL;
}

/* ---- point passes ---------------------------------------------------------------------------- */

/* Milliseconds of a point pass in the host's vectors: samples * ns * 1e-6 of one core. */
static double rows_ms(const struct imf_chain *c, const struct imf_pass *pass) {
    const struct imf_vector_rates *r = &imf_vector_rates;
    const struct imf_point *p = &pass->point;
    bool map = imf_point_is_map(p) && pass->in != IMF_F32;
    double ns = map ? r->map : r->point;
    if (imf_point_find(p, IMF_DELINEARIZE) && !map)
        ns += r->curve * pass->channels_out / pass->channels_in;
    return (double)c->width * c->height * pass->channels_in * ns * 1e-6 / imf_cores() + r->start_ms;
}

/* Pass i reads, writes or computes float64 samples. */
static bool is_float64(const struct imf_proposals *all, int i) {
    const struct imf_chain *c = all->chain;
    const struct imf_pass *pass = &c->passes[i];
    return pass->coarse || imf_chain_sample(c, i + 1, all->float64) == IMF_F64 ||
           imf_chain_sample(c, pass->source + 1, all->float64) == IMF_F64 ||
           (pass->second >= 0 && imf_chain_sample(c, pass->second + 1, all->float64) == IMF_F64);
}

/* Devices look the light of samples up, which are integers from 0 to full scale then. */
static bool has_light(const struct imf_chain *c, const struct imf_point *p) {
    bool light =
        p->second_light || imf_point_find(p, IMF_LINEARIZE) || imf_point_find(p, IMF_DELINEARIZE);
    bool integer = c->in == IMF_U8 || c->in == IMF_U16;
    return !light || (integer && c->full == imf_sample_max(c->in) && !c->relative);
}

/* Milliseconds on a device: program + samples / (point * units) * 1e-6; in plain C: samples * point
 * * 1e-6, with the rates of struct imf_tuning and struct imf_host_rates. */
static void propose_point(struct imf_proposal *out, const struct imf_proposals *all, int i,
                          enum imf_backend backend) {
    const struct imf_chain *c = all->chain;
    const struct imf_pass *pass = &c->passes[i];
    const struct imf_device *d = all->device;
    double samples = (double)c->width * c->height * pass->channels_in;
    const char *why = NULL;
    *out =
        (struct imf_proposal){.backend = backend, .ms = INFINITY, .height = c->height, .step = 1};
    const struct imf_operation *blend = imf_point_find(&pass->point, IMF_BLEND);
    const struct imf_mask_plane *mask = blend ? blend->blend.weights.mask : NULL;
    const char *what = mask                                    ? "blend by a mask"
                       : blend                                 ? "blend"
                       : imf_point_find(&pass->point, IMF_PUT) ? "put back"
                                                               : "pointwise";
    snprintf(out->description, sizeof out->description, "%s", what);
    if (backend == IMF_BACKEND_CPU) {
        snprintf(out->description, sizeof out->description, "plain C %s", what);
        out->ms = samples * imf_host_rates.point * 1e-6;
    } else if (imf_backend_is_host(backend)) {
        why = (double)c->width * pass->channels_in > INT32_MAX - 4096 ? "rows are too long" : NULL;
        out->ms = rows_ms(c, pass);
    } else {
        out->place = IMF_PLACE_DEVICE;
        out->bytes = mask ? imf_mask_plane_bytes(mask) : 0; /* its copy there */
        if (!d)
            why = "there is no device";
        else if (c->missing)
            why = "the host leaves out what is missing";
        else if (!has_light(c, &pass->point))
            why = "there is no table of the light of such samples";
        else if (is_float64(all, i))
            why = "floats between passes are too coarse for what magnifies them later";
        else
            out->ms = imf_tuning(d)->program_ms +
                      samples * 1e-6 / (imf_tuning(d)->point * imf_tuning_units(d));
    }
    out->feasible = !why;
    if (imf_backend_is_host(backend) || (d && !d->gpu))
        out->ms *= all->pace;
    if (why) {
        out->ms = INFINITY;
        imf_proposal_refuse(out, "%s", why);
    }
}

/* ---- convolutions and others ----------------------------------------------------------------- */

static bool belongs(const struct imf_solver *solver, enum imf_backend backend) {
    return backend ? solver->backend == backend : !imf_backend_is_host(solver->backend);
}

static void ask_solver(struct imf_proposals *all, int i, const struct imf_solver *solver,
                       struct imf_proposal *out) {
    const struct imf_chain *c = all->chain;
    struct imf_problem p = c->passes[i].problem;
    bool host = imf_backend_is_host(solver->backend);
    const char *why = NULL;
    if (is_float64(all, i) && !solver->float64)
        why = "floats between passes are too coarse for what magnifies them later";
    else if (!host && c->missing)
        why = "the host leaves out what is missing";
    else if (!host && !all->device)
        why = "there is no device";
    if (why) {
        *out = (struct imf_proposal){.solver = solver,
                                     .backend = solver->backend,
                                     .ms = INFINITY,
                                     .height = p.height,
                                     .step = 1};
        imf_proposal_refuse(out, "%s", why);
        return;
    }
    p.in = imf_chain_sample(c, c->passes[i].source + 1, all->float64);
    p.out = imf_chain_sample(c, i + 1, all->float64);
    imf_propose(out, solver, &p, host ? NULL : all->device);
    all->missing += out->missing;
    if (host || !all->device->gpu)
        out->ms *= all->pace;
    if (out->feasible && !host)
        out->ms += imf_tuning(all->device)->program_ms;
}

const struct imf_proposal *imf_proposals_cheapest(struct imf_proposals *proposals, int pass,
                                                  enum imf_backend backend) {
    const struct imf_pass *of = &proposals->chain->passes[pass];
    const struct imf_proposal *best = NULL;
    if (of->kind == IMF_PASS_POINT) {
        struct imf_proposal *one = &proposals->point[(size_t)pass * BACKENDS + backend];
        if (!one->step)
            propose_point(one, proposals, pass, backend);
        return one;
    }
    for (size_t k = 0; imf_solvers[k]; k++) {
        const struct imf_solver *solver = imf_solvers[k];
        struct imf_proposal *one = &proposals->list[(size_t)pass * proposals->solvers + k];
        if (!belongs(solver, backend))
            continue;
        if (!one->solver)
            ask_solver(proposals, pass, solver, one);
        bool says = imf_solver_takes(solver, of->problem.kind);
        if (!best || one->ms < best->ms ||
            (!one->feasible && !best->feasible &&
             (says || !imf_solver_takes(best->solver, of->problem.kind))))
            best = one;
    }
    return best;
}

void imf_proposals_refuse(struct imf_proposals *proposals, int pass,
                          const struct imf_proposal *chosen, const char *why) {
    struct imf_proposal *of_pass = &proposals->list[(size_t)pass * proposals->solvers];
    for (size_t k = 0; k < proposals->solvers; k++)
        if (of_pass[k].solver == chosen->solver) {
            of_pass[k].feasible = false;
            of_pass[k].ms = INFINITY;
            imf_proposal_refuse(&of_pass[k], "%s", why);
        }
}

bool imf_proposals_drop(struct imf_proposals *proposals, const struct imf_proposal *chosen) {
    bool dropped = false;
    for (int i = 0; i < proposals->chain->count; i++)
        if (!chosen[i].feasible) {
            imf_proposals_refuse(proposals, i, &chosen[i], chosen[i].why);
            dropped = true;
        }
    return dropped;
}

enum imf_status imf_proposals_band(struct imf_bands **out, const struct imf_chain *chain,
                                   struct imf_proposal *chosen, struct imf_bands_form form,
                                   const struct imf_device *d, struct imf_error *err) {
    enum imf_status st = imf_bands_plan(out, chain, chosen, form, d, err);
    for (int i = 0; i < chain->count && !st && d; i++) {
        struct imf_problem p = chain->passes[i].problem;
        p.height = (*out)->window[i + 1].tallest;
        if (chosen[i].solver && chosen[i].place == IMF_PLACE_DEVICE)
            imf_propose_band(&chosen[i], &p, d);
        if (!chosen[i].feasible)
            st = imf_fail(err, IMF_ERR_LIMIT, "in bands of %d rows: %s", p.height, chosen[i].why);
    }
    if (st)
        imf_bands_free(out);
    return st;
}
