/* registry.c - the table of solvers, and the cheapest of them for a problem */
#include "solver/solver.h"

/* Solvers that only this table names: of window operations, */
extern const struct imf_solver imf_solver_erode_dilate, imf_solver_median, imf_solver_tiles,
    imf_solver_bisection, imf_solver_incremental, imf_solver_rank_histogram,
    imf_solver_sorted_regions, imf_solver_rank_device, imf_solver_rank_host, imf_solver_bilateral,
    imf_solver_bilateral_float64, imf_solver_bilateral_host, imf_solver_guided,
    imf_solver_guided_float64, imf_solver_guided_host, imf_solver_local_threshold,
    imf_solver_local_threshold_host;
/* of periodic patterns, */
extern const struct imf_solver imf_solver_descreen_vector, imf_solver_descreen_host;
/* of Canny's edges, */
extern const struct imf_solver imf_solver_canny_vector, imf_solver_canny;
/* of tiles' histograms, */
extern const struct imf_solver imf_solver_clahe_vector, imf_solver_clahe_host;
/* of noise, */
extern const struct imf_solver imf_solver_denoise, imf_solver_denoise_host;
/* that undo a blur, */
extern const struct imf_solver imf_solver_deblur, imf_solver_deblur_host;
/* of colours under alpha 0, */
extern const struct imf_solver imf_solver_fill, imf_solver_fill_host;
/* on devices, of filters that are neither sums of products nor ranks, */
extern const struct imf_solver imf_solver_histogram_op_device, imf_solver_clahe_device,
    imf_solver_guided_device, imf_solver_bilateral_device, imf_solver_local_threshold_device,
    imf_solver_canny_device;
/* on GPUs, of ranks, */
extern const struct imf_solver imf_solver_erode_dilate_gpu, imf_solver_erode_dilate_runs_gpu,
    imf_solver_rank_bits_gpu, imf_solver_rank_histogram_gpu;
/* and of noise, and that undo a blur there. */
extern const struct imf_solver imf_solver_denoise_gpu, imf_solver_deblur_gpu;

const struct imf_solver *const imf_solvers[] = {
    /* Sums of products: tap by tap, */
    &imf_solver_direct_gpu, &imf_solver_direct,
    /* as a column times a row, */
    &imf_solver_separable_gpu, &imf_solver_separable,
    /* by transforms of tiles, */
    &imf_solver_fft_gpu, &imf_solver_fft,
    /* on the host's cores: smooth kernels, kernels of few distinct taps, small kernels, in float64; plain C, */
    &imf_solver_decimated, &imf_solver_runs, &imf_solver_vector, &imf_solver_fft_host,
    &imf_solver_float64, &imf_solver_host,
    /* by shaders. */
    &imf_solver_gles,
    /* Transfer functions. */
    &imf_solver_spectral_filter_gpu, &imf_solver_spectral_filter,
    &imf_solver_spectral_filter_vector, &imf_solver_spectral_filter_host,
    /* Periodic patterns. */
    &imf_solver_descreen_vector, &imf_solver_descreen_host,
    /* Minima, maxima and other ranks in windows. */
    &imf_solver_erode_dilate, &imf_solver_median, &imf_solver_tiles, &imf_solver_bisection,
    &imf_solver_incremental, &imf_solver_rank_histogram, &imf_solver_sorted_regions,
    &imf_solver_erode_dilate_gpu, &imf_solver_erode_dilate_runs_gpu, &imf_solver_rank_bits_gpu,
    &imf_solver_rank_histogram_gpu, &imf_solver_rank_device, &imf_solver_rank_host,
    /* Means that keep edges. */
    &imf_solver_bilateral_device, &imf_solver_bilateral, &imf_solver_bilateral_float64,
    &imf_solver_bilateral_host, &imf_solver_guided_device, &imf_solver_guided,
    &imf_solver_guided_float64, &imf_solver_guided_host,
    /* Thresholds by means. */
    &imf_solver_local_threshold_device, &imf_solver_local_threshold,
    &imf_solver_local_threshold_host,
    /* Removal of noise. */
    &imf_solver_denoise_gpu, &imf_solver_denoise, &imf_solver_denoise_host,
    /* Directions of gradients, and edges. */
    &imf_solver_phase, &imf_solver_canny_device, &imf_solver_canny_vector, &imf_solver_canny,
    /* Operations by the image's histogram. */
    &imf_solver_histogram_op_device, &imf_solver_histogram_op_vector, &imf_solver_histogram_op_host,
    &imf_solver_clahe_device, &imf_solver_clahe_vector, &imf_solver_clahe_host,
    /* Undoing a blur. */
    &imf_solver_deblur_gpu, &imf_solver_deblur, &imf_solver_deblur_host,
    /* Colours under alpha 0. */
    &imf_solver_fill, &imf_solver_fill_host, NULL};

void imf_propose_backend(struct imf_proposal *out, enum imf_backend backend,
                         const struct imf_problem *p) {
    bool asked = false;
    size_t missing = 0;
    for (size_t i = 0; imf_solvers[i]; i++) {
        struct imf_proposal one;
        if (imf_solvers[i]->backend != backend)
            continue;
        imf_propose(&one, imf_solvers[i], p, NULL);
        missing += one.missing;
        if (!asked || one.ms < out->ms || (!one.feasible && !out->feasible))
            *out = one;
        asked = true;
    }
    out->missing = missing; /* what any of them lacked: it might have been the cheapest */
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
