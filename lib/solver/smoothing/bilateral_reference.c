/*
 * bilateral_reference.c - the bilateral filter on the host: plain C, in float64
 *
 * Each pixel becomes the mean of those within R = ceil(3 sigma) of it, which weigh
 *
 *      exp(-(dx^2 + dy^2) / (2 sigma^2)) * exp(-d^2 / (2 range^2)),
 *
 * where d is the Euclidean distance of the colours (Tomasi and Manduchi, ICCV 1998). This is the
 * reference of the other solvers.
 */
#include "base/thread_pool.h"
#include "device/tuning.h"
#include "solver/common/window.h"
#include "solver/solver.h"

#include <stdatomic.h>
#include <stdlib.h>

#define ITEM_ROWS 4

struct bilateral_job {
    struct imf_problem p;
    struct imf_pool *pool; /* borrowed, or NULL */
};

static int reach_of(const struct imf_problem *p) {
    return p->window_op->cx;
}

/* Milliseconds: pixels * (sample * channels + bilateral * pixels around) * 1e-6 / cores, in the
 * host's nanoseconds. */
static void bilateral_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    const struct imf_window_op *window = p->window_op;
    (void)d;
    if (window->function != IMF_WINDOW_BILATERAL) {
        imf_proposal_refuse(out, "this function of a window is not known");
        return;
    }
    double around = acos(-1.0) * reach_of(p) * reach_of(p) + 1;
    out->feasible = true;
    out->error = 0;
    out->ms = (double)p->width * p->height *
              (imf_host_rates.sample * p->channels + imf_host_rates.bilateral * around) * 1e-6 /
              imf_cores();
    out->bytes = (double)p->width * p->channels * imf_cores() * sizeof(double);
    snprintf(out->description, sizeof out->description, "plain C bilateral, radius %d, float64",
             reach_of(p));
}

static enum imf_status bilateral_make(void **job, const struct imf_problem *p,
                                      const struct imf_proposal *proposal, struct imf_queue *queue,
                                      struct imf_error *err) {
    (void)proposal, (void)queue;
    struct bilateral_job *j = *job = malloc(sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    *j = (struct bilateral_job){.p = *p};
    return IMF_OK;
}

static void bilateral_use_pool(void *job, struct imf_pool *pool) {
    ((struct bilateral_job *)job)->pool = pool;
}

static void bilateral_destroy(void **job) {
    free(*job);
    *job = NULL;
}

struct pass {
    const struct imf_problem *p;
    const struct imf_surface *in, *out;
    atomic_bool failed;
};

static double sample(const struct imf_surface *in, int x, int y, int channel) {
    return imf_sample_get(imf_surface_row(in, y), in->sample,
                          (ptrdiff_t)x * in->channels + channel);
}

/* Compute the pixel at (x, y) into `mean`. */
static void bilateral_at(const struct imf_problem *p, const struct imf_surface *in, int x, int y,
                         double *mean) {
    double sigma = p->window_op->value, range = p->window_op->range * p->unit;
    double weights = 0, sums[IMF_CHANNELS_MAX] = {0};
    int reach = reach_of(p);
    for (int dy = -reach; dy <= reach; dy++)
        for (int dx = -reach; dx <= reach; dx++) {
            if (dx * dx + dy * dy > reach * reach)
                continue;
            double far = dx / sigma * (dx / sigma) + dy / sigma * (dy / sigma), unlike = 0;
            for (int c = 0; c < p->colors; c++) {
                double d = (sample(in, x + dx, y + dy, c) - sample(in, x, y, c)) / range;
                unlike += d * d;
            }
            double weight = exp(-(far + unlike) / 2);
            weights += weight;
            for (int c = 0; c < p->colors; c++)
                sums[c] += weight * sample(in, x + dx, y + dy, c);
        }
    for (int c = 0; c < p->channels; c++)
        mean[c] = c < p->colors ? sums[c] / weights : sample(in, x, y, c);
}

static void run_item(void *data, int item) {
    struct pass *pass = data;
    const struct imf_problem *p = pass->p;
    size_t samples = (size_t)p->width * (size_t)p->channels;
    double *row = malloc(samples * sizeof *row);
    int end = imf_min((item + 1) * ITEM_ROWS, pass->out->height);
    if (!row) {
        atomic_store(&pass->failed, true);
        return;
    }
    for (int y = item * ITEM_ROWS; y < end; y++) {
        for (int x = 0; x < p->width; x++)
            bilateral_at(p, pass->in, x, y, row + (size_t)x * (size_t)p->channels);
        imf_window_finish(p, row, imf_surface_row(pass->out, y), samples);
    }
    free(row);
}

static enum imf_status bilateral_run(void *job, const struct imf_surface *in,
                                     const struct imf_surface *out, struct imf_error *err) {
    const struct bilateral_job *j = job;
    struct pass pass = {.p = &j->p, .in = in, .out = out};
    imf_parallel(j->pool, (out->height - 1) / ITEM_ROWS + 1, run_item, &pass);
    return pass.failed ? imf_fail_memory(err, (size_t)j->p.width * sizeof(double)) : IMF_OK;
}

const struct imf_solver imf_solver_bilateral_host = {
    .name = "cpu",
    .backend = IMF_BACKEND_CPU,
    .float64 = true,
    .kinds = 1u << IMF_WINDOW_OP,
    .propose = bilateral_propose,
    .make = bilateral_make,
    .run = bilateral_run,
    .destroy = bilateral_destroy,
    .use_pool = bilateral_use_pool,
};
