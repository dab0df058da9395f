/* plan.h - what a plan holds: all that is decided for one image shape, and nothing that a run
 * changes */
#ifndef IMF_RUN_PLAN_H
#define IMF_RUN_PLAN_H

#include "plan/bands.h"
#include "plan/planner.h"

struct imf_plan {
    struct imf_context *ctx;
    const struct imf_filter *filter;
    struct imf_settings settings;
    bool pointwise;     /* a palette may be filtered instead of its pixels */
    bool may_fall_back; /* the backend and device were left to us */
    struct imf_info input, output;
    struct imf_filter *oriented; /* or NULL: the image lies upright */
    struct imf_chain *chain;
    struct imf_planning planning;
    struct imf_bands_form form; /* of runs in which rows may stream */
    struct imf_choice choice;   /* made of `planning` */
};

#endif
