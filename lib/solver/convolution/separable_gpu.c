/*
 * separable_gpu.c - a column times a row on GPUs: two runs of solver/convolution/direct_gpu.c
 *
 * The row's run widens each sample once and writes floats; the column's keeps its sums in registers.
 * The floats in between go through memory: no register file is large enough for both runs.
 *
 * Exact problems stay exact, because floats hold the integers in between. In real problems each run
 * may use half of the tolerance; the first run's error is multiplied by the column's taps.
 */
#include "device/buffer.h"
#include "device/tuning.h"
#include "solver/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIRECT imf_solver_direct_gpu

struct separable_job {
    struct imf_kernel *row, *column;
    struct imf_job *first, *second;
    struct imf_surface mid; /* height + column - 1 rows; its buffer is the job's */
};

/* The shapes of both runs' proposals. */
struct shape {
    unsigned char part[2][IMF_SHAPE_PART];
};
_Static_assert(sizeof(struct shape) <= IMF_SHAPE, "a proposal holds it");

/* Split the problem into two; on success the caller frees both kernels. */
static bool split(const struct imf_problem *p, struct imf_problem part[2], struct imf_kernel **row,
                  struct imf_kernel **column, const char **why, size_t *missing) {
    const struct imf_kernel *k = p->kernel[0];
    *row = *column = NULL;
    if (k->width == 1 || k->height == 1 || !p->facts[0].product) {
        *why = "the kernel is not the product of a column and a row";
        return false;
    }
    if (imf_kernel_create(row, k->width, 1, NULL) ||
        imf_kernel_create(column, 1, k->height, NULL)) {
        *why = "out of memory";
        *missing = ((size_t)k->width + (size_t)k->height) * sizeof *k->taps;
        imf_kernel_free(row);
        return false;
    }
    imf_kernel_factors(k, &p->facts[0].pivot, (*column)->taps, (*row)->taps);
    (*row)->cx = k->cx;
    (*column)->cy = k->cy;
    part[0] = part[1] = *p;
    imf_problem_convolve(&part[0], *row);
    imf_problem_convolve(&part[1], *column);
    part[0].out = part[1].in = IMF_F32;
    part[0].height = p->height + k->height - 1;
    part[0].epilogue = (struct imf_epilogue){.scale = 1, .multiply = 1, .full = p->epilogue.full};
    part[1].in_max = p->in_max * part[0].facts[0].abs_sum;
    part[0].tolerance = p->tolerance_even / 2 * fabs(p->epilogue.scale) / part[1].facts[0].abs_sum;
    part[1].tolerance = p->tolerance_even / 2;
    for (int i = 0; i < 2; i++)
        part[i].tolerance_even = part[i].tolerance;
    return true;
}

static void separable_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    struct imf_problem part[2];
    struct imf_kernel *row, *column;
    struct imf_proposal one[2];
    struct shape *s = (struct shape *)out->shape.bytes;
    const char *why;
    size_t missing = 0;
    if (!split(p, part, &row, &column, &why, &missing)) {
        imf_proposal_refuse(out, "%s", why);
        out->missing = missing;
        return;
    }
    out->feasible = true;
    for (int i = 0; i < 2 && out->feasible; i++) {
        imf_propose(&one[i], &DIRECT, &part[i], d);
        memcpy(s->part[i], one[i].shape.bytes, IMF_SHAPE_PART);
        out->feasible = one[i].feasible;
        out->missing += one[i].missing;
        if (!out->feasible)
            imf_proposal_refuse(out, "%s", one[i].why);
    }
    if (out->feasible) {
        double weight = part[1].facts[0].abs_sum * fabs(p->epilogue.multiply / p->epilogue.scale);
        double rows = (double)p->height + p->kernel[0]->height - 1;
        out->ms = one[0].ms + one[1].ms - imf_tuning(d)->launch_ms + imf_tuning(d)->next_ms;
        out->error = one[0].error * weight + one[1].error;
        out->largest = out->bytes =
            rows * ((double)p->width * p->channels + IMF_SLACK) * sizeof(float);
        snprintf(out->description, sizeof out->description, "separable %d + %d%s, registers",
                 p->kernel[0]->width, p->kernel[0]->height, p->exact ? ", exact" : "");
    }
    imf_kernel_free(&row);
    imf_kernel_free(&column);
}

static void separable_release(struct imf_job *job) {
    struct separable_job *j = job->own;
    imf_job_free(&j->first);
    imf_job_free(&j->second);
    imf_kernel_free(&j->row);
    imf_kernel_free(&j->column);
}

static enum imf_status make_part(struct imf_job **part, const struct imf_problem *p,
                                 const unsigned char *shape, struct imf_queue *queue,
                                 struct imf_error *err) {
    struct imf_proposal one = {.solver = &DIRECT, .feasible = true, .height = p->height};
    memcpy(one.shape.bytes, shape, IMF_SHAPE_PART);
    return imf_job_make(part, p, &one, queue, err);
}

static enum imf_status separable_prepare(struct imf_job *job, struct imf_error *err) {
    struct separable_job *j = job->own;
    const struct shape *s = (const struct shape *)job->proposal.shape.bytes;
    struct imf_problem part[2];
    const char *why;
    size_t missing = 0;
    enum imf_status st = IMF_OK;
    if (!split(&job->p, part, &j->row, &j->column, &why, &missing))
        st = imf_fail_memory(err, missing);
    if (!st)
        st = make_part(&j->first, &part[0], s->part[0], job->queue, err);
    if (!st)
        st = make_part(&j->second, &part[1], s->part[1], job->queue, err);
    if (!st)
        st = imf_surface_layout(&j->mid, IMF_F32, part[0].width, part[0].height, job->p.channels,
                                (struct imf_margin){0, 0, 0, 0}, err);
    if (!st)
        st = imf_buffer_make(&job->buffer[0], job->queue, IMF_BUFFER_WORK,
                             imf_surface_bytes(&j->mid), err);
    j->mid.mem = job->buffer[0];
    return st;
}

static enum imf_status separable_run(struct imf_job *job, const struct imf_surface *in,
                                     const struct imf_surface *out, struct imf_error *err) {
    struct separable_job *j = job->own;
    size_t above = (size_t)j->column->cy;
    struct imf_surface tall = *in, mid = j->mid;
    tall.height = mid.height = in->height + j->column->height - 1;
    tall.origin -= above * in->pitch;
    enum imf_status st = imf_job_run(j->first, &tall, &mid, err);
    mid.height = in->height;
    mid.origin += above * mid.pitch;
    return st ? st : imf_job_run(j->second, &mid, out, err);
}

const struct imf_solver imf_solver_separable_gpu = {
    .name = "separable",
    .backend = IMF_BACKEND_SEPARABLE,
    .local = true,
    .kinds = 1u << IMF_CONVOLUTION,
    .propose = separable_propose,
    .own = sizeof(struct separable_job),
    .prepare = separable_prepare,
    .release = separable_release,
    .run = separable_run,
};
