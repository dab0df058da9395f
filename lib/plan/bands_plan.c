/*
 * bands_plan.c - bands by the wishes of solvers, and for a slice of the result
 */
#include "plan/bands.h"

#include "device/tuning.h"
#include "plan/lowering/operations.h"
#include "solver/common/edge.h"

#include <stdlib.h>

/* The host's budget: surfaces between passes stay in second-level caches. Chains with a blend take a
 * tenth less processor time than with 8 MB, others the same. */
#define HOST_BYTES ((size_t)3 << 20)

/* Whether rows may stream through pass i twice: what comes before it is done twice, too. */
static bool may_measure(const struct imf_chain *c, int i, struct imf_bands_form form) {
    bool may = form.twice == IMF_TWICE_IF_NEEDED || (form.twice && c->passes[i].source < 0);
    return form.streams && may && !c->kept_row;
}

enum imf_status imf_bands_plan(struct imf_bands **out, const struct imf_chain *c,
                               const struct imf_proposal *chosen, struct imf_bands_form form,
                               const struct imf_device *d, struct imf_error *err) {
    size_t count = (size_t)c->count;
    enum imf_bands_wish *wish = calloc(count, sizeof *wish + sizeof(int));
    *out = NULL;
    if (!wish)
        return imf_fail_memory(err, count * sizeof *wish);
    int *step = (int *)(wish + count), twice = 0;
    for (int i = 0; i < c->count; i++) {
        const struct imf_pass *pass = &c->passes[i];
        step[i] = chosen && chosen[i].solver ? chosen[i].step : 1;
        if (!chosen) {
            wish[i] = IMF_BANDS_WHOLE;
            continue;
        }
        if (pass->kind == IMF_PASS_POINT)
            wish[i] = !imf_point_find(&pass->point, IMF_NORMALIZE) ? IMF_BANDS_MANY
                      : chosen[i].backend == IMF_BACKEND_CPU       ? IMF_BANDS_WHOLE
                                                                   : IMF_BANDS_TWICE;
        else
            wish[i] = chosen[i].solver ? chosen[i].bands : IMF_BANDS_WHOLE;
        if (wish[i] == IMF_BANDS_TWICE) {
            bool may = !d && !twice && may_measure(c, i, form);
            twice = may ? i + 1 : twice;
            wish[i] = may ? IMF_BANDS_MANY : IMF_BANDS_WHOLE;
        }
    }
    const struct imf_bands_options options = {wish, step, d ? imf_tuning_band_bytes(d) : HOST_BYTES,
                                              form};
    enum imf_status st = imf_bands_make(out, c, &options, err);
    if (!st)
        (*out)->float64 = form.float64;
    free(wish);
    if (st || !twice)
        return st;
    if ((*out)->streams) {
        (*out)->twice = twice;
        return IMF_OK;
    }
    imf_bands_free(out); /* a band has to be the whole image then */
    form.twice = IMF_TWICE_NEVER;
    return imf_bands_plan(out, c, chosen, form, d, err);
}

enum imf_status imf_bands_whole(struct imf_bands **out, const struct imf_chain *c,
                                struct imf_error *err) {
    return imf_bands_plan(out, c, NULL, (struct imf_bands_form){.float64 = true}, NULL, err);
}

/* Let a slice's window include rows from..to - 1, which may lie in margins. */
static void widen(struct imf_window *w, const struct imf_chain *c, int from, int to) {
    w->before = imf_min(w->before, imf_max(from, 0));
    w->done = imf_max(w->done, imf_min(to, c->height));
}

/* And, where the window ends with the image, the rows that its margins repeat. */
static void widen_for_margins(struct imf_window *w, const struct imf_chain *c, int index) {
    struct imf_margin m = imf_chain_margin(c, index - 1);
    enum imf_edge edge = imf_chain_edge(c, index - 1);
    for (int y = c->height; y < c->height + m.bottom && w->done == c->height; y++) {
        int row = imf_edge_index(edge, y, c->height);
        w->before = row >= 0 ? imf_min(w->before, row) : w->before;
    }
    for (int y = -m.top; y < 0 && w->before == 0; y++)
        w->done = imf_max(w->done, imf_edge_index(edge, y, c->height) + 1);
}

/* And rows that are made together with others, until nothing is missing. */
static void complete(struct imf_window *w, const struct imf_chain *c, int index) {
    int before, done;
    do {
        before = w->before;
        done = w->done;
        w->before -= w->before % w->step;
        w->done = imf_min(((w->done - 1) / w->step + 1) * w->step, c->height);
        widen_for_margins(w, c, index);
    } while (w->before != before || w->done != done);
}

static void set_windows(struct imf_bands *b, int from, int to) {
    const struct imf_chain *c = b->chain;
    const struct imf_window *result = &b->window[c->count];
    for (int index = 0; index <= c->count; index++) {
        b->window[index].before = c->height;
        b->window[index].done = b->window[index].moved = 0;
    }
    widen(&b->window[c->count], c, from, to);
    for (int i = c->count - 1; i >= 0; i--) {
        const struct imf_pass *pass = &c->passes[i];
        const struct imf_window *made = &b->window[i + 1];
        struct imf_margin m = pass->problem.reach;
        complete(&b->window[i + 1], c, i + 1);
        widen(&b->window[pass->source + 1], c, made->before - m.top, made->done + m.bottom);
        if (pass->second >= -1)
            widen(&b->window[pass->second + 1], c, made->before, made->done);
    }
    if (c->keep_alpha || b->back)
        widen(&b->window[0], c, result->before - b->back, result->done + b->back);
    complete(&b->window[0], c, 0);
    for (int index = 0; index <= c->count; index++) {
        struct imf_window *w = &b->window[index];
        w->kept = w->before > 0 ? w->before : -imf_chain_margin(c, index - 1).top;
    }
}

enum imf_status imf_bands_slice(struct imf_bands **out, const struct imf_chain *c, int from, int to,
                                struct imf_error *err) {
    enum imf_status st = imf_bands_open(out, c, err);
    if (st)
        return st;
    struct imf_bands *b = *out;
    b->float64 = b->slice = true;
    b->count = 1;
    b->segment[0] = (struct imf_segment){.end = c->count, .advance = c->height, .bands = 1};
    for (int index = 0; index <= c->count; index++)
        b->window[index].step = 1;
    set_windows(b, from, to);
    for (int index = 0; index <= c->count; index++) {
        struct imf_window *w = &b->window[index];
        w->rows = imf_max(imf_bands_end(b, index, w->done) - w->kept, 1);
        w->tallest = w->done - w->before;
    }
    return IMF_OK;
}
