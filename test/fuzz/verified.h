/* verified.h - a filter of pixels in memory: what it does is what the reference does, within the contract */
#ifndef FUZZ_VERIFIED_H
#define FUZZ_VERIFIED_H

#include "fuzz.h"

#include "imfilter.h"

/* in, out: samples of `info` in rows without padding. A refusal has a text; a difference is a failure. */
static void run_verified(struct imf_filter *filter, const struct imf_info *info,
                         const struct imf_settings *settings, const uint8_t *in, uint8_t *out) {
    struct imf_context_options where = {.size = sizeof where, .cache_dir = ""};
    struct imf_run_options options = {.size = sizeof options, .verify = true, .threads = 1};
    struct imf_report report = {.size = sizeof report};
    struct imf_error err = {0};
    struct imf_context *context = NULL;
    struct imf_plan *plan = NULL;
    struct imf_workspace *workspace = NULL;
    size_t stride = (size_t)info->width * (size_t)info->channels * (size_t)info->depth / 8;
    enum imf_status status = imf_context_create(&context, &where, &err);
    if (status == IMF_OK)
        status = imf_plan_create(&plan, context, filter, info, settings, &err);
    if (status == IMF_OK)
        status = imf_workspace_create(&workspace, plan, &err);
    if (status == IMF_OK)
        status =
            imf_workspace_run_memory(workspace, in, stride, out, stride, &options, &report, &err);
    FUZZ_ASSERT(status == IMF_OK || err.text[0] != '\0');
    if (status == IMF_OK && !report.verify_ok)
        fprintf(stderr, "%s: %dx%d, %d channels, %d bits, feather %g, off by %g\n",
                imf_filter_text(filter), info->width, info->height, info->channels, info->depth,
                settings->mask_feather, report.verify_max);
    FUZZ_ASSERT(status != IMF_OK || report.verify_ok);
    imf_workspace_free(&workspace);
    imf_plan_free(&plan);
    imf_context_free(&context);
}

#endif
