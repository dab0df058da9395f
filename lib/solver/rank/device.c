/*
 * device.c - ranks in windows on a device, each window separately (cl/rank.cl)
 *
 * GPUs use it for floats, and for 16-bit samples in windows larger than 7x7. Its time grows with the
 * samples of a window and the bits of a sample. Elsewhere other algorithms are faster.
 */
#include "device/tuning.h"
#include "solver/common/window.h"

/* Milliseconds: samples * window's samples * readings of the window * (1 / operand + 1 / product) *
 * 1e-6, in the device's rates of integers. */
static void rank_propose(const struct imf_problem *p, const struct imf_device *d,
                         struct imf_proposal *out) {
    const struct imf_window_facts *w = imf_window_propose(out, p);
    const struct imf_tuning *t = imf_tuning(d);
    bool minmax = w->rank == 0 || w->rank == w->count - 1;
    double samples = (double)p->width * p->height * p->channels, units = imf_tuning_units(d);
    double each = 1 / t->operand[IMF_WIDTH_INT] + 1 / t->product[IMF_WIDTH_INT];
    double read = (double)w->count * (minmax ? 1 : 8 * (double)imf_sample_size(p->in));
    imf_window_accept(out, "each window by itself");
    out->ms = t->launch_ms + samples * (read * each + 1 / t->finish) * 1e-6 / units;
    out->bytes = (double)w->run_count * sizeof(struct imf_run);
}

/* Samples of a work-item. */
static int vec_of(const struct imf_job *job) {
    return imf_tuning_vec(imf_tuning(imf_queue_device(job->queue)), IMF_WIDTH_INT, 1);
}

static void define(struct imf_defines *d, const struct imf_job *job) {
    imf_define(d, "VEC", "%d", vec_of(job));
    imf_define(d, "RANK", "%d", imf_window_of(job)->rank);
    imf_define(d, "COUNT", "%d", imf_window_of(job)->count);
}

static enum imf_status rank_prepare(struct imf_job *job, struct imf_error *err) {
    return imf_window_table(job, 0, false, err);
}

static enum imf_status rank_run(struct imf_job *job, const struct imf_surface *in,
                                const struct imf_surface *out, struct imf_error *err) {
    int samples = job->p.width * job->p.channels, vec = vec_of(job);
    const struct imf_arg args[] = {IMF_ARG_SURFACE(in), IMF_ARG_SURFACE(out), imf_arg_int(samples),
                                   imf_arg_buffer(job->buffer[0]),
                                   imf_arg_int(imf_window_of(job)->run_count)};
    size_t items = (size_t)((samples - 1) / vec + 1);
    return imf_job_launch(job, 0, imf_job_grid(job, items, (size_t)out->height), args, err);
}

const struct imf_solver imf_solver_rank_device = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .kinds = 1u << IMF_RANK,
    .propose = rank_propose,
    .program = "rank",
    .parts = (const char *const[]){"common.cl", NULL},
    .entries = (const char *const[]){"rank", NULL},
    .floats = true, /* they hold a sample and its epilogue exactly */
    .define = define,
    .prepare = rank_prepare,
    .run = rank_run,
};
