/* rows.h - the steps of a point pass on strips of rows (for rows.c alone) */
#ifndef IMF_RUN_POINT_ROWS_H
#define IMF_RUN_POINT_ROWS_H

#include "plan/chain.h"

#define IMF_POINT_STRIP 256 /* pixels of a strip */
#define IMF_CURVE_PARTS 4096

/* The curve from linear light 0..full to bytes: values from at[b] to at[b + 1] become b. The range
 * is divided into IMF_CURVE_PARTS equal parts; start[] is the byte at the start of each. */
struct imf_point_curve {
    double at[257], scale;
    uint8_t start[IMF_CURVE_PARTS];
    bool dense; /* a part contains more than one of at[] */
};

struct imf_point_steps {
    const struct imf_point *point;
    int merged; /* samples of a pixel that are treated alike: they are `point`'s pixels */
    enum imf_sample in, second, out;
    const double *linear;                /* light of each integer sample, for each curve, or NULL */
    const struct imf_point_curve *curve; /* for each curve, or NULL: computed as in point.c */
    double low, high;                    /* the range that normalize stretches */
    float even[IMF_POINT_STRIP];         /* the weight of all samples, without mask and regions */
    double most; /* of integers in `out`; gcc 12 tests values a second time for a literal bound */
};

/* Where a strip begins: samples of the three surfaces, of which `second` may be NULL without unsharp
 * and blend, and `point`'s pixel in row y of the image. */
struct imf_point_strip {
    const char *from, *second;
    char *to;
    int x, y;
};

/* Run the steps on n pixels, at most IMF_POINT_STRIP; whole pixels of the image. */
void imf_point_strip(const struct imf_point_steps *s, const struct imf_point_strip *at, int n);
/* The same in floats, for surfaces without float64, and for steps that floats are good enough for. */
void imf_point_strip_float(const struct imf_point_steps *s, const struct imf_point_strip *at,
                           int n);
bool imf_point_takes_floats(const struct imf_point *p);
/* Set *curve for the point pass's curve `which`. */
void imf_point_curve_make(struct imf_point_curve *curve, const struct imf_point *p, int which);

#endif
