/*
 * bilateral_rows.h - the inner loops of solver/smoothing/bilateral.c
 *
 * A strip's columns are divided among the lanes of vectors: lane l holds `each` columns from l * each
 * on, and `reach` more at both ends, which neighbouring lanes hold, too. So the pixels dx columns beside
 * a vector are another vector, without shifting. A row is an array of positions 0..positions - 1: for
 * values a vector for each colour, for sums a vector for each colour and one of weights.
 */
#ifndef IMF_SOLVER_SMOOTHING_BILATERAL_ROWS_H
#define IMF_SOLVER_SMOOTHING_BILATERAL_ROWS_H

#include "base/image/surface.h"

#include <stddef.h>

#define IMF_BILATERAL_WIDTH 16
#define IMF_BILATERAL_COLORS 4
#define IMF_BILATERAL_POWER_ERROR 3e-7 /* relative, of a power of 2, with its rounding */

struct imf_bilateral_layout {
    int colors, reach;
    int columns;         /* of the strip, with `reach` to the left and right */
    int each, positions; /* columns of a lane: owned, and in all */
    float near;          /* factor of the squared distance of colours in the weight's exponent */
};

struct imf_bilateral_layout imf_bilateral_deal(int colors, int reach, int columns);

/* Floats of a row of values and of one of sums. */
size_t imf_bilateral_values(const struct imf_bilateral_layout *l);
size_t imf_bilateral_sums(const struct imf_bilateral_layout *l);

/* Load the colours of pixels x.. of row y of a surface (not float64) into a row of values; `planes` is
 * scratch of colors * 16 * positions floats. */
void imf_bilateral_load(const struct imf_bilateral_layout *l, float *values,
                        const struct imf_surface *in, int x, int y, float *planes);
/* Store the means of n pixels from `first` on of the strip into a row of `channels`; overwrites sums. */
void imf_bilateral_store(const struct imf_bilateral_layout *l, float *sums, const float *values,
                         int first, int n, float *row, int channels);

/*
 * Compare each pixel of a row with those dx = from..to columns beside it in another row, and add weights
 * and weighted differences to both rows' sums. far[dx]: the distance's part of the exponents of 2.
 * `spare` holds sums of IMF_BILATERAL_BLOCK + 2 reach positions.
 */
#define IMF_BILATERAL_BLOCK 24 /* even */
void imf_bilateral_pairs(const struct imf_bilateral_layout *l, const float *values, float *sums,
                         const float *other, float *other_sums, const float *far, int from, int to,
                         float *spare);

#endif
