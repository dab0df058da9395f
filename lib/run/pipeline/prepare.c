/* prepare.c - making a workspace's executor, on the device or, after it failed, on the host */
#include "run/pipeline/workspace.h"

#include "device/tuning.h"
#include "plan/proposals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool imf_workspace_may_fall_back(const struct imf_workspace *ws) {
    return ws->plan->may_fall_back && ws->on_device;
}

bool imf_workspace_choose_host(struct imf_workspace *ws, const char *why) {
    struct imf_fallback *f = &ws->fallback;
    free(f->candidates);
    if (!imf_planning_fall_back(&ws->plan->planning, why, f))
        return false;
    ws->on_device = false;
    ws->choice.candidates = f->candidates;
    ws->choice.chosen = &f->chosen;
    ws->choice.device = IMF_HOST_NAME;
    ws->choice.note = f->note;
    return true;
}

const struct imf_path *imf_workspace_path(const struct imf_workspace *ws) {
    const struct imf_planning *p = &ws->plan->planning;
    return p->path.on_device && !ws->on_device ? &p->host : &p->path;
}

struct imf_bands_form imf_workspace_form(const struct imf_workspace *ws) {
    struct imf_bands_form form = ws->plan->form;
    form.streams = ws->streams;
    form.twice = imf_workspace_path(ws)->twice;
    form.halved = imf_workspace_path(ws)->halved;
    return form;
}

/* What is left of the limit of memory when so many bytes are taken. */
static double left_of_limit(const struct imf_workspace *ws, double bytes) {
    uint64_t limit = ws->plan->settings.max_memory;
    return limit ? (double)limit - bytes : INFINITY;
}

static enum imf_status make_device(const struct imf_workspace *ws, const struct imf_chain *chain,
                                   struct imf_exec **out, struct imf_error *err) {
    const struct imf_planning *p = &ws->plan->planning;
    size_t bytes = (size_t)chain->count * sizeof *p->path.chosen;
    struct imf_proposal *chosen = malloc(bytes);
    struct imf_bands *bands = NULL;
    *out = NULL;
    if (!chosen)
        return imf_fail_memory(err, bytes);
    memcpy(chosen, p->path.chosen, bytes);
    /* Proposals are made again for these bands, which may differ from the plan's. */
    enum imf_status st = imf_proposals_band(&bands, chain, chosen, imf_workspace_form(ws),
                                            imf_runtime_device(p->rt), err);
    imf_bands_free(&bands);
    if (!st)
        st = imf_exec_make_device(out, chain, chosen, imf_workspace_form(ws), p->rt,
                                  left_of_limit(ws, p->path.bytes), err);
    free(chosen);
    return st;
}

enum imf_status imf_workspace_make(const struct imf_workspace *ws, const struct imf_chain *chain,
                                   struct imf_exec **out, struct imf_error *err) {
    return ws->on_device ? make_device(ws, chain, out, err)
                         : imf_exec_make_host_bands(out, chain, imf_workspace_path(ws),
                                                    imf_workspace_form(ws), err);
}

/* After a failure of the device: the host instead. */
static enum imf_status fall_back(struct imf_workspace *ws, const struct imf_error *failure,
                                 struct imf_error *err) {
    const struct imf_planning *p = &ws->plan->planning;
    /* The driver stays in memory. */
    bool fits =
        !imf_workspace_may_fall_back(ws) ||
        left_of_limit(ws, p->host.bytes + imf_tuning(imf_runtime_device(p->rt))->driver_bytes) >= 0;
    if (!fits || !imf_workspace_may_fall_back(ws) ||
        !imf_workspace_choose_host(ws, failure->text)) {
        if (err)
            *err = *failure;
        return failure->status;
    }
    /* Too little memory for this image may be enough for the next. */
    if (failure->status == IMF_ERR_DEVICE)
        imf_context_give_up(ws->plan->ctx, failure);
    imf_exec_free(&ws->exec);
    return imf_workspace_make(ws, ws->plan->chain, &ws->exec, err);
}

enum imf_status imf_workspace_prepare(struct imf_workspace *ws, bool streams,
                                      struct imf_error *err) {
    struct imf_error failure;
    if (ws->streams != streams)
        imf_exec_free(&ws->exec);
    ws->streams = streams;
    if (ws->exec)
        return IMF_OK;
    /* The device may have failed in another run. */
    const char *gave_up =
        imf_workspace_may_fall_back(ws) ? imf_context_gave_up(ws->plan->ctx) : NULL;
    if (gave_up)
        (void)imf_workspace_choose_host(ws, gave_up);
    const struct imf_plan *plan = ws->plan;
    enum imf_status st = imf_workspace_make(ws, plan->chain, &ws->exec, &failure);
    return st ? fall_back(ws, &failure, err) : IMF_OK;
}
