/*
 * solver.h - one algorithm a file, each behind the same table
 *
 * A solver computes one filtering stage: it reads a surface whose margins are filled and writes
 * every pixel of another surface. What follows the sum of products (scale, bias, the range's
 * mapping, point operations, rounding and saturation) is the epilogue, the same in every solver.
 */
#ifndef IMF_SOLVER_H
#define IMF_SOLVER_H

#include "solver/problem.h"

#define IMF_WHY 160

/* In how many bands a pass may be run. */
enum imf_bands_wish {
    IMF_BANDS_MANY,
    IMF_BANDS_FEW,  /* low ones cost more */
    IMF_BANDS_WHOLE /* only one, of the problem's height */
};

struct imf_solver {
    const char *name; /* "direct", "separable", "fft", "cpu" */
    enum imf_backend backend;
    enum imf_bands_wish bands;
    /* Can it, within the exactness asked for? When not, `why` (IMF_WHY bytes) says why. */
    bool (*applicable)(const struct imf_problem *p, const struct imf_device *d, char *why);
    /* How far results may be off before they are rounded to the output's samples, for a problem
     * that is applicable; NULL: up to its tolerance. */
    double (*error)(const struct imf_problem *p, const struct imf_device *d);
    /* Estimated milliseconds of one run on pixels that are already on the device. */
    double (*cost)(const struct imf_problem *p, const struct imf_device *d);
    /* Bytes that make and run allocate, for a problem that it can do; NULL: a table at most. */
    double (*bytes)(const struct imf_problem *p, const struct imf_device *d);
    /* Compile for this problem; *job is the solver's own. queue is NULL for the host solver. The
     * kernels of p must outlive the job. */
    enum imf_status (*make)(void **job, const struct imf_problem *p, struct imf_queue *queue,
                            struct imf_error *err);
    /* Enqueue (or on the host: do) the work, on surfaces of the problem's width and, unless `bands`
     * is IMF_BANDS_WHOLE, of any height up to its own. in has at least the kernels' margins,
     * filled. Writes pixels of `out` and nothing else of it but up to IMF_SLACK samples behind each
     * row. */
    enum imf_status (*run)(void *job, const struct imf_surface *in, const struct imf_surface *out,
                           struct imf_error *err);
    /* One phrase: "direct 3x3, exact integer", "fft tiles 256x256". */
    void (*print)(const struct imf_problem *p, const struct imf_device *d, char *text, size_t size);
    void (*destroy)(void **job);
};

extern const struct imf_solver imf_solver_host, imf_solver_direct, imf_solver_separable,
    imf_solver_fft, imf_solver_fft_gpu, imf_solver_frequency, imf_solver_direct_gpu,
    imf_solver_separable_gpu;

#endif
