/*
 * share.c - one image's bands shared among the devices of several workspaces
 *
 * Bands become parts that need nothing of each other (bands.h), as high as the device wants them
 * whose bands are the highest. It pays where there are some for each device; what does not stream,
 * or is small, the first workspace does alone.
 */
#include "run/share.h"

#include "plan/layout.h"
#include "run/executor.h"
#include "run/lanes.h"

#include <stdlib.h>

/* Parts for each device at least. */
#define PARTS_EACH 2

struct imf_share {
    int count;
    struct imf_workspace **ws; /* borrowed */
    struct imf_lane *lane;     /* of ws[i], once all are prepared */
};

static bool fits(const struct imf_workspace *ws, const struct imf_workspace *first) {
    const struct imf_chain *a = ws->plan->chain, *b = first->plan->chain;
    return a->width == b->width && a->height == b->height && a->channels_in == b->channels_in &&
           a->channels_out == b->channels_out && a->in == b->in && a->out == b->out;
}

/* Rows of a part that suit the workspace's place; 0: it cannot share. */
static int wanted(const struct imf_workspace *ws) {
    const struct imf_planning *p = &ws->plan->planning;
    struct imf_bands_form form = ws->plan->form;
    struct imf_bands *bands = NULL;
    if (ws->plan->may_fall_back || !form.ends)
        return 0;
    if (form.advance || !ws->on_device)
        return form.advance; /* the host is not one of several devices */
    if (imf_bands_plan(&bands, p->chain, p->taken, form, imf_runtime_device(p->rt), NULL))
        return 0;
    int rows = imf_bands_part(bands);
    imf_bands_free(&bands);
    return rows;
}

/* Rows of a part for all of them, or 0. */
static int choose_part(const struct imf_share *s) {
    const struct imf_plan *plan = s->ws[0]->plan;
    int rows = 0, height = plan->chain->height;
    for (int i = 0; i < s->count; i++) {
        int one = wanted(s->ws[i]);
        if (one == 0)
            return 0;
        rows = imf_max(rows, one);
    }
    if (plan->form.advance)
        return rows < height ? rows : 0;
    return rows <= height / (PARTS_EACH * s->count) ? rows : 0;
}

/* Make a workspace's executor; what fails is known to it. */
static void prepare(struct imf_workspace *ws, int rows, int threads) {
    ws->threads = threads;
    if (imf_workspace_prepare(ws, true, rows, &ws->failure))
        return;
    ws->failure.status = IMF_OK;
    imf_exec_limit(ws->exec, threads);
}

/* Those that are ready for parts; they are the first ones then. */
static void gather(struct imf_share *s) {
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        struct imf_workspace *ws = s->ws[i];
        if (ws->failure.status || !imf_exec_bands(ws->exec) || !ws->exec->bands->parts)
            continue;
        s->lane[count] = (struct imf_lane){.exec = ws->exec, .plain = ws->plan->chain};
        s->ws[count++] = ws;
    }
    s->count = count;
}

static struct imf_lanes_run run_of(const struct imf_share *s) {
    return (struct imf_lanes_run){.lane = s->lane, .count = s->count};
}

/* All of them together, with what each takes whatever its bands. */
static bool is_within(const struct imf_share *s, uint64_t limit) {
    const struct imf_lanes_run run = run_of(s);
    double bytes;
    if (!limit)
        return true;
    if (imf_lanes_bytes(&run, &bytes, NULL))
        return false;
    for (int i = 0; i < s->count; i++) {
        const struct imf_workspace *ws = s->ws[i];
        const struct imf_device *d =
            ws->on_device ? imf_runtime_device(ws->plan->planning.rt) : NULL;
        bytes += (double)ws->choice.chosen->bytes + imf_layout_surfaces(ws->exec->bands, d);
    }
    return bytes <= (double)limit;
}

static enum imf_status open_share(struct imf_share *s, struct imf_workspace *ws,
                                  const struct imf_run_options *o, struct imf_error *err) {
    s->ws = calloc(o->other_count + 1, sizeof(struct imf_workspace *));
    s->lane = calloc(o->other_count + 1, sizeof *s->lane);
    if (!s->ws || !s->lane)
        return imf_fail_memory(err, (o->other_count + 1) * sizeof *s->lane);
    s->ws[s->count++] = ws;
    for (size_t i = 0; i < o->other_count; i++) {
        if (!fits(o->others[i], ws))
            return imf_fail(err, IMF_ERR_ARGUMENT,
                            "the plans that share an image were made for different ones");
        if (o->others[i]->on_device || o->others[i]->plan->form.advance)
            s->ws[s->count++] = o->others[i];
    }
    int rows = s->count > 1 ? choose_part(s) : 0;
    if (rows == 0) {
        s->count = 0;
        return IMF_OK;
    }
    for (int i = 0; i < s->count; i++)
        prepare(s->ws[i], rows, o->threads);
    gather(s);
    /* Whose device fails so early is done with; alone, the first one tells why. */
    if (s->count < 2 || !is_within(s, ws->plan->settings.max_memory)) {
        for (size_t i = 0; i < o->other_count; i++)
            imf_exec_free(&o->others[i]->exec);
        s->count = 0;
    }
    return IMF_OK;
}

enum imf_status imf_share_open(struct imf_share **out, struct imf_workspace *ws, bool streams,
                               const struct imf_run_options *o, struct imf_error *err) {
    size_t others = o ? o->other_count : 0;
    *out = NULL;
    if (!others || !streams || o->threads == 1)
        return IMF_OK;
    struct imf_share *s = *out = calloc(1, sizeof *s);
    if (!s)
        return imf_fail_memory(err, sizeof *s);
    enum imf_status st = open_share(s, ws, o, err);
    if (st || !s->count)
        imf_share_close(out);
    return st;
}

void imf_share_close(struct imf_share **share) {
    if (!*share)
        return;
    free((*share)->ws);
    free((*share)->lane);
    free(*share);
    *share = NULL;
}

enum imf_status imf_share_run(struct imf_share *s, struct imf_ends *ends, struct imf_report *r,
                              struct imf_error *err) {
    struct imf_lanes_run run = run_of(s);
    run.read = imf_ends_read;
    run.write = imf_ends_write;
    run.ends = ends;
    for (int i = 0; i < s->count; i++)
        r->setup_ms += imf_context_take_setup_ms(s->ws[i]->plan->ctx);
    enum imf_status st = imf_lanes(&run, r, err);
    /* Workspaces between runs keep their buffers only where they take little of the budget. */
    bool spare = is_within(s, s->ws[0]->plan->settings.max_memory / 4);
    for (int i = 0; i < s->count; i++) {
        struct imf_workspace *ws = s->ws[i];
        ws->bands = s->lane[i].parts;
        ws->failure = s->lane[i].failure;
        if (ws->failure.status || !spare)
            imf_exec_free(&ws->exec);
    }
    return st;
}
