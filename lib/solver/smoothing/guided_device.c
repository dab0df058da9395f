/*
 * guided_device.c - the guided filter on a device, in the same time for any radius (cl/guided.cl)
 *
 * Devices may lack float64: sums are 64-bit integers, and only a window's line is computed in floats.
 */
#include "device/tuning.h"
#include "solver/smoothing/guided.h"
#include "solver/smoothing/walks.h"

/* In units of the largest sample: the slope's error, 8e-7 / 4 of its window's contrast (2.5 ulp of the
 * quotient, 4 of the variance), and seven roundings of products and sums. */
#define LINE_ERROR 7e-7
#define SLOPES 1073741824.0

enum { LINES = IMF_WALKS_BUFFERS, TOTALS }; /* buffers */
enum { COLUMNS, FIT, LINE_SUMS, MIX };      /* programs */

static bool sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    (void)shape;
    int r = imf_guided_radius(p), rows = p->height + 2 * r;
    size_t fitted;
    return imf_walks_sizes(p, rows, bytes) &&
           imf_size_mul(imf_window_wide(p, r), (size_t)rows, &fitted) &&
           imf_size_mul(fitted, 2 * sizeof(int32_t), &bytes[LINES]) &&
           imf_size_mul(imf_window_wide(p, r) * (size_t)p->height, 2 * sizeof(int64_t),
                        &bytes[TOTALS]);
}

/* Milliseconds: launches + samples of a row of lines * rows of them * guided * 1e-6 / units. */
static void guided_propose(const struct imf_problem *p, const struct imf_device *d,
                           struct imf_proposal *out) {
    const struct imf_tuning *t = imf_tuning(d);
    int r = imf_guided_radius(p);
    out->error = imf_guided_error(p, LINE_ERROR);
    if (out->error > p->tolerance) {
        imf_proposal_refuse(out, "lines like these need more than float32");
        return;
    }
    if (!imf_proposal_buffers(out, p))
        return;
    double samples = (double)imf_window_wide(p, r) * (p->height + 2.0 * r);
    out->feasible = true;
    out->bands = IMF_BANDS_FEW;
    out->ms =
        t->launch_ms + 3 * t->next_ms + samples * t->filters.guided * 1e-6 / imf_tuning_units(d);
    snprintf(out->description, sizeof out->description, "guided, radius %d, running integer sums",
             r);
}

static void define(struct imf_defines *d, const struct imf_job *job) {
    const struct imf_problem *p = &job->p;
    double scale = imf_guided_scale(p), eps = p->window_op->value * p->unit * scale;
    double steps = SLOPES / (p->in_max * scale), side = imf_guided_side(p);
    imf_define(d, "SIDE", "%d", imf_guided_side(p));
    imf_define_float(d, "SCALE", scale);
    imf_define_float(d, "EPS", eps * eps);
    imf_define_float(d, "STEPS", steps);
    imf_define_float(d, "OFFSET", 1 / (side * side * steps * scale));
}

static enum imf_status guided_run(struct imf_job *job, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err) {
    const struct imf_problem *p = &job->p;
    const struct imf_walks w = imf_walks_of(job, imf_guided_side(p));
    int r = imf_guided_radius(p), height = out->height, lines = height + 2 * r;
    size_t wide = imf_window_wide(p, r);
    const struct imf_arg all = imf_arg_int((int)imf_window_wide(p, 2 * r));
    const struct imf_arg fitted = imf_arg_int((int)wide), length = imf_arg_int(w.length);
    enum imf_status st = imf_walks_columns(&w, in, lines, err);
    st = imf_job_then(st, job, FIT, imf_walks_along(&w, wide, lines), err,
                      IMF_ARG_OF(job, IMF_WALKS_SUMS), IMF_ARG_OF(job, IMF_WALKS_SQUARES), all,
                      IMF_ARG_OF(job, LINES), fitted, length);
    st = imf_job_then(st, job, LINE_SUMS, imf_walks_down(&w, wide, height), err,
                      IMF_ARG_OF(job, LINES), IMF_ARG_OF(job, TOTALS), fitted, imf_arg_int(height),
                      length);
    return imf_job_then(st, job, MIX, imf_walks_along(&w, imf_window_wide(p, 0), height), err,
                        IMF_ARG_OF(job, TOTALS), fitted, IMF_ARG_SURFACE(in), IMF_ARG_SURFACE(out),
                        imf_arg_int(p->width), length);
}

const struct imf_solver imf_solver_guided_device = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .kinds = 1u << IMF_GUIDED,
    .propose = guided_propose,
    .program = "guided",
    .parts = (const char *const[]){"common.cl", "column_sums.cl", NULL},
    .entries =
        (const char *const[]){"column_sums", "guided_fit", "guided_lines", "guided_mix", NULL},
    .floats = true,
    .define = define,
    .sizes = sizes,
    .run = guided_run,
};
