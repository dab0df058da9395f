/* rows.h - the steps of a point pass on strips of rows (run/point/rows.c's own) */
#ifndef IMF_RUN_POINT_ROWS_H
#define IMF_RUN_POINT_ROWS_H

#include "plan/chain.h"

#define IMF_POINT_STRIP 256 /* pixels that are worked on at once */
#define IMF_CURVE_PARTS 4096

/* The light curve back to bytes, which values of 0..full become: those from at[b] on become b. The
 * first byte of each part of that range, IMF_CURVE_PARTS in all, is start[]. */
struct imf_point_curve {
    double at[257], scale;
    uint8_t start[IMF_CURVE_PARTS];
    bool dense; /* a part holds more than one of at[] */
};

struct imf_point_steps {
    const struct imf_point *point;
    enum imf_sample in, second, out;
    const double *linear;                /* of each integer sample its light, or NULL; and */
    const struct imf_point_curve *curve; /* or NULL: as point.c does it; a table for each */
    double low, high;                    /* the range that normalize stretches */
};

/* n pixels, IMF_POINT_STRIP at most; second as imf_point_run_host() takes it. */
void imf_point_strip(const struct imf_point_steps *s, const void *from, const void *second,
                     void *to, int n);
/* Of the point's curve `which`. */
void imf_point_curve_make(struct imf_point_curve *curve, const struct imf_point *p, int which);

#endif
