/*
 * guided.c - the guided filter on the host's cores, in the same time for any radius
 *
 * guided_reference.c has the definition. The sums of windows are running sums: down the columns the next row
 * is added and the last one subtracted, and along the row likewise; first of samples and their
 * squares, then of the lines' slopes and offsets, whose last 2R + 1 rows are kept in a ring.
 *
 * All sums are of integers below 2^53: bytes and words, floats rounded to a step for which the sums of
 * squares fit, slopes and offsets in steps of 2^-30. So additions and subtractions cancel exactly, and
 * results do not depend on where bands and strips begin.
 */
#include "solver/smoothing/guided.h"
#include "base/rounding.h"
#include "device/tuning.h"
#include "solver/common/float_row.h"
#include "solver/cores.h"
#include "solver/smoothing/guided_rows.h"
#include "solver/smoothing/running_sums.h"
#include "solver/solver.h"
#include "solver/strips.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 4096 /* pixels of a strip */
#define CHANNELS 4
/* In units of the largest sample: three roundings of a slope. */
#define LINE_ERROR 2e-7

struct guided_job {
    struct imf_problem p;
    int radius;
    double scale;          /* factor from samples to integers */
    struct imf_pool *pool; /* borrowed, or NULL */
};

int imf_guided_radius(const struct imf_problem *p) {
    return p->window_op->cx / 2;
}

int imf_guided_side(const struct imf_problem *p) {
    return 2 * imf_guided_radius(p) + 1;
}

double imf_guided_scale(const struct imf_problem *p) {
    int exponent;
    if (p->in != IMF_F32)
        return 1;
    frexp(p->in_max * imf_guided_side(p), &exponent);
    return ldexp(1, 26 - exponent);
}

double imf_guided_error(const struct imf_problem *p, double line) {
    double multiply = fabs(p->epilogue.multiply);
    double step = p->in == IMF_F32 ? 0.5 / imf_guided_scale(p) : 0;
    return (p->in_max * line + step) * multiply +
           imf_float_ulp(p->in_max * multiply + fabs(p->epilogue.offset));
}

/* Bytes of scratch memory of a strip of so many pixels. */
static size_t strip_bytes(const struct imf_problem *p, int pixels) {
    size_t r = (size_t)imf_guided_radius(p), channels = (size_t)p->channels;
    size_t fitted = ((size_t)pixels + 2 * r) * channels, all = fitted + 2 * r * channels;
    return sizeof(double) * (2 * all + 4 * fitted) +
           sizeof(int32_t) * ((2 * r + 1) * 2 * fitted + (size_t)pixels * channels);
}

static void guided_propose(const struct imf_problem *p, const struct imf_device *d,
                           struct imf_proposal *out) {
    (void)d;
    out->error = imf_guided_error(p, LINE_ERROR);
    if (p->in == IMF_F64 || p->out == IMF_F64)
        imf_proposal_refuse(out, "this takes no float64 samples");
    else if (p->channels > CHANNELS)
        imf_proposal_refuse(out, "more than %d channels", CHANNELS);
    else if (out->error > p->tolerance)
        imf_proposal_refuse(out, "lines like these need more than float32");
    else {
        int cores = imf_cores();
        double samples = (double)p->width * p->height * p->channels;
        double ms = samples * imf_vector_rates.guided * 1e-6;
        out->feasible = true;
        out->ms = imf_cores_ms(ms, cores);
        out->bytes = cores * (double)strip_bytes(p, imf_min(p->width, COLUMNS));
        out->bands = IMF_BANDS_FEW;
        snprintf(out->description, sizeof out->description, "guided, radius %d, running sums",
                 imf_guided_radius(p));
    }
}

static enum imf_status guided_make(void **job, const struct imf_problem *p,
                                   const struct imf_proposal *proposal, struct imf_queue *queue,
                                   struct imf_error *err) {
    (void)proposal, (void)queue;
    struct guided_job *j = *job = malloc(sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    *j = (struct guided_job){.p = *p, .radius = imf_guided_radius(p), .scale = imf_guided_scale(p)};
    return IMF_OK;
}

static void guided_use_pool(void *job, struct imf_pool *pool) {
    ((struct guided_job *)job)->pool = pool;
}

static void guided_destroy(void **job) {
    free(*job);
    *job = NULL;
}

/* ---- running --------------------------------------------------------------------------------- */

struct pass {
    const struct guided_job *job;
    const struct imf_surface *in, *out;
    struct imf_strips strips; /* of pixels */
};

struct work {
    const struct guided_job *j;
    const struct imf_surface *in, *out;
    struct imf_patch strip;
    struct imf_guided_fit fit;
    int n, fitted, all; /* samples of the strip's rows, with R pixels at both ends, with 2R */
    double *column[2];  /* sums and sums of squares */
    double *lines[2];   /* of columns: slopes and offsets */
    double *window[2];  /* of windows, of either of both */
    int32_t *ring;
    float *row;
};

/* Row y, from `pixels` pixels before the strip on. */
static const void *input(const struct work *w, int y, int pixels) {
    return imf_sample_at(w->in, y, (ptrdiff_t)(w->strip.x - pixels) * w->in->channels);
}

/* Slopes or offsets of the windows around row y. */
static int32_t *line_row(const struct work *w, int y, int which) {
    int r = w->j->radius, slot = (y - w->strip.y + r) % (2 * r + 1);
    return w->ring + (size_t)(2 * slot + which) * (size_t)w->fitted;
}

/* Compute the lines of windows around row y; sums are those of the row above. */
static void fit_row(const struct work *w, int y, const void *goes) {
    const struct guided_job *j = w->j;
    int r = j->radius, first = w->strip.y - r, channels = w->in->channels;
    double *to[2] = {w->window[0], w->window[1]};
    const double *columns[2] = {w->column[0], w->column[1]};
    imf_running_add(w->column[0], w->column[1], w->in->sample, input(w, y + r, 2 * r), goes,
                    j->scale, w->all);
    imf_running_slide(to, columns, 2 * r + 1, channels, w->fitted);
    bool full = y > first + 2 * r;
    int32_t *line[2] = {line_row(w, y, 0), line_row(w, y, 1)};
    if (full) /* subtract the oldest row, which the newest will overwrite */
        imf_guided_move(w->lines[0], w->lines[1], line, -1, w->fitted);
    imf_guided_fit(&w->fit, w->window[0], w->window[1], line[0], line[1], w->fitted);
    imf_guided_move(w->lines[0], w->lines[1], line, 1, w->fitted);
}

static void store(const struct work *w, int y) {
    const struct imf_problem *p = &w->j->p;
    double *to[2] = {w->window[0], w->window[1]};
    const double *lines[2] = {w->lines[0], w->lines[1]};
    double share = w->fit.share;
    imf_running_slide(to, lines, 2 * w->j->radius + 1, w->in->channels, w->n);
    imf_guided_mix(w->row, w->window[0], w->window[1], share / IMF_GUIDED_STEPS,
                   share / (w->fit.steps * w->j->scale), w->in->sample, input(w, y, 0), w->n);
    char *at = (char *)imf_surface_row(w->out, y) +
               (size_t)w->strip.x * (size_t)p->channels * imf_sample_size(w->out->sample);
    imf_float_row_store(at, w->out->sample, w->row, w->n, &p->epilogue);
}

static void run_strip(const struct work *w) {
    int r = w->j->radius, first = w->strip.y - r;
    for (int y = first - r; y < first + r; y++)
        imf_running_add(w->column[0], w->column[1], w->in->sample, input(w, y, 2 * r), NULL,
                        w->j->scale, w->all);
    for (int y = first; y < w->strip.end + r; y++) {
        fit_row(w, y, y > first ? input(w, y - r - 1, 2 * r) : NULL);
        if (y >= w->strip.y + r)
            store(w, y - r);
    }
}

static void run_item(void *data, int item, void *memory) {
    struct pass *pass = data;
    const struct guided_job *j = pass->job;
    const struct imf_problem *p = &j->p;
    struct work w = {.j = j, .in = pass->in, .out = pass->out};
    w.strip = imf_strips_at(&pass->strips, item);
    w.n = w.strip.n * p->channels;
    w.fitted = w.n + 2 * j->radius * p->channels;
    w.all = w.fitted + 2 * j->radius * p->channels;
    double eps = p->window_op->value * p->unit * j->scale, side = imf_guided_side(p);
    w.fit = (struct imf_guided_fit){.share = 1 / (side * side),
                                    .eps = eps * eps,
                                    .steps = IMF_GUIDED_STEPS / (p->in_max * j->scale)};
    double *next = memory;
    memset(memory, 0, strip_bytes(p, w.strip.n)); /* sums begin at 0 */
    for (int i = 0; i < 2; i++, next += w.all)
        w.column[i] = next;
    for (int i = 0; i < 2; i++, next += w.fitted)
        w.lines[i] = next;
    for (int i = 0; i < 2; i++, next += w.fitted)
        w.window[i] = next;
    w.ring = (int32_t *)next;
    w.row = (float *)w.ring + (size_t)(2 * j->radius + 1) * 2 * (size_t)w.fitted;
    run_strip(&w);
}

static enum imf_status guided_run(void *job, const struct imf_surface *in,
                                  const struct imf_surface *out, struct imf_error *err) {
    struct pass pass = {.job = job, .in = in, .out = out};
    const struct guided_job *j = job;
    pass.strips = imf_strips_cut(j->p.width, out->height, COLUMNS, imf_max(16, 32 * j->radius));
    return imf_work(j->pool, pass.strips.count, strip_bytes(&j->p, pass.strips.width), run_item,
                    &pass, err);
}

const struct imf_solver imf_solver_guided = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_GUIDED,
    .propose = guided_propose,
    .old_make = guided_make,
    .old_run = guided_run,
    .old_destroy = guided_destroy,
    .old_use_pool = guided_use_pool,
};
