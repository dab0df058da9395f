/*
 * chain.c - a filter lowered to passes for one image
 *
 * Stages are lowered in order by the builder (chain_builder.h).
 */
#include "filter/form.h"
#include "plan/chain_builder.h"
#include "plan/region.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* A threshold is lowered by a few units in the last place: a value that equals it has to pass,
 * though a quotient, a root or their product may have been rounded down. */
#define HAIR (1 - 4 * DBL_EPSILON)

/* How far a gain may be from 1: coefficients are written with few digits. */
#define NEARLY_ONE 1e-3

static bool apply_stage(struct imf_builder *b, const struct imf_stage *stage) {
    struct imf_epilogue e = imf_plain_epilogue;
    e.full = b->chain->full;
    switch (stage->op) {
    case IMF_OP_LINEAR:
        return imf_builder_linear(b, stage);
    case IMF_OP_MAGNITUDE:
    case IMF_OP_TRANSFER:
        return imf_builder_convolve(b, stage);
    case IMF_OP_DESCREEN:
        return imf_builder_descreen(b, &stage->descreen);
    case IMF_OP_WINDOW:
        return stage->window_op.bilevel ? imf_builder_bilevel(b, &stage->window_op)
                                        : imf_builder_windows(b, stage);
    case IMF_OP_PHASE:
        return imf_builder_phase(b, stage);
    case IMF_OP_CANNY:
        return imf_builder_canny(b, &stage->canny);
    case IMF_OP_CLAHE:
        return imf_builder_clahe(b, &stage->clahe);
    case IMF_OP_DENOISE:
        return imf_builder_denoise(b, &stage->denoise);
    case IMF_OP_DEBLUR:
        return imf_builder_deblur(b, &stage->deblur);
    case IMF_OP_UNSHARP:
        return imf_builder_unsharp(b, stage);
    case IMF_OP_GRAY:
        return imf_builder_gray(b, IMF_CHANNELS_LUMA);
    case IMF_OP_INVERT:
        e.multiply = -1;
        e.offset = e.full;
        break;
    case IMF_OP_THRESHOLD:
        e.threshold = true;
        e.level = stage->threshold * e.full * HAIR;
        break;
    case IMF_OP_HISTOGRAM:
        return imf_builder_histogram_op(b, stage->histogram_op);
    case IMF_OP_BLEND:
        return imf_builder_blend(b, stage);
    }
    return imf_builder_scalar(b, &e);
}

/* The range that a stage's response is shown by: the user's if it is the one that is shown, else its own, where it is
 * that one or the last before a blend, whose source is what would be seen. */
static enum imf_range shown_by(const struct imf_filter *filter, size_t stage,
                               enum imf_range asked) {
    bool shown = stage == imf_filter_shown(filter);
    size_t next = stage + 1;
    while (next < filter->count && imf_op_is_point(filter->stages[next].op) &&
           filter->stages[next].op != IMF_OP_BLEND)
        next++;
    bool blended = next < filter->count && filter->stages[next].op == IMF_OP_BLEND;
    if (shown && asked)
        return asked;
    return shown || blended ? filter->stages[stage].range : IMF_RANGE_CLIP;
}

/* Apply the range. */
static bool show(struct imf_builder *b, enum imf_range range) {
    struct imf_epilogue e = imf_plain_epilogue;
    e.full = b->chain->full;
    switch (range) {
    case IMF_RANGE_ABS:
        e.absolute = true;
        return imf_builder_scalar(b, &e);
    case IMF_RANGE_OFFSET:
        e.offset = (e.full + 1) / 2;
        return imf_builder_scalar(b, &e);
    case IMF_RANGE_NORMALIZE:
        return imf_builder_normalize(b);
    default:
        return true;
    }
}

/* A filtering stage's kernels have a gain of nearly 1 at frequency 0 and no bias. */
static bool keeps_brightness(const struct imf_stage *s) {
    double gain = 0, bias = 0;
    if (s->op == IMF_OP_WINDOW) /* its element is no kernel of sums */
        return false;
    if (s->op == IMF_OP_TRANSFER)
        gain = imf_transfer_gain(&s->transfer, 0, 0);
    for (int i = 0; i < 2 && s->kernel[i]; i++) {
        gain = hypot(gain, imf_kernel_sum(s->kernel[i]) / s->kernel[0]->scale);
        bias = s->kernel[0]->bias;
    }
    return fabs(gain - 1) <= NEARLY_ONE && bias == 0;
}

/* A stage is more than a point operation. */
static bool filters(const struct imf_filter *filter) {
    for (size_t i = 0; i < filter->count; i++)
        if (!imf_op_is_point(filter->stages[i].op))
            return true;
    return false;
}

/* How the image's alpha is treated. */
static enum imf_alpha choose_alpha(const struct imf_filter *filter, enum imf_alpha asked) {
    bool keeps = true, straight = false;
    for (size_t i = 0; i < filter->count; i++) {
        const struct imf_stage *s = &filter->stages[i];
        /* Directions, edges, thresholds and quotients are no weighted sums of colours; blurred ones
         * are not those of the scene where alpha hides them. */
        straight = straight || s->op == IMF_OP_PHASE || s->op == IMF_OP_CANNY ||
                   s->op == IMF_OP_CLAHE || s->op == IMF_OP_DEBLUR ||
                   (s->op == IMF_OP_WINDOW && (s->window_op.bilevel || s->compound == IMF_PART));
        keeps = keeps && (imf_op_is_point(s->op) || keeps_brightness(s));
    }
    if (!filters(filter) || straight)
        return IMF_ALPHA_KEEP;
    return asked ? asked : keeps ? IMF_ALPHA_PREMULTIPLY : IMF_ALPHA_KEEP;
}

/*
 * Whether colours under alpha 0 have to be the nearest visible ones: where a filter that leaves alpha reads the pixels
 * around, and where a hidden pixel may become visible that has colours of the image. Histograms do without: they count
 * what is visible.
 */
static bool needs_fill(const struct imf_builder *b, const struct imf_filter *filter) {
    bool around = false;
    for (size_t i = 0; i < filter->count; i++)
        around = around || (imf_stage_reads_around(&filter->stages[i]) &&
                            filter->stages[i].op != IMF_OP_CLAHE);
    return b->hides && around && (!b->alpha_apart || b->pick);
}

/*
 * The image that stage i, or what follows the last one, combines with: filled where a later filter reads the pixels around,
 * and where a hidden pixel may become visible with colours of it. Otherwise as it is: what a mask leaves out stays.
 */
static int backdrop_of(const struct imf_builder *b, const struct imf_filter *filter, size_t i) {
    bool around = b->alpha_apart && b->pick;
    for (i++; i < filter->count; i++)
        around = around || imf_stage_reads_around(&filter->stages[i]);
    return around ? b->filled : -1;
}

static bool build(struct imf_builder *b, const struct imf_filter *filter,
                  const struct imf_settings *settings) {
    struct imf_chain *c = b->chain;
    struct imf_point *p;
    if (needs_fill(b, filter) && !imf_builder_fill(b))
        return false;
    if (settings->linear) {
        if (!(p = imf_builder_point(b, IMF_AT_LINEARIZE)))
            return false;
        p->linearize = true;
        b->integral = false;
    }
    if (b->pick && !imf_builder_pick(b))
        return false;
    for (size_t i = 0; i < filter->count; i++) {
        b->stage = (int)i;
        b->backdrop = backdrop_of(b, filter, i);
        if (!apply_stage(b, &filter->stages[i]) || !show(b, shown_by(filter, i, settings->range)))
            return false;
    }
    if (!imf_builder_straighten(b) || (settings->region_count && !imf_builder_regions(b)) ||
        (b->pick && !imf_builder_put(b)))
        return false;
    if (settings->linear) {
        if (!(p = imf_builder_point(b, IMF_AT_DELINEARIZE)))
            return false;
        p->delinearize = true;
    }
    if (c->in != c->out) {
        if (!(p = imf_builder_point(b, IMF_AT_RESCALE)))
            return false;
        p->rescale = c->rescale;
    }
    /* A chain that changes nothing still copies the image. */
    if (!b->pending && !c->count && !(p = imf_builder_point(b, IMF_AT_EPILOGUE)))
        return false;
    return imf_builder_flush(b);
}

/* Rounding to samples is noise, and what lossy compression leaves out hides that of the picture. */
#define COMPRESSED (2 / 255.0)
static double grain_of(const struct imf_info *input, double full) {
    bool lossy = input->format == IMF_FORMAT_JPEG;
    return lossy ? COMPRESSED * full : sqrt(1 / 12.0);
}

/* What is defined for light, of which ink has none. */
static enum imf_status check_color(const struct imf_filter *filter, const struct imf_info *input,
                                   const struct imf_settings *settings, struct imf_error *err) {
    const char *what = settings->linear ? "--linear" : settings->channels ? "--channels" : NULL;
    for (size_t i = 0; i < filter->count; i++) {
        const struct imf_stage *s = &filter->stages[i];
        if (s->op == IMF_OP_GRAY)
            what = "gray";
        else if (s->op == IMF_OP_CLAHE)
            what = "clahe";
        else if (s->op == IMF_OP_BLEND && s->blend != IMF_BLEND_NORMAL)
            what = "a blend other than normal";
    }
    if (settings->channels > IMF_CHANNELS_LUMA && input->color == IMF_COLOR_GRAY)
        return imf_fail(err, IMF_ERR_FORMAT,
                        "--channels=r, g or b needs an RGB image, this is gray");
    if (!what || input->color != IMF_COLOR_CMYK)
        return IMF_OK;
    return imf_fail(err, IMF_ERR_FORMAT, "%s needs a gray or RGB image, this is CMYK", what);
}

/* Masks are of the upright picture's size. */
static enum imf_status check_masks(const struct imf_filter *filter, const struct imf_info *input,
                                   struct imf_error *err) {
    bool swap = imf_orientation_of(input->orientation).swap;
    int width = swap ? input->height : input->width, height = swap ? input->width : input->height;
    for (size_t i = 0; i < filter->count; i++) {
        const struct imf_mask *mask = filter->stages[i].mask;
        const struct imf_mask_plane *p = mask ? imf_mask_picture(mask) : NULL;
        if (p && (p->width != width || p->height != height))
            return imf_fail(err, IMF_ERR_ARGUMENT,
                            "the mask %.200s is of %dx%d pixels, and the upright picture of %dx%d "
                            "(resize the mask)",
                            mask->name, p->width, p->height, width, height);
    }
    return IMF_OK;
}

/* The chain for a part of the image. */
static enum imf_status build_part(struct imf_chain **out, const struct imf_filter *filter,
                                  const struct imf_info *input, const struct imf_settings *settings,
                                  const struct imf_rect *regions, size_t region_count,
                                  struct imf_rect part, struct imf_error *err) {
    struct imf_chain *c = *out = calloc(1, sizeof *c);
    if (!c)
        return imf_fail_memory(err, sizeof *c);
    int out_depth = settings->depth ? settings->depth : input->depth;
    c->part = part;
    c->width = part.width;
    c->height = part.height;
    if (part.width != input->width || part.height != input->height)
        c->kept_row = (double)input->width * input->channels * (input->depth / 8);
    c->channels_in = input->channels;
    c->in = input->depth == 16 ? IMF_U16 : IMF_U8;
    c->out = out_depth == 16 ? IMF_U16 : IMF_U8;
    c->full = imf_sample_max(c->in);
    c->rescale = c->in == c->out ? 1 : c->out == IMF_U16 ? 257 : 1 / 257.0;
    c->edge = settings->edge;
    c->grain = grain_of(input, c->full);
    c->curve = settings->linear ? imf_curve_keep(settings->curve) : NULL;
    enum imf_alpha alpha = input->alpha ? choose_alpha(filter, settings->alpha) : IMF_ALPHA_FILTER;
    c->keep_alpha = alpha == IMF_ALPHA_KEEP && filters(filter); /* point operations leave it */
    struct imf_builder b = {.chain = c,
                            .input = input,
                            .settings = settings,
                            .regions = regions,
                            .region_count = region_count,
                            .pick = input->color == IMF_COLOR_RGB ? settings->channels : 0,
                            .channels = input->channels,
                            .source = -1,
                            .alpha = input->alpha,
                            .alpha_apart = input->alpha && alpha != IMF_ALPHA_KEEP,
                            .hides = input->alpha && settings->alpha != IMF_ALPHA_KEEP &&
                                     settings->alpha != IMF_ALPHA_FILTER,
                            .filled = -1,
                            .backdrop = -1,
                            .premultiplies = alpha == IMF_ALPHA_PREMULTIPLY,
                            .positive = true,
                            .integral = true,
                            .bound = c->full};
    imf_builder_border(&b);
    if (!build(&b, filter, settings) || !imf_builder_bound_fill(c)) {
        imf_chain_free(out);
        return imf_fail_memory(err, sizeof *c);
    }
    imf_chain_set_bounds(c);
    return IMF_OK;
}

enum imf_status imf_chain_build(struct imf_chain **out, const struct imf_filter *filter,
                                const struct imf_info *input, const struct imf_settings *settings,
                                struct imf_error *err) {
    const struct imf_rect all = {0, 0, input->width, input->height};
    struct imf_rect *regions = NULL;
    size_t region_count = 0;
    *out = NULL;
    enum imf_status status = check_color(filter, input, settings, err);
    if (status == IMF_OK)
        status = check_masks(filter, input, err);
    if (status == IMF_OK && settings->region_count)
        status = imf_regions_place(&regions, &region_count, settings, input, err);
    if (status == IMF_OK)
        status = build_part(out, filter, input, settings, regions, region_count, all, err);
    if (status == IMF_OK && regions) {
        struct imf_rect part =
            imf_regions_part(*out, regions, region_count, settings->mask_feather);
        imf_chain_free(out);
        status = build_part(out, filter, input, settings, regions, region_count, part, err);
    }
    free(regions);
    return status;
}

void imf_chain_free(struct imf_chain **chain) {
    if (!*chain)
        return;
    for (int i = 0; i < (*chain)->count; i++)
        imf_kernel_free(&(*chain)->passes[i].kernel);
    free((*chain)->passes);
    free((*chain)->profiles);
    imf_curve_free(&(*chain)->curve);
    free(*chain);
    *chain = NULL;
}
