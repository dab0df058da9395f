/*
 * offers.c - what the device solvers say of a chain's passes
 *
 * To look for tiles or factors takes a while: a solver is asked once for each pass, and its answer
 * kept for all candidates and for the comparison with composed passes.
 */
#include "plan/offers.h"

#include <math.h>
#include <stdlib.h>

static const struct imf_solver *const device_solvers[] = {
    &imf_solver_direct_gpu, &imf_solver_direct, &imf_solver_separable_gpu, &imf_solver_separable,
    &imf_solver_fft_gpu,    &imf_solver_fft,    &imf_solver_frequency};

#define DEVICE_SOLVERS (sizeof device_solvers / sizeof device_solvers[0])

struct imf_offer {
    bool asked, able;
    double ms;
    char why[IMF_WHY]; /* !able */
};

enum imf_status imf_offers_open(struct imf_offers *out, const struct imf_chain *chain,
                                const struct imf_device *d, struct imf_error *err) {
    size_t count = (size_t)chain->count * DEVICE_SOLVERS;
    *out = (struct imf_offers){chain, d, calloc(count, sizeof *out->list)};
    return out->list ? IMF_OK : imf_fail_memory(err, count * sizeof *out->list);
}

void imf_offers_close(struct imf_offers *offers) {
    free(offers->list);
    offers->list = NULL;
}

static void answer(struct imf_offer *o, const struct imf_solver *solver,
                   const struct imf_problem *p, const struct imf_device *d) {
    o->asked = true;
    o->able = solver->applicable(p, d, o->why);
    o->ms = o->able ? solver->cost(p, d) : INFINITY;
}

const struct imf_solver *imf_offers_cheapest(struct imf_offers *offers, int pass,
                                             enum imf_backend backend, double *ms, char *why) {
    const struct imf_solver *best = NULL;
    *ms = INFINITY;
    for (size_t k = 0; k < DEVICE_SOLVERS; k++) {
        const struct imf_solver *solver = device_solvers[k];
        struct imf_offer *o = &offers->list[(size_t)pass * DEVICE_SOLVERS + k];
        if (backend && solver->backend != backend)
            continue;
        if (!o->asked)
            answer(o, solver, &offers->chain->passes[pass].problem, offers->device);
        if (!o->able && o->why[0])
            snprintf(why, IMF_WHY, "%s", o->why);
        if (o->ms < *ms) {
            *ms = o->ms;
            best = solver;
        }
    }
    return best;
}

static double pass_price(void *offers, int pass) {
    char why[IMF_WHY];
    double ms;
    if (((const struct imf_offers *)offers)->chain->passes[pass].coarse)
        return INFINITY;
    imf_offers_cheapest(offers, pass, IMF_BACKEND_AUTO, &ms, why);
    return ms;
}

static double problem_price(void *offers, const struct imf_problem *p) {
    double best = INFINITY;
    for (size_t k = 0; k < DEVICE_SOLVERS; k++) {
        struct imf_offer o = {.asked = false};
        answer(&o, device_solvers[k], p, ((const struct imf_offers *)offers)->device);
        best = fmin(best, o.ms);
    }
    return best;
}

struct imf_prices imf_offers_prices(struct imf_offers *offers) {
    return (struct imf_prices){pass_price, problem_price, offers};
}
