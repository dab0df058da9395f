/*
 * erode_dilate_gpu.c - minimum and maximum in rectangles on GPUs: along the rows, then down the columns
 * (cl/erode_dilate_gpu.cl)
 *
 * A rectangle that is too high for one block of rows in local memory is done as several lower ones in
 * sequence: heights a and b make a + b - 1.
 */
#include "device/tuning.h"
#include "solver/common/window.h"
#include "solver/common/window_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_GROUP 64
#define COLUMN_GROUP 64
#define BLOCK 128 /* rows of a block at most */
#define LEAST_WORDS 1024
#define MOST_WORDS 6144 /* of a stretch of a row: 37 KB with its results */
#define ROUNDING 32     /* of these, for alignment */
/* Work-groups that keep a unit busy: beyond these a work-item takes several blocks, which reads less. */
#define GROUPS_A_UNIT 12

struct shape {
    struct imf_window_box box;
    bool dilate;
    int words, half; /* of a stretch, and samples of its results */
    int before;      /* samples */
    int passes;      /* down the columns, each of at most */
    int block;       /* so many rows */
};
_Static_assert(sizeof(struct shape) <= IMF_SHAPE, "a proposal holds it");

struct erode_dilate_job {
    struct imf_queue *queue;
    struct shape shape;
    struct imf_program *rows, *columns, *last; /* the last pass down has the epilogue */
    struct imf_surface mid[2];                 /* between passes, used alternately */
};

static int width_of(const struct shape *s) {
    return s->box.right - s->box.left + 1;
}
static int height_of(const struct shape *s) {
    return s->box.bottom - s->box.top + 1;
}

/* Surfaces between passes. */
static int mids(const struct shape *s) {
    return imf_min(s->passes - (width_of(s) == 1 && s->passes), 2);
}

/* ---- the choice ------------------------------------------------------------------------------ */

static bool choose(const struct imf_problem *p, struct shape *s, struct imf_proposal *out) {
    const struct imf_window_op *window = p->window_op;
    const struct imf_window_box *b = &s->box;
    const struct imf_window w = imf_window_measure(window);
    size_t count = (size_t)w.count, rank = (size_t)w.rank;
    *s = (struct shape){.dilate = rank > 0};
    if ((rank > 0 && rank < count - 1) || !imf_window_box(&s->box, window) || !b->whole ||
        b->left > 0 || b->right < 0 || b->top > 0 || b->bottom < 0) {
        imf_proposal_refuse(out, "this variant is for the minimum or maximum in rectangles");
        return false;
    }
    int reach = (width_of(s) - 1) * p->channels, lanes = p->in == IMF_F32 ? 1 : 2;
    s->words = (2 * (reach + ROUNDING) - 1) / LEAST_WORDS * LEAST_WORDS + LEAST_WORDS;
    s->words = imf_min(s->words, MOST_WORDS);
    if (reach + 2 * ROUNDING > s->words) {
        imf_proposal_refuse(out, "rows of %d samples are too long for local memory", reach);
        return false;
    }
    s->before = -b->left * p->channels;
    int before_up = (s->before + 15) / 16 * 16;
    s->half = (s->words - before_up - (reach - s->before)) / 16 * 16 * lanes;
    s->passes = (height_of(s) - 1 + BLOCK - 2) / (BLOCK - 1);
    s->block = s->passes ? (height_of(s) - 2) / s->passes + 2 : 1;
    return true;
}

static double cost(const struct imf_problem *p, const struct imf_device *d, const struct shape *s) {
    const struct imf_tuning *t = imf_tuning(d);
    const struct imf_gpu_rates *g = &t->gpu;
    double bytes = 2 * (double)imf_sample_size(p->in), ms = 0;
    double words = (double)s->words / s->half;
    if (width_of(s) > 1)
        ms += imf_window_ms(p, d, g->erode_dilate_row * words, bytes);
    for (int i = 0; i < s->passes; i++)
        ms += imf_window_ms(p, d, g->erode_dilate_column * s->block * bytes / 2, bytes);
    int launches = s->passes + (width_of(s) > 1);
    return ms - (launches - 1) * (t->launch_ms - t->next_ms);
}

/* Of the larger kernel: a stretch with its results, or a block of columns. */
static size_t local_bytes(const struct imf_problem *p, const struct shape *s) {
    size_t lanes = p->in == IMF_F32 ? 1 : 2, words = (size_t)s->words + (size_t)s->half / lanes;
    size_t block = s->passes ? (size_t)s->block * COLUMN_GROUP : 0;
    if (width_of(s) == 1 && s->passes)
        words = 0;
    return (words > block ? words : block) * sizeof(uint32_t);
}

static void erode_dilate_propose(const struct imf_problem *p, const struct imf_device *d,
                                 struct imf_proposal *out) {
    const struct imf_window_op *window = p->window_op;
    struct shape *s = (struct shape *)out->shape.bytes;
    if (!imf_window_for_gpu(p, d, ROW_GROUP, out) || !choose(p, s, out))
        return;
    size_t row = (size_t)p->width * (size_t)p->channels + IMF_SLACK;
    out->feasible = true;
    out->error = 0;
    out->ms = cost(p, d, s);
    out->largest =
        mids(s) ? ((double)p->height + height_of(s)) * (double)row * (double)imf_sample_size(p->in)
                : 0;
    out->bytes = mids(s) * out->largest;
    out->local = local_bytes(p, s);
    snprintf(out->description, sizeof out->description, "%s of %dx%d, rows, then columns",
             s->dilate ? "maximum" : "minimum", window->width, window->height);
}

/* ---- the job --------------------------------------------------------------------------------- */

static void define(struct imf_defines *d, const void *shape) {
    const struct shape *s = shape;
    imf_define(d, "DILATE", "%d", s->dilate);
    imf_define(d, "TAPS_W", "%d", width_of(s));
    imf_define(d, "BEFORE", "%d", s->before);
    imf_define(d, "WORDS", "%d", s->words);
    imf_define(d, "ROW_GROUP", "%d", ROW_GROUP);
    imf_define(d, "COLUMN_GROUP", "%d", COLUMN_GROUP);
    imf_define(d, "BLOCK", "%d", s->block);
}

static void erode_dilate_destroy(void **job) {
    struct erode_dilate_job *j = *job;
    imf_program_free(&j->rows);
    imf_program_free(&j->columns);
    imf_program_free(&j->last);
    for (int i = 0; i < 2; i++)
        imf_buffer_free(&j->mid[i].mem);
    free(j);
    *job = NULL;
}

/* The surfaces between passes: samples of the input's type. */
static enum imf_status make_mid(struct erode_dilate_job *j, const struct imf_problem *p,
                                struct imf_error *err) {
    const struct imf_margin none = {0, 0, 0, 0};
    enum imf_status st = IMF_OK;
    for (int i = 0; i < mids(&j->shape) && !st; i++) {
        struct imf_surface *s = &j->mid[i];
        st = imf_surface_layout(s, p->in, p->width, p->height + height_of(&j->shape) - 1,
                                p->channels, none, err);
        if (!st)
            st = imf_buffer_make(&s->mem, j->queue, IMF_BUFFER_WORK, imf_surface_bytes(s), err);
    }
    return st;
}

static enum imf_status erode_dilate_make(void **job, const struct imf_problem *p,
                                         const struct imf_proposal *proposal,
                                         struct imf_queue *queue, struct imf_error *err) {
    static const char file[] = "erode_dilate_gpu.cl";
    struct erode_dilate_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    struct shape *s = &j->shape;
    memcpy(s, proposal->shape.bytes, sizeof *s);
    j->queue = queue;
    struct imf_problem inner = *p;
    inner.out = p->in;
    inner.epilogue = (struct imf_epilogue){.scale = 1, .multiply = 1, .full = p->epilogue.full};
    enum imf_status st = make_mid(j, p, err);
    if (!st && (width_of(s) > 1 || s->passes == 0))
        st = imf_window_program(&j->rows, queue, file, "erode_dilate_rows", s->passes ? &inner : p,
                                define, s, err);
    if (!st && s->passes > 1)
        st = imf_window_program(&j->columns, queue, file, "erode_dilate_columns", &inner, define, s,
                                err);
    if (!st && s->passes > 0)
        st = imf_window_program(&j->last, queue, file, "erode_dilate_columns", p, define, s, err);
    return st;
}

static enum imf_status run_rows(struct erode_dilate_job *j, const struct imf_surface *in,
                                const struct imf_surface *out, int height, struct imf_error *err) {
    size_t samples = (size_t)in->width * (size_t)in->channels, half = (size_t)j->shape.half;
    const struct imf_arg args[] = {imf_arg_buffer(in->mem),   imf_arg_size(in->origin),
                                   imf_arg_size(in->pitch),   imf_arg_buffer(out->mem),
                                   imf_arg_size(out->origin), imf_arg_size(out->pitch),
                                   imf_arg_int((int)samples)};
    const struct imf_grid grid = {(samples + half - 1) / half, (size_t)height, ROW_GROUP};
    return imf_program_launch(j->queue, j->rows, grid, args, err);
}

static enum imf_status run_columns(struct erode_dilate_job *j, const struct imf_surface *in,
                                   const struct imf_surface *out, int height, int taps, bool last,
                                   struct imf_error *err) {
    size_t samples = (size_t)in->width * (size_t)in->channels;
    size_t unit = sizeof(uint32_t) / imf_sample_size(in->sample);
    struct imf_grid grid = imf_grid_over((samples + unit - 1) / unit, 1, COLUMN_GROUP);
    size_t units = imf_queue_device(j->queue)->compute_units, most = GROUPS_A_UNIT * units;
    size_t all = (size_t)((height - 1) / taps + 1);
    int blocks = (int)(all * grid.across / most) + 1;
    grid.down = (all - 1) / (size_t)blocks + 1;
    const struct imf_arg args[] = {imf_arg_buffer(in->mem),   imf_arg_size(in->origin),
                                   imf_arg_size(in->pitch),   imf_arg_buffer(out->mem),
                                   imf_arg_size(out->origin), imf_arg_size(out->pitch),
                                   imf_arg_int((int)samples), imf_arg_int(height),
                                   imf_arg_int(taps),         imf_arg_int(blocks)};
    return imf_program_launch(j->queue, last ? j->last : j->columns, grid, args, err);
}

static enum imf_status erode_dilate_run(void *job, const struct imf_surface *in,
                                        const struct imf_surface *out, struct imf_error *err) {
    struct erode_dilate_job *j = job;
    const struct shape *s = &j->shape;
    int more = height_of(s) - 1, which = 0; /* rows more than the output's that a pass reads */
    struct imf_surface from = *in;
    enum imf_status st = IMF_OK;
    from.origin -= (size_t)-s->box.top * in->pitch;
    if (j->rows) {
        st = run_rows(j, &from, s->passes ? &j->mid[which] : out, out->height + more, err);
        from = j->mid[which];
        which = !which;
    }
    for (int i = 0; i < s->passes && !st; i++) {
        int taps = imf_min(s->block, more + 1);
        bool last = i == s->passes - 1;
        more -= taps - 1;
        st =
            run_columns(j, &from, last ? out : &j->mid[which], out->height + more, taps, last, err);
        from = j->mid[which];
        which = !which;
    }
    return st;
}

const struct imf_solver imf_solver_erode_dilate_gpu = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .program = "erode_dilate_gpu",
    .kinds = 1u << IMF_RANK,
    .propose = erode_dilate_propose,
    .old_make = erode_dilate_make,
    .old_run = erode_dilate_run,
    .old_destroy = erode_dilate_destroy,
};
