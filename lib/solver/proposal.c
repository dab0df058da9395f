/* proposal.c - how one solver is asked */
#include "solver/solver.h"

#include "device/quarantine.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Why the solvers of a kind of problem refuse other kinds; for operations in windows their noun says it. */
#define WHY(kind, name, extent, value, gain, why) [IMF_##kind] = why,
static const char *const why_not[] = {IMF_PROBLEMS(WHY)};

bool imf_backend_is_host(enum imf_backend backend) {
    return backend == IMF_BACKEND_VECTOR || backend == IMF_BACKEND_CPU ||
           backend == IMF_BACKEND_GLES;
}

bool imf_solver_takes(const struct imf_solver *solver, enum imf_problem_kind kind) {
    return solver->kinds >> kind & 1;
}

void imf_proposal_refuse(struct imf_proposal *out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(out->why, sizeof out->why, format, args);
    va_end(args);
}

/* Refuse proposals that exceed the device's memory. */
static void fit(struct imf_proposal *out, const struct imf_device *d, bool buffers) {
    bool local = out->local > d->local_memory;
    bool large = buffers && d->max_alloc > 0 && out->largest > (double)d->max_alloc;
    if (local)
        imf_proposal_refuse(out, "this needs %zu bytes of local memory, the device has %llu",
                            out->local, (unsigned long long)d->local_memory);
    else if (large)
        imf_proposal_refuse(out, "a buffer of %.0f MiB is over the device's limit of %.0f",
                            ceil(out->largest / 1048576), (double)d->max_alloc / 1048576);
    out->feasible = !local && !large;
    if (!out->feasible)
        out->ms = INFINITY;
}

/* Solvers make tables of a kernel's coefficients, at most two of float64 and their places: measured of
 * kernels of 1023x1023 to 4095x4095. */
#define TABLES 2.25
static double table_bytes(const struct imf_problem *p) {
    double taps = 0;
    bool kernels = p->kind == IMF_CONVOLUTION || p->kind == IMF_MAGNITUDE || p->kind == IMF_PHASE;
    for (int i = 0; i < 2 && kernels; i++)
        taps += p->kernel[i] ? (double)p->kernel[i]->width * p->kernel[i]->height : 0;
    return TABLES * taps * sizeof(double);
}

/* Columns and rows, with what is read beyond them, have to be counted by an int, blocks included: solvers
 * need not ask. */
#define BLOCKS 65536
static bool too_long(const struct imf_problem *p) {
    const struct imf_margin *m = &p->reach;
    int64_t across = (int64_t)p->width + m->left + m->right;
    int64_t down = (int64_t)p->height + m->top + m->bottom;
    return across * p->channels > INT32_MAX - BLOCKS || down > INT32_MAX - BLOCKS;
}

void imf_propose(struct imf_proposal *out, const struct imf_solver *solver,
                 const struct imf_problem *p, const struct imf_device *d) {
    struct imf_proposal refused = {.solver = solver,
                                   .backend = solver->backend,
                                   .place = d ? IMF_PLACE_DEVICE : IMF_PLACE_HOST,
                                   .ms = INFINITY,
                                   .error = p->tolerance,
                                   .height = p->height,
                                   .step = 1};
    *out = refused;
    const char *harm = d && solver->program ? imf_quarantine(d, solver->program) : NULL;
    if (!imf_solver_takes(solver, p->kind))
        imf_proposal_refuse(out, "%s%s", why_not[p->kind] ? "" : p->window_op->noun,
                            why_not[p->kind] ? why_not[p->kind] : " is not linear");
    else if (too_long(p))
        imf_proposal_refuse(out, "the image is too wide or too high");
    else if (!solver->float64 && (p->in == IMF_F64 || p->out == IMF_F64))
        imf_proposal_refuse(out, "this takes no float64 samples");
    else if (p->local && !solver->local)
        imf_proposal_refuse(out, "a bright float would spoil what is far from it");
    else if (harm)
        imf_proposal_refuse(out, "%s with this program (%s.cl on %.40s, driver %.20s)", harm,
                            solver->program, d->name, d->driver);
    else if (d && solver->group && (!d->gpu || d->max_group < solver->group))
        imf_proposal_refuse(out, "this variant is for GPUs with work-groups of %zu", solver->group);
    else
        solver->propose(p, d, out);
    out->bytes += table_bytes(p) + (double)solver->own;
    if (out->feasible && d)
        fit(out, d, out->bands == IMF_BANDS_WHOLE);
    if (!out->feasible) {
        refused.missing = out->missing;
        memcpy(refused.why, out->why, sizeof refused.why);
        memcpy(refused.description, out->description, sizeof refused.description);
        *out = refused;
    }
}

void imf_propose_band(struct imf_proposal *out, const struct imf_problem *p,
                      const struct imf_device *d) {
    /* Tiles stay those of the whole image: results depend on them. */
    if (p->height != out->height && out->step <= 1)
        imf_propose(out, out->solver, p, d);
    if (out->feasible && d)
        fit(out, d, true);
}
