/*
 * problem.h - what one filtering pass computes, and nothing about how
 *
 * A pass computes each output pixel from the pixels around it, out to `reach`, and then the
 * epilogue: scale, bias, the range's mapping, point operations, rounding and saturation.
 */
#ifndef IMF_SOLVER_PROBLEM_H
#define IMF_SOLVER_PROBLEM_H

#include "base/image/surface.h"
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

#define IMF_CHANNELS_MAX 4 /* of a pixel */

struct imf_problem {
    enum imf_problem_kind kind;
    int width, height, channels;
    enum imf_sample in, out; /* IMF_U8, IMF_U16 or IMF_F32; host solvers also take IMF_F64 */
    struct imf_margin reach; /* pixels that are read beyond each side; margins are filled so far */
    union {                  /* borrowed; set by the functions below, with kind and reach */
        const struct imf_kernel *kernel[2];
        const struct imf_transfer *transfer;
        const struct imf_window_op *window_op; /* of those of windows */
        const struct imf_canny *canny;
        const struct imf_denoise *denoise;
        const struct imf_descreen *descreen;
        struct {
            enum imf_histogram_op histogram_op;
            double black, white, gamma; /* of IMF_HISTOGRAM_LEVELS: fractions of the samples */
        };
        const struct imf_clahe *clahe;
        const struct imf_deblur *deblur;
        struct imf_fill fill;
        const struct imf_despeckle *despeckle;
    };
    int colors; /* of window and histogram operations, edges, noise, patterns and deblurring: the leading channels that are
                   filtered; a further one, alpha, is copied or ignored */
    bool weigh; /* of histograms and measures of noise: the channel after the colours is alpha, and
                   pixels where that rounds to 0 do not count */
    struct imf_kernel_facts facts[2]; /* of each kernel */
    struct imf_epilogue epilogue;
    enum imf_edge edge;               /* transfer functions only: their solvers extend the image */
    double outside[IMF_CHANNELS_MAX]; /* IMF_EDGE_CONSTANT: each channel's sample beyond the edge */
    double in_max;   /* largest |input sample|: 255, 65535, or a bound of the passes before */
    double in_error; /* IMF_PHASE: input samples are off by this at most; 0: they are exact */
    double unit;     /* full scale of the input */
    double hidden;   /* alpha of at most this is none */
    double grain;    /* deblurring: the least standard deviation of the input's noise */
    int grid_x,
        grid_y; /* noise: a block begins at this pixel of a row, from 0 to less than the grid's step, and in this row */
    /*
     * The result must be exactly rounded: input samples are integers, taps, scale, add, multiply
     * and offset too (multiply is 1 or -1).
     */
    bool exact;
    /* Not exact, but where the image's alpha is opaque samples and sums are integers: the solver must
     * keep them so. Sums in floats do as long as they stay below 2^24. */
    bool whole_if_opaque;
    /* Samples are floats that may exceed in_max: an error of a window has to be in proportion to its own samples
     * times taps, so that a bright one spoils nothing beyond it. */
    bool local;
    bool positive; /* samples and taps are positive: a sum's error is in proportion to the sum */
    /* If not exact: the allowed absolute error of v before rounding. tolerance_even is for solvers
     * whose error does not shrink with the sum. */
    double tolerance, tolerance_even;
};

void imf_problem_convolve(struct imf_problem *p, const struct imf_kernel *kernel);
void imf_problem_magnitude(struct imf_problem *p, const struct imf_kernel *a,
                           const struct imf_kernel *b);
void imf_problem_phase(struct imf_problem *p, const struct imf_kernel *x,
                       const struct imf_kernel *y);
void imf_problem_transfer(struct imf_problem *p, const struct imf_transfer *transfer);
void imf_problem_descreen(struct imf_problem *p, const struct imf_descreen *descreen, int colors);
void imf_problem_window_op(struct imf_problem *p, const struct imf_window_op *window);
void imf_problem_canny(struct imf_problem *p, const struct imf_canny *canny, int colors);
void imf_problem_denoise(struct imf_problem *p, const struct imf_denoise *denoise, int colors);
void imf_problem_histogram_op(struct imf_problem *p, enum imf_histogram_op op, int colors);
void imf_problem_clahe(struct imf_problem *p, const struct imf_clahe *clahe, int colors);
void imf_problem_deblur(struct imf_problem *p, const struct imf_deblur *deblur, int colors);
void imf_problem_fill(struct imf_problem *p, const struct imf_fill *fill);
void imf_problem_despeckle(struct imf_problem *p, const struct imf_despeckle *despeckle,
                           int colors);

/* Number of kernels: 1 or 2; 0 where the problem is no sum of products. */
int imf_problem_kernels(const struct imf_problem *p);
/* The largest |sum of products| of any kernel of the problem. */
double imf_largest_sum(const struct imf_problem *p);

/* The first kernel as the product of a column and a row; the caller frees out->store. Returns false,
 * with nothing to free, if it is no such product or memory ran out. */
bool imf_problem_term(const struct imf_problem *p, struct imf_terms *out);
/* The same or, where it is no such product, imf_kernel_terms(): of those there may be one, too. */
bool imf_problem_terms(const struct imf_problem *p, double allowed, struct imf_terms *out);

/* Bound of the error that an epilogue in floats adds to a sum of at most `sum` (before scale). Values
 * that saturate do not count. */
double imf_problem_end_error(const struct imf_problem *p, double sum);

/* The epilogue in double precision, the reference for every other form of it. v is after
 * scale and add (or the magnitude). */
double imf_epilogue_apply(const struct imf_epilogue *e, double v);
/* The same of `count` values; or of sums, with scale and add first. */
void imf_epilogue_values(const struct imf_epilogue *e, double *v, size_t count);
void imf_epilogue_sums(const struct imf_epilogue *e, double *v, size_t count);
/* The output samples of 0 and of full scale, epilogue included. */
struct imf_levels {
    double v[2];
    union {
        uint8_t u8[2];
        uint16_t u16[2];
        float f32[2];
        double f64[2];
    } as;
};
void imf_levels_make(struct imf_levels *levels, const struct imf_problem *p,
                     enum imf_sample sample);
/* Input and output have the same sample type and the epilogue changes nothing. */
bool imf_epilogue_is_identity(const struct imf_problem *p);
/* The least integer that is the square of a magnitude which passes the threshold; if multiply is
 * negative, which does not pass it. */
double imf_epilogue_least_square(const struct imf_epilogue *e);

#endif
