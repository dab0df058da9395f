/* registry.c - the table of solvers, and the cheapest of them for a problem */
#include "solver/solver.h"

/* Of windows, which nobody else names. */
extern const struct imf_solver imf_solver_erode_dilate, imf_solver_rank, imf_solver_rank_device,
    imf_solver_rank_host, imf_solver_bilateral, imf_solver_bilateral_host, imf_solver_guided,
    imf_solver_guided_host;
/* And of edges. */
extern const struct imf_solver imf_solver_canny_vector, imf_solver_canny;
/* Devices' ways with what is neither a sum nor a rank. */
extern const struct imf_solver imf_solver_histogram_op_device, imf_solver_guided_device,
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
    &imf_solver_spectral_filter_gpu,
    &imf_solver_spectral_filter, /* the whole image there */
    &imf_solver_decimated,       /* large smooth kernels on the host's cores, */
    &imf_solver_runs,            /* those of few distinct taps, and */
    &imf_solver_vector,          /* small ones */
    &imf_solver_host,            /* plain C */
    &imf_solver_spectral_filter_vector,
    &imf_solver_spectral_filter_host, /* transfer functions: on the host's cores */
    &imf_solver_gles,                 /* the same small ones by shaders */
    &imf_solver_erode_dilate,         /* least and greatest in windows, */
    &imf_solver_rank,                 /* any rank: on the host's cores, */
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
    &imf_solver_histogram_op_device,
    &imf_solver_histogram_op_vector,
    &imf_solver_histogram_op_host, /* by the image's histogram: on the host's cores; plain C */
    NULL};

void imf_propose_backend(struct imf_proposal *out, enum imf_backend backend,
                         const struct imf_problem *p) {
    bool asked = false;
    for (size_t i = 0; imf_solvers[i]; i++) {
        struct imf_proposal one;
        if (imf_solvers[i]->backend != backend)
            continue;
        imf_propose(&one, imf_solvers[i], p, NULL);
        if (!asked || one.ms < out->ms || (!one.feasible && !out->feasible))
            *out = one;
        asked = true;
    }
}

void imf_propose_host(struct imf_proposal *out, const struct imf_problem *p) {
    bool asked = false;
    imf_propose(out, &imf_solver_host, p, NULL);
    for (size_t i = 0; imf_solvers[i] && !out->feasible; i++) {
        bool takes = imf_solver_takes(imf_solvers[i], p->kind);
        if (imf_solvers[i]->backend == IMF_BACKEND_CPU && (takes || !asked))
            imf_propose(out, imf_solvers[i], p, NULL);
        asked = asked || takes;
    }
}
