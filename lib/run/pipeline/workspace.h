/*
 * workspace.h - what one image needs while it is filtered, and how that is made
 */
#ifndef IMF_RUN_PIPELINE_WORKSPACE_H
#define IMF_RUN_PIPELINE_WORKSPACE_H

#include "run/executor/exec.h"
#include "run/plan.h"

struct imf_workspace {
    const struct imf_plan *plan;
    struct imf_exec *exec; /* owned, made by the first run, or NULL */
    bool streams;          /* exec was made for rows that stream */
    bool on_device;
    struct imf_choice choice;     /* the plan's, or of `fallback` */
    struct imf_fallback fallback; /* if the device failed */
};

/* The plan's path, or the host's after a failure of the device. */
const struct imf_path *imf_workspace_path(const struct imf_workspace *ws);
/* The form of bands for ws->streams. */
struct imf_bands_form imf_workspace_form(const struct imf_workspace *ws);
/* Make an executor for the plan's chain, or for its first passes, where the workspace runs. */
enum imf_status imf_workspace_make(const struct imf_workspace *ws, const struct imf_chain *chain,
                                   struct imf_exec **out, struct imf_error *err);
/* Make ws->exec, unless it exists; on the host if the device fails and the plan may fall back. */
enum imf_status imf_workspace_prepare(struct imf_workspace *ws, bool streams,
                                      struct imf_error *err);
/* The plan may fall back, and the workspace is on a device now. */
bool imf_workspace_may_fall_back(const struct imf_workspace *ws);
/* Switch to the host after a device failed with the message `why`; false if it cannot do the
 * work. */
bool imf_workspace_choose_host(struct imf_workspace *ws, const char *why);

#endif
