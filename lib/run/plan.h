/* plan.h - a plan: all that is decided for one image shape; runs do not change it */
#ifndef IMF_RUN_PLAN_H
#define IMF_RUN_PLAN_H

#include "imfilter_program.h"
#include "plan/bands.h"
#include "plan/planner.h"

struct imf_plan {
    struct imf_context *ctx;
    const struct imf_filter *filter;
    struct imf_settings settings;
    bool pointwise;     /* a palette may be filtered instead of its pixels */
    bool in_parts;      /* of the image: a region, or where a mask shows */
    bool verify;        /* results will be verified, and what that takes was counted */
    bool explain;       /* and the plan be shown, */
    char *steps;        /* with how its chain was made; owned */
    bool may_fall_back; /* the user chose neither backend nor device */
    struct imf_info input, output;
    struct imf_filter *oriented; /* owned: for the image as stored; NULL: it is upright */
    struct imf_chain *chain;
    struct imf_planning planning;
    struct imf_bands_form form; /* of runs whose rows may stream */
    struct imf_choice choice;   /* of `planning` */
};

/* imf_plan_create_for(), where imf_pace() is known; 0: it is not. */
enum imf_status imf_plan_make(struct imf_plan **out, struct imf_context *ctx,
                              const struct imf_filter *filter, const struct imf_info *input,
                              const struct imf_settings *settings,
                              const struct imf_run_options *runs, bool explain, double pace,
                              struct imf_error *err);

/* Do these lead to the same plan? */
bool imf_plan_key_same(const struct imf_plan_key *a, const struct imf_plan_key *b);

#endif
