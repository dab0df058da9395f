/*
 * workspace.h - what one image needs while it is filtered, and how that is made
 */
#ifndef IMF_RUN_PIPELINE_WORKSPACE_H
#define IMF_RUN_PIPELINE_WORKSPACE_H

#include "run/executor/exec.h"
#include "run/plan.h"

struct imf_workspace {
    const struct imf_plan *plan;
    struct imf_exec *exec; /* made by the first run, */
    bool streams;          /* for rows that stream */
    bool on_device, on_gles;
    int threads;                  /* of the run; 0: as many as cores */
    struct imf_choice choice;     /* the plan's, or what `fallen` says */
    struct imf_fallback fallback; /* if the device failed */
};

/* How an executor of rows that stream, or of whole images, is to be made. */
struct imf_bands_form imf_workspace_form(const struct imf_workspace *ws);
/* Make ws->exec, unless it is there; left to choose, on the host if the device fails. */
enum imf_status imf_workspace_prepare(struct imf_workspace *ws, bool streams,
                                      struct imf_error *err);
/* It was left to choose, and is on a device now. */
bool imf_workspace_may_fall_back(const struct imf_workspace *ws);
/* Take the host, after a device said `why`; false if it cannot do the work. */
bool imf_workspace_choose_host(struct imf_workspace *ws, const char *why);

#endif
