/* registry.c - the table of solvers, and the cheapest of them for a problem */
#include "solver/solver.h"

/* clang-format off */
#define SOLVERS(ROW)                                                                               \
    /* Sums of products: tap by tap, */                                                            \
    ROW(direct_gpu) ROW(direct)                                                                    \
    /* as a column times a row, */                                                                 \
    ROW(separable_gpu) ROW(separable)                                                              \
    /* by transforms of tiles, */                                                                  \
    ROW(fft_gpu) ROW(fft)                                                                          \
    /* on the host's cores: smooth kernels, few distinct taps, small kernels, in float64; plain C, */\
    ROW(decimated) ROW(runs) ROW(vector) ROW(fft_host) ROW(float64) ROW(host)                      \
    /* by shaders. */                                                                              \
    ROW(gles)                                                                                      \
    /* Transfer functions. */                                                                      \
    ROW(spectral_filter_gpu) ROW(spectral_filter) ROW(spectral_filter_vector) ROW(spectral_filter_host)\
    /* Periodic patterns. */                                                                       \
    ROW(descreen_vector) ROW(descreen_host)                                                        \
    /* Minima, maxima and other ranks in windows. */                                               \
    ROW(erode_dilate) ROW(median) ROW(tiles) ROW(bisection) ROW(incremental) ROW(rank_histogram) ROW(sorted_regions)\
    ROW(erode_dilate_gpu) ROW(erode_dilate_runs_gpu) ROW(rank_bits_gpu) ROW(rank_histogram_gpu)    \
    ROW(rank_device) ROW(rank_host)                                                                \
    /* Means that keep edges. */                                                                   \
    ROW(bilateral_device) ROW(bilateral) ROW(bilateral_float64) ROW(bilateral_host)                \
    ROW(guided_device) ROW(guided) ROW(guided_float64) ROW(guided_host)                            \
    /* Thresholds by means. */                                                                     \
    ROW(local_threshold_device) ROW(local_threshold) ROW(local_threshold_host)                     \
    /* Removal of noise. */                                                                        \
    ROW(denoise_gpu) ROW(denoise) ROW(denoise_host)                                                \
    /* Directions of gradients, and edges. */                                                      \
    ROW(phase) ROW(canny_device) ROW(canny_vector) ROW(canny)                                      \
    /* Operations by the image's histogram. */                                                     \
    ROW(histogram_op_device) ROW(histogram_op_vector) ROW(histogram_op_host)                       \
    ROW(clahe_device) ROW(clahe_vector) ROW(clahe_host)                                            \
    /* Undoing a blur. */                                                                          \
    ROW(deblur_gpu) ROW(deblur) ROW(deblur_host)                                                   \
    /* Colours under alpha 0. */                                                                   \
    ROW(fill) ROW(fill_host)                                                                       \
    /* Components that are too small. */                                                           \
    ROW(despeckle) ROW(despeckle_host)
/* clang-format on */

#define DECLARE(name) extern const struct imf_solver imf_solver_##name;
SOLVERS(DECLARE)
#define SOLVER(name) &imf_solver_##name,
const struct imf_solver *const imf_solvers[] = {SOLVERS(SOLVER) NULL};

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
