/*
 * histogram_gpu.c - ranks of bytes in windows of any size on GPUs
 * (cl/rank_histogram_gpu.cl)
 */
#include "device/tuning.h"
#include "solver/common/window.h"
#include "solver/common/window_gpu.h"

#include <stdio.h>
#include <stdlib.h>

/* Work-items a group; and with counts in 32 bits, for which local memory is short. */
#define GROUP 96
#define FEW 32
/* Work-groups that keep a unit busy; and the least rows of a work-item, in heights of the window, since
 * its first histogram takes the steps of half a height. */
#define GROUPS_A_UNIT 16
#define LEAST_HEIGHTS 2

_Static_assert(256 * GROUP * 16 / 8 <= IMF_GPU_LOCAL, "lists of devices say so");

struct shape {
    int rank, count_bits, height, run_count, group;
};
_Static_assert(sizeof(struct shape) <= IMF_SHAPE, "a proposal holds it");

struct histogram_job {
    struct imf_queue *queue;
    struct imf_program *program;
    struct imf_buffer *runs;
    struct shape shape;
};

/* Output rows of a work-item. */
static int rows_of(const struct shape *s, int samples, int height, const struct imf_device *d) {
    int across = (samples - 1) / s->group + 1;
    int down = imf_max((int)d->compute_units * GROUPS_A_UNIT / across, 1);
    return imf_min(imf_max((height - 1) / down + 1, LEAST_HEIGHTS * s->height), height);
}

/* Instructions of a sample: of each run an old and a new sample that are loaded, compared and
 * counted, and of each sample of the first window its share; looking for the rank. */
static double cost(const struct imf_problem *p, const struct imf_device *d, const struct shape *s,
                   double count) {
    const struct imf_gpu_rates *g = &imf_tuning(d)->gpu;
    int rows = rows_of(s, p->width * p->channels, p->height, d);
    double each = g->histogram_run * s->run_count + g->histogram_first * count / rows;
    return imf_window_ms(p, d, each + g->histogram_rank, 2);
}

static void histogram_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    const struct imf_window_op *window = p->window_op;
    struct shape *s = (struct shape *)out->shape.bytes;
    if (!imf_window_for_gpu(p, d, GROUP, out))
        return;
    if (p->in != IMF_U8) {
        imf_proposal_refuse(out, "this variant is for bytes");
        return;
    }
    const struct imf_window w = imf_window_measure(window);
    size_t count = (size_t)w.count, rank = (size_t)w.rank;
    *s = (struct shape){.rank = (int)rank,
                        .count_bits = count <= UINT8_MAX    ? 8
                                      : count <= UINT16_MAX ? 16
                                                            : 32,
                        .height = window->height,
                        .run_count = imf_window_runs_down(window, p->channels, NULL)};
    s->group = s->count_bits == 32 ? FEW : GROUP;
    size_t local = (size_t)(256 * s->group * s->count_bits / 8);
    if (s->run_count < 0 || d->local_memory < local) {
        imf_proposal_refuse(out, "histograms need %zu bytes of local memory", local);
        return;
    }
    out->feasible = true;
    out->error = 0;
    out->ms = cost(p, d, s, (double)count);
    out->bytes = 3.0 * s->run_count * sizeof(int32_t);
    snprintf(out->description, sizeof out->description, "rank %zu of %zu in %dx%d, histograms",
             rank + 1, count, window->width, window->height);
}

static void define(struct imf_defines *d, const void *shape) {
    const struct shape *s = shape;
    imf_define(d, "RANK", "%d", s->rank);
    imf_define(d, "COUNT_BITS", "%d", s->count_bits);
    imf_define(d, "GROUP", "%d", s->group);
}

static void histogram_destroy(void **job) {
    struct histogram_job *j = *job;
    imf_program_free(&j->program);
    imf_buffer_free(&j->runs);
    free(j);
    *job = NULL;
}

static enum imf_status histogram_make(void **job, const struct imf_problem *p,
                                      const struct imf_proposal *proposal, struct imf_queue *queue,
                                      struct imf_error *err) {
    struct histogram_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->queue = queue;
    j->shape = *(const struct shape *)proposal->shape.bytes;
    size_t bytes = 3 * (size_t)j->shape.run_count * sizeof(int32_t);
    int32_t *table = malloc(bytes);
    enum imf_status st = IMF_OK;
    if (!table || imf_window_runs_down(p->window_op, p->channels, table) < 0)
        st = imf_fail_memory(err, bytes);
    if (!st)
        st = imf_buffer_table(&j->runs, queue, table, bytes, err);
    free(table);
    return st ? st
              : imf_window_program(&j->program, queue, "rank_histogram_gpu.cl", "rank_histogram", p,
                                   define, &j->shape, err);
}

static enum imf_status histogram_run(void *job, const struct imf_surface *in,
                                     const struct imf_surface *out, struct imf_error *err) {
    struct histogram_job *j = job;
    int samples = in->width * in->channels;
    int rows = rows_of(&j->shape, samples, out->height, imf_queue_device(j->queue));
    const struct imf_arg args[] = {
        imf_arg_buffer(in->mem),  imf_arg_size(in->origin),       imf_arg_size(in->pitch),
        imf_arg_buffer(out->mem), imf_arg_size(out->origin),      imf_arg_size(out->pitch),
        imf_arg_int(samples),     imf_arg_int(out->height),       imf_arg_int(rows),
        imf_arg_buffer(j->runs),  imf_arg_int(j->shape.run_count)};
    struct imf_grid grid = imf_grid_over((size_t)samples, (size_t)((out->height - 1) / rows + 1),
                                         (size_t)j->shape.group);
    return imf_program_launch(j->queue, j->program, grid, args, err);
}

const struct imf_solver imf_solver_rank_histogram_gpu = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .kinds = 1u << IMF_RANK,
    .propose = histogram_propose,
    .old_make = histogram_make,
    .old_run = histogram_run,
    .old_destroy = histogram_destroy,
};
