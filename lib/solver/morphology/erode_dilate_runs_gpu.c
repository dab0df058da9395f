/*
 * erode_dilate_runs_gpu.c - minimum and maximum in any element on GPUs, by its vertical runs
 * (cl/erode_dilate_gpu.cl)
 */
#include "device/tuning.h"
#include "solver/common/window.h"
#include "solver/common/window_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUP 64

struct shape {
    struct imf_window_box box;
    bool dilate;
    int planes, run_count;
};
_Static_assert(sizeof(struct shape) <= IMF_SHAPE, "a proposal holds it");

struct runs_job {
    struct imf_queue *queue;
    struct shape shape;
    struct imf_program *twice, *runs;
    struct imf_surface plane; /* the first plane; its buffer holds all, one after the other */
    struct imf_buffer *table;
};

/* The exponent of the largest power of two that is not longer. */
static int level_of(int length) {
    int level = 0;
    while (2 << level <= length)
        level++;
    return level;
}

/* Fill a table of runs: of each the offset along the row, its plane, and the rows where its two parts
 * begin. Returns the number of planes, or -1 if memory ran out; table may be NULL. */
static int make_table(const struct imf_problem *p, const struct shape *s, int32_t *table) {
    int planes = 0;
    int32_t *runs = malloc(3 * sizeof *runs * (size_t)s->run_count);
    if (!runs || imf_window_runs_down(p->window_op, p->channels, runs) < 0)
        planes = -1;
    for (int i = 0; i < s->run_count && planes >= 0; i++) {
        const int32_t *run = &runs[3 * i];
        int level = level_of(run[2] - run[1]);
        planes = imf_max(planes, level);
        if (table) {
            table[4 * i] = run[0];
            table[4 * i + 1] = level;
            table[4 * i + 2] = run[1] - s->box.top;
            table[4 * i + 3] = run[2] - (1 << level) - s->box.top;
        }
    }
    free(runs);
    return planes;
}

/* The layout of a plane: the columns of the input that windows read. */
static enum imf_status lay_out(struct imf_surface *plane, const struct imf_problem *p,
                               const struct shape *s, struct imf_error *err) {
    const struct imf_margin margin = {
        .left = imf_max(-s->box.left, 0), .right = imf_max(s->box.right, 0), .top = 0, .bottom = 0};
    int rows = p->height + s->box.bottom - s->box.top;
    return imf_surface_layout(plane, p->in, p->width, rows, p->channels, margin, err);
}

static bool choose(const struct imf_problem *p, struct shape *s, struct imf_proposal *out) {
    const struct imf_window_op *window = p->window_op;
    const struct imf_window w = imf_window_measure(window);
    size_t count = (size_t)w.count, rank = (size_t)w.rank;
    *s = (struct shape){.dilate = rank > 0,
                        .run_count = imf_window_runs_down(window, p->channels, NULL)};
    if (rank > 0 && rank < count - 1) {
        imf_proposal_refuse(out, "this variant is for the minimum or maximum");
        return false;
    }
    if (s->run_count < 0 || !imf_window_box(&s->box, window) ||
        (s->planes = make_table(p, s, NULL)) < 0) {
        imf_proposal_refuse(out, "out of memory");
        return false;
    }
    return true;
}

static void runs_propose(const struct imf_problem *p, const struct imf_device *d,
                         struct imf_proposal *out) {
    const struct imf_window_op *window = p->window_op;
    struct shape *s = (struct shape *)out->shape.bytes;
    struct imf_surface plane;
    if (!imf_window_for_gpu(p, d, GROUP, out) || !choose(p, s, out))
        return;
    if (lay_out(&plane, p, s, NULL)) {
        imf_proposal_refuse(out, "the planes are too large");
        return;
    }
    const struct imf_tuning *t = imf_tuning(d);
    double size = (double)imf_sample_size(p->in);
    out->feasible = true;
    out->error = 0;
    out->ms = imf_window_ms(p, d, t->gpu.erode_dilate_run * s->run_count * size, 2 * size);
    for (int i = 0; i < s->planes; i++)
        out->ms += imf_window_ms(p, d, 0, 2 * size) - t->launch_ms + t->next_ms;
    out->largest = out->bytes = (double)imf_surface_bytes(&plane) * s->planes;
    snprintf(out->description, sizeof out->description, "%s of %zu in %dx%d, runs",
             s->dilate ? "maximum" : "minimum", (size_t)imf_window_measure(window).count,
             window->width, window->height);
}

static void define(struct imf_defines *d, const void *shape) {
    imf_define(d, "DILATE", "%d", ((const struct shape *)shape)->dilate);
    imf_define(d, "COLUMN_GROUP", "%d", GROUP);
}

static void runs_destroy(void **job) {
    struct runs_job *j = *job;
    imf_program_free(&j->twice);
    imf_program_free(&j->runs);
    imf_buffer_free(&j->plane.mem);
    imf_buffer_free(&j->table);
    free(j);
    *job = NULL;
}

static enum imf_status make_planes(struct runs_job *j, const struct imf_problem *p,
                                   struct imf_error *err) {
    size_t bytes;
    enum imf_status st = lay_out(&j->plane, p, &j->shape, err);
    if (!st && !imf_size_mul(imf_surface_bytes(&j->plane), (size_t)j->shape.planes, &bytes))
        st = imf_fail(err, IMF_ERR_LIMIT, "%d planes of %dx%d pixels are too large",
                      j->shape.planes, p->width, p->height);
    return st ? st : imf_buffer_make(&j->plane.mem, j->queue, IMF_BUFFER_WORK, bytes, err);
}

static enum imf_status runs_make(void **job, const struct imf_problem *p,
                                 const struct imf_proposal *proposal, struct imf_queue *queue,
                                 struct imf_error *err) {
    struct runs_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->queue = queue;
    j->shape = *(const struct shape *)proposal->shape.bytes;
    struct imf_problem inner = *p;
    inner.out = p->in;
    size_t bytes = 4 * sizeof(int32_t) * (size_t)j->shape.run_count;
    int32_t *table = malloc(bytes);
    enum imf_status st = IMF_OK;
    if (!table || make_table(p, &j->shape, table) < 0)
        st = imf_fail_memory(err, bytes);
    if (!st)
        st = imf_buffer_table(&j->table, queue, table, bytes, err);
    free(table);
    if (!st)
        st = make_planes(j, p, err);
    if (!st)
        st = imf_window_program(&j->twice, queue, "erode_dilate_gpu.cl", "erode_dilate_double",
                                &inner, define, &j->shape, err);
    return st ? st
              : imf_window_program(&j->runs, queue, "erode_dilate_gpu.cl", "erode_dilate_runs", p,
                                   define, &j->shape, err);
}

/* Make plane i + 1 from the plane before it. */
static enum imf_status run_twice(struct runs_job *j, int i, const struct imf_surface *in,
                                 int height, struct imf_error *err) {
    const struct imf_surface *plane = &j->plane;
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
    return imf_program_launch(j->queue, j->twice, grid, args, err);
}

static enum imf_status runs_run(void *job, const struct imf_surface *in,
                                const struct imf_surface *out, struct imf_error *err) {
    struct runs_job *j = job;
    const struct shape *s = &j->shape;
    struct imf_surface from = *in;
    int height = in->height + s->box.bottom - s->box.top;
    size_t samples = (size_t)in->width * (size_t)in->channels;
    size_t unit = 8 / imf_sample_size(in->sample);
    enum imf_status st = IMF_OK;
    from.origin = (size_t)((ptrdiff_t)in->origin + s->box.top * (ptrdiff_t)in->pitch);
    for (int i = 0; i < s->planes && !st; i++) {
        height -= 1 << i;
        st = run_twice(j, i, &from, height, err);
    }
    if (st)
        return st;
    const struct imf_arg args[] = {
        imf_arg_buffer(in->mem),      imf_arg_size(from.origin),     imf_arg_size(in->pitch),
        imf_arg_buffer(j->plane.mem), imf_arg_size(j->plane.origin), imf_arg_size(j->plane.pitch),
        imf_arg_size(j->plane.size),  imf_arg_buffer(out->mem),      imf_arg_size(out->origin),
        imf_arg_size(out->pitch),     imf_arg_int((int)samples),     imf_arg_buffer(j->table),
        imf_arg_int(s->run_count)};
    struct imf_grid grid = imf_grid_over((samples + unit - 1) / unit, (size_t)out->height, GROUP);
    return imf_program_launch(j->queue, j->runs, grid, args, err);
}

const struct imf_solver imf_solver_erode_dilate_runs_gpu = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .program = "erode_dilate_gpu",
    .kinds = 1u << IMF_RANK,
    .propose = runs_propose,
    .old_make = runs_make,
    .old_run = runs_run,
    .old_destroy = runs_destroy,
};
