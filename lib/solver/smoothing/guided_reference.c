/*
 * guided_reference.c - the guided filter on the host, in float64
 *
 * In each window of 2R + 1 by 2R + 1 samples x, of mean m and variance v, the line a x + b that is
 * closest to x with a penalty of eps^2 a^2 has (He, Sun and Tang, ECCV 2010, with the image as its own
 * guide)
 *
 *      a = v / (v + eps^2),  b = (1 - a) m.
 *
 * A sample becomes mean(a) x + mean(b), over the windows that contain it. Each channel is filtered
 * separately. Sums are computed anew for every window, along columns and then along rows: this is the
 * reference (`cpu`), and `vector` where floats do not suffice.
 */
#include "base/clones.h"
#include "device/tuning.h"
#include "solver/common/window.h"
#include "solver/smoothing/guided.h"
#include "solver/solver.h"

#include <string.h>

#define STRIP_ROWS 32 /* rows of a strip, which needs the lines of 2R rows more */

static size_t scratch_bytes(const struct imf_problem *p, const void *shape, int width) {
    int r = imf_guided_radius(p);
    (void)shape, (void)width;
    return sizeof(double) * (2 * (size_t)(STRIP_ROWS + 2 * r) * imf_window_wide(p, r) +
                             5 * imf_window_wide(p, 2 * r));
}

/* Milliseconds of a core: samples * (sample + tap * (2R + 1) * (2 + 2R/rows of a strip) * 2) * 1e-6, in the
 * host's nanoseconds. */
static void guided_propose(const struct imf_problem *p, const struct imf_device *d,
                           struct imf_proposal *out) {
    (void)d;
    int r = imf_guided_radius(p);
    double sums = (2 * r + 1) * (2 + 2.0 * r / STRIP_ROWS) * 2;
    double ns = imf_host_rates.sample + imf_host_rates.tap * sums;
    imf_proposal_strips(out, p, (double)p->width * p->height * p->channels * ns * 1e-6, p->width);
    out->error = 0;
    out->bands = IMF_BANDS_FEW;
    snprintf(out->description, sizeof out->description, "%sguided, radius %d, float64",
             out->backend == IMF_BACKEND_CPU ? "plain C " : "", r);
}

static struct imf_strips guided_cut(const struct imf_job *job, int height) {
    return imf_strips_rows(job->p.width, height, STRIP_ROWS);
}

/* Add up `count` rows of n numbers, each `step` after the one before. */
IMF_CLONES static void sum_lines(double *restrict sums, const double *restrict rows, size_t step,
                                 int count, size_t n) {
    memset(sums, 0, n * sizeof *sums);
    for (int k = 0; k < count; k++, rows += step)
        for (size_t i = 0; i < n; i++)
            sums[i] += rows[i];
}

/* The same for a row and its squares. */
IMF_CLONES static void sum_squares(double *restrict sums, double *restrict squares,
                                   const double *restrict row, size_t n) {
    for (size_t i = 0; i < n; i++) {
        sums[i] += row[i];
        squares[i] += row[i] * row[i];
    }
}

/* The lines of windows of `area` samples, from their sums and sums of squares. */
IMF_CLONES static void fit_lines(double *restrict a, double *restrict b,
                                 const double *restrict sums, const double *restrict squares,
                                 double area, double eps, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double mean = sums[i] / area, v = squares[i] / area - mean * mean;
        v = v > 0 ? v : 0;
        a[i] = v / (v + eps * eps);
        b[i] = (1 - a[i]) * mean;
    }
}

/* Compute the lines of windows around the samples of row y, from R pixels left of the image on. `work`
 * holds five rows. */
static void fit_row(const struct imf_host_strip *s, int y, double *a, double *b, double *work) {
    const struct imf_problem *p = &s->job->p;
    int r = imf_guided_radius(p), side = imf_guided_side(p);
    size_t all = imf_window_wide(p, 2 * r), fitted = imf_window_wide(p, r),
           channels = (size_t)p->channels;
    double *row = work, *sums = work + all, *squares = sums + all;
    double *window = squares + all, *window_squares = window + all;
    memset(sums, 0, 2 * all * sizeof *sums);
    for (int dy = -r; dy <= r; dy++) {
        imf_samples_widen(row, imf_surface_row(s->in, y + dy), s->in->sample,
                          -2 * (ptrdiff_t)r * p->channels, all);
        sum_squares(sums, squares, row, all);
    }
    sum_lines(window, sums, channels, side, fitted);
    sum_lines(window_squares, squares, channels, side, fitted);
    fit_lines(a, b, window, window_squares, (double)side * side, p->window_op->value * p->unit,
              fitted);
}

/* The mean of the lines of the windows around row y, whose rows begin at `lines`. `work` holds two rows. */
static const double *mean_line(const struct imf_problem *p, const double *lines, double *work) {
    int side = imf_guided_side(p);
    size_t fitted = imf_window_wide(p, imf_guided_radius(p));
    double *mean = work + fitted;
    sum_lines(work, lines, fitted, side, fitted);
    sum_lines(mean, work, (size_t)p->channels, side, imf_window_wide(p, 0));
    return mean;
}

static void guided_strip(const struct imf_host_strip *s) {
    const struct imf_problem *p = &s->job->p;
    int r = imf_guided_radius(p), count = s->at.end - s->at.y;
    size_t fitted = imf_window_wide(p, r), samples = imf_window_wide(p, 0);
    double *a = s->scratch, *b = a + (size_t)(STRIP_ROWS + 2 * r) * fitted;
    double *work = b + (size_t)(STRIP_ROWS + 2 * r) * fitted;
    for (int k = 0; k < count + 2 * r; k++)
        fit_row(s, s->at.y - r + k, a + (size_t)k * fitted, b + (size_t)k * fitted, work);
    double *row = work, area = (double)imf_guided_side(p) * imf_guided_side(p);
    for (int k = 0; k < count; k++) {
        const double *slopes = mean_line(p, a + (size_t)k * fitted, row + samples);
        const double *offsets = mean_line(p, b + (size_t)k * fitted, row + samples + 2 * fitted);
        imf_samples_widen(row, imf_surface_row(s->in, s->at.y + k), s->in->sample, 0, samples);
        for (size_t i = 0; i < samples; i++)
            row[i] = slopes[i] / area * row[i] + offsets[i] / area;
        imf_window_finish(p, row, imf_surface_row(s->out, s->at.y + k), samples);
    }
}

#define SOLVER(called, of)                                                                         \
    {                                                                                              \
        .name = called, .backend = of, .float64 = true, .local = true, .kinds = 1u << IMF_GUIDED,  \
        .propose = guided_propose, .cut = guided_cut, .scratch_bytes = scratch_bytes,              \
        .strip = guided_strip                                                                      \
    }

const struct imf_solver imf_solver_guided_float64 = SOLVER("vector", IMF_BACKEND_VECTOR);
const struct imf_solver imf_solver_guided_host = SOLVER("cpu", IMF_BACKEND_CPU);
