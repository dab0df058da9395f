/*
 * exec.c - running a chain: over its segments, their bands and passes, in order
 *
 * Passes get views of the rows that a band needs. The rows that a window keeps for the next band
 * move to its start.
 */
#include "run/executor/ops.h"

#include <stdlib.h>
#include <string.h>

/* Whether pass i is the first that reads beyond its source's edge. */
static bool fills_margin(const struct imf_chain *c, int i) {
    if (c->passes[i].kind != IMF_PASS_CONVOLVE)
        return false;
    for (int k = 0; k < i; k++)
        if (c->passes[k].kind == IMF_PASS_CONVOLVE && c->passes[k].source == c->passes[i].source)
            return false;
    struct imf_margin m = imf_chain_margin(c, c->passes[i].source);
    return m.left || m.right || m.top || m.bottom;
}

enum imf_status imf_exec_init(struct imf_exec *x, const struct imf_exec_ops *ops,
                              const struct imf_chain *c, struct imf_error *err) {
    x->ops = ops;
    x->chain = c;
    x->surface = calloc((size_t)c->count + 1, sizeof *x->surface);
    x->step = calloc((size_t)c->count, sizeof *x->step);
    if (!x->surface || !x->step)
        return imf_fail_memory(err, ((size_t)c->count + 1) * sizeof *x->surface);
    for (int i = 0; i < c->count; i++)
        x->step[i].fills = fills_margin(c, i);
    return IMF_OK;
}

int imf_exec_bands(const struct imf_exec *x) {
    return x->bands->streams ? x->bands->segment[0].bands * (x->bands->twice ? 2 : 1) : 1;
}

enum imf_status imf_exec_init_bands(struct imf_exec *x, struct imf_error *err) {
    const struct imf_window *in = &x->bands->window[0];
    const struct imf_window *out = &x->bands->window[x->chain->count];
    const struct imf_segment *s = &x->bands->segment[0];
    int bands = imf_exec_bands(x);
    size_t bytes = (size_t)bands * sizeof *x->band;
    if (!(x->band = malloc(bytes)))
        return imf_fail_memory(err, bytes);
    x->slots = bands > 1 ? IMF_EXEC_SLOTS : 1;
    for (int n = 0; n < bands; n++) {
        if (x->bands->streams)
            imf_bands_go(x->bands, s, n % s->bands);
        bool measures = x->bands->twice && n < s->bands;
        x->band[n] = (struct imf_exec_band){.kept = in->kept,
                                            .before = in->before,
                                            .done = in->done,
                                            .from = out->before,
                                            .to = measures ? out->before : out->done};
        if (!x->bands->streams && !x->bands->slice) /* the whole image */
            x->band[n] = (struct imf_exec_band){.done = x->chain->height, .to = x->chain->height};
    }
    return IMF_OK;
}

void imf_exec_free(struct imf_exec **exec) {
    struct imf_exec *x = *exec;
    if (!x)
        return;
    for (int i = 0; x->step && i < x->chain->count; i++) {
        imf_job_free(&x->step[i].job);
        if (x->step[i].rows)
            imf_point_rows_free(&x->step[i].rows);
    }
    free(x->step);
    free(x->band);
    imf_bands_free(&x->bands);
    x->ops->destroy(x);
    *exec = NULL;
}

void imf_exec_use_pool(struct imf_exec *x, struct imf_pool *pool) {
    for (int i = 0; i < x->chain->count; i++) {
        if (x->step[i].job)
            x->step[i].job->pool = pool;
        if (x->step[i].rows)
            imf_point_rows_use_pool(x->step[i].rows, pool);
    }
}

void imf_exec_tell(const struct imf_exec *x, char *text, size_t size) {
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < x->chain->count && used + 2 < size; i++) {
        const struct imf_step *step = &x->step[i];
        char *next = text + used + (used ? 2 : 0);
        if (!step->job)
            continue;
        imf_job_tell(step->job, next, size - (size_t)(next - text));
        if (*next && used)
            memcpy(text + used, ", ", 2);
        used = *next ? (size_t)(next - text) + strlen(next) : used;
    }
}

enum imf_status imf_exec_finish(struct imf_exec *x, struct imf_error *err) {
    return x->ops->finish ? x->ops->finish(x, err) : IMF_OK;
}

/* ---- running -------------------------------------------------------------------------------- */

struct imf_surface imf_exec_view(const struct imf_exec *x, int i, int from, int to) {
    struct imf_surface v = x->surface[i];
    ptrdiff_t rows = (ptrdiff_t)from - x->bands->window[i].kept;
    v.origin += (size_t)(rows * (ptrdiff_t)v.pitch);
    v.height = to - from;
    v.row = from;
    return v;
}

/* Move the rows that a window keeps to its start, in steps: a copy must not overlap itself. */
static enum imf_status move_window(struct imf_exec *x, int i, struct imf_error *err) {
    const struct imf_window *w = &x->bands->window[i];
    enum imf_status st = IMF_OK;
    if (!w->rows || !w->moved)
        return IMF_OK;
    int count = imf_bands_end(x->bands, i, w->before) - w->kept;
    for (int y = 0; y < count && !st; y += w->moved)
        st = x->ops->move_rows(x, i, y + w->moved, y, imf_min(count - y, w->moved), err);
    return st;
}

/* Make the rows of this band of pass i's output. */
static enum imf_status run_pass(struct imf_exec *x, int i, struct imf_error *err) {
    const struct imf_pass *pass = &x->chain->passes[i];
    const struct imf_window *source = &x->bands->window[pass->source + 1];
    const struct imf_window *made = &x->bands->window[i + 1];
    const struct imf_step *step = &x->step[i];
    if (step->on_host)
        return x->ops->run_on_host(x, i, err);
    if (step->fills && source->done > source->before) {
        struct imf_surface fresh = imf_exec_view(x, pass->source + 1, source->before, source->done);
        enum imf_status st = x->ops->fill_margin(x, i, &fresh, source->before, err);
        if (st)
            return st;
    }
    if (made->done == made->before)
        return IMF_OK;
    struct imf_surface in = imf_exec_view(x, pass->source + 1, made->before, made->done);
    struct imf_surface out = imf_exec_view(x, i + 1, made->before, made->done);
    if (x->measures && i == x->bands->twice - 1)
        return step->rows ? imf_point_rows_measure(step->rows, &in, err)
                          : imf_job_measure(step->job, &in, err);
    if (pass->kind == IMF_PASS_POINT) {
        bool two = pass->second >= -1;
        struct imf_surface second =
            imf_exec_view(x, two ? pass->second + 1 : 0, made->before, made->done);
        const struct imf_point_io io = {&in, two ? &second : NULL, &out, made->before};
        return x->ops->run_point(x, i, &io, err);
    }
    struct imf_margin m = pass->problem.reach;
    in.margin.top = m.top;
    in.margin.bottom = m.bottom;
    return imf_job_run(step->job, &in, &out, err);
}

enum imf_status imf_exec_run_passes(struct imf_exec *x, const struct imf_segment *s,
                                    struct imf_error *err) {
    const struct imf_chain *c = x->chain;
    const struct imf_window *output = &x->bands->window[c->count];
    enum imf_status st = IMF_OK;
    int end = x->measures ? x->bands->twice : s->end;
    for (int i = s->first; i < end && !st; i++)
        st = move_window(x, i + 1, err);
    for (int i = s->first; i < end && !st; i++)
        st = run_pass(x, i, err);
    if (st || x->measures || end < c->count || !c->keep_alpha || output->done == output->before)
        return st;
    struct imf_surface in = imf_exec_view(x, 0, output->before, output->done);
    struct imf_surface out = imf_exec_view(x, c->count, output->before, output->done);
    return x->ops->copy_alpha(x, &in, &out, err);
}

enum imf_status imf_exec_run_segments(struct imf_exec *x, struct imf_error *err) {
    enum imf_status st = IMF_OK;
    for (int k = 0; k < x->bands->count && !st; k++) {
        const struct imf_segment *s = &x->bands->segment[k];
        for (int band = 0; band < s->bands && !st; band++) {
            imf_bands_go(x->bands, s, band);
            st = imf_exec_run_passes(x, s, err);
        }
        if (!st && x->watch.made) /* each pass is a segment */
            st = x->watch.made(x->watch.data, k, &x->surface[k + 1], err);
    }
    return st ? st : imf_exec_finish(x, err);
}
