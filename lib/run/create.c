/* create.c - plans, made again where the host had to be measured */
#include "imfilter_program.h"
#include "run/pace.h"
#include "run/plan.h"

enum imf_status imf_plan_create(struct imf_plan **out, struct imf_context *ctx,
                                const struct imf_filter *filter, const struct imf_info *input,
                                const struct imf_settings *settings, struct imf_error *err) {
    return imf_plan_create_for(out, ctx, filter, input, settings, NULL, false, err);
}

enum imf_status imf_plan_create_for(struct imf_plan **out, struct imf_context *ctx,
                                    const struct imf_filter *filter, const struct imf_info *input,
                                    const struct imf_settings *settings,
                                    const struct imf_run_options *runs, bool explain,
                                    struct imf_error *err) {
    enum imf_status st = imf_plan_make(out, ctx, filter, input, settings, runs, explain, 0, err);
    if (st || !(*out)->planning.wants_pace || (*out)->in_parts)
        return st;
    double pace = imf_pace(ctx, filter, input, &(*out)->settings);
    imf_plan_free(out);
    return imf_plan_make(out, ctx, filter, input, settings, runs, explain, pace, err);
}
