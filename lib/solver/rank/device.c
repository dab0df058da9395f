/*
 * device.c - ranks in windows on a device, each window separately (cl/rank.cl)
 *
 * GPUs use it for floats, and for 16-bit samples in windows larger than 7x7. Its time grows with the
 * samples of a window and the bits of a sample. Elsewhere other algorithms are faster.
 */
#include "device/tuning.h"
#include "solver/common/window.h"
#include "solver/solver.h"

#include <stdlib.h>

struct rank_job {
    struct imf_queue *queue;
    struct imf_program *program;
    struct imf_buffer *runs;
    int run_count, vec, samples;
};

/* Milliseconds: samples * window's samples * readings of the window * (1 / operand + 1 / product) *
 * 1e-6, in the device's rates of integers. */
static void rank_propose(const struct imf_problem *p, const struct imf_device *d,
                         struct imf_proposal *out) {
    const struct imf_window *w = imf_window_propose(out, p);
    const struct imf_tuning *t = imf_tuning(d);
    bool minmax = w->rank == 0 || w->rank == w->count - 1;
    double samples = (double)p->width * p->height * p->channels, units = imf_tuning_units(d);
    double each = 1 / t->operand[IMF_WIDTH_INT] + 1 / t->product[IMF_WIDTH_INT];
    double read = (double)w->count * (minmax ? 1 : 8 * (double)imf_sample_size(p->in));
    out->feasible = true;
    out->error = 0;
    out->ms = t->launch_ms + samples * (read * each + 1 / t->finish) * 1e-6 / units;
    out->bytes = (double)w->run_count * sizeof(struct imf_run);
    snprintf(out->description, sizeof out->description, "rank %d of %d in %dx%d", w->rank + 1,
             w->count, w->width, w->height);
}

static void rank_destroy(void **job) {
    struct rank_job *j = *job;
    imf_program_free(&j->program);
    imf_buffer_free(&j->runs);
    free(j);
    *job = NULL;
}

static enum imf_status make_table(struct rank_job *j, const struct imf_problem *p,
                                  struct imf_error *err) {
    struct imf_run *runs = imf_window_runs(p->window_op, false, p->channels, &j->run_count);
    size_t bytes = (size_t)j->run_count * sizeof *runs;
    enum imf_status st =
        runs ? imf_buffer_table(&j->runs, j->queue, runs, bytes, err) : imf_fail_memory(err, bytes);
    free(runs);
    return st;
}

static enum imf_status rank_make(void **job, const struct imf_problem *p,
                                 const struct imf_proposal *proposal, struct imf_queue *queue,
                                 struct imf_error *err) {
    static const char *const parts[] = {"common.cl", NULL};
    struct rank_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    const struct imf_window *w = (const void *)proposal->shape.bytes;
    j->queue = queue;
    j->samples = p->width * p->channels;
    j->vec = imf_tuning_vec(imf_tuning(imf_queue_device(queue)), IMF_WIDTH_INT, 1);
    struct imf_defines d = {0};
    imf_define(&d, "VEC", "%d", j->vec);
    imf_define(&d, "STEP", "%d", p->channels);
    imf_define(&d, "RANK", "%d", w->rank);
    imf_define(&d, "COUNT", "%d", w->count);
    struct imf_problem floats = *p;
    floats.exact = false; /* floats hold a sample and its epilogue exactly */
    imf_problem_defines(&d, &floats);
    const struct imf_program_source source = {.file = "rank.cl", .parts = parts, .defines = &d};
    enum imf_status st = imf_program_make(&j->program, queue, &source, "rank", err);
    imf_defines_free(&d);
    return st ? st : make_table(j, p, err);
}

static enum imf_status rank_run(void *job, const struct imf_surface *in,
                                const struct imf_surface *out, struct imf_error *err) {
    struct rank_job *j = job;
    const struct imf_arg args[] = {
        imf_arg_buffer(in->mem),  imf_arg_size(in->origin),  imf_arg_int((int)in->pitch),
        imf_arg_buffer(out->mem), imf_arg_size(out->origin), imf_arg_int((int)out->pitch),
        imf_arg_int(j->samples),  imf_arg_buffer(j->runs),   imf_arg_int(j->run_count)};
    size_t items = ((size_t)j->samples + (size_t)j->vec - 1) / (size_t)j->vec;
    struct imf_grid grid =
        imf_grid_over(items, (size_t)out->height, imf_tuning_group(imf_queue_device(j->queue)));
    return imf_program_launch(j->queue, j->program, grid, args, err);
}

const struct imf_solver imf_solver_rank_device = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .kinds = 1u << IMF_RANK,
    .propose = rank_propose,
    .old_make = rank_make,
    .old_run = rank_run,
    .old_destroy = rank_destroy,
};
