/*
 * histogram_gpu.c - ranks of bytes in windows of any size on GPUs
 * (cl/rank_histogram_gpu.cl)
 */
#include "device/tuning.h"
#include "solver/common/window.h"

/* Work-items a group; and with counts in 32 bits, for which local memory is short. */
#define GROUP 96
#define FEW 32
/* Work-groups that keep a unit busy; and the least rows of a work-item, in heights of the window, since
 * its first histogram takes the steps of half a height. */
#define GROUPS_A_UNIT 16
#define LEAST_HEIGHTS 2

_Static_assert(256 * GROUP * 16 / 8 <= IMF_GPU_LOCAL, "lists of devices say so");

struct shape {
    struct imf_window_facts window;
    int count_bits, run_count, group; /* the runs go down */
};

/* Output rows of a work-item. */
static int rows_of(const struct shape *s, int samples, int height, const struct imf_device *d) {
    int across = (samples - 1) / s->group + 1;
    int down = imf_max((int)d->compute_units * GROUPS_A_UNIT / across, 1);
    return imf_min(imf_max((height - 1) / down + 1, LEAST_HEIGHTS * s->window.height), height);
}

/* Instructions of a sample: of each run an old and a new sample that are loaded, compared and
 * counted, and of each sample of the first window its share; looking for the rank. */
static double cost(const struct imf_problem *p, const struct imf_device *d, const struct shape *s) {
    const struct imf_gpu_rates *g = &imf_tuning(d)->gpu;
    int rows = rows_of(s, p->width * p->channels, p->height, d);
    double each = g->histogram_run * s->run_count + g->histogram_first * s->window.count / rows;
    return imf_window_ms(p, d, each + g->histogram_rank, 2);
}

static void histogram_propose(const struct imf_problem *p, const struct imf_device *d,
                              struct imf_proposal *out) {
    const struct imf_window_op *op = p->window_op;
    const struct imf_window_facts *w = imf_window_propose(out, p);
    struct shape *s = (struct shape *)out->shape.bytes;
    if (p->in != IMF_U8) {
        imf_proposal_refuse(out, "this variant is for bytes");
        return;
    }
    s->count_bits = w->count <= UINT8_MAX ? 8 : w->count <= UINT16_MAX ? 16 : 32;
    s->group = s->count_bits == 32 ? FEW : GROUP;
    for (struct imf_run r = imf_window_start(op, true); imf_window_next(op, true, &r);)
        s->run_count++;
    size_t local = (size_t)(256 * s->group * s->count_bits / 8);
    if (d->local_memory < local) {
        imf_proposal_refuse(out, "histograms need %zu bytes of local memory", local);
        return;
    }
    imf_window_accept(out, "histograms");
    out->ms = cost(p, d, s);
    out->bytes = (double)s->run_count * sizeof(struct imf_run);
}

static void define(struct imf_defines *d, const struct imf_job *job) {
    const struct shape *s = imf_job_shape(job);
    imf_define(d, "RANK", "%d", s->window.rank);
    imf_define(d, "COUNT_BITS", "%d", s->count_bits);
    imf_define(d, "GROUP", "%d", s->group);
}

static enum imf_status histogram_prepare(struct imf_job *job, struct imf_error *err) {
    return imf_window_table(job, 0, true, err);
}

static enum imf_status histogram_run(struct imf_job *job, const struct imf_surface *in,
                                     const struct imf_surface *out, struct imf_error *err) {
    const struct shape *s = imf_job_shape(job);
    int samples = in->width * in->channels;
    int rows = rows_of(s, samples, out->height, imf_queue_device(job->queue));
    const struct imf_arg args[] = {IMF_ARG_SURFACE(in),      IMF_ARG_SURFACE(out),
                                   imf_arg_int(samples),     imf_arg_int(out->height),
                                   imf_arg_int(rows),        imf_arg_buffer(job->buffer[0]),
                                   imf_arg_int(s->run_count)};
    struct imf_grid grid =
        imf_grid_over((size_t)samples, (size_t)((out->height - 1) / rows + 1), (size_t)s->group);
    return imf_job_launch(job, 0, grid, args, err);
}

const struct imf_solver imf_solver_rank_histogram_gpu = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .group = GROUP,
    .kinds = 1u << IMF_RANK,
    .propose = histogram_propose,
    .program = "rank_histogram_gpu",
    .parts = (const char *const[]){"common.cl", NULL},
    .entries = (const char *const[]){"rank_histogram", NULL},
    .floats = true, /* they hold a sample and its epilogue exactly */
    .define = define,
    .prepare = histogram_prepare,
    .run = histogram_run,
};
