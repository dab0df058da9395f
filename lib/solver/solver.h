/*
 * solver.h - one algorithm a file, each behind the same table
 *
 * A solver computes one filtering stage: it reads a surface whose margins are filled and writes
 * every pixel of another surface. What follows the sum of products (scale, bias, the range's
 * mapping, point operations, rounding and saturation) is the epilogue, the same in every solver.
 */
#ifndef IMF_SOLVER_H
#define IMF_SOLVER_H

#include "base/surface.h"
#include "device/program.h"
#include "filter/filter.h"

/*
 * v = sum / scale + add          (magnitude: v = sqrt(v0^2 + v1^2), each v_i = sum_i / scale)
 * if absolute: v = |v|
 * v = multiply * v + offset
 * if threshold: v = v >= level ? full : 0
 * integer outputs: round to nearest, ties to even, saturate to 0..full. Float outputs: as is.
 * All of add, offset, level, full are on the scale of the image's samples (bias already times
 * full).
 */
struct imf_epilogue {
    double scale, add;
    bool absolute;
    double multiply, offset; /* multiply is not 0 */
    bool threshold;
    double level, full;
};

/* Of a pixel: an image's, or digits of three colours and alpha (chain.h). */
#define IMF_CHANNELS_MAX 28

/* What a solver is asked to do. */
struct imf_problem {
    int width, height, channels;
    enum imf_sample in, out; /* IMF_U8, IMF_U16 or IMF_F32; the host solver also takes IMF_F64 */
    const struct imf_kernel *kernel[2];  /* kernel[1] NULL unless magnitude; borrowed */
    const struct imf_transfer *transfer; /* instead of kernels: whole-image transfer function */
    struct imf_epilogue epilogue;
    enum imf_edge edge; /* only for transfer, whose extension is the solver's business */
    double outside[IMF_CHANNELS_MAX]; /* IMF_EDGE_CONSTANT: each channel's sample beyond the edge */
    double in_max; /* largest |input sample|: 255, 65535, or a bound of the stages before */
    /*
     * The result must be exactly rounded: input samples are integers, taps, scale, add, multiply
     * and offset too (multiply is 1 or -1).
     */
    bool exact;
    bool positive;    /* samples and taps are: errors of sums are relative to the sums */
    bool factors;     /* the host may take a kernel apart into columns and rows */
    double tolerance; /* otherwise: allowed absolute error of v before rounding (1e-3 for 8 bit) */
};

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
    imf_solver_fft, imf_solver_fft_local, imf_solver_transfer, imf_solver_direct_local,
    imf_solver_separable_local;

/* "#define" lines that cl/common.cl reads, but for VEC, which is the solver's: IN, OUT, EXACT,
 * WIDE, E_* and X_*. */
void imf_problem_defines(struct imf_defines *d, const struct imf_problem *p);
/* The first steps of a float epilogue for sums in float64: D_MUL and D_ADD. */
void imf_problem_defines_double(struct imf_defines *d, const struct imf_problem *p);
/* Exact sums (for magnitudes: the sum of two squares) or their numerators need 64 bits. */
bool imf_problem_wide(const struct imf_problem *p);
/* What the problem's kernels read beyond the image. */
struct imf_margin imf_problem_margin(const struct imf_problem *p);

/* How far an epilogue in floats may be off after a sum of at most `sum` (before scale), other than
 * by what the sum is off. What saturates anyway does not count. */
double imf_problem_end_error(const struct imf_problem *p, double sum);

/* The epilogue in double precision, the reference for every other form of it. v is after
 * scale and add (or the magnitude). */
double imf_epilogue_apply(const struct imf_epilogue *e, double v);

#endif
