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
    enum imf_sample in, second, out;
    const double *linear;                /* light of each integer sample, for each curve, or NULL */
    const struct imf_point_curve *curve; /* for each curve, or NULL: computed as in point.c */
    double low, high;                    /* the range that normalize stretches */
};

/* Run the steps on n pixels, at most IMF_POINT_STRIP; second may be NULL without unsharp. */
void imf_point_strip(const struct imf_point_steps *s, const void *from, const void *second,
                     void *to, int n);
/* Set *curve for the point pass's curve `which`. */
void imf_point_curve_make(struct imf_point_curve *curve, const struct imf_point *p, int which);

#endif
