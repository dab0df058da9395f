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
#include <stdlib.h>

#define POWER_ERROR                                                                                \
    7e-7 /* of a weight: 3 ulp of exp2(), and two roundings of an exponent below 8 */
#define COLORS 4
#define LOG2_E 1.4426950408889634

struct bilateral_job {
    struct imf_queue *queue;
    struct imf_program *program;
    struct imf_buffer *halves;
};

/* Milliseconds: launch + pixels * weights * (weight + colours * weight_color) * 1e-6 / units. */
static void bilateral_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    const struct imf_window_op *window = p->window_op;
    const struct imf_tuning *t = imf_tuning(d);
    out->error = imf_bilateral_error(p, POWER_ERROR);
    if (p->colors > COLORS) {
        imf_proposal_refuse(out, "more than %d channels", COLORS);
        return;
    }
    if (out->error > p->tolerance || p->in_max > 1e15) {
        imf_proposal_refuse(out, "weights like these need more than float32");
        return;
    }
    double weights = acos(-1.0) * window->cx * window->cx + 1;
    double ns = weights * (t->filters.weight + t->filters.weight_color * p->colors);
    out->feasible = true;
    out->ms = t->launch_ms + (double)p->width * p->height * ns * 1e-6 / imf_tuning_units(d);
    out->bytes = (window->cx + 1.0) * sizeof(int32_t);
    snprintf(out->description, sizeof out->description, "bilateral, radius %d", window->cx);
}

static void bilateral_destroy(void **job) {
    struct bilateral_job *j = *job;
    imf_program_free(&j->program);
    imf_buffer_free(&j->halves);
    free(j);
    *job = NULL;
}

/* Upload the columns that weights reach in each row from 0 to reach. */
static enum imf_status make_halves(struct bilateral_job *j, int reach, struct imf_error *err) {
    size_t bytes = ((size_t)reach + 1) * sizeof(int32_t);
    int32_t *halves = malloc(bytes);
    if (!halves)
        return imf_fail_memory(err, bytes);
    for (int dy = 0, half = reach; dy <= reach; dy++) {
        while (half * half + dy * dy > reach * reach)
            half--;
        halves[dy] = half;
    }
    enum imf_status st = imf_buffer_table(&j->halves, j->queue, halves, bytes, err);
    free(halves);
    return st;
}

static enum imf_status bilateral_make(void **job, const struct imf_problem *p,
                                      const struct imf_proposal *proposal, struct imf_queue *queue,
                                      struct imf_error *err) {
    static const char *const parts[] = {"common.cl", NULL};
    struct bilateral_job *j = *job = calloc(1, sizeof *j);
    (void)proposal;
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    double sigma = p->window_op->value, range = p->window_op->range * p->unit;
    struct imf_problem floats = *p;
    struct imf_defines d = {0};
    const struct imf_program_source source = {
        .file = "bilateral.cl", .parts = parts, .defines = &d};
    j->queue = queue;
    floats.exact = false;
    imf_problem_defines(&d, &floats);
    imf_define(&d, "CHANNELS", "%d", p->channels);
    imf_define(&d, "COLORS", "%d", p->colors);
    imf_define(&d, "REACH", "%d", p->window_op->cx);
    imf_define_float(&d, "FAR", LOG2_E / 2 / sigma / sigma);
    imf_define_float(&d, "NEAR", LOG2_E / 2 / range / range);
    enum imf_status st = imf_program_make(&j->program, queue, &source, "bilateral", err);
    imf_defines_free(&d);
    return st ? st : make_halves(j, p->window_op->cx, err);
}

static enum imf_status bilateral_run(void *job, const struct imf_surface *in,
                                     const struct imf_surface *out, struct imf_error *err) {
    struct bilateral_job *j = job;
    const struct imf_arg args[] = {imf_arg_buffer(in->mem),   imf_arg_size(in->origin),
                                   imf_arg_size(in->pitch),   imf_arg_buffer(out->mem),
                                   imf_arg_size(out->origin), imf_arg_size(out->pitch),
                                   imf_arg_int(in->width),    imf_arg_buffer(j->halves)};
    struct imf_grid grid = imf_grid_over((size_t)in->width, (size_t)out->height,
                                         imf_tuning_group(imf_queue_device(j->queue)));
    return imf_program_launch(j->queue, j->program, grid, args, err);
}

const struct imf_solver imf_solver_bilateral_device = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .kinds = 1u << IMF_BILATERAL,
    .propose = bilateral_propose,
    .old_make = bilateral_make,
    .old_run = bilateral_run,
    .old_destroy = bilateral_destroy,
};
