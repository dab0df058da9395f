/* window.c - the samples of a window operation: runs, counts, ranks; and its strips on the host */
#include "solver/common/window.h"

#include "device/tuning.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct imf_run imf_window_start(const struct imf_window_op *op, bool down) {
    int line = down ? -op->cx : -op->cy, first = down ? -op->cy : -op->cx;
    return (struct imf_run){line, first, first};
}

static bool covers(const struct imf_window_op *op, int x, int y) {
    const struct imf_kernel *k = op->element;
    if (op->turned) {
        x = op->width - 1 - x;
        y = op->height - 1 - y;
    }
    return k->taps[(size_t)y * (size_t)k->width + (size_t)x] != 0;
}

/* The first sample of a line, from x on, that the element has or, unless `in`, has not. */
static int find(const struct imf_window_op *op, bool down, bool in, int line, int x) {
    int n = down ? op->height : op->width;
    if (!op->element)
        return in ? x : n;
    while (x < n && covers(op, down ? line : x, down ? x : line) != in)
        x++;
    return x;
}

bool imf_window_next(const struct imf_window_op *op, bool down, struct imf_run *run) {
    const struct imf_run zero = imf_window_start(op, down);
    int lines = down ? op->width : op->height, n = down ? op->height : op->width;
    for (int line = run->line - zero.line, x = run->to - zero.from; line < lines; line++, x = 0) {
        int from = find(op, down, true, line, x);
        if (from == n)
            continue;
        run->line = line + zero.line;
        run->from = from + zero.from;
        run->to = find(op, down, false, line, from) + zero.from;
        return true;
    }
    return false;
}

struct imf_run *imf_window_runs(const struct imf_window_op *op, bool down, int step, int *count) {
    struct imf_run r = imf_window_start(op, down);
    *count = 0;
    while (imf_window_next(op, down, &r))
        ++*count;
    struct imf_run *all = malloc((size_t)*count * sizeof *all), *to = all;
    int line = down ? step : 1, along = down ? 1 : step;
    for (r = imf_window_start(op, down); all && imf_window_next(op, down, &r);)
        *to++ = (struct imf_run){r.line * line, r.from * along, r.to * along};
    return all;
}

int imf_run_level(const struct imf_run *run) {
    int level = 0;
    while (2 << level <= run->to - run->from)
        level++;
    return level;
}

struct imf_window_facts imf_window_measure(const struct imf_window_op *op) {
    struct imf_window_facts w = {.left = INT_MAX, .right = INT_MIN, .top = INT_MAX};
    for (struct imf_run r = imf_window_start(op, false); imf_window_next(op, false, &r);) {
        w.run_count++;
        w.count += r.to - r.from;
        w.left = imf_min(w.left, r.from);
        w.right = imf_max(w.right, r.to - 1);
        w.top = imf_min(w.top, r.line);
        w.bottom = r.line;
    }
    w.width = w.right - w.left + 1;
    w.height = w.bottom - w.top + 1;
    w.box = w.count == w.width * w.height;
    w.rank = (int)imf_percentile_rank(op->value, (size_t)w.count);
    return w;
}

/*
 * The decimal number that the user wrote: digits / 10^places with the fewest places that converts to
 * this double. A number of up to 15 digits is always found, because no two such numbers convert to the
 * same double, and dividing integers that doubles hold rounds as the conversion does.
 */
static int decimal(double v, uint64_t *digits) {
    double power = 1;
    for (int places = 0; places <= 22; places++, power *= 10) {
        double whole = rint(v * power);
        if (whole > 9007199254740992.0)
            break;
        *digits = (uint64_t)whole;
        if (whole / power == v)
            return places;
    }
    return -1;
}

uint64_t imf_decimal_times(double v, uint64_t n, bool *rest) {
    uint64_t digits, carried = 0;
    int places = decimal(v, &digits);
    *rest = false;
    if (places < 0) { /* more digits than a double distinguishes */
        *rest = true;
        return (uint64_t)(v * (double)n);
    }
    /* Multiply from the last decimal place on: the remainders cannot change the integer part. */
    for (; places > 0; places--, digits /= 10) {
        carried += digits % 10 * n;
        *rest = *rest || carried % 10 > 0;
        carried /= 10;
    }
    return digits * n + carried;
}

size_t imf_percentile_rank(double percentile, size_t count) {
    bool rest;
    return (size_t)((imf_decimal_times(percentile, count - 1, &rest) + 50) / 100);
}

void imf_window_finish(const struct imf_problem *p, double *v, void *row, size_t count) {
    imf_epilogue_values(&p->epilogue, v, count);
    imf_samples_narrow(row, p->out, v, count);
}

/* ---- proposals ------------------------------------------------------------------------------- */

struct imf_window_facts *imf_window_propose(struct imf_proposal *out, const struct imf_problem *p) {
    struct imf_window_facts *w = (struct imf_window_facts *)out->shape.bytes;
    *w = imf_window_measure(p->window_op);
    return w;
}

void imf_window_accept(struct imf_proposal *out, const char *how) {
    const struct imf_window_facts *w = (const struct imf_window_facts *)out->shape.bytes;
    out->feasible = true;
    out->error = 0;
    if (w->rank > 0 && w->rank < w->count - 1)
        snprintf(out->description, sizeof out->description, "rank %d of %d in %dx%d, %s",
                 w->rank + 1, w->count, w->width, w->height, how);
    else
        snprintf(out->description, sizeof out->description, "%s of %dx%d, %s",
                 w->rank > 0 ? "maximum" : "minimum", w->width, w->height, how);
}

void imf_window_strips(struct imf_proposal *out, const struct imf_problem *p, double ns, int most,
                       const char *how) {
    double samples = (double)p->width * p->height * p->channels;
    if (!(ns > 0)) {
        imf_proposal_refuse(out, "not for this window and these samples: %s", how);
        return;
    }
    if (!imf_epilogue_is_identity(p))
        ns += imf_vector_rates.window_finish;
    imf_proposal_strips(out, p, samples * ns * 1e-6, most);
    imf_window_accept(out, how);
}

double imf_window_ms(const struct imf_problem *p, const struct imf_device *d, double instructions,
                     double bytes) {
    const struct imf_tuning *t = imf_tuning(d);
    double samples = (double)p->width * p->height * p->channels;
    double busy = instructions / (t->gpu.instructions * imf_tuning_units(d));
    double memory = bytes / imf_tuning_bandwidth(d, t->gpu.bandwidth);
    return t->launch_ms + samples * fmax(busy, memory) * 1e-6;
}

/* ---- strips ---------------------------------------------------------------------------------- */

size_t imf_window_pitch(const struct imf_problem *p, const struct imf_window_facts *w, int n) {
    int wide = n + (w->width - 1) * p->channels;
    return (size_t)(imf_padded(wide) + IMF_SLACK) * imf_sample_size(p->in);
}

struct imf_strips imf_window_cut(const struct imf_job *job, int height, int most, int rows) {
    return imf_strips_cut(job->p.width * job->p.channels, height, most,
                          rows * imf_window_of(job)->height);
}

void *imf_strip_scratch(const struct imf_host_strip *s) {
    return (char *)s->scratch + imf_window_pitch(&s->job->p, imf_window_of(s->job), s->at.n);
}

const void *imf_strip_input(const struct imf_host_strip *s, int y) {
    const struct imf_window_facts *w = imf_window_of(s->job);
    return imf_sample_at(s->in, y + w->top, s->at.x + (ptrdiff_t)w->left * s->in->channels);
}

static char *output(const struct imf_host_strip *s, int y) {
    return (char *)imf_surface_row(s->out, y) + (size_t)s->at.x * imf_sample_size(s->out->sample);
}

void *imf_strip_target(const struct imf_host_strip *s, int y) {
    return imf_epilogue_is_identity(&s->job->p) ? output(s, y) : s->scratch;
}

void imf_strip_end(const struct imf_host_strip *s, int y, const void *row) {
    enum { SOME = 512 };
    double wide[SOME];
    const struct imf_problem *p = &s->job->p;
    char *to = output(s, y);
    if (imf_epilogue_is_identity(p) && row != to)
        memcpy(to, row, (size_t)s->at.n * imf_sample_size(p->out));
    for (int i = 0; i < s->at.n && !imf_epilogue_is_identity(p); i += SOME) {
        size_t count = (size_t)imf_min(s->at.n - i, SOME);
        imf_samples_widen(wide, row, p->in, i, count);
        imf_window_finish(p, wide, to + (size_t)i * imf_sample_size(p->out), count);
    }
}

enum imf_status imf_window_prepare(struct imf_job *job, struct imf_error *err) {
    int count;
    struct imf_run **runs = job->own;
    *runs = imf_window_runs(job->p.window_op, false, 1, &count);
    return *runs ? IMF_OK : imf_fail_memory(err, (size_t)count * sizeof **runs);
}

void imf_window_release(struct imf_job *job) {
    free(*(struct imf_run **)job->own);
}

enum imf_status imf_window_table(struct imf_job *job, int i, bool down, struct imf_error *err) {
    int count;
    struct imf_run *runs = imf_window_runs(job->p.window_op, down, job->p.channels, &count);
    return imf_job_table(job, &job->buffer[i], runs, (size_t)count * sizeof *runs, err);
}
