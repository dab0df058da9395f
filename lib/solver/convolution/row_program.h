/*
 * row_program.h - a kernel as products of rows
 *
 * Rows that are multiples of each other share one product, and a row that is close to the one before it
 * is computed as a difference from it. cl/direct_gpu.cl executes these programs.
 */
#ifndef IMF_SOLVER_CONVOLUTION_ROW_PROGRAM_H
#define IMF_SOLVER_CONVOLUTION_ROW_PROGRAM_H

#include "device/program.h"
#include "filter/kernel/taps.h"

#define IMF_ROW_PROGRAM_SIDE 63 /* largest width or height */

struct imf_row_program {
    int rows; /* distinct ones */
    double taps[IMF_ROW_PROGRAM_SIDE][IMF_ROW_PROGRAM_SIDE];
    bool chained[IMF_ROW_PROGRAM_SIDE]; /* taps are added to the product of the row before */
    int once[IMF_ROW_PROGRAM_SIDE];     /* the only kernel row that uses it directly, or -1 */
    /* Of each kernel row: the distinct row (-1: no taps) and its factor. */
    int of[IMF_ROW_PROGRAM_SIDE];
    double coef[IMF_ROW_PROGRAM_SIDE];
    size_t products, additions; /* for each sample: in the rows' products; of these to the sums */
};

/* The kernel is at most IMF_ROW_PROGRAM_SIDE wide and high. exact: all factors are integers. */
void imf_row_program_write(struct imf_row_program *g, const struct imf_kernel *k, bool exact);

/*
 * Bound of the error of float sums before division by the scale:
 *   - the error of the taps that the program's floats amount to, times the largest sample;
 *   - rounding each partial sum of a row product (rounding.h), and of the sum of row products,
 *     whose errors are independent since each comes from another input row. A row used once adds
 *     its products to the sum directly.
 */
double imf_row_program_error(const struct imf_row_program *g, const struct imf_kernel *k,
                             double in_max);

/* Add the "#define" lines PREFIX_N, _TAPS, _CHAINED, _OF, _COEF and _ONCE. */
void imf_row_program_define(struct imf_defines *d, const struct imf_row_program *g,
                            const struct imf_kernel *k, bool integers, const char *prefix);

#endif
