/*
 * proposals.c - what the solvers propose for a chain's passes
 *
 * To look for tiles or factors takes a while: a solver is asked once for each pass, and its answer
 * kept for all candidates.
 */
#include "plan/proposals.h"

#include <math.h>
#include <stdlib.h>

enum imf_status imf_proposals_open(struct imf_proposals *out, const struct imf_chain *chain,
                                   const struct imf_device *d, struct imf_error *err) {
    size_t solvers = 0;
    while (imf_solvers[solvers])
        solvers++;
    size_t count = (size_t)chain->count * solvers;
    *out = (struct imf_proposals){chain, d, solvers, calloc(count, sizeof *out->list)};
    return out->list ? IMF_OK : imf_fail_memory(err, count * sizeof *out->list);
}

void imf_proposals_close(struct imf_proposals *proposals) {
    free(proposals->list);
    proposals->list = NULL;
}

static bool belongs(const struct imf_solver *solver, enum imf_backend backend) {
    return backend ? solver->backend == backend : !imf_backend_is_host(solver->backend);
}

const struct imf_proposal *imf_proposals_cheapest(struct imf_proposals *proposals, int pass,
                                                  enum imf_backend backend) {
    const struct imf_problem *p = &proposals->chain->passes[pass].problem;
    const struct imf_proposal *best = NULL;
    for (size_t k = 0; imf_solvers[k]; k++) {
        const struct imf_solver *solver = imf_solvers[k];
        struct imf_proposal *one = &proposals->list[(size_t)pass * proposals->solvers + k];
        if (!belongs(solver, backend))
            continue;
        if (!one->solver)
            imf_propose(one, solver, p, proposals->device);
        bool says = imf_solver_takes(solver, p->kind);
        if (!best || one->ms < best->ms ||
            (!one->able && !best->able && (says || !imf_solver_takes(best->solver, p->kind))))
            best = one;
    }
    return best;
}

bool imf_proposals_drop(struct imf_proposals *proposals, const struct imf_proposal *taken) {
    bool dropped = false;
    for (int i = 0; i < proposals->chain->count; i++) {
        struct imf_proposal *of_pass = &proposals->list[(size_t)i * proposals->solvers];
        for (size_t k = 0; k < proposals->solvers && !taken[i].able; k++)
            if (of_pass[k].solver == taken[i].solver && of_pass[k].able) {
                of_pass[k] = taken[i];
                of_pass[k].ms = INFINITY;
                dropped = true;
            }
    }
    return dropped;
}

enum imf_status imf_proposals_band(struct imf_bands **out, const struct imf_chain *chain,
                                   struct imf_proposal *taken, struct imf_bands_form form,
                                   const struct imf_device *d, struct imf_error *err) {
    enum imf_status st = imf_bands_plan(out, chain, taken, form, d, err);
    for (int i = 0; i < chain->count && !st; i++) {
        struct imf_problem p = chain->passes[i].problem;
        p.height = (*out)->window[i + 1].tallest;
        if (taken[i].solver)
            imf_propose_band(&taken[i], &p, d);
        if (!taken[i].able)
            st = imf_fail(err, IMF_ERR_LIMIT, "in bands of %d rows: %s", p.height, taken[i].why);
    }
    if (st)
        imf_bands_free(out);
    return st;
}
