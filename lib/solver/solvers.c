/* solvers.c - the list of solvers, and how they are asked */
#include "solver/solver.h"

#include "device/quarantine.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* Of neighbourhoods, which nobody else names. */
extern const struct imf_solver imf_solver_erode_dilate, imf_solver_rank, imf_solver_rank_device,
    imf_solver_rank_host, imf_solver_bilateral, imf_solver_bilateral_host, imf_solver_guided,
    imf_solver_guided_host;
/* And of edges. */
extern const struct imf_solver imf_solver_canny_vector, imf_solver_canny;
/* Devices' ways with what is neither a sum nor a rank. */
extern const struct imf_solver imf_solver_table_device, imf_solver_guided_device,
    imf_solver_bilateral_device, imf_solver_canny_device;
/* Windows' ways for GPUs. */
extern const struct imf_solver imf_solver_erode_dilate_gpu, imf_solver_erode_dilate_runs_gpu,
    imf_solver_rank_bits_gpu, imf_solver_rank_histogram_gpu;

const struct imf_solver *const imf_solvers[] = {
    &imf_solver_direct_gpu,
    &imf_solver_direct, /* sums of products, taken literally */
    &imf_solver_separable_gpu,
    &imf_solver_separable, /* a column times a row */
    &imf_solver_fft_gpu,
    &imf_solver_fft, /* tiles in the frequency domain */
    &imf_solver_frequency_gpu,
    &imf_solver_frequency, /* the whole image there */
    &imf_solver_multirate, /* large smooth kernels on the host's cores, */
    &imf_solver_runs,      /* those of few distinct taps, and */
    &imf_solver_vector,    /* small ones */
    &imf_solver_host,      /* plain C */
    &imf_solver_vector_frequency,
    &imf_solver_host_frequency, /* transfer functions: on the host's cores */
    &imf_solver_gles,           /* the same small ones by shaders */
    &imf_solver_erode_dilate,   /* least and greatest in windows, */
    &imf_solver_rank,           /* any rank: on the host's cores, */
    &imf_solver_erode_dilate_gpu,
    &imf_solver_erode_dilate_runs_gpu,
    &imf_solver_rank_bits_gpu,
    &imf_solver_rank_histogram_gpu,
    &imf_solver_rank_device,
    &imf_solver_rank_host,
    &imf_solver_bilateral_device,
    &imf_solver_bilateral,
    &imf_solver_bilateral_host,
    &imf_solver_guided_device,
    &imf_solver_guided,
    &imf_solver_guided_host, /* means that keep edges: on the host's cores; plain C */
    &imf_solver_phase,       /* directions of gradients on the host's cores */
    &imf_solver_canny_device,
    &imf_solver_canny_vector,
    &imf_solver_canny, /* edges: on the host's cores; plain C */
    &imf_solver_table_device,
    &imf_solver_table_vector,
    &imf_solver_table, /* by the image's histogram: on the host's cores; plain C */
    NULL};

/* Why solvers do not take other kinds of problems. */
static const char *const why_not[] = {[IMF_CONVOLUTION] = "there is no transfer function",
                                      [IMF_MAGNITUDE] = "a magnitude takes two kernels at once",
                                      [IMF_PHASE] = "a gradient's direction is not linear",
                                      [IMF_TRANSFER] = "frequency-domain filters need the FFT",
                                      [IMF_NEIGHBOURHOOD] = " is not linear",
                                      [IMF_CANNY] = "following edges is not linear",
                                      [IMF_TABLE] = "what a histogram decides is not linear"};

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

/* A solver may propose what the device has no room for. */
static void fit(struct imf_proposal *out, const struct imf_device *d, bool buffers) {
    bool local = out->local > d->local_memory;
    bool large = buffers && d->max_alloc > 0 && out->largest > (double)d->max_alloc;
    if (local)
        imf_proposal_refuse(out, "this needs %zu bytes of local memory, the device has %llu",
                            out->local, (unsigned long long)d->local_memory);
    else if (large)
        imf_proposal_refuse(out, "a buffer of %.0f MiB is over the device's limit of %.0f",
                            ceil(out->largest / 1048576), (double)d->max_alloc / 1048576);
    out->able = !local && !large;
    if (!out->able)
        out->ms = INFINITY;
}

void imf_propose(struct imf_proposal *out, const struct imf_solver *solver,
                 const struct imf_problem *p, const struct imf_device *d) {
    *out = (struct imf_proposal){.solver = solver,
                                 .backend = solver->backend,
                                 .place = d ? IMF_PLACE_DEVICE : IMF_PLACE_HOST,
                                 .ms = INFINITY,
                                 .error = p->tolerance,
                                 .height = p->height,
                                 .step = 1};
    const char *harm = d && solver->program ? imf_quarantine(d, solver->program) : NULL;
    if (!imf_solver_takes(solver, p->kind))
        imf_proposal_refuse(out, "%s%s", p->kind == IMF_NEIGHBOURHOOD ? p->neighbourhood->noun : "",
                            why_not[p->kind]);
    else if (harm)
        imf_proposal_refuse(out, "%s with this program (%s.cl on %.40s, driver %.20s)", harm,
                            solver->program, d->name, d->driver);
    else
        solver->propose(p, d, out);
    if (out->able && d)
        fit(out, d, out->bands == IMF_BANDS_WHOLE);
}

void imf_propose_band(struct imf_proposal *out, const struct imf_problem *p,
                      const struct imf_device *d) {
    /* What goes by tiles keeps those of the image. */
    if (p->height != out->height && out->step <= 1)
        imf_propose(out, out->solver, p, d);
    if (out->able && d)
        fit(out, d, true);
}

void imf_propose_backend(struct imf_proposal *out, enum imf_backend backend,
                         const struct imf_problem *p) {
    bool asked = false;
    for (size_t i = 0; imf_solvers[i]; i++) {
        struct imf_proposal one;
        if (imf_solvers[i]->backend != backend)
            continue;
        imf_propose(&one, imf_solvers[i], p, NULL);
        if (!asked || one.ms < out->ms || (!one.able && !out->able))
            *out = one;
        asked = true;
    }
}

void imf_propose_host(struct imf_proposal *out, const struct imf_problem *p) {
    bool asked = false;
    imf_propose(out, &imf_solver_host, p, NULL);
    for (size_t i = 0; imf_solvers[i] && !out->able; i++) {
        bool takes = imf_solver_takes(imf_solvers[i], p->kind);
        if (imf_solvers[i]->backend == IMF_BACKEND_CPU && (takes || !asked))
            imf_propose(out, imf_solvers[i], p, NULL);
        asked = asked || takes;
    }
}
