/*
 * bilateral_rows.h - the inner loops of solver/smoothing/bilateral.c
 *
 * A strip's columns are dealt to the lanes of vectors: lane l holds `each` columns from l * each on,
 * and `reach` more at both ends, which are other lanes', too. What is dx columns away from a vector
 * so is another vector, and nothing has to be shifted. A row is an array of positions 0..positions
 * - 1, each of some vectors: a colour each of its values, or a colour each and another of its sums.
 */
#ifndef IMF_SOLVER_SMOOTHING_BILATERAL_ROWS_H
#define IMF_SOLVER_SMOOTHING_BILATERAL_ROWS_H

#include "base/surface.h"

#include <stddef.h>

#define IMF_BILATERAL_WIDTH 16
#define IMF_BILATERAL_COLORS 4
#define IMF_BILATERAL_FINE 3e-7 /* relative, of a power of 2 with its rounding */
#define IMF_BILATERAL_COARSE 3.5e-6

struct imf_bilateral_layout {
    int colors, reach;
    int columns;         /* of the strip, with `reach` to the left and right */
    int each, positions; /* columns of a lane, without and with those of others */
    float near;          /* what a squared distance of colours takes off a weight's exponent of 2 */
    bool coarse;         /* weights are off by IMF_BILATERAL_COARSE at most, or by .._FINE */
};

struct imf_bilateral_layout imf_bilateral_deal(int colors, int reach, int columns);

/* Floats of a row of values and of one of sums. */
size_t imf_bilateral_values(const struct imf_bilateral_layout *l);
size_t imf_bilateral_sums(const struct imf_bilateral_layout *l);

/* A row's values: the colours of pixels x.. of row y of a surface, not of float64; `planes` holds
 * colors * (16 * positions) floats. */
void imf_bilateral_load(const struct imf_bilateral_layout *l, float *values,
                        const struct imf_surface *in, int x, int y, float *planes);
/* Of a row's sums the means, less what is in the middle: pixels first.. of the strip, n of them, to
 * the colours of a row of `channels`. */
void imf_bilateral_store(const struct imf_bilateral_layout *l, float *sums, const float *values,
                         int first, int n, float *row, int channels);

/*
 * Weigh each pixel of a row against those dx = from..to columns away in another, and add weights and
 * weighted differences to both rows' sums. far[dx]: the weights' exponents of 2, of distance alone.
 * `spare` holds sums of IMF_BILATERAL_BLOCK + 2 reach positions.
 */
#define IMF_BILATERAL_BLOCK 24 /* even */
void imf_bilateral_pairs(const struct imf_bilateral_layout *l, const float *values, float *sums,
                         const float *other, float *other_sums, const float *far, int from, int to,
                         float *spare);

#endif
