/*
 * taps.h - convolution kernels: taps and their properties
 *
 * taps[i * width + j] multiplies the sample at offset (j - cx, i - cy) from the output's pixel
 * (correlation). The response is sum / scale + bias * full scale.
 */
#ifndef IMF_FILTER_KERNEL_TAPS_H
#define IMF_FILTER_KERNEL_TAPS_H

#include "base/image/surface.h"

#define IMF_KERNEL_MAX 4095 /* largest width or height */
/* Of a coefficient or a scale. Devices compute in single precision: numbers stay where it neither
 * overflows nor vanishes. */
#define IMF_TAP_LARGEST 1e30

struct imf_kernel {
    int width, height;
    int cx, cy;        /* origin: column and row of taps that lies on the output's pixel */
    double scale;      /* divides the sum; not 0 */
    double bias;       /* fraction of full scale, added after */
    double *taps;      /* height rows of width coefficients, owned */
    bool picture;      /* its taps are a picture's samples */
    double background; /* which this was taken off */
};

/* Zero taps, origin at (width/2, height/2), scale 1, bias 0. */
enum imf_status imf_kernel_create(struct imf_kernel **out, int width, int height,
                                  struct imf_error *err);
enum imf_status imf_kernel_copy(struct imf_kernel **out, const struct imf_kernel *k,
                                struct imf_error *err);
void imf_kernel_free(struct imf_kernel **k);

/* Rotate by 180 degrees about the origin: correlation becomes convolution and back. */
void imf_kernel_flip(struct imf_kernel *k);
double imf_kernel_sum(const struct imf_kernel *k);     /* of taps, before scale */
double imf_kernel_abs_sum(const struct imf_kernel *k); /* of |taps|, before scale */
size_t imf_kernel_nonzero(const struct imf_kernel *k);
/* Of a point's picture: take off the background, `level` or if that is NAN what is found, set what is no
 * more than its noise to 0, and the scale to the sum. Where none is found the kernel stays. */
enum imf_status imf_kernel_take_background(struct imf_kernel *k, double level,
                                           struct imf_error *err);
/* Taps, scale and bias are all integers, and the sum of |taps| is below 2^31. */
bool imf_kernel_is_integer(const struct imf_kernel *k);
/* The margin that the kernel reads. */
struct imf_margin imf_kernel_margin(const struct imf_kernel *k);

/*
 * Separable kernels: taps[i][j] = column[i] * row[j] (the caller owns both arrays, height and width
 * long). Integer kernels are tested exactly and give integer factors; real ones by the singular
 * values (second at most 1e-13 of the first). False if it is not separable.
 */
bool imf_kernel_separate(const struct imf_kernel *k, double *column, double *row);

/* The same in steps: find the largest tap, test its row and column, compute the factors. */
struct imf_pivot {
    int x, y;
    double tap;
    bool integer; /* every tap is an integer below 2^31 */
};
struct imf_pivot imf_kernel_pivot(const struct imf_kernel *k);
bool imf_kernel_is_product(const struct imf_kernel *k, const struct imf_pivot *pivot);
void imf_kernel_factors(const struct imf_kernel *k, const struct imf_pivot *pivot, double *column,
                        double *row);

/* Properties of the taps that several solvers use, before scale. */
struct imf_kernel_facts {
    double sum, abs_sum, squares;
    double rounding; /* sum of |tap - (float)tap| */
    size_t nonzero;
    bool integer;  /* imf_kernel_is_integer() */
    bool positive; /* responses to positive samples are positive */
    int mirror;    /* 1: columns mirror each other, -1: with opposite sign, 0: neither */
    bool product;  /* separable, with this pivot */
    struct imf_pivot pivot;
};
void imf_kernel_facts_find(struct imf_kernel_facts *out, const struct imf_kernel *k);

/*
 * The kernel, of no bias, as the sum of two products of a column and a row that are symmetric about
 * its origin: *outer, as large as the kernel, and *inner, of fewer columns and rows, both with the
 * kernel's scale; a single tap in an unsharp mask. To 1e-12 of the largest tap. The caller frees
 * both. False, and nothing owned, if it is no such sum or memory ran out.
 */
bool imf_kernel_split(const struct imf_kernel *k, struct imf_kernel **outer,
                      struct imf_kernel **inner);

/*
 * Separable terms: a sum of up to IMF_TERMS_MAX products of a column and a row, taps[i][j] =
 * column[i] * row[j] + ..., that differs from the kernel by `residual`, a sum of |taps|. Taps
 * outside of `height` from `top` and `width` from `left` are 0; the arrays are as long as the
 * kernel is high and wide. Four terms hardly ever cost less than the kernel or the FFT.
 */
#define IMF_TERMS_MAX 3
#define IMF_TERMS_SIDE 127 /* largest kernel: beyond it the FFT is faster than two terms */

struct imf_terms {
    int count;
    double residual;
    struct imf_term {
        double *column, *row;
        int top, height, left, width;
    } term[IMF_TERMS_MAX];
    double *store;  /* owned: free() it */
    size_t missing; /* bytes that could not be allocated to find out, or 0 */
};

/* False, and nothing owned, if no such sum has a residual of at most `allowed`, the kernel is 0, or memory ran
 * out. */
bool imf_kernel_terms(const struct imf_kernel *k, double allowed, struct imf_terms *out);

#endif
