/* precision.c - which results of a device's floats are not precise enough */
#include "run/precision.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Pixels in doubt that are listed, of all: to look at them takes less than to filter them all. */
#define LISTED 16
#define LISTED_LEAST 4096

struct imf_precision imf_precision_plan(const struct imf_chain *c, const struct imf_proposal *taken,
                                        int rows) {
    struct imf_precision p = {.normalize = -1, .doubting = -1};
    for (int i = 0; i < c->count; i++)
        if (c->passes[i].kind == IMF_PASS_POINT && c->passes[i].point.normalize) {
            p.normalize = i;
            p.stretch = imf_chain_stretch(c, i, taken);
        }
    double pixels = (double)c->width * rows;
    double error = imf_chain_doubt(c, taken);
    if (error > 0) {
        p.doubting = c->count - 1;
        p.doubt.error = error;
        p.doubt.tolerance = c->out == IMF_U8 ? 1e-3 : 0.5;
        /* Pixels are listed by their number, which has to be an int. */
        if ((double)c->width * c->height <= INT_MAX)
            p.doubt.capacity = (int)(pixels / LISTED) + LISTED_LEAST;
    }
    return p;
}

const struct imf_doubt *imf_precision_doubt(const struct imf_precision *p, int index) {
    static const struct imf_doubt none = {0, 0, 0};
    return index == p->doubting ? &p->doubt : &none;
}

enum imf_status imf_precision_stretched(struct imf_precision *p, const struct imf_point_job *job,
                                        struct imf_error *err) {
    struct imf_point_range range;
    enum imf_status st = imf_point_range(job, &range, err);
    if (st)
        return st;
    /* Sure to be flat, or more than the errors show? */
    double spread = (double)range.high - (double)range.low;
    double thin = fmax(1, p->stretch.opaque / (double)range.alpha);
    double error = p->stretch.error * thin, least = p->stretch.least * thin;
    bool flat = spread + error < p->stretch.flat;
    p->again = !flat && (spread < least || spread < p->stretch.flat + error);
    return IMF_OK;
}

enum imf_status imf_precision_doubted(struct imf_precision *p, const struct imf_point_job *job,
                                      struct imf_error *err) {
    free(p->list);
    enum imf_status st = imf_point_doubts(job, &p->count, &p->list, err);
    p->again = p->count > 0 && !p->list;
    return st;
}
