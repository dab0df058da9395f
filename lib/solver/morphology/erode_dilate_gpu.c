/*
 * erode_dilate_gpu.c - minimum and maximum in rectangles on GPUs: along the rows, then down the columns
 * (cl/erode_dilate_gpu.cl)
 *
 * A rectangle that is too high for one block of rows in local memory is done as several lower ones in
 * sequence: heights a and b make a + b - 1.
 */
#include "device/tuning.h"
#include "solver/common/window.h"

#define ROW_GROUP 64
#define COLUMN_GROUP 64
#define BLOCK 128 /* rows of a block at most */
#define LEAST_WORDS 1024
#define MOST_WORDS 6144 /* of a stretch of a row: 37 KB with its results */
#define ROUNDING 32     /* of these, for alignment */
/* Work-groups that keep a unit busy: beyond these a work-item takes several blocks, which reads less. */
#define GROUPS_A_UNIT 12

struct shape {
    struct imf_window_facts window;
    int words, half; /* of a stretch, and samples of its results */
    int before;      /* samples */
    int passes;      /* down the columns, each of at most */
    int block;       /* so many rows */
};

/* Programs: the last pass has the epilogue, those before it write samples of the input's type. */
enum { ROWS, COLUMNS, INNER };

static bool has_rows(const struct shape *s) {
    return s->window.width > 1 || s->passes == 0;
}

/* Surfaces between passes, used alternately. */
static int mids(const struct shape *s) {
    return imf_min(s->passes + has_rows(s) - 1, 2);
}

static enum imf_status lay_out(struct imf_surface *mid, const struct imf_problem *p,
                               const struct shape *s, struct imf_error *err) {
    const struct imf_margin none = {0, 0, 0, 0};
    return imf_surface_layout(mid, p->in, p->width, p->height + s->window.height - 1, p->channels,
                              none, err);
}

static bool sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    struct imf_surface mid;
    bool fits = !lay_out(&mid, p, shape, NULL);
    for (int i = 0; i < mids(shape) && fits; i++)
        bytes[i] = imf_surface_bytes(&mid);
    return fits;
}

/* ---- the choice ------------------------------------------------------------------------------ */

static bool choose(const struct imf_problem *p, struct shape *s, struct imf_proposal *out) {
    const struct imf_window_facts *w = imf_window_propose(out, p);
    if ((w->rank > 0 && w->rank < w->count - 1) || !w->box || w->left > 0 || w->right < 0 ||
        w->top > 0 || w->bottom < 0) {
        imf_proposal_refuse(out, "this variant is for the minimum or maximum in rectangles");
        return false;
    }
    int reach = (w->width - 1) * p->channels, lanes = p->in == IMF_F32 ? 1 : 2;
    s->words = (2 * (reach + ROUNDING) - 1) / LEAST_WORDS * LEAST_WORDS + LEAST_WORDS;
    s->words = imf_min(s->words, MOST_WORDS);
    if (reach + 2 * ROUNDING > s->words) {
        imf_proposal_refuse(out, "rows of %d samples are too long for local memory", reach);
        return false;
    }
    s->before = -w->left * p->channels;
    int before_up = (s->before + 15) / 16 * 16;
    s->half = (s->words - before_up - (reach - s->before)) / 16 * 16 * lanes;
    s->passes = (w->height - 1 + BLOCK - 2) / (BLOCK - 1);
    s->block = s->passes ? (w->height - 2) / s->passes + 2 : 1;
    return true;
}

static double cost(const struct imf_problem *p, const struct imf_device *d, const struct shape *s) {
    const struct imf_tuning *t = imf_tuning(d);
    const struct imf_gpu_rates *g = &t->gpu;
    double bytes = 2 * (double)imf_sample_size(p->in), ms = 0;
    double words = (double)s->words / s->half;
    if (s->window.width > 1)
        ms += imf_window_ms(p, d, g->erode_dilate_row * words, bytes);
    for (int i = 0; i < s->passes; i++)
        ms += imf_window_ms(p, d, g->erode_dilate_column * s->block * bytes / 2, bytes);
    int launches = s->passes + (s->window.width > 1);
    return ms - (launches - 1) * (t->launch_ms - t->next_ms);
}

/* Of the larger kernel: a stretch with its results, or a block of columns. */
static size_t local_bytes(const struct imf_problem *p, const struct shape *s) {
    size_t lanes = p->in == IMF_F32 ? 1 : 2, words = (size_t)s->words + (size_t)s->half / lanes;
    size_t block = s->passes ? (size_t)s->block * COLUMN_GROUP : 0;
    if (!has_rows(s))
        words = 0;
    return (words > block ? words : block) * sizeof(uint32_t);
}

static void erode_dilate_propose(const struct imf_problem *p, const struct imf_device *d,
                                 struct imf_proposal *out) {
    struct shape *s = (struct shape *)out->shape.bytes;
    if (!choose(p, s, out) || !imf_proposal_buffers(out, p))
        return;
    imf_window_accept(out, "rows, then columns");
    out->ms = cost(p, d, s);
    out->local = local_bytes(p, s);
}

/* ---- the job --------------------------------------------------------------------------------- */

static void define(struct imf_defines *d, const struct imf_job *job) {
    const struct shape *s = imf_job_shape(job);
    imf_define(d, "DILATE", "%d", s->window.rank > 0);
    imf_define(d, "TAPS_W", "%d", s->window.width);
    imf_define(d, "BEFORE", "%d", s->before);
    imf_define(d, "WORDS", "%d", s->words);
    imf_define(d, "ROW_GROUP", "%d", ROW_GROUP);
    imf_define(d, "COLUMN_GROUP", "%d", COLUMN_GROUP);
    imf_define(d, "BLOCK", "%d", s->block);
}

static enum imf_status erode_dilate_prepare(struct imf_job *job, struct imf_error *err) {
    struct imf_problem inner = job->p;
    inner.out = inner.in;
    inner.epilogue = (struct imf_epilogue){.scale = 1, .multiply = 1, .full = inner.epilogue.full};
    return mids(imf_job_shape(job)) ? imf_job_entries(job, INNER, &inner, err) : IMF_OK;
}

static enum imf_status run_rows(struct imf_job *job, const struct imf_surface *in,
                                const struct imf_surface *out, int height, bool last,
                                struct imf_error *err) {
    const struct shape *s = imf_job_shape(job);
    size_t samples = (size_t)in->width * (size_t)in->channels, half = (size_t)s->half;
    const struct imf_arg args[] = {IMF_ARG_SURFACE(in), IMF_ARG_SURFACE(out),
                                   imf_arg_int((int)samples)};
    const struct imf_grid grid = {(samples + half - 1) / half, (size_t)height, ROW_GROUP};
    return imf_job_launch(job, ROWS + (last ? 0 : INNER), grid, args, err);
}

static enum imf_status run_columns(struct imf_job *job, const struct imf_surface *in,
                                   const struct imf_surface *out, int height, int taps, bool last,
                                   struct imf_error *err) {
    size_t samples = (size_t)in->width * (size_t)in->channels;
    size_t unit = sizeof(uint32_t) / imf_sample_size(in->sample);
    struct imf_grid grid = imf_grid_over((samples + unit - 1) / unit, 1, COLUMN_GROUP);
    size_t units = imf_queue_device(job->queue)->compute_units, most = GROUPS_A_UNIT * units;
    size_t all = (size_t)((height - 1) / taps + 1);
    int blocks = (int)(all * grid.across / most) + 1;
    grid.down = (all - 1) / (size_t)blocks + 1;
    const struct imf_arg args[] = {IMF_ARG_SURFACE(in),       IMF_ARG_SURFACE(out),
                                   imf_arg_int((int)samples), imf_arg_int(height),
                                   imf_arg_int(taps),         imf_arg_int(blocks)};
    return imf_job_launch(job, COLUMNS + (last ? 0 : INNER), grid, args, err);
}

static enum imf_status erode_dilate_run(struct imf_job *job, const struct imf_surface *in,
                                        const struct imf_surface *out, struct imf_error *err) {
    const struct shape *s = imf_job_shape(job);
    int more = s->window.height - 1, which = 0; /* rows more than the output's that a pass reads */
    struct imf_surface from = *in, to;
    enum imf_status st = IMF_OK;
    from.origin -= (size_t)-s->window.top * in->pitch;
    for (int i = has_rows(s) ? -1 : 0; i < s->passes && !st; i++, from = to) {
        int taps = imf_min(s->block, more + 1);
        bool last = i == s->passes - 1;
        st = lay_out(&to, &job->p, s, err);
        to.mem = job->buffer[which++ & 1];
        if (last)
            to = *out;
        if (st)
            break;
        if (i < 0) {
            st = run_rows(job, &from, &to, out->height + more, last, err);
        } else {
            more -= taps - 1;
            st = run_columns(job, &from, &to, out->height + more, taps, last, err);
        }
    }
    return st;
}

const struct imf_solver imf_solver_erode_dilate_gpu = {
    .name = "direct",
    .backend = IMF_BACKEND_DIRECT,
    .group = ROW_GROUP,
    .kinds = 1u << IMF_RANK,
    .propose = erode_dilate_propose,
    .program = "erode_dilate_gpu",
    .parts = (const char *const[]){"subword.cl", "common.cl", NULL},
    .entries = (const char *const[]){"erode_dilate_rows", "erode_dilate_columns", NULL},
    .floats = true, /* they hold a sample and its epilogue exactly */
    .subword = true,
    .define = define,
    .sizes = sizes,
    .prepare = erode_dilate_prepare,
    .run = erode_dilate_run,
};
