/*
 * separable_gpu.c - a column times a row on GPUs: two runs of solver/direct_gpu.c
 *
 * The row's run widens each sample once and writes floats; the column's keeps its sums in
 * registers. Memory holds the floats between them, for a register file large enough for both is not
 * to be had.
 *
 * Exact problems stay exact, as floats hold the integers in between. In real ones the first run may
 * use up half of the tolerance, after the column has weighed it, and the second the other half.
 */
#include "device/buffer.h"
#include "solver/solver.h"

#include <math.h>
#include <stdlib.h>

#define DIRECT imf_solver_direct_gpu

struct separable_job {
    struct imf_kernel *row, *column;
    void *first, *second;
    struct imf_surface mid; /* height + column - 1 rows */
};

/* Split the problem; on success the caller frees both kernels. */
static bool split(const struct imf_problem *p, struct imf_problem part[2], struct imf_kernel **row,
                  struct imf_kernel **column, char *why) {
    const struct imf_kernel *k = p->kernel[0];
    *row = *column = NULL;
    if (p->kind == IMF_TRANSFER || p->kind == IMF_MAGNITUDE) {
        snprintf(why, IMF_WHY,
                 p->kind == IMF_TRANSFER ? "frequency-domain filters need the FFT"
                                         : "a magnitude takes two kernels at once");
        return false;
    }
    if (imf_kernel_create(row, k->width, 1, NULL) ||
        imf_kernel_create(column, 1, k->height, NULL)) {
        snprintf(why, IMF_WHY, "out of memory");
        imf_kernel_free(row);
        return false;
    }
    if (k->width == 1 || k->height == 1 || !imf_kernel_separate(k, (*column)->taps, (*row)->taps)) {
        snprintf(why, IMF_WHY, "the kernel is not the product of a column and a row");
        imf_kernel_free(row);
        imf_kernel_free(column);
        return false;
    }
    (*row)->cx = k->cx;
    (*column)->cy = k->cy;
    part[0] = part[1] = *p;
    part[0].kernel[0] = *row;
    part[1].kernel[0] = *column;
    part[0].out = part[1].in = IMF_F32;
    part[0].height = p->height + k->height - 1;
    part[0].epilogue = (struct imf_epilogue){.scale = 1, .multiply = 1, .full = p->epilogue.full};
    part[1].in_max = p->in_max * imf_kernel_abs_sum(*row);
    part[0].tolerance = p->tolerance / 2 * fabs(p->epilogue.scale) / imf_kernel_abs_sum(*column);
    part[1].tolerance = p->tolerance / 2;
    return true;
}

static bool separable_applicable(const struct imf_problem *p, const struct imf_device *d,
                                 char *why) {
    struct imf_problem part[2];
    struct imf_kernel *row, *column;
    if (!split(p, part, &row, &column, why))
        return false;
    bool can = DIRECT.applicable(&part[0], d, why) && DIRECT.applicable(&part[1], d, why);
    imf_kernel_free(&row);
    imf_kernel_free(&column);
    return can;
}

static double separable_error(const struct imf_problem *p, const struct imf_device *d) {
    struct imf_problem part[2];
    struct imf_kernel *row, *column;
    char why[IMF_WHY];
    if (!split(p, part, &row, &column, why))
        return 0;
    double weight = imf_kernel_abs_sum(column) * fabs(p->epilogue.multiply / p->epilogue.scale);
    double error = DIRECT.error(&part[0], d) * weight + DIRECT.error(&part[1], d);
    imf_kernel_free(&row);
    imf_kernel_free(&column);
    return error;
}

static double separable_cost(const struct imf_problem *p, const struct imf_device *d) {
    struct imf_problem part[2];
    struct imf_kernel *row, *column;
    char why[IMF_WHY];
    if (!split(p, part, &row, &column, why))
        return -1;
    double ms = DIRECT.cost(&part[0], d) + DIRECT.cost(&part[1], d);
    imf_kernel_free(&row);
    imf_kernel_free(&column);
    return ms;
}

static void separable_print(const struct imf_problem *p, const struct imf_device *d, char *text,
                            size_t size) {
    (void)d;
    snprintf(text, size, "separable %d + %d%s, registers", p->kernel[0]->width,
             p->kernel[0]->height, p->exact ? ", exact" : "");
}

static void separable_destroy(void **job) {
    struct separable_job *j = *job;
    *job = NULL;
    if (!j)
        return;
    if (j->first)
        DIRECT.destroy(&j->first);
    if (j->second)
        DIRECT.destroy(&j->second);
    imf_buffer_free(&j->mid.mem);
    imf_kernel_free(&j->row);
    imf_kernel_free(&j->column);
    free(j);
}

static enum imf_status separable_make(void **job, const struct imf_problem *p,
                                      struct imf_queue *queue, struct imf_error *err) {
    struct separable_job *j = *job = calloc(1, sizeof *j);
    struct imf_problem part[2];
    char why[IMF_WHY];
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    enum imf_status st = IMF_OK;
    if (!split(p, part, &j->row, &j->column, why))
        st = imf_fail(err, IMF_ERR_ARGUMENT, "%s", why);
    if (!st)
        st = DIRECT.make(&j->first, &part[0], queue, err);
    if (!st)
        st = DIRECT.make(&j->second, &part[1], queue, err);
    if (!st)
        st = imf_surface_layout(&j->mid, IMF_F32, part[0].width, part[0].height, p->channels,
                                (struct imf_margin){0, 0, 0, 0}, err);
    if (!st)
        st = imf_buffer_make(&j->mid.mem, queue, IMF_BUFFER_WORK, imf_surface_bytes(&j->mid), err);
    if (st)
        separable_destroy(job);
    return st;
}

static enum imf_status separable_run(void *job, const struct imf_surface *in,
                                     const struct imf_surface *out, struct imf_error *err) {
    struct separable_job *j = job;
    size_t above = (size_t)j->column->cy;
    struct imf_surface tall = *in, mid = j->mid;
    tall.height = mid.height = in->height + j->column->height - 1;
    tall.origin -= above * in->pitch;
    enum imf_status st = DIRECT.run(j->first, &tall, &mid, err);
    mid.height = in->height;
    mid.origin += above * mid.pitch;
    return st ? st : DIRECT.run(j->second, &mid, out, err);
}

static double separable_bytes(const struct imf_problem *p, const struct imf_device *d) {
    double rows = (double)p->height + p->kernel[0]->height - 1;
    (void)d;
    return rows * ((double)p->width * p->channels + IMF_SLACK) * sizeof(float);
}

const struct imf_solver imf_solver_separable_gpu = {
    .name = "separable",
    .backend = IMF_BACKEND_SEPARABLE,
    .applicable = separable_applicable,
    .error = separable_error,
    .cost = separable_cost,
    .bytes = separable_bytes,
    .make = separable_make,
    .run = separable_run,
    .print = separable_print,
    .destroy = separable_destroy,
};
