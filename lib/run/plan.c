/* plan.c - plans: made for one image shape, and then only read */
#include "run/plan.h"
#include "imfilter_program.h"

#include "base/arguments.h"
#include "base/image/curve.h"
#include "base/image/info.h"
#include "base/sized.h"
#include "device/tuning.h"
#include "filter/form.h"

#include <stdlib.h>

static struct imf_choice choice_of(const struct imf_planning *p) {
    const struct imf_rect *part = &p->chain->part;
    return (struct imf_choice){.x = part->x,
                               .y = part->y,
                               .width = part->width,
                               .height = part->height,
                               .candidates = p->candidates,
                               .count = p->count,
                               .chosen = &p->chosen,
                               .device = p->path.on_device ? imf_runtime_device(p->rt)->name
                                         : p->gles         ? imf_gles_name(p->gles)
                                                           : IMF_HOST_NAME,
                               .measured = p->rt && imf_tuning(imf_runtime_device(p->rt))->measured,
                               .note = p->note[0] ? p->note : NULL,
                               .pictures = p->throughput.pictures,
                               .workers = p->throughput.workers,
                               .coding_ms = p->throughput.coding_ms,
                               .host_pace = p->pace};
}

/* Bytes of kernels and masks; masks are shared by what is made for stored pixels. */
static double filter_bytes(const struct imf_plan *plan) {
    return imf_filter_bytes(plan->filter) +
           (plan->oriented ? imf_filter_kernel_bytes(plan->oriented) : 0);
}

enum imf_status imf_plan_make(struct imf_plan **out, struct imf_context *ctx,
                              const struct imf_filter *filter, const struct imf_info *input,
                              const struct imf_settings *given, const struct imf_run_options *runs,
                              bool explain, double pace, struct imf_error *err) {
    struct imf_settings full;
    const struct imf_settings *settings = &full;
    *out = NULL;
    imf_sized_read(&full, sizeof full, given);
    full.linear = full.linear && !imf_curve_is_light(full.curve);
    enum imf_status st = imf_check_info(input, err);
    if (!st)
        st = imf_check_settings(settings, err);
    if (!st && settings->full > 0 && settings->full != imf_info_full(input) && input->alpha)
        st = imf_fail(
            err, IMF_ERR_FORMAT,
            "it has alpha, whose full scale is that of its samples, so --full cannot say another");
    if (!st && settings->missing &&
        (imf_info_integer(input) || input->alpha || input->channels > 3))
        st = imf_fail(err, IMF_ERR_ARGUMENT,
                      "samples may be missing of gray or RGB floats without alpha");
    if (st)
        return st;
    struct imf_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return imf_fail_memory(err, sizeof *plan);
    plan->ctx = ctx;
    plan->filter = filter;
    plan->verify = runs && runs->verify;
    plan->explain = explain;
    plan->settings = *settings;
    plan->form.streams = !settings->whole;
    plan->pointwise = !settings->depth && imf_filter_is_pointwise(filter, input, settings);
    plan->input = *input;
    plan->output = imf_chain_output(input, settings);
    st = imf_filter_orient(&plan->oriented, filter, input->orientation, err);
    for (size_t i = 0; i < filter->count && !st; i++)
        if (filter->stages[i].mask)
            st = imf_mask_plan(filter->stages[i].mask, input->orientation, settings->mask_feather,
                               err);
    /* To find what a kernel is the sum of takes as much again. What filtering needs in all is known once a way is
     * chosen; this is only for kernels that leave no room to look for one. */
    uint64_t bytes = (uint64_t)(filter_bytes(plan) + imf_filter_kernel_bytes(filter));
    if (!st)
        st = imf_memory_fits(settings->max_memory, bytes, "this filter alone", err);
    /* What is missing has a channel of its own (run/pipeline/pixel_io.h). */
    struct imf_info seen = *input;
    seen.channels += settings->missing;
    seen.alpha |= settings->missing;
    const struct imf_filter *stored = plan->oriented ? plan->oriented : filter;
    if (!st)
        st = explain
                 ? imf_chain_build_steps(&plan->chain, &plan->steps, stored, &seen, settings, err)
                 : imf_chain_build(&plan->chain, stored, &seen, settings, err);
    if (!st && settings->depth == 1 && plan->chain->channels_out - settings->missing > 1)
        st = imf_fail(err, IMF_ERR_FORMAT, "one bit a sample holds %s",
                      plan->input.alpha ? "no alpha channel (--depth=8 does)"
                                        : "no colours (put -f gray before what decides what is "
                                          "white, as in -f gray --depth=1)");
    const struct imf_planning_beside beside = {.input = input,
                                               .pace = pace,
                                               .filter = filter_bytes(plan),
                                               .verify = plan->verify,
                                               .explain = plan->explain};
    if (!st)
        st = imf_planning_make(&plan->planning, ctx, plan->chain, settings, &beside, err);
    if (st) {
        imf_plan_free(&plan);
        return st;
    }
    plan->settings.curve = plan->chain->curve;
    plan->in_parts = settings->region_count > 0;
    for (size_t i = 0; i < filter->count; i++)
        plan->in_parts |= filter->stages[i].mask != NULL;
    plan->settings.regions = NULL; /* the caller's */
    plan->settings.region_count = 0;
    plan->may_fall_back = settings->backend == IMF_BACKEND_AUTO && !imf_context_device_asked(ctx);
    plan->output.channels = plan->chain->channels_out - settings->missing;
    if (plan->output.channels - (input->alpha ? 1 : 0) == 1)
        plan->output.color = IMF_COLOR_GRAY;
    plan->output.bits = imf_filter_bits(filter, input, settings);
    if (settings->depth || (input->bits && !plan->output.bits)) /* a result of more values */
        plan->output.maxval = 0;
    plan->choice = choice_of(&plan->planning);
    *out = plan;
    return IMF_OK;
}

void imf_plan_free(struct imf_plan **plan) {
    if (!*plan)
        return;
    imf_planning_clear(&(*plan)->planning);
    imf_chain_free(&(*plan)->chain);
    imf_filter_free(&(*plan)->oriented);
    free((*plan)->steps);
    free(*plan);
    *plan = NULL;
}

const struct imf_info *imf_plan_output(const struct imf_plan *plan) {
    return &plan->output;
}

const char *imf_plan_limited(const struct imf_plan *plan) {
    return plan->planning.limited[0] ? plan->planning.limited : NULL;
}

const char *imf_plan_steps(const struct imf_plan *plan) {
    return plan->steps;
}

const struct imf_choice *imf_plan_choice(const struct imf_plan *plan) {
    return &plan->choice;
}

bool imf_plan_key_same(const struct imf_plan_key *a, const struct imf_plan_key *b) {
    const struct imf_info *i = &a->info, *j = &b->info;
    return i->width == j->width && i->height == j->height && i->channels == j->channels &&
           i->depth == j->depth && i->type == j->type && i->type_bits == j->type_bits &&
           i->color == j->color && i->alpha == j->alpha && i->format == j->format &&
           i->bits == j->bits && i->maxval == j->maxval && i->orientation == j->orientation &&
           i->spectral == j->spectral && a->held == b->held && a->whole == b->whole &&
           a->verify == b->verify && a->twice == b->twice && a->full == b->full &&
           a->missing == b->missing && a->depth == b->depth && imf_curve_same(a->curve, b->curve);
}
