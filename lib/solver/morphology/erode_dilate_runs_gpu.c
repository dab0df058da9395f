/*
 * erode_dilate_runs_gpu.c - minimum and maximum in any element on GPUs, by its vertical runs
 * (cl/erode_dilate_gpu.cl)
 */
#include "device/tuning.h"
#include "solver/common/window.h"

#include <stdlib.h>

#define GROUP 64

struct shape {
    struct imf_window_facts window;
    int planes, run_count; /* the runs go down */
};

enum { PLANES, RUNS }; /* buffers: planes one after the other; of each run what make_table() says */
enum { DOUBLE, REDUCE }; /* programs */

/* Of each run the offset along the row, its plane, and the rows where its two parts begin. */
static int32_t *make_table(const struct imf_problem *p, int top) {
    int count;
    struct imf_run *runs = imf_window_runs(p->window_op, true, p->channels, &count);
    int32_t *table = runs ? malloc(4 * sizeof *table * (size_t)count) : NULL;
    for (int i = 0; table && i < count; i++) {
        int level = imf_run_level(&runs[i]);
        table[4 * i] = runs[i].line;
        table[4 * i + 1] = level;
        table[4 * i + 2] = runs[i].from - top;
        table[4 * i + 3] = runs[i].to - (1 << level) - top;
    }
    free(runs);
    return table;
}

/* The layout of a plane: the columns of the input that windows read. */
static enum imf_status lay_out(struct imf_surface *plane, const struct imf_problem *p,
                               const struct imf_window_facts *w, struct imf_error *err) {
    const struct imf_margin margin = {
        .left = imf_max(-w->left, 0), .right = imf_max(w->right, 0), .top = 0, .bottom = 0};
    return imf_surface_layout(plane, p->in, p->width, p->height + w->height - 1, p->channels,
                              margin, err);
}

static bool sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    const struct shape *s = shape;
    struct imf_surface plane;
    return !lay_out(&plane, p, &s->window, NULL) &&
           imf_size_mul(imf_surface_bytes(&plane), (size_t)s->planes, &bytes[PLANES]);
}

static void runs_propose(const struct imf_problem *p, const struct imf_device *d,
                         struct imf_proposal *out) {
    const struct imf_window_op *op = p->window_op;
    const struct imf_window_facts *w = imf_window_propose(out, p);
    struct shape *s = (struct shape *)out->shape.bytes;
    if (w->rank > 0 && w->rank < w->count - 1) {
        imf_proposal_refuse(out, "this variant is for the minimum or maximum");
        return;
    }
    for (struct imf_run r = imf_window_start(op, true); imf_window_next(op, true, &r);) {
        s->run_count++;
        s->planes = imf_max(s->planes, imf_run_level(&r));
    }
    if (!imf_proposal_buffers(out, p))
        return;
    const struct imf_tuning *t = imf_tuning(d);
    double size = (double)imf_sample_size(p->in);
    imf_window_accept(out, "runs");
    out->ms = imf_window_ms(p, d, t->gpu.erode_dilate_run * s->run_count * size, 2 * size);
    for (int i = 0; i < s->planes; i++)
        out->ms += imf_window_ms(p, d, 0, 2 * size) - t->launch_ms + t->next_ms;
}

static void define(struct imf_defines *d, const struct imf_job *job) {
    imf_define(d, "DILATE", "%d", imf_window_of(job)->rank > 0);
    imf_define(d, "COLUMN_GROUP", "%d", GROUP);
}

static enum imf_status runs_prepare(struct imf_job *job, struct imf_error *err) {
    const struct shape *s = imf_job_shape(job);
    return imf_job_table(job, &job->buffer[RUNS], make_table(&job->p, s->window.top),
                         4 * sizeof(int32_t) * (size_t)s->run_count, err);
}

/* Make plane i + 1 from the plane before it. */
static enum imf_status run_double(struct imf_job *job, int i, const struct imf_surface *in,
                                  const struct imf_surface *plane, int height,
                                  struct imf_error *err) {
    size_t channels = (size_t)in->channels, origin = (size_t)i * plane->size;
    /* With the columns at the left, in whole words. */
    size_t left = plane->origin,
           samples = left + ((size_t)in->width + (size_t)plane->margin.right) * channels;
    const struct imf_surface *from = i ? plane : in;
    size_t from_origin = i ? origin - plane->size : in->origin - left;
    const struct imf_arg args[] = {imf_arg_buffer(from->mem), imf_arg_size(from_origin),
                                   imf_arg_size(from->pitch), imf_arg_buffer(plane->mem),
                                   imf_arg_size(origin),      imf_arg_size(plane->pitch),
                                   imf_arg_int((int)samples), imf_arg_int(1 << i)};
    size_t unit = 16 / imf_sample_size(in->sample);
    struct imf_grid grid = imf_grid_over((samples + unit - 1) / unit, (size_t)height, GROUP);
    return imf_job_launch(job, DOUBLE, grid, args, err);
}

static enum imf_status runs_run(struct imf_job *job, const struct imf_surface *in,
                                const struct imf_surface *out, struct imf_error *err) {
    const struct shape *s = imf_job_shape(job);
    const struct imf_window_facts *w = &s->window;
    struct imf_surface from = *in, plane;
    int height = in->height + w->height - 1;
    size_t samples = (size_t)in->width * (size_t)in->channels;
    size_t unit = 8 / imf_sample_size(in->sample);
    enum imf_status st = lay_out(&plane, &job->p, w, err);
    plane.mem = s->planes ? job->buffer[PLANES] : in->mem;
    from.origin = (size_t)((ptrdiff_t)in->origin + w->top * (ptrdiff_t)in->pitch);
    for (int i = 0; i < s->planes && !st; i++) {
        height -= 1 << i;
        st = run_double(job, i, &from, &plane, height, err);
    }
    if (st)
        return st;
    const struct imf_arg args[] = {IMF_ARG_SURFACE(&from),    IMF_ARG_SURFACE(&plane),
                                   imf_arg_size(plane.size),  IMF_ARG_SURFACE(out),
                                   imf_arg_int((int)samples), imf_arg_buffer(job->buffer[RUNS]),
                                   imf_arg_int(s->run_count)};
    struct imf_grid grid = imf_grid_over((samples + unit - 1) / unit, (size_t)out->height, GROUP);
    return imf_job_launch(job, REDUCE, grid, args, err);
}

const struct imf_solver imf_solver_erode_dilate_runs_gpu = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .group = GROUP,
    .kinds = 1u << IMF_RANK,
    .propose = runs_propose,
    .program = "erode_dilate_gpu",
    .parts = (const char *const[]){"subword.cl", "common.cl", NULL},
    .entries = (const char *const[]){"erode_dilate_double", "erode_dilate_runs", NULL},
    .floats = true, /* they hold a sample and its epilogue exactly */
    .subword = true,
    .define = define,
    .sizes = sizes,
    .prepare = runs_prepare,
    .run = runs_run,
};
