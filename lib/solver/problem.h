/*
 * problem.h - what one filtering pass computes, and nothing about how
 *
 * A pass computes each output pixel from the pixels around it, out to `reach`, and then the
 * epilogue: scale, bias, the range's mapping, point operations, rounding and saturation.
 */
#ifndef IMF_SOLVER_PROBLEM_H
#define IMF_SOLVER_PROBLEM_H

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

enum imf_problem_kind {
    IMF_CONVOLUTION,   /* kernel[0] */
    IMF_MAGNITUDE,     /* of kernel[0] and kernel[1], which have the same size and origin */
    IMF_PHASE,         /* its direction, counter-clockwise, a turn as full scale; half a turn makes
                          each kernel its negative */
    IMF_TRANSFER,      /* the whole image, made periodic, times a transfer function */
    IMF_NEIGHBOURHOOD, /* a function of the samples in a window, told by its name */
    IMF_CANNY,         /* edges, which the whole image has to be known for */
    IMF_TABLE          /* a function of each sample that the whole image's histogram makes */
};

#define IMF_CHANNELS_MAX 4 /* of a pixel */

struct imf_problem {
    enum imf_problem_kind kind;
    int width, height, channels;
    enum imf_sample in, out; /* IMF_U8, IMF_U16 or IMF_F32; host solvers also take IMF_F64 */
    struct imf_margin reach; /* what is read beyond the image, whose margins are filled so far */
    union {                  /* borrowed; the functions below set them with kind and reach */
        const struct imf_kernel *kernel[2];
        const struct imf_transfer *transfer;
        const struct imf_neighbourhood *neighbourhood;
        const struct imf_canny *canny;
        enum imf_table table;
    };
    int colors; /* of a neighbourhood, table or edges: channels that it is for; another, alpha,
                   stays, or what becomes of it does not matter */
    struct imf_kernel_facts facts[2]; /* of each kernel */
    struct imf_epilogue epilogue;
    enum imf_edge edge; /* only for transfer, whose extension is the solver's business */
    double outside[IMF_CHANNELS_MAX]; /* IMF_EDGE_CONSTANT: each channel's sample beyond the edge */
    double in_max;   /* largest |input sample|: 255, 65535, or a bound of the passes before */
    double in_error; /* IMF_PHASE: input samples are off by this at most; 0: they are exact */
    double unit;     /* full scale of the input */
    /*
     * The result must be exactly rounded: input samples are integers, taps, scale, add, multiply
     * and offset too (multiply is 1 or -1).
     */
    bool exact;
    /* Not exact, but its samples are integers where the image's alpha is opaque, and so must sums be:
     * those of floats are, as long as floats hold them. */
    bool whole_if_opaque;
    bool positive; /* samples and taps are: errors of sums are in proportion to the sums */
    /* Otherwise: allowed absolute error of v before rounding. Solvers whose errors are the same
     * everywhere, whatever the sum, keep to the second. */
    double tolerance, tolerance_even;
};

void imf_problem_convolve(struct imf_problem *p, const struct imf_kernel *kernel);
void imf_problem_magnitude(struct imf_problem *p, const struct imf_kernel *a,
                           const struct imf_kernel *b);
void imf_problem_phase(struct imf_problem *p, const struct imf_kernel *x,
                       const struct imf_kernel *y);
void imf_problem_transfer(struct imf_problem *p, const struct imf_transfer *transfer);
void imf_problem_neighbourhood(struct imf_problem *p, const struct imf_neighbourhood *hood);
void imf_problem_canny(struct imf_problem *p, const struct imf_canny *canny, int colors);
void imf_problem_table(struct imf_problem *p, enum imf_table table, int colors);

/* How many kernels it has: 1 or 2, or 0 where it is no sum of products. */
int imf_problem_kernels(const struct imf_problem *p);

/* The first kernel as one product of a column and a row; false, and nothing owned, when it is none
 * or memory ran out. The caller frees out->store. */
bool imf_problem_term(const struct imf_problem *p, struct imf_terms *out);

/* "#define" lines that common.cl reads, but for VEC, which is the solver's: IN, OUT, EXACT,
 * WIDE, E_* and X_*. */
void imf_problem_defines(struct imf_defines *d, const struct imf_problem *p);

/* How far an epilogue in floats may be off after a sum of at most `sum` (before scale), other than
 * by what the sum is off. What saturates anyway does not count. */
double imf_problem_end_error(const struct imf_problem *p, double sum);

/* The epilogue in double precision, the reference for every other form of it. v is after
 * scale and add (or the magnitude). */
double imf_epilogue_apply(const struct imf_epilogue *e, double v);
/* The same of `count` values; or of sums, which are divided by the scale first. */
void imf_epilogue_values(const struct imf_epilogue *e, double *v, size_t count);
void imf_epilogue_sums(const struct imf_epilogue *e, double *v, size_t count);
/* The least square of a magnitude, of whole numbers, at which the threshold passes, or with a
 * negative factor the least at which it does not any more. */
double imf_epilogue_least_square(const struct imf_epilogue *e);

#endif
