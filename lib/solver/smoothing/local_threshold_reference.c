/*
 * local_threshold_reference.c - local thresholds on the host, in plain C
 *
 * local_threshold.h has the definition. Sums are computed anew for every window, along columns and
 * then along rows: this is the reference.
 */
#include "device/tuning.h"
#include "solver/common/window.h"
#include "solver/cores.h"
#include "solver/smoothing/local_threshold.h"
#include "solver/solver.h"

#include <stdlib.h>
#include <string.h>

struct threshold_job {
    struct imf_problem p;
    struct imf_local_threshold threshold;
    struct imf_pool *pool; /* borrowed, or NULL */
};

/* Samples of a row with the window's reach at both ends. */
static size_t wide(const struct imf_problem *p) {
    return ((size_t)p->width + 2 * (size_t)p->window_op->cx) * (size_t)p->channels;
}

/* Milliseconds: samples * (sample + 2 tap * 2 side) * 1e-6 / cores, in the host's nanoseconds. */
static void threshold_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    (void)d;
    out->feasible = true;
    out->error = 0;
    out->ms = (double)p->width * p->height * p->channels *
              (imf_host_rates.sample + 4 * imf_host_rates.tap * p->window_op->width) * 1e-6 /
              imf_cores();
    out->bytes = 3.0 * (double)wide(p) * imf_cores() * sizeof(double);
    snprintf(out->description, sizeof out->description, "plain C local threshold, radius %d",
             p->window_op->cx);
}

static enum imf_status threshold_make(void **job, const struct imf_problem *p,
                                      const struct imf_proposal *proposal, struct imf_queue *queue,
                                      struct imf_error *err) {
    (void)proposal, (void)queue;
    struct threshold_job *j = *job = malloc(sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    *j = (struct threshold_job){.p = *p};
    imf_local_threshold_make(&j->threshold, p);
    return IMF_OK;
}

static void threshold_use_pool(void *job, struct imf_pool *pool) {
    ((struct threshold_job *)job)->pool = pool;
}

static void threshold_destroy(void **job) {
    free(*job);
    *job = NULL;
}

struct pass {
    const struct threshold_job *job;
    const struct imf_surface *in, *out;
};

/* Row y with its margins, rounded to samples of the image's depth. */
static void load(const struct pass *pass, int y, double *row) {
    const struct imf_problem *p = &pass->job->p;
    ptrdiff_t reach = (ptrdiff_t)p->window_op->cx * p->channels;
    imf_samples_widen(row, imf_surface_row(pass->in, y), pass->in->sample, -reach, wide(p));
    for (size_t i = 0; i < wide(p); i++)
        row[i] = imf_sample_round(row[i], p->unit);
}

static void run_row(void *data, int y, void *memory) {
    struct pass *pass = data;
    const struct threshold_job *j = pass->job;
    const struct imf_problem *p = &j->p;
    size_t all = wide(p), channels = (size_t)p->channels, n = (size_t)p->width * channels;
    size_t reach = (size_t)p->window_op->cx;
    double *row = memory;
    memset(row, 0, 3 * all * sizeof *row); /* sums begin at 0 */
    double *sums = row + all, *squares = sums + all;
    for (int dy = -p->window_op->cy; dy <= p->window_op->cy; dy++) {
        load(pass, y + dy, row);
        for (size_t i = 0; i < all; i++) {
            sums[i] += row[i];
            squares[i] += row[i] * row[i];
        }
    }
    load(pass, y, row);
    for (size_t i = 0; i < n; i++) {
        double sum = 0, square = 0;
        for (size_t k = 0; k <= 2 * reach; k++) {
            sum += sums[i + k * channels];
            square += squares[i + k * channels];
        }
        bool white =
            imf_local_threshold_passes(&j->threshold, row[i + reach * channels], sum, square);
        sums[i] = white ? p->epilogue.full : 0; /* no later window has this column */
    }
    imf_window_finish(p, sums, imf_surface_row(pass->out, y), n);
}

static enum imf_status threshold_run(void *job, const struct imf_surface *in,
                                     const struct imf_surface *out, struct imf_error *err) {
    const struct threshold_job *j = job;
    struct pass pass = {.job = j, .in = in, .out = out};
    return imf_work(j->pool, out->height, 3 * wide(&j->p) * sizeof(double), run_row, &pass, err);
}

const struct imf_solver imf_solver_local_threshold_host = {
    .name = "cpu",
    .backend = IMF_BACKEND_CPU,
    .float64 = true,
    .kinds = 1u << IMF_LOCAL_THRESHOLD,
    .propose = threshold_propose,
    .old_make = threshold_make,
    .old_run = threshold_run,
    .old_destroy = threshold_destroy,
    .old_use_pool = threshold_use_pool,
};
