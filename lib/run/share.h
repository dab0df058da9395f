/*
 * share.h - one image's bands shared among the devices of several workspaces
 */
#ifndef IMF_RUN_SHARE_H
#define IMF_RUN_SHARE_H

#include "run/ends.h"
#include "run/workspace.h"

struct imf_share;

/* Prepare for a run of `ws` and options->others together. NULL in *out, without a failure: `ws` is to
 * do it alone. */
enum imf_status imf_share_open(struct imf_share **out, struct imf_workspace *ws, bool streams,
                               const struct imf_run_options *options, struct imf_error *err);
/* What each did is left in its workspace. */
enum imf_status imf_share_run(struct imf_share *share, struct imf_ends *ends,
                              struct imf_report *report, struct imf_error *err);
void imf_share_close(struct imf_share **share);

#endif
