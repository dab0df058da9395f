/*
 * local_threshold_reference.c - local thresholds on the host, in plain C
 *
 * local_threshold.h has the definition. Sums are computed anew for every window, along columns and
 * then along rows: this is the reference.
 */
#include "device/tuning.h"
#include "solver/common/window.h"
#include "solver/smoothing/local_threshold.h"
#include "solver/solver.h"

#include <string.h>

/* Samples of a row with the window's reach at both ends. */
static size_t wide(const struct imf_problem *p) {
    return imf_window_wide(p, p->window_op->cx);
}

/* Bytes of three such rows. */
static size_t scratch_bytes(const struct imf_problem *p, const void *shape, int width) {
    (void)shape, (void)width;
    return 3 * wide(p) * sizeof(double);
}

/* Milliseconds of a core: samples * (sample + 2 tap * 2 side) * 1e-6, in the host's nanoseconds. */
static void threshold_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    (void)d;
    double each = imf_host_rates.sample + 4 * imf_host_rates.tap * p->window_op->width;
    imf_proposal_strips(out, p, (double)p->width * p->height * p->channels * each * 1e-6, p->width);
    out->error = 0;
    snprintf(out->description, sizeof out->description, "plain C local threshold, radius %d",
             p->window_op->cx);
}

static enum imf_status threshold_prepare(struct imf_job *job, struct imf_error *err) {
    (void)err;
    imf_local_threshold_make(job->own, &job->p);
    return IMF_OK;
}

static struct imf_strips threshold_cut(const struct imf_job *job, int height) {
    return imf_strips_rows(job->p.width, height, 1);
}

/* Row y with its margins, rounded to samples of the image's depth. */
static void load(const struct imf_host_strip *s, int y, double *row) {
    const struct imf_problem *p = &s->job->p;
    ptrdiff_t reach = (ptrdiff_t)p->window_op->cx * p->channels;
    imf_samples_widen(row, imf_surface_row(s->in, y), s->in->sample, -reach, wide(p));
    for (size_t i = 0; i < wide(p); i++)
        row[i] = imf_sample_round(row[i], p->unit);
}

static void threshold_strip(const struct imf_host_strip *s) {
    const struct imf_problem *p = &s->job->p;
    size_t all = wide(p), channels = (size_t)p->channels, n = (size_t)p->width * channels;
    size_t reach = (size_t)p->window_op->cx;
    double *row = memset(s->scratch, 0, 3 * all * sizeof *row); /* sums begin at 0 */
    double *sums = row + all, *squares = sums + all;
    for (int dy = -p->window_op->cy; dy <= p->window_op->cy; dy++) {
        load(s, s->at.y + dy, row);
        for (size_t i = 0; i < all; i++) {
            sums[i] += row[i];
            squares[i] += row[i] * row[i];
        }
    }
    load(s, s->at.y, row);
    for (size_t i = 0; i < n; i++) {
        double sum = 0, square = 0;
        for (size_t k = 0; k <= 2 * reach; k++) {
            sum += sums[i + k * channels];
            square += squares[i + k * channels];
        }
        bool white =
            imf_local_threshold_passes(s->job->own, row[i + reach * channels], sum, square);
        sums[i] = white ? p->epilogue.full : 0; /* no later window has this column */
    }
    imf_window_finish(p, sums, imf_surface_row(s->out, s->at.y), n);
}

const struct imf_solver imf_solver_local_threshold_host = {
    .name = "cpu",
    .backend = IMF_BACKEND_CPU,
    .float64 = true,
    .kinds = 1u << IMF_LOCAL_THRESHOLD,
    .propose = threshold_propose,
    .own = sizeof(struct imf_local_threshold),
    .prepare = threshold_prepare,
    .cut = threshold_cut,
    .scratch_bytes = scratch_bytes,
    .strip = threshold_strip,
};
