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
#include "base/image/rounding.h"
#include "device/tuning.h"
#include "solver/common/float_row.h"
#include "solver/smoothing/guided_rows.h"
#include "solver/smoothing/running_sums.h"
#include "solver/solver.h"

#include <math.h>
#include <string.h>

#define COLUMNS 4096 /* pixels of a strip */
/* In units of the largest sample: three roundings of a slope. */
#define LINE_ERROR 2e-7

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
static size_t scratch_bytes(const struct imf_problem *p, const void *shape, int pixels) {
    (void)shape;
    size_t r = (size_t)imf_guided_radius(p), channels = (size_t)p->channels;
    size_t fitted = ((size_t)pixels + 2 * r) * channels, all = fitted + 2 * r * channels;
    return sizeof(double) * (2 * all + 4 * fitted) +
           sizeof(int32_t) * ((2 * r + 1) * 2 * fitted + (size_t)pixels * channels);
}

static void guided_propose(const struct imf_problem *p, const struct imf_device *d,
                           struct imf_proposal *out) {
    (void)d;
    out->error = imf_guided_error(p, LINE_ERROR);
    if (out->error > p->tolerance) {
        imf_proposal_refuse(out, "lines like these need more than float32");
        return;
    }
    double samples = (double)p->width * p->height * p->channels;
    imf_proposal_strips(out, p, samples * imf_vector_rates.guided * 1e-6,
                        imf_min(p->width, COLUMNS));
    out->bands = IMF_BANDS_FEW;
    snprintf(out->description, sizeof out->description, "guided, radius %d, running sums",
             imf_guided_radius(p));
}

/* ---- running --------------------------------------------------------------------------------- */

static struct imf_strips guided_cut(const struct imf_job *job, int height) {
    const struct imf_problem *p = &job->p;
    return imf_strips_cut(p->width, height, COLUMNS, imf_max(16, 32 * imf_guided_radius(p)));
}

struct work {
    const struct imf_host_strip *s;
    struct imf_guided_fit fit;
    double scale;          /* factor from samples to integers */
    int r, n, fitted, all; /* samples of the strip's rows, with R pixels at both ends, with 2R */
    double *column[2];     /* sums and sums of squares */
    double *lines[2];      /* of columns: slopes and offsets */
    double *window[2];     /* of windows, of either of both */
    int32_t *ring;
    float *row;
};

/* Row y, from `pixels` pixels before the strip on. */
static const void *input(const struct work *w, int y, int pixels) {
    return imf_sample_at(w->s->in, y, (ptrdiff_t)(w->s->at.x - pixels) * w->s->in->channels);
}

/* Add row y to the sums of columns, and subtract the row `goes` unless it is NULL. */
static void add_row(const struct work *w, int y, const void *goes) {
    imf_running_add(w->column[0], w->column[1], w->s->in->sample, input(w, y, 2 * w->r), goes,
                    w->scale, w->all);
}

/* Compute the lines of windows around row y; sums are those of the row above. */
static void fit_row(const struct work *w, int y) {
    int first = w->s->at.y - w->r, side = 2 * w->r + 1;
    int32_t *slopes = w->ring + (size_t)(2 * ((y - first) % side)) * (size_t)w->fitted;
    int32_t *line[2] = {slopes, slopes + w->fitted};
    add_row(w, y + w->r, y > first ? input(w, y - w->r - 1, 2 * w->r) : NULL);
    imf_running_slide(w->window, w->column, side, w->s->in->channels, w->fitted);
    if (y >= first + side) /* subtract the oldest row, which the newest will overwrite */
        imf_guided_move(w->lines[0], w->lines[1], line, -1, w->fitted);
    imf_guided_fit(&w->fit, w->window[0], w->window[1], line[0], line[1], w->fitted);
    imf_guided_move(w->lines[0], w->lines[1], line, 1, w->fitted);
}

static void store(const struct work *w, int y) {
    const struct imf_surface *in = w->s->in, *out = w->s->out;
    double share = w->fit.share;
    imf_running_slide(w->window, w->lines, 2 * w->r + 1, in->channels, w->n);
    imf_guided_mix(w->row, w->window[0], w->window[1], share / IMF_GUIDED_STEPS,
                   share / (w->fit.steps * w->scale), in->sample, input(w, y, 0), w->n);
    imf_float_row_store(imf_sample_at(out, y, (ptrdiff_t)w->s->at.x * in->channels), out->sample,
                        w->row, w->n, &w->s->job->p.epilogue);
}

static void guided_strip(const struct imf_host_strip *s) {
    const struct imf_problem *p = &s->job->p;
    struct work w = {.s = s, .r = imf_guided_radius(p), .scale = imf_guided_scale(p)};
    w.n = s->at.n * p->channels;
    w.fitted = w.n + 2 * w.r * p->channels;
    w.all = w.fitted + 2 * w.r * p->channels;
    double eps = p->window_op->value * p->unit * w.scale, side = imf_guided_side(p);
    w.fit = (struct imf_guided_fit){.share = 1 / (side * side),
                                    .eps = eps * eps,
                                    .steps = IMF_GUIDED_STEPS / (p->in_max * w.scale)};
    double *next = memset(s->scratch, 0, scratch_bytes(p, NULL, s->at.n)); /* sums begin at 0 */
    for (int i = 0; i < 2; i++) {
        w.column[i] = next + i * w.all;
        w.lines[i] = next + 2 * w.all + i * w.fitted;
        w.window[i] = w.lines[i] + 2 * w.fitted;
    }
    w.ring = (int32_t *)(w.window[1] + w.fitted);
    w.row = (float *)w.ring + (size_t)(2 * w.r + 1) * 2 * (size_t)w.fitted;
    int first = s->at.y - w.r;
    for (int y = first - w.r; y < first + w.r; y++)
        add_row(&w, y, NULL);
    for (int y = first; y < s->at.end + w.r; y++) {
        fit_row(&w, y);
        if (y >= s->at.y + w.r)
            store(&w, y - w.r);
    }
}

const struct imf_solver imf_solver_guided = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_GUIDED,
    .propose = guided_propose,
    .cut = guided_cut,
    .scratch_bytes = scratch_bytes,
    .strip = guided_strip,
};
