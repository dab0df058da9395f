/*
 * local_threshold_device.c - local thresholds on a device, in the same time for any radius
 * (cl/local_threshold.cl)
 *
 * Sums are integers. Sauvola's formula needs a device with float64, whose quotients and roots OpenCL
 * has rounded correctly.
 */
#include "device/tuning.h"
#include "solver/smoothing/local_threshold.h"
#include "solver/smoothing/walks.h"

#include <inttypes.h>
#include <string.h>

enum { COLUMNS, LOCAL_THRESHOLD }; /* programs */

static bool sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    (void)shape;
    return imf_walks_sizes(p, p->height, bytes);
}

/* Milliseconds: launches + samples * threshold * 1e-6 / units. */
static void threshold_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    const struct imf_tuning *t = imf_tuning(d);
    if (p->in != IMF_U8 && p->in != IMF_U16) {
        imf_proposal_refuse(out, "this takes rounded samples");
        return;
    }
    if (p->window_op->spread && !d->fp64) {
        imf_proposal_refuse(out, "the device has no float64");
        return;
    }
    if (!imf_proposal_buffers(out, p))
        return;
    out->feasible = true;
    out->error = 0;
    out->bands = IMF_BANDS_FEW;
    out->ms = t->launch_ms + t->next_ms +
              (double)imf_window_wide(p, p->window_op->cx) * p->height * t->filters.threshold *
                  1e-6 / imf_tuning_units(d);
    snprintf(out->description, sizeof out->description,
             "local threshold, radius %d, running integer sums", p->window_op->cx);
}

static void define(struct imf_defines *d, const struct imf_job *job) {
    struct imf_local_threshold t;
    uint64_t k;
    imf_local_threshold_make(&t, &job->p);
    memcpy(&k, &t.k, sizeof k);
    imf_define(d, "SIDE", "%d", t.side);
    imf_define(d, "SAUVOLA", "%d", t.sauvola);
    imf_define(d, "ADD", "%" PRId64 "L", (int64_t)t.add);
    imf_define(d, "K", "as_double(%" PRIu64 "UL)", k);
    imf_define_float(d, "HALF", t.half);
}

static enum imf_status threshold_run(struct imf_job *job, const struct imf_surface *in,
                                     const struct imf_surface *out, struct imf_error *err) {
    const struct imf_problem *p = &job->p;
    const struct imf_walks w = imf_walks_of(job, p->window_op->width);
    enum imf_status st = imf_walks_columns(&w, in, out->height, err);
    return imf_job_then(st, job, LOCAL_THRESHOLD,
                        imf_walks_along(&w, imf_window_wide(p, 0), out->height), err,
                        IMF_ARG_OF(job, IMF_WALKS_SUMS), IMF_ARG_OF(job, IMF_WALKS_SQUARES),
                        imf_arg_int((int)imf_window_wide(p, p->window_op->cx)), IMF_ARG_SURFACE(in),
                        IMF_ARG_SURFACE(out), imf_arg_int(p->width), imf_arg_int(w.length));
}

const struct imf_solver imf_solver_local_threshold_device = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .kinds = 1u << IMF_LOCAL_THRESHOLD,
    .propose = threshold_propose,
    .program = "local_threshold",
    .parts = (const char *const[]){"common.cl", "column_sums.cl", NULL},
    .entries = (const char *const[]){"column_sums", "local_threshold", NULL},
    .floats = true, /* they hold both levels and their epilogue exactly */
    .define = define,
    .sizes = sizes,
    .run = threshold_run,
};
