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
#include "solver/solver.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct threshold_job {
    struct imf_queue *queue;
    struct imf_problem p;
    struct imf_program *columns, *decide;
    struct imf_buffer *sums, *squares;
};

/* Samples of a row with the window's reach at both ends. */
static size_t wide(const struct imf_problem *p) {
    return ((size_t)p->width + 2 * (size_t)p->window_op->cx) * (size_t)p->channels;
}

/* Bytes of the columns' sums and sums of squares. */
static bool sizes_of(const struct imf_problem *p, size_t bytes[2]) {
    size_t all;
    return imf_size_mul(wide(p), (size_t)p->height, &all) &&
           imf_size_mul(all, sizeof(int32_t), &bytes[0]) &&
           imf_size_mul(all, p->in == IMF_U8 ? sizeof(uint32_t) : sizeof(int64_t), &bytes[1]);
}

/* Milliseconds: launches + samples * threshold * 1e-6 / units. */
static void threshold_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    const struct imf_tuning *t = imf_tuning(d);
    size_t bytes[2];
    if (!p->window_op->bilevel) {
        imf_proposal_refuse(out, "this is for local thresholds");
        return;
    }
    if (p->in != IMF_U8 && p->in != IMF_U16) {
        imf_proposal_refuse(out, "this takes rounded samples");
        return;
    }
    if (p->window_op->function == IMF_WINDOW_SAUVOLA && !d->fp64) {
        imf_proposal_refuse(out, "the device has no float64");
        return;
    }
    if ((double)wide(p) > INT32_MAX - 4096 || !sizes_of(p, bytes)) {
        imf_proposal_refuse(out, "rows are too long");
        return;
    }
    out->feasible = true;
    out->error = 0;
    out->bands = IMF_BANDS_FEW;
    out->bytes = (double)bytes[0] + (double)bytes[1];
    out->largest = (double)bytes[1];
    out->ms = t->launch_ms + t->next_ms +
              (double)wide(p) * p->height * t->filters.threshold * 1e-6 / imf_tuning_units(d);
    snprintf(out->description, sizeof out->description,
             "local threshold, radius %d, running integer sums", p->window_op->cx);
}

static void threshold_destroy(void **job) {
    struct threshold_job *j = *job;
    imf_program_free(&j->columns);
    imf_program_free(&j->decide);
    imf_buffer_free(&j->sums);
    imf_buffer_free(&j->squares);
    free(j);
    *job = NULL;
}

static void define(struct imf_defines *d, const struct imf_problem *p) {
    struct imf_problem floats = *p;
    struct imf_local_threshold t;
    uint64_t k;
    floats.exact = false; /* floats hold both levels and their epilogue exactly */
    imf_local_threshold_make(&t, p);
    memcpy(&k, &t.k, sizeof k);
    imf_problem_defines(d, &floats);
    imf_define(d, "CHANNELS", "%d", p->channels);
    imf_define(d, "SIDE", "%d", t.side);
    imf_define(d, "SAUVOLA", "%d", t.sauvola);
    imf_define(d, "ADD", "%" PRId64 "L", (int64_t)t.add);
    imf_define(d, "K", "as_double(%" PRIu64 "UL)", k);
    imf_define_float(d, "HALF", t.half);
}

static enum imf_status threshold_make(void **job, const struct imf_problem *p,
                                      const struct imf_proposal *proposal, struct imf_queue *queue,
                                      struct imf_error *err) {
    static const char *const parts[] = {"common.cl", "column_sums.cl", NULL};
    struct threshold_job *j = *job = calloc(1, sizeof *j);
    (void)proposal;
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->queue = queue;
    j->p = *p;
    struct imf_defines d = {0};
    const struct imf_program_source source = {
        .file = "local_threshold.cl", .parts = parts, .defines = &d};
    size_t bytes[2];
    enum imf_status st = sizes_of(p, bytes) ? IMF_OK : imf_fail_memory(err, SIZE_MAX);
    define(&d, p);
    if (!st)
        st = imf_program_make(&j->columns, queue, &source, "column_sums", err);
    if (!st)
        st = imf_program_make(&j->decide, queue, &source, "local_threshold", err);
    imf_defines_free(&d);
    if (!st)
        st = imf_buffer_make(&j->sums, queue, IMF_BUFFER_WORK, bytes[0], err);
    return st ? st : imf_buffer_make(&j->squares, queue, IMF_BUFFER_WORK, bytes[1], err);
}

static enum imf_status threshold_run(void *job, const struct imf_surface *in,
                                     const struct imf_surface *out, struct imf_error *err) {
    struct threshold_job *j = job;
    const struct imf_problem *p = &j->p;
    const struct imf_walks walks = {p->window_op->width, p->channels,
                                    imf_tuning_group(imf_queue_device(j->queue))};
    int strip = imf_walk_length(&walks);
    size_t all = wide(p), reach = (size_t)p->window_op->cx;
    size_t start = in->origin - reach * in->pitch - reach * (size_t)p->channels;
    const struct imf_arg columns[] = {imf_arg_buffer(in->mem),    imf_arg_size(start),
                                      imf_arg_size(in->pitch),    imf_arg_buffer(j->sums),
                                      imf_arg_buffer(j->squares), imf_arg_int((int)all),
                                      imf_arg_int(out->height),   imf_arg_int(strip)};
    const struct imf_arg decide[] = {
        imf_arg_buffer(j->sums),  imf_arg_buffer(j->squares), imf_arg_int((int)all),
        imf_arg_buffer(in->mem),  imf_arg_size(in->origin),   imf_arg_size(in->pitch),
        imf_arg_buffer(out->mem), imf_arg_size(out->origin),  imf_arg_size(out->pitch),
        imf_arg_int(p->width),    imf_arg_int(strip)};
    enum imf_status st = imf_program_launch(j->queue, j->columns,
                                            imf_walks_down(&walks, all, out->height), columns, err);
    size_t samples = (size_t)p->width * (size_t)p->channels;
    return st ? st
              : imf_program_launch(j->queue, j->decide,
                                   imf_walks_along(&walks, samples, out->height), decide, err);
}

const struct imf_solver imf_solver_local_threshold_device = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .kinds = 1u << IMF_WINDOW_OP,
    .propose = threshold_propose,
    .make = threshold_make,
    .run = threshold_run,
    .destroy = threshold_destroy,
};
