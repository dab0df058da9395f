/*
 * local_threshold.c - local thresholds on the host's cores, in the same time for any radius
 *
 * local_threshold.h has the definition. The sums of windows are running sums of integers, which have
 * no rounding errors: down the columns the next row is added and the last one subtracted, and along
 * the row likewise. Of 36 million bytes the mean alone takes 54 ms of a core and sauvola 100, where
 * guided.c takes 160.
 */
#include "solver/smoothing/local_threshold.h"

#include "base/clones.h"
#include "device/tuning.h"
#include "solver/common/window.h"
#include "solver/smoothing/running_sums.h"
#include "solver/solver.h"

#include <string.h>

#define COLUMNS 4096 /* pixels of a strip */

struct threshold {
    struct imf_local_threshold threshold;
    struct imf_levels levels;
};

void imf_local_threshold_make(struct imf_local_threshold *t, const struct imf_problem *p) {
    const struct imf_window_op *window = p->window_op;
    uint64_t count = (uint64_t)window->width * (uint64_t)window->height;
    *t = (struct imf_local_threshold){.sauvola = window->spread,
                                      .side = window->width,
                                      .count = (double)count,
                                      .half = p->unit / 2};
    if (t->sauvola) {
        t->k = window->value;
        return;
    }
    bool rest;
    double down = (double)imf_decimal_times(fabs(window->value), count * (uint64_t)p->unit, &rest);
    t->add = window->value < 0 ? -down : down + rest;
}

/* Sums of columns, with the reach at both ends, and of windows. */
static size_t scratch_bytes(const struct imf_problem *p, const void *shape, int pixels) {
    (void)shape;
    size_t all = (size_t)pixels + 2 * (size_t)p->window_op->cx;
    return sizeof(double) * 2 * (all + (size_t)pixels) * (size_t)p->channels;
}

static void threshold_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    (void)d;
    if (p->in != IMF_U8 && p->in != IMF_U16) {
        imf_proposal_refuse(out, "this takes rounded samples");
        return;
    }
    double samples = (double)p->width * p->height * p->channels;
    imf_proposal_strips(out, p, samples * imf_vector_rates.threshold * 1e-6,
                        imf_min(p->width, COLUMNS));
    out->error = 0;
    out->bands = IMF_BANDS_FEW;
    snprintf(out->description, sizeof out->description, "local threshold, radius %d, running sums",
             p->window_op->cx);
}

static enum imf_status threshold_prepare(struct imf_job *job, struct imf_error *err) {
    struct threshold *t = job->own;
    (void)err;
    imf_local_threshold_make(&t->threshold, &job->p);
    imf_levels_make(&t->levels, &job->p, job->p.out);
    return IMF_OK;
}

/* ---- running --------------------------------------------------------------------------------- */

#define DECIDE(out_type, member)                                                                   \
    do {                                                                                           \
        out_type *at = to, black = levels->as.member[0], white = levels->as.member[1];             \
        for (int i = 0; i < n; i++)                                                                \
            at[i] = imf_local_threshold_passes(&t, from[i], sums[i], squares[i]) ? white : black;  \
    } while (0)

#define DECIDE_FROM(type)                                                                          \
    do {                                                                                           \
        const type *from = row;                                                                    \
        IMF_EACH_NARROW(out, DECIDE);                                                              \
    } while (0)

/* The samples of a row, bytes or words, against the sums of their windows. */
IMF_CLONES static void decide(void *restrict to, enum imf_sample out, const void *restrict row,
                              enum imf_sample in, const double *restrict sums,
                              const double *restrict squares, const struct threshold *own, int n) {
    const struct imf_local_threshold t = own->threshold;
    const struct imf_levels *levels = &own->levels;
    if (in == IMF_U8)
        DECIDE_FROM(uint8_t);
    else
        DECIDE_FROM(uint16_t);
}

static struct imf_strips threshold_cut(const struct imf_job *job, int height) {
    return imf_strips_cut(job->p.width, height, COLUMNS, imf_max(16, 8 * job->p.window_op->cy));
}

static void threshold_strip(const struct imf_host_strip *s) {
    const struct imf_problem *p = &s->job->p;
    const struct imf_strip_area at = s->at;
    int channels = p->channels, r = p->window_op->cx, n = at.n * channels;
    int all = n + 2 * r * channels;
    ptrdiff_t first = (ptrdiff_t)at.x * channels, before = first - (ptrdiff_t)r * channels;
    double *column = memset(s->scratch, 0, scratch_bytes(p, NULL, at.n)); /* sums begin at 0 */
    double *squares = column + all;
    double *window[2] = {squares + all, squares + all + n}, *columns[2] = {column, squares};
    for (int y = at.y - r; y < at.end + r; y++) {
        const void *goes = y > at.y + r ? imf_sample_at(s->in, y - 2 * r - 1, before) : NULL;
        imf_running_add(column, squares, s->in->sample, imf_sample_at(s->in, y, before), goes, 1,
                        all);
        if (y < at.y + r)
            continue;
        imf_running_slide(window, columns, 2 * r + 1, channels, n);
        decide(imf_sample_at(s->out, y - r, first), s->out->sample,
               imf_sample_at(s->in, y - r, first), s->in->sample, window[0], window[1], s->job->own,
               n);
    }
}

const struct imf_solver imf_solver_local_threshold = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_LOCAL_THRESHOLD,
    .propose = threshold_propose,
    .own = sizeof(struct threshold),
    .prepare = threshold_prepare,
    .cut = threshold_cut,
    .scratch_bytes = scratch_bytes,
    .strip = threshold_strip,
};
