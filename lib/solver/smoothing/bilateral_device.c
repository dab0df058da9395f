/*
 * bilateral_device.c - the bilateral filter on a device (cl/bilateral.cl)
 *
 * Each work-item computes one pixel. Computing each pair of pixels once, as bilateral.c does, would need
 * barriers between work-items.
 */
#include "device/tuning.h"
#include "solver/smoothing/bilateral.h"
#include "solver/solver.h"

#include <math.h>

#define POWER_ERROR                                                                                \
    7e-7 /* of a weight: 3 ulp of exp2(), and two roundings of an exponent below 8 */
#define LOG2_E 1.4426950408889634

/* Milliseconds: launch + pixels * weights * (weight + colours * weight_color) * 1e-6 / units. */
static void bilateral_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    const struct imf_window_op *window = p->window_op;
    const struct imf_tuning *t = imf_tuning(d);
    out->error = imf_bilateral_error(p, POWER_ERROR);
    if (out->error > p->tolerance || p->in_max > 1e15) {
        imf_proposal_refuse(out, "weights like these need more than float32");
        return;
    }
    double weights = acos(-1.0) * window->cx * window->cx + 1;
    double ns = weights * (t->filters.weight + t->filters.weight_color * p->colors);
    out->feasible = true;
    out->ms = t->launch_ms + (double)p->width * p->height * ns * 1e-6 / imf_tuning_units(d);
    snprintf(out->description, sizeof out->description, "bilateral, radius %d", window->cx);
}

static void define(struct imf_defines *d, const struct imf_job *job) {
    const struct imf_problem *p = &job->p;
    double sigma = p->window_op->value, range = p->window_op->range * p->unit;
    imf_define(d, "COLORS", "%d", p->colors);
    imf_define(d, "REACH", "%d", p->window_op->cx);
    imf_define_float(d, "FAR", LOG2_E / 2 / sigma / sigma);
    imf_define_float(d, "NEAR", LOG2_E / 2 / range / range);
}

static enum imf_status bilateral_run(struct imf_job *job, const struct imf_surface *in,
                                     const struct imf_surface *out, struct imf_error *err) {
    return imf_job_then(IMF_OK, job, 0, imf_job_grid(job, (size_t)in->width, (size_t)out->height),
                        err, IMF_ARG_SURFACE(in), IMF_ARG_SURFACE(out), imf_arg_int(in->width));
}

const struct imf_solver imf_solver_bilateral_device = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .local = true,
    .kinds = 1u << IMF_BILATERAL,
    .propose = bilateral_propose,
    .program = "bilateral",
    .parts = (const char *const[]){"common.cl", NULL},
    .entries = (const char *const[]){"bilateral", NULL},
    .floats = true,
    .define = define,
    .run = bilateral_run,
};
