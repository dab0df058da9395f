/*
 * guided_device.c - the guided filter on a device, in the same time for any radius (cl/guided.cl)
 *
 * Devices may lack float64: sums are 64-bit integers, and only a window's line is computed in floats.
 */
#include "device/tuning.h"
#include "solver/smoothing/guided.h"
#include "solver/smoothing/walks.h"
#include "solver/solver.h"

#include <math.h>
#include <stdlib.h>

/* In units of the largest sample: the slope's error, 8e-7 / 4 of its window's contrast (2.5 ulp of the
 * quotient, 4 of the variance), and seven roundings of products and sums. */
#define LINE_ERROR 7e-7
#define SLOPES 1073741824.0

struct guided_job {
    struct imf_queue *queue;
    struct imf_problem p;
    struct imf_program *columns, *fit, *lines, *mix;
    struct imf_buffer *sums, *squares, *line, *totals;
};

/* Samples of a row with so many pixels at each end. */
static size_t wide(const struct imf_problem *p, int pixels) {
    return ((size_t)p->width + 2 * (size_t)pixels) * (size_t)p->channels;
}

/* Bytes of the four buffers. */
static bool sizes_of(const struct imf_problem *p, size_t bytes[4]) {
    int r = imf_guided_radius(p);
    size_t lines = (size_t)p->height + 2 * (size_t)r, all, fitted;
    return imf_size_mul(wide(p, 2 * r), lines, &all) &&
           imf_size_mul(all, sizeof(int32_t), &bytes[0]) &&
           imf_size_mul(all, p->in == IMF_U8 ? sizeof(uint32_t) : sizeof(int64_t), &bytes[1]) &&
           imf_size_mul(wide(p, r), lines, &fitted) &&
           imf_size_mul(fitted, 2 * sizeof(int32_t), &bytes[2]) &&
           imf_size_mul(wide(p, r) * (size_t)p->height, 2 * sizeof(int64_t), &bytes[3]);
}

/* Milliseconds: launches + samples of a row of lines * rows of them * guided * 1e-6 / units. */
static void guided_propose(const struct imf_problem *p, const struct imf_device *d,
                           struct imf_proposal *out) {
    const struct imf_tuning *t = imf_tuning(d);
    size_t bytes[4];
    int r = imf_guided_radius(p);
    out->error = imf_guided_error(p, LINE_ERROR);
    if (out->error > p->tolerance) {
        imf_proposal_refuse(out, "lines like these need more than float32");
        return;
    }
    if ((double)wide(p, 2 * r) > INT32_MAX - 4096 || !sizes_of(p, bytes)) {
        imf_proposal_refuse(out, "rows are too long");
        return;
    }
    for (int i = 0; i < 4; i++) {
        out->bytes += (double)bytes[i];
        out->largest = fmax(out->largest, (double)bytes[i]);
    }
    double samples = (double)wide(p, r) * (p->height + 2.0 * r);
    out->feasible = true;
    out->bands = IMF_BANDS_FEW;
    out->ms =
        t->launch_ms + 3 * t->next_ms + samples * t->filters.guided * 1e-6 / imf_tuning_units(d);
    snprintf(out->description, sizeof out->description, "guided, radius %d, running integer sums",
             r);
}

static void guided_destroy(void **job) {
    struct guided_job *j = *job;
    imf_program_free(&j->columns);
    imf_program_free(&j->fit);
    imf_program_free(&j->lines);
    imf_program_free(&j->mix);
    imf_buffer_free(&j->sums);
    imf_buffer_free(&j->squares);
    imf_buffer_free(&j->line);
    imf_buffer_free(&j->totals);
    free(j);
    *job = NULL;
}

static void define(struct imf_defines *d, const struct imf_problem *p) {
    double scale = imf_guided_scale(p), eps = p->window_op->value * p->unit * scale;
    double steps = SLOPES / (p->in_max * scale), side = imf_guided_side(p);
    struct imf_problem floats = *p;
    floats.exact = false;
    imf_problem_defines(d, &floats);
    imf_define(d, "CHANNELS", "%d", p->channels);
    imf_define(d, "SIDE", "%d", imf_guided_side(p));
    imf_define_float(d, "SCALE", scale);
    imf_define_float(d, "EPS", eps * eps);
    imf_define_float(d, "STEPS", steps);
    imf_define_float(d, "OFFSET", 1 / (side * side * steps * scale));
}

static enum imf_status guided_make(void **job, const struct imf_problem *p,
                                   const struct imf_proposal *proposal, struct imf_queue *queue,
                                   struct imf_error *err) {
    static const char *const parts[] = {"common.cl", "column_sums.cl", NULL};
    struct guided_job *j = *job = calloc(1, sizeof *j);
    (void)proposal;
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->queue = queue;
    j->p = *p;
    struct imf_defines d = {0};
    const struct imf_program_source source = {.file = "guided.cl", .parts = parts, .defines = &d};
    const struct {
        struct imf_program **program;
        const char *entry;
        struct imf_buffer **buffer;
    } steps[] = {{&j->columns, "column_sums", &j->sums},
                 {&j->fit, "guided_fit", &j->squares},
                 {&j->lines, "guided_lines", &j->line},
                 {&j->mix, "guided_mix", &j->totals}};
    size_t bytes[4];
    enum imf_status st = sizes_of(p, bytes) ? IMF_OK : imf_fail_memory(err, SIZE_MAX);
    define(&d, p);
    for (int i = 0; i < 4 && !st; i++) {
        st = imf_program_make(steps[i].program, queue, &source, steps[i].entry, err);
        if (!st)
            st = imf_buffer_make(steps[i].buffer, queue, IMF_BUFFER_WORK, bytes[i], err);
    }
    imf_defines_free(&d);
    return st;
}

static enum imf_status guided_run(void *job, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err) {
    struct guided_job *j = job;
    const struct imf_problem *p = &j->p;
    int r = imf_guided_radius(p), lines = out->height + 2 * r;
    const struct imf_walks walks = {imf_guided_side(p), p->channels,
                                    imf_tuning_group(imf_queue_device(j->queue))};
    int strip = imf_walk_length(&walks);
    size_t all = wide(p, 2 * r), fitted = wide(p, r), reach = 2 * (size_t)r;
    size_t start = in->origin - reach * in->pitch - reach * (size_t)p->channels;
    const struct imf_arg columns[] = {imf_arg_buffer(in->mem),    imf_arg_size(start),
                                      imf_arg_size(in->pitch),    imf_arg_buffer(j->sums),
                                      imf_arg_buffer(j->squares), imf_arg_int((int)all),
                                      imf_arg_int(lines),         imf_arg_int(strip)};
    const struct imf_arg fit[] = {imf_arg_buffer(j->sums),  imf_arg_buffer(j->squares),
                                  imf_arg_int((int)all),    imf_arg_buffer(j->line),
                                  imf_arg_int((int)fitted), imf_arg_int(strip)};
    const struct imf_arg total[] = {imf_arg_buffer(j->line), imf_arg_buffer(j->totals),
                                    imf_arg_int((int)fitted), imf_arg_int(out->height),
                                    imf_arg_int(strip)};
    const struct imf_arg mix[] = {imf_arg_buffer(j->totals), imf_arg_int((int)fitted),
                                  imf_arg_buffer(in->mem),   imf_arg_size(in->origin),
                                  imf_arg_size(in->pitch),   imf_arg_buffer(out->mem),
                                  imf_arg_size(out->origin), imf_arg_size(out->pitch),
                                  imf_arg_int(p->width),     imf_arg_int(strip)};
    enum imf_status st =
        imf_program_launch(j->queue, j->columns, imf_walks_down(&walks, all, lines), columns, err);
    if (!st)
        st = imf_program_launch(j->queue, j->fit, imf_walks_along(&walks, fitted, lines), fit, err);
    if (!st)
        st = imf_program_launch(j->queue, j->lines, imf_walks_down(&walks, fitted, out->height),
                                total, err);
    return st ? st
              : imf_program_launch(j->queue, j->mix,
                                   imf_walks_along(&walks, wide(p, 0), out->height), mix, err);
}

const struct imf_solver imf_solver_guided_device = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .kinds = 1u << IMF_GUIDED,
    .propose = guided_propose,
    .old_make = guided_make,
    .old_run = guided_run,
    .old_destroy = guided_destroy,
};
