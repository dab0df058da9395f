/*
 * precision.h - which results of a device's floats are not precise enough
 *
 * Solvers keep within a tolerance for opaque, bright pixels. Three things magnify their errors by
 * what only the pixels tell: normalize by its stretch, a division by a small alpha, the steep end
 * of the light curve. What they leave open is found when they run, and done again on the host.
 */
#ifndef IMF_RUN_PRECISION_H
#define IMF_RUN_PRECISION_H

#include "run/point.h"

struct imf_precision {
    int normalize; /* the pass that stretches, or -1 */
    struct imf_stretch stretch;
    int doubting; /* the pass that lists pixels, or -1 */
    struct imf_doubt doubt;
    /* Of the last run. */
    bool again;       /* everything is to be done again, */
    int count, *list; /* or these pixels, y * width + x; owned */
};

/* rows: of the image, or of a band, each of which is looked at by itself. */
struct imf_precision imf_precision_plan(const struct imf_chain *chain,
                                        const struct imf_proposal *taken, int rows);
/* For imf_point_make(), of pass `index`. */
const struct imf_doubt *imf_precision_doubt(const struct imf_precision *p, int index);
/* After a run: look at what the passes' jobs found. */
enum imf_status imf_precision_stretched(struct imf_precision *p, const struct imf_point_job *job,
                                        struct imf_error *err);
enum imf_status imf_precision_doubted(struct imf_precision *p, const struct imf_point_job *job,
                                      struct imf_error *err);

#endif
