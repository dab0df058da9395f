/* rows.h - a point pass on rows of pixels (for rows.c and strip.h alone) */
#ifndef IMF_RUN_POINT_ROWS_H
#define IMF_RUN_POINT_ROWS_H

#include "plan/lowering/operations.h"

#define IMF_CURVE_PARTS 4096

/* The curve from linear light 0..full to bytes: values from at[b] to at[b + 1] become b. The range
 * is divided into IMF_CURVE_PARTS equal parts; start[] is the byte at the start of each. */
struct imf_point_curve {
    double at[257], scale;
    uint8_t start[IMF_CURVE_PARTS];
    bool dense; /* a part contains more than one of at[] */
};

struct imf_point_rows {
    struct imf_point point;
    enum imf_sample in, second, out;
    /* What it takes for a pixel: the image's, or a sample, of which `merged` are one of the image's. */
    int colors, alpha, others, merged;
    double *linear; /* owned: light of each integer sample, for each curve, or NULL */
    struct imf_point_curve *curve; /* owned: for each curve, or NULL: no table */
    double low, high;              /* the range that normalize stretches */
};

/* Row y of the image, of so many pixels. second may be NULL where no step reads it. */
typedef void imf_point_row(const struct imf_point_rows *rows, const void *from, const void *second,
                           void *to, int width, int y);
imf_point_row imf_point_row_double, imf_point_row_float; /* without float64 samples */
/* A blend's weights of n pixels from pixel x of row y on, each for `merged` samples. */
void imf_point_weigh(const struct imf_weights *by, float *w, int x, int y, int n, int merged);
/* Where bytes need no planes; or NULL. */
imf_point_row *imf_point_row_bytes(const struct imf_point_rows *rows);

#endif
