/*
 * lower.c - the stages of a filter as operations on an image
 *
 * Colours are premultiplied just before a filter that spreads them, and divided by alpha just before
 * anything that reads the colours themselves.
 */
#include "base/orientation.h"
#include "filter/form.h"
#include "plan/operations.h"
#include "plan/region.h"

#include <float.h>
#include <math.h>

/* A threshold is lowered by a few units in the last place: a value that equals it has to pass,
 * though a quotient, a root or their product may have been rounded down. */
#define HAIR (1 - 4 * DBL_EPSILON)

/* What the operations so far have led to. */
struct lowering {
    struct imf_operations *out;
    struct imf_chain *chain;
    const struct imf_info *input;
    const struct imf_settings *settings;
    enum imf_channels pick; /* of the image's colours, if it has three */
    int stage;
    int current; /* the operation whose result it is, or -1: the image */
    int channels;
    bool hides; /* colours under alpha 0 do not count */
    /* The current alpha is no longer the image's, which is to stay. */
    bool alpha_filtered;
    int filled;                       /* the image with colours under alpha 0, or -1 */
    int backdrop;                     /* which of these what is combined with the image reads */
    bool premultiplies;               /* colours are premultiplied for filtering, */
    bool premultiplied;               /* and the current ones are */
    double outside[IMF_CHANNELS_MAX]; /* colours beyond the edge, straight, in the filter's light */
};

static struct imf_operation *append(struct lowering *l, enum imf_operation_kind kind) {
    struct imf_operation *op = imf_operations_insert(l->out, l->out->count, kind);
    op->stage = l->stage;
    op->channels = l->channels;
    op->source = l->current;
    l->current = l->out->count - 1;
    return op;
}

/* A solver's problem, which the caller completes. Beyond the edge there is opaque grey. */
static struct imf_problem *solve(struct lowering *l) {
    const struct imf_chain *c = l->chain;
    struct imf_problem *p = &append(l, IMF_SOLVE)->problem;
    *p = (struct imf_problem){.width = c->width,
                              .height = c->height,
                              .channels = l->channels,
                              .out = IMF_F32,
                              .epilogue = imf_plain_epilogue,
                              .edge = c->edge,
                              .unit = c->full};
    for (int i = 0; i < l->channels; i++)
        p->outside[i] = l->out->alpha && i == l->channels - 1 ? c->full : l->outside[i];
    p->epilogue.full = c->full;
    l->alpha_filtered = l->out->alpha && !l->out->alpha_apart;
    return p;
}

/* ---- alpha and colours ----------------------------------------------------------------------- */

/* Before a filter that spreads colours. */
static void premultiply(struct lowering *l) {
    if (l->premultiplies && !l->premultiplied)
        append(l, IMF_PREMULTIPLY);
    l->premultiplied = l->premultiplies;
}

static void straighten(struct lowering *l) {
    if (l->premultiplied)
        append(l, IMF_UNPREMULTIPLY)->alpha_scale = 1;
    l->premultiplied = false;
}

/* Let the current values have the alpha that pixels are weighed by: the image's, if it is to stay. */
static void take_alpha(struct lowering *l) {
    if (!l->hides || !l->alpha_filtered)
        return;
    append(l, IMF_TAKE_ALPHA)->second = -1;
    l->alpha_filtered = false;
}

/* The leading channels that colour arithmetic is for. */
static int colors(const struct lowering *l) {
    return l->channels - l->out->alpha;
}

/* The same of a filter that alpha may pass through. */
static int filtered_colors(const struct lowering *l) {
    return l->channels - (l->out->alpha && !l->out->alpha_apart);
}

/* The colours beyond the edge are those of the image. */
static void set_border(struct lowering *l) {
    const struct imf_chain *c = l->chain;
    double v = rint(l->settings->edge_value * c->full);
    for (int i = 0, n = c->channels_in - l->out->alpha; i < n; i++)
        l->outside[i] =
            !l->settings->linear
                ? v
                : c->full * imf_curve_to_light(c->curve, imf_curve_of(c->curve, i, n), v / c->full);
}

/* Reduce colours to one; gray stays. */
static void gray(struct lowering *l, enum imf_channels which) {
    if (colors(l) == 1)
        return;
    straighten(l);
    l->channels = l->out->alpha ? 2 : 1;
    append(l, IMF_GRAY)->gray = which;
    const double *luma = imf_curve_luma(l->chain->curve);
    double *o = l->outside;
    o[0] = which == IMF_CHANNELS_LUMA ? IMF_LUMA_BY(luma[1], luma[2], o[0], o[1], o[2])
                                      : o[which - IMF_CHANNELS_RED];
}

/* Put what was picked of the image's colours back into them. */
static void put(struct lowering *l) {
    l->channels = l->chain->channels_in;
    struct imf_operation *op = append(l, IMF_PUT);
    op->second = l->backdrop;
    op->blend.pick = l->pick;
}

/* Apply an epilogue to every straight colour. */
static void scalar(struct lowering *l, const struct imf_epilogue *e) {
    straighten(l);
    append(l, IMF_SCALAR)->scalar = *e;
}

static void blend(struct lowering *l, enum imf_blend_mode mode, const struct imf_weights *w) {
    straighten(l);
    l->channels = l->pick ? 1 + l->out->alpha : l->chain->channels_in;
    struct imf_operation *op = append(l, IMF_BLEND);
    op->second = l->backdrop;
    op->blend.mode = mode;
    op->blend.pick = l->pick;
    op->blend.weights = *w;
    if (!l->pick)
        set_border(l);
}

static void blend_stage(struct lowering *l, const struct imf_stage *stage) {
    struct imf_weights w = {
        .amount = stage->amount, .invert = l->settings->mask_invert, .part = l->chain->part};
    if (stage->mask)
        w.mask = imf_mask_find(stage->mask, l->input->orientation, l->settings->mask_feather);
    blend(l, stage->blend, &w);
}

/* Leave the image as it is outside the regions. */
static void keep_outside(struct lowering *l, const struct imf_rect *regions, size_t count) {
    struct imf_weights w = {.amount = 1, .part = l->chain->part};
    const struct imf_rect image = {0, 0, l->input->width, l->input->height};
    if (imf_regions_weigh(&w, &l->chain->profiles, regions, count, image,
                          l->settings->mask_feather))
        blend(l, IMF_BLEND_NORMAL, &w);
    else
        l->out->no_memory = true;
}

/* ---- sums of products and functions of windows ----------------------------------------------- */

void imf_operation_convolve(struct imf_problem *p, const struct imf_kernel *k,
                            const struct imf_kernel *other) {
    if (other)
        imf_problem_magnitude(p, k, other);
    else
        imf_problem_convolve(p, k);
    p->epilogue.scale = k->scale;
}

static void convolve(struct lowering *l, const struct imf_kernel *k,
                     const struct imf_kernel *other) {
    premultiply(l);
    struct imf_problem *p = solve(l);
    double bias = k->bias * l->chain->full;
    imf_operation_convolve(p, k, other);
    if (bias != 0 && l->out->alpha_apart) { /* it is for colours alone */
        struct imf_epilogue e = imf_plain_epilogue;
        e.full = l->chain->full;
        e.offset = bias;
        scalar(l, &e);
    } else {
        p->epilogue.add = bias;
    }
}

static void window(struct lowering *l, const struct imf_window_op *op) {
    premultiply(l);
    struct imf_problem *p = solve(l);
    imf_problem_window_op(p, op);
    p->colors = filtered_colors(l); /* alpha that is kept is no colour */
}

/* Combine the result of operation `original` with that of the current one. The caller adds how. */
static struct imf_operation *combine(struct lowering *l, int original, double amount) {
    int blurred = l->current;
    l->current = original;
    struct imf_operation *op = append(l, IMF_COMBINE);
    op->second = blurred;
    op->combine.amount = amount;
    return op;
}

/* Of one window operation or two: enum imf_compound. */
static void windows(struct lowering *l, const struct imf_stage *stage) {
    premultiply(l);
    int original = l->current;
    window(l, &stage->window_op);
    int first = l->current;
    if (stage->compound == IMF_APART)
        l->current = original;
    if (stage->compound != IMF_ALONE)
        window(l, &stage->second);
    if (stage->compound == IMF_APART) {
        int second = l->current;
        l->current = first;
        combine(l, second, 1)->combine.difference = true;
    } else if (stage->compound == IMF_PART) {
        convolve(l, stage->kernel[0], NULL); /* the mean */
        combine(l, original, 0)->combine.quotient = true;
    } else if (stage->compound == IMF_ABOVE || stage->compound == IMF_BELOW) {
        double sign = stage->compound == IMF_BELOW ? -1 : 1;
        combine(l, original, sign)->combine.difference = true;
    }
}

static void unsharp(struct lowering *l, const struct imf_stage *stage) {
    premultiply(l);
    int original = l->current;
    convolve(l, stage->kernel[0], NULL);
    combine(l, original, stage->amount)->combine.level = stage->threshold * l->chain->full;
}

/* ---- what reads integer samples and leaves them: edges, thresholds, histograms --------------- */

/* What they read is rounded to the image's depth: by themselves, or by the pass before, where that
 * has no other reader (fuse.c). Alpha that is apart passes through: after a filter it is no sample.
 * `weighs`: it counts pixels, but not those of alpha 0. */
static struct imf_problem *solve_samples(struct lowering *l, bool weighs) {
    straighten(l);
    if (weighs)
        take_alpha(l);
    struct imf_problem *p = solve(l);
    p->weigh = weighs && l->hides;
    return p;
}

static void bilevel(struct lowering *l, const struct imf_window_op *op) {
    struct imf_problem *p = solve_samples(l, false);
    for (int i = 0; i < l->channels; i++) /* rounded, too */
        p->outside[i] = imf_sample_round(p->outside[i], l->chain->full);
    imf_problem_window_op(p, op);
}

/* ---- restoring ------------------------------------------------------------------------------- */

/* Where blocks begin in a part of the picture that begins at `from` of a side of `size` pixels; their
 * own size is a multiple of the step. */
static int grid_start(const struct imf_denoise *denoise, int first, int from, int size) {
    int step = imf_denoise_grid(denoise)->step, at = (first < 0 ? size : 0) - from;
    return (at % step + step) % step;
}

static void denoise(struct lowering *l, const struct imf_denoise *denoise) {
    premultiply(l);
    take_alpha(l);
    struct imf_problem *p = solve(l);
    const struct imf_rect *part = &l->chain->part;
    imf_problem_denoise(p, denoise, filtered_colors(l));
    p->weigh = l->hides && !l->out->alpha_apart;
    p->grid_x = grid_start(denoise, denoise->first_x, part->x, l->input->width);
    p->grid_y = grid_start(denoise, denoise->first_y, part->y, l->input->height);
}

/* Let colours under alpha 0 be the nearest visible ones. */
static void fill(struct lowering *l) {
    double x = 1, y = 1;
    struct imf_orientation o = imf_orientation_of(l->input->orientation);
    imf_offset_to_stored(o, &x, &y);
    const struct imf_fill fill = {.first_x = (int)x, .first_y = (int)y, .turned = o.swap};
    imf_problem_fill(solve(l), &fill);
    l->alpha_filtered = false;
    l->filled = l->current;
}

/* ---- stages ---------------------------------------------------------------------------------- */

/* Stretch the colours to the full scale. */
static void normalize(struct lowering *l) {
    straighten(l);
    take_alpha(l);
    append(l, IMF_NORMALIZE)->normalize.weigh = l->hides;
}

static void lower_stage(struct lowering *l, const struct imf_stage *stage) {
    struct imf_epilogue e = imf_plain_epilogue;
    struct imf_problem *p;
    e.full = l->chain->full;
    switch (stage->op) {
    case IMF_OP_LINEAR:
    case IMF_OP_MAGNITUDE:
        convolve(l, stage->kernel[0], stage->op == IMF_OP_MAGNITUDE ? stage->kernel[1] : NULL);
        break;
    case IMF_OP_TRANSFER:
        premultiply(l);
        imf_problem_transfer(solve(l), &stage->transfer);
        break;
    case IMF_OP_DESCREEN:
        premultiply(l);
        imf_problem_descreen(solve(l), &stage->descreen, filtered_colors(l));
        break;
    case IMF_OP_WINDOW:
        if (stage->window_op.bilevel)
            bilevel(l, &stage->window_op);
        else
            windows(l, stage);
        break;
    case IMF_OP_PHASE:
        imf_problem_phase(solve(l), stage->kernel[0], stage->kernel[1]);
        break;
    case IMF_OP_CANNY:
        imf_problem_canny(solve_samples(l, false), &stage->canny, colors(l));
        break;
    case IMF_OP_CLAHE:
        imf_problem_clahe(solve_samples(l, true), &stage->clahe, colors(l));
        break;
    case IMF_OP_HISTOGRAM:
        imf_problem_histogram_op(solve_samples(l, true), stage->histogram_op, colors(l));
        break;
    case IMF_OP_DENOISE:
        denoise(l, &stage->denoise);
        break;
    case IMF_OP_DEBLUR:
        p = solve(l);
        imf_problem_deblur(p, &stage->deblur, colors(l));
        p->grain = l->chain->grain;
        break;
    case IMF_OP_UNSHARP:
        unsharp(l, stage);
        break;
    case IMF_OP_GRAY:
        gray(l, IMF_CHANNELS_LUMA);
        break;
    case IMF_OP_INVERT:
        e.multiply = -1;
        e.offset = e.full;
        scalar(l, &e);
        break;
    case IMF_OP_THRESHOLD:
        e.threshold = true;
        e.level = stage->threshold * e.full * HAIR;
        scalar(l, &e);
        break;
    case IMF_OP_BLEND:
        blend_stage(l, stage);
        break;
    }
}

/* The range that a stage's response is shown by: the user's if it is the one that is shown, else its
 * own, where it is that one or the last before a blend, whose source is what would be seen. */
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

static void show(struct lowering *l, enum imf_range range) {
    struct imf_epilogue e = imf_plain_epilogue;
    e.full = l->chain->full;
    e.absolute = range == IMF_RANGE_ABS;
    e.offset = range == IMF_RANGE_OFFSET ? (e.full + 1) / 2 : 0;
    if (range == IMF_RANGE_NORMALIZE)
        normalize(l);
    else if (e.absolute || e.offset != 0)
        scalar(l, &e);
}

/* ---- the whole ------------------------------------------------------------------------------- */

void imf_lower(struct imf_operations *o, struct imf_chain *c, const struct imf_filter *filter,
               const struct imf_info *input, const struct imf_rect *regions, size_t region_count) {
    const struct imf_settings *settings = o->settings;
    enum imf_alpha alpha =
        input->alpha ? imf_alpha_choose(filter, settings->alpha) : IMF_ALPHA_FILTER;
    o->alpha = input->alpha;
    o->alpha_apart = input->alpha && alpha != IMF_ALPHA_KEEP;
    c->keep_alpha = alpha == IMF_ALPHA_KEEP && imf_filter_filters(filter);
    struct lowering l = {.out = o,
                         .chain = c,
                         .input = input,
                         .settings = settings,
                         .pick = input->color == IMF_COLOR_RGB ? settings->channels : 0,
                         .current = -1,
                         .channels = input->channels,
                         .hides = input->alpha && settings->alpha != IMF_ALPHA_KEEP &&
                                  settings->alpha != IMF_ALPHA_FILTER,
                         .filled = -1,
                         .backdrop = -1,
                         .premultiplies = alpha == IMF_ALPHA_PREMULTIPLY};
    set_border(&l);
    bool shows = o->alpha_apart && l.pick; /* hidden pixels, with colours of the image */
    if (l.hides && (!o->alpha_apart || shows) && imf_alpha_needs_fill(filter))
        fill(&l);
    if (settings->linear)
        append(&l, IMF_LINEARIZE);
    if (l.pick)
        gray(&l, l.pick);
    for (size_t i = 0; i < filter->count; i++) {
        l.stage = (int)i;
        /* What is combined with the image has it filled where that matters. Otherwise it is as it
         * is: what a mask leaves out stays. */
        l.backdrop = shows || imf_filter_reads_around(filter, i + 1) ? l.filled : -1;
        lower_stage(&l, &filter->stages[i]);
        show(&l, shown_by(filter, i, settings->range));
    }
    straighten(&l);
    if (region_count)
        keep_outside(&l, regions, region_count);
    if (l.pick)
        put(&l);
    if (settings->linear)
        append(&l, IMF_DELINEARIZE);
    if (c->in != c->out || l.current < 0) /* a chain that changes nothing still copies the image */
        append(&l, IMF_RESCALE);
}
