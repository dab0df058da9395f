/*
 * exec.c - running a chain: over its segments, their bands and passes, in order
 *
 * Passes get views of the rows that a band needs; what a window keeps for the next band moves to
 * its start.
 */
#include "run/executor/bands.h"
#include "run/executor/executor.h"
#include "run/executor/host_pass.h"

#include <stdlib.h>

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

enum imf_status imf_exec_init(struct imf_exec *x, const struct imf_executor *place,
                              const struct imf_chain *c, struct imf_error *err) {
    x->place = place;
    x->chain = c;
    x->surface = calloc((size_t)c->count + 1, sizeof *x->surface);
    x->step = calloc((size_t)c->count, sizeof *x->step);
    if (!x->surface || !x->step)
        return imf_fail_memory(err, ((size_t)c->count + 1) * sizeof *x->surface);
    for (int i = 0; i < c->count; i++)
        x->step[i].fills = fills_margin(c, i);
    return IMF_OK;
}

void imf_exec_free(struct imf_exec **exec) {
    struct imf_exec *x = *exec;
    if (!x)
        return;
    for (int i = 0; x->step && i < x->chain->count; i++)
        if (x->step[i].job)
            x->step[i].solver->destroy(&x->step[i].job);
    free(x->step);
    x->step = NULL;
    imf_bands_free(&x->bands);
    struct imf_exec_stream *stream = x->stream;
    x->place->destroy(x);
    if (stream)
        free(stream->band);
    free(stream);
    *exec = NULL;
}

/* ---- running -------------------------------------------------------------------------------- */

/* Surface i with the image's row `from` as its row 0; `to` - `from` rows. */
struct imf_surface imf_exec_view(const struct imf_exec *x, int i, int from, int to) {
    struct imf_surface v = x->surface[i];
    ptrdiff_t rows = (ptrdiff_t)from - x->bands->window[i].kept;
    v.origin += (size_t)(rows * (ptrdiff_t)v.pitch);
    v.height = to - from;
    return v;
}

/* Move the rows that a window keeps to its start; a copy must not overlap itself. */
static enum imf_status move(struct imf_exec *x, int i, struct imf_error *err) {
    const struct imf_window *w = &x->bands->window[i];
    enum imf_status st = IMF_OK;
    if (!w->rows || !w->moved)
        return IMF_OK;
    int count = imf_bands_end(x->bands, i, w->before) - w->kept;
    for (int y = 0; y < count && !st; y += w->moved)
        st = x->place->move(x, i, y + w->moved, y, imf_min(count - y, w->moved), err);
    return st;
}

/* Make the rows of this band of pass i's output. */
static enum imf_status run_pass(struct imf_exec *x, int i, struct imf_error *err) {
    const struct imf_pass *pass = &x->chain->passes[i];
    const struct imf_window *source = &x->bands->window[pass->source + 1];
    const struct imf_window *made = &x->bands->window[i + 1];
    const struct imf_step *step = &x->step[i];
    if (step->maps)
        return imf_exec_run_mapped(x, i, err);
    if (step->fills && source->done > source->before) {
        struct imf_surface fresh = imf_exec_view(x, pass->source + 1, source->before, source->done);
        enum imf_status st = x->place->fill(x, i, &fresh, source->before, err);
        if (st)
            return st;
    }
    if (made->done == made->before)
        return IMF_OK;
    struct imf_surface in = imf_exec_view(x, pass->source + 1, made->before, made->done);
    struct imf_surface out = imf_exec_view(x, i + 1, made->before, made->done);
    if (pass->kind == IMF_PASS_POINT) {
        bool two = pass->second >= -1;
        struct imf_surface second =
            imf_exec_view(x, two ? pass->second + 1 : 0, made->before, made->done);
        return x->place->point(x, i, &in, two ? &second : NULL, &out, made->before, err);
    }
    struct imf_margin m = pass->problem.reach;
    in.margin.top = m.top;
    in.margin.bottom = m.bottom;
    return step->solver->run(step->job, &in, &out, err);
}

enum imf_status imf_exec_run_band(struct imf_exec *x, const struct imf_segment *s,
                                  struct imf_error *err) {
    const struct imf_chain *c = x->chain;
    const struct imf_window *output = &x->bands->window[c->count];
    enum imf_status st = IMF_OK;
    for (int i = s->first; i < s->end && !st; i++)
        st = move(x, i + 1, err);
    for (int i = s->first; i < s->end && !st; i++)
        st = run_pass(x, i, err);
    if (st || s->end < c->count || !c->keep_alpha || output->done == output->before)
        return st;
    struct imf_surface in = imf_exec_view(x, 0, output->before, output->done);
    struct imf_surface out = imf_exec_view(x, c->count, output->before, output->done);
    return x->place->copy_alpha(x, &in, &out, err);
}

void imf_exec_limit(struct imf_exec *x, int threads) {
    for (int i = 0; i < x->chain->count; i++) {
        const struct imf_step *step = &x->step[i];
        if (step->job && step->solver->limit)
            step->solver->limit(step->job, threads);
    }
}

enum imf_status imf_exec_run_segments(struct imf_exec *x, struct imf_error *err) {
    enum imf_status st = IMF_OK;
    for (int k = 0; k < x->bands->count && !st; k++) {
        const struct imf_segment *s = &x->bands->segment[k];
        for (int band = 0; band < s->bands && !st; band++) {
            imf_bands_go(x->bands, s, band);
            st = imf_exec_run_band(x, s, err);
        }
    }
    return st ? st : x->place->finish(x, err);
}

/* ---- images that are held whole: one band ------------------------------------------------------- */

const struct imf_surface *imf_exec_map_input(struct imf_exec *x, struct imf_error *err) {
    struct imf_surface *s = &x->surface[0];
    *s = x->stream->in[0];
    s->host = x->place->lend(x, 0, err);
    return s->host ? s : NULL;
}

enum imf_status imf_exec_unmap_input(struct imf_exec *x, struct imf_error *err) {
    enum imf_status st = imf_exec_take(x, 0, err);
    return st ? st : x->place->finish(x, err);
}

enum imf_status imf_exec_run(struct imf_exec *x, struct imf_error *err) {
    return imf_exec_band(x, 0, err);
}

const struct imf_surface *imf_exec_map_output(struct imf_exec *x, struct imf_error *err) {
    struct imf_report ignored = {0};
    struct imf_rows rows;
    enum imf_status st = imf_exec_result(x, 0, &rows, err);
    if (!st)
        st = imf_exec_settle(x, 0, &ignored, err);
    return st ? NULL : &x->stream->lent[0];
}

enum imf_status imf_exec_unmap_output(struct imf_exec *x, struct imf_error *err) {
    return imf_exec_release(x, 0, err);
}
