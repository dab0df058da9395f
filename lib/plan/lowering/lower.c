/*
 * lower.c - the stages of a filter as operations on an image
 *
 * Colours are premultiplied just before a filter that spreads them, and divided by alpha just before
 * anything that reads the colours themselves.
 */
#include "plan/lowering/current.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A threshold is lowered by a few units in the last place: a value that equals it has to pass,
 * though a quotient, a root or their product may have been rounded down. */
#define HAIR (1 - 4 * DBL_EPSILON)

/* ---- colours ----------------------------------------------------------------------- */

/* The leading channels that are colours, and are filtered: alpha that is apart passes through as they do. */
static int colors(const struct imf_lowering *l, bool apart) {
    return l->channels - (l->out->alpha && !apart);
}

static double edge_value(const struct imf_lowering *l) {
    double v = l->settings->edge_value * l->chain->full;
    return l->chain->integer ? rint(v) : v;
}

/* The colours beyond the edge are those of the image. */
static void set_border(struct imf_lowering *l) {
    const struct imf_chain *c = l->chain;
    double v = edge_value(l);
    for (int i = 0, n = c->channels_in - l->out->alpha; i < n; i++)
        l->outside[i] =
            !l->light
                ? v
                : c->full * imf_curve_to_light(c->curve, imf_curve_of(c->curve, i, n), v / c->full);
}

/* Reduce colours to one; gray stays. */
static void gray(struct imf_lowering *l, enum imf_channels which) {
    if (colors(l, false) == 1)
        return;
    imf_lowering_straighten(l);
    l->channels = l->out->alpha ? 2 : 1;
    imf_lowering_append(l, IMF_GRAY)->gray = which;
    const double *luma = imf_curve_luma(l->chain->curve);
    double *o = l->outside;
    if (which == IMF_CHANNELS_ALPHA) /* whose sample beyond the edge that is */
        o[0] = edge_value(l);
    else
        o[0] = which == IMF_CHANNELS_LUMA ? IMF_LUMA_BY(luma[1], luma[2], o[0], o[1], o[2])
                                          : o[which - IMF_CHANNELS_RED];
}

/* A function of every straight colour; the caller adds which. */
static struct imf_epilogue *scalar(struct imf_lowering *l) {
    imf_lowering_straighten(l);
    struct imf_epilogue *e = &imf_lowering_append(l, IMF_SCALAR)->scalar;
    *e = imf_lowering_plain(l);
    return e;
}

static void map(struct imf_lowering *l, const struct imf_stage *stage,
                enum imf_operation_kind kind) {
    imf_lowering_straighten(l);
    struct imf_operation *op = imf_lowering_append(l, kind);
    memcpy(op->map.number, stage->number, sizeof op->map.number);
    op->map.spline = stage->spline;
}

static void blend(struct imf_lowering *l, enum imf_blend_mode mode, struct imf_weights w) {
    imf_lowering_straighten(l);
    l->channels = l->pick ? 1 + l->out->alpha : l->chain->channels_in;
    struct imf_operation *op = imf_lowering_append(l, IMF_BLEND);
    op->second = l->backdrop;
    op->blend.mode = mode;
    op->blend.pick = l->pick;
    op->blend.weights = w;
    op->blend.light = l->light;
    op->blend.apart = l->out->alpha_apart;
    if (!l->pick)
        set_border(l);
}

static void blend_stage(struct imf_lowering *l, const struct imf_stage *stage) {
    struct imf_weights w = {.amount = stage->amount, .invert = l->settings->mask_invert};
    if (stage->mask)
        w.mask = imf_mask_planned(stage->mask, l->orientation, l->settings->mask_feather);
    blend(l, stage->blend, w);
}

/* ---- solvers' work --------------------------------------------------------------------------- */

void imf_operation_convolve(struct imf_problem *p, const struct imf_kernel *k,
                            const struct imf_kernel *other) {
    if (other)
        imf_problem_magnitude(p, k, other);
    else
        imf_problem_convolve(p, k);
    p->epilogue.scale = k->scale;
}

/* A gain of less says nothing of the level around, of which a mean could be taken without a sample. */
#define LEVELS 1e-3

static void convolve(struct imf_lowering *l, const struct imf_kernel *k,
                     const struct imf_kernel *other) {
    double gain = imf_kernel_sum(k) / k->scale;
    bool weighs = !other && fabs(gain) > LEVELS;
    imf_lowering_leave_out(l, weighs);
    imf_lowering_premultiply(l);
    struct imf_problem *p = imf_lowering_solve(l);
    double bias = k->bias * l->chain->full;
    imf_operation_convolve(p, k, other);
    if (l->missing && weighs && gain < 0) /* so that what is there weighs more than nothing */
        p->epilogue.scale = -p->epilogue.scale;
    if (l->missing && weighs) { /* the mean of those that are there, times the gain */
        imf_lowering_straighten(l);
        scalar(l)->multiply = gain;
    } else if (l->missing) {
        imf_lowering_lose(l, p->reach);
    }
    if (bias != 0 && l->out->alpha_apart) /* it is for colours alone */
        scalar(l)->offset = bias;
    else
        p->epilogue.add = bias;
}

static void set_problem(struct imf_problem *p, const struct imf_stage *stage, int filtered) {
    switch (stage->op) {
    case IMF_OP_TRANSFER:
        imf_problem_transfer(p, &stage->transfer);
        break;
    case IMF_OP_DESCREEN:
        imf_problem_descreen(p, &stage->descreen, filtered);
        break;
    case IMF_OP_PHASE:
        imf_problem_phase(p, stage->kernel[0], stage->kernel[1]);
        break;
    case IMF_OP_CANNY:
        imf_problem_canny(p, &stage->canny, filtered);
        break;
    case IMF_OP_CLAHE:
        imf_problem_clahe(p, &stage->clahe, filtered);
        break;
    case IMF_OP_HISTOGRAM:
        imf_problem_histogram_op(p, stage->histogram_op, filtered);
        p->black = stage->black;
        p->white = stage->white;
        p->gamma = stage->gamma;
        break;
    case IMF_OP_DENOISE:
        imf_problem_denoise(p, &stage->denoise, filtered);
        break;
    case IMF_OP_DESPECKLE:
        imf_problem_despeckle(p, &stage->despeckle, filtered);
        break;
    default: /* IMF_OP_DEBLUR */
        imf_problem_deblur(p, &stage->deblur, filtered);
    }
}

/* What counts samples counts those of 8 or 16 bits; others become 16 bits from 0 to full scale. The solver's problem is set for these;
 * its result becomes floats again. */
static void scale(struct imf_lowering *l, double by, bool whole) {
    struct imf_operation *op = imf_lowering_append(l, IMF_RESCALE);
    op->rescale.by = by;
    op->rescale.whole = whole;
}

static bool counts_words(const struct imf_lowering *l) {
    enum imf_sample in = l->chain->in;
    return in == IMF_F32 || in == IMF_F64 || l->chain->full != imf_sample_max(in);
}

static void to_words(struct imf_lowering *l) {
    if (counts_words(l))
        scale(l, imf_sample_max(IMF_U16) / l->chain->full, true);
}

static void from_words(struct imf_lowering *l, struct imf_problem *p) {
    if (!counts_words(l))
        return;
    p->unit = p->epilogue.full = imf_sample_max(IMF_U16);
    p->hidden = 0.5;
    for (int i = 0; i < p->channels; i++)
        p->outside[i] = imf_sample_round(p->outside[i] / l->chain->full * p->unit, p->unit);
    scale(l, l->chain->full / imf_sample_max(IMF_U16), false);
}

/* What reads integer samples and leaves them (edges, thresholds, histograms) has what it reads rounded
 * to the image's depth: by itself, or by the pass before, where that has no other reader (fuse.c).
 * What counts pixels leaves out those of alpha 0; alpha that is apart passes through a histogram:
 * after a filter it is no sample. */
static void solve_stage(struct imf_lowering *l, const struct imf_stage *stage) {
    bool histogram = stage->op == IMF_OP_HISTOGRAM;
    if (!histogram)
        imf_lowering_leave_out(l, false);
    bool counts = histogram || stage->op == IMF_OP_CLAHE || stage->op == IMF_OP_DENOISE;
    bool apart = l->out->alpha_apart && !histogram && !l->missing;
    if (histogram)
        imf_lowering_straighten(l);
    else
        imf_lowering_premultiply(l);
    if (counts)
        imf_lowering_take_alpha(l);
    bool decides = histogram || stage->op == IMF_OP_CLAHE || stage->op == IMF_OP_CANNY;
    if (decides)
        to_words(l);
    struct imf_problem *p = imf_lowering_solve(l);
    p->weigh = counts && l->hides && !apart;
    set_problem(p, stage, colors(l, apart));
    if (p->kind == IMF_PHASE)
        imf_lowering_lose(l, p->reach);
    if (decides)
        from_words(l, p);
}

static void window(struct imf_lowering *l, const struct imf_window_op *op) {
    imf_lowering_leave_out(l, false);
    imf_lowering_premultiply(l);
    if (op->bilevel)
        to_words(l);
    struct imf_problem *p = imf_lowering_solve(l);
    for (int i = 0; i < l->channels && op->bilevel && !counts_words(l);
         i++) /* rounded, as samples are */
        p->outside[i] = imf_sample_round(p->outside[i], l->chain->full);
    imf_problem_window_op(p, op);
    p->colors = colors(l, l->out->alpha_apart && !l->missing); /* alpha that is kept is no colour */
    if (op->bilevel)
        from_words(l, p);
}

/* What alpha hides is what the image's alpha hides, whatever --alpha says. */
static void fill(struct imf_lowering *l) {
    if (!l->out->alpha)
        return;
    int filled = l->filled;
    if (l->alpha_filtered)
        imf_lowering_append(l, IMF_TAKE_ALPHA)->second = -1;
    imf_lowering_fill(l);
    l->out->list[l->current].problem.fill.all = true;
    l->filled = filled;
}

/* Combine the result of operation `original` with that of the current one. The caller adds how. */
static struct imf_operation *combine(struct imf_lowering *l, int original, double amount) {
    int blurred = l->current;
    l->current = original;
    struct imf_operation *op = imf_lowering_append(l, IMF_COMBINE);
    op->second = blurred;
    op->combine.amount = amount;
    return op;
}

/* Of one window operation or two: enum imf_compound. */
static void windows(struct imf_lowering *l, const struct imf_stage *stage) {
    imf_lowering_leave_out(l, false);
    imf_lowering_premultiply(l);
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

static void unsharp(struct imf_lowering *l, const struct imf_stage *stage) {
    imf_lowering_leave_out(l, false);
    imf_lowering_premultiply(l);
    int original = l->current;
    convolve(l, stage->kernel[0], NULL);
    combine(l, original, stage->amount)->combine.level = stage->threshold * l->chain->full;
}

/* ---- stages ---------------------------------------------------------------------------------- */

static void lower_stage(struct imf_lowering *l, const struct imf_stage *stage) {
    double full = l->chain->full;
    struct imf_epilogue *e;
    switch (stage->op) {
    case IMF_OP_LINEAR:
    case IMF_OP_MAGNITUDE:
        convolve(l, stage->kernel[0], stage->op == IMF_OP_MAGNITUDE ? stage->kernel[1] : NULL);
        break;
    case IMF_OP_WINDOW:
        windows(l, stage);
        break;
    case IMF_OP_UNSHARP:
        unsharp(l, stage);
        break;
    case IMF_OP_GRAY:
        gray(l, IMF_CHANNELS_LUMA);
        break;
    case IMF_OP_INVERT:
        e = scalar(l);
        e->multiply = -1;
        e->offset = full;
        break;
    case IMF_OP_THRESHOLD:
        e = scalar(l);
        e->threshold = true;
        e->level = stage->threshold * full * HAIR;
        break;
#define MAP(name, ...)                                                                             \
    case IMF_OP_##name:                                                                            \
        map(l, stage, IMF_##name);                                                                 \
        break;
        IMF_MAP_STAGES(MAP)
    case IMF_OP_BLEND:
        blend_stage(l, stage);
        break;
    case IMF_OP_FILL:
        fill(l);
        break;
    case IMF_OP_TRANSFER:
    case IMF_OP_DESCREEN:
    case IMF_OP_PHASE:
    case IMF_OP_CANNY:
    case IMF_OP_CLAHE:
    case IMF_OP_HISTOGRAM:
    case IMF_OP_DENOISE:
    case IMF_OP_DESPECKLE:
    case IMF_OP_DEBLUR:
        solve_stage(l, stage);
        break;
    }
}

/* Between black and white, as integers have it: 128 of 255. */
static double grey(const struct imf_chain *c) {
    return (c->full + c->integer) / 2;
}

/* Show a stage's response by a range mode: the user's for the one that is shown, else its own, but what may be
 * below 0 and beyond full scale needs none. */
static void show(struct imf_lowering *l, const struct imf_stage *stage, enum imf_range asked) {
    enum imf_range own = l->chain->open ? IMF_RANGE_CLIP : stage->range;
    enum imf_range range = !stage->seen ? IMF_RANGE_CLIP : asked ? asked : own;
    if (range == IMF_RANGE_NORMALIZE) { /* stretch colours to full scale */
        imf_lowering_straighten(l);
        imf_lowering_take_alpha(l);
        imf_lowering_append(l, IMF_NORMALIZE)->normalize.weigh = l->hides;
    } else if (range == IMF_RANGE_ABS) {
        scalar(l)->absolute = true;
    } else if (range == IMF_RANGE_OFFSET) {
        scalar(l)->offset = grey(l->chain);
    } else if (l->chain->open && asked == IMF_RANGE_CLIP) {
        imf_lowering_straighten(l);
        imf_lowering_append(l, IMF_CLIP);
    }
}

void imf_lower(struct imf_operations *o, const struct imf_filter *filter,
               const struct imf_info *input, bool regions) {
    const struct imf_settings *settings = o->settings;
    const struct imf_form *form = &filter->form;
    struct imf_chain *c = o->chain;
    /* Alpha alone is a gray image without alpha. Chroma is all colours, until they get their luma back. */
    enum imf_channels picked = input->color == IMF_COLOR_RGB ? settings->channels : 0;
    bool alone = settings->channels == IMF_CHANNELS_ALPHA, has_alpha = input->alpha && !alone;
    picked = alone ? IMF_CHANNELS_ALPHA : picked;
    enum imf_alpha asked = settings->alpha ? settings->alpha : form->alpha;
    enum imf_alpha alpha = !has_alpha          ? IMF_ALPHA_FILTER
                           : form->keeps_alpha ? IMF_ALPHA_KEEP
                                               : asked;
    o->alpha = has_alpha;
    o->alpha_apart = has_alpha && (alpha != IMF_ALPHA_KEEP || settings->missing);
    c->keep_alpha = alpha == IMF_ALPHA_KEEP && form->filters && !settings->missing;
    struct imf_lowering l = {.out = o,
                             .chain = c,
                             .settings = settings,
                             .orientation = input->orientation,
                             .light = settings->linear && !alone,
                             .pick = picked == IMF_CHANNELS_CHROMA ? 0 : picked,
                             .current = -1,
                             .channels = input->channels,
                             .hides = has_alpha && settings->alpha != IMF_ALPHA_KEEP &&
                                      settings->alpha != IMF_ALPHA_FILTER,
                             .missing = settings->missing,
                             .filled = -1,
                             .backdrop = -1,
                             .premultiplies = alpha == IMF_ALPHA_PREMULTIPLY && !settings->missing};
    set_border(&l);
    bool shows = o->alpha_apart && picked; /* hidden pixels, with colours of the image */
    if (l.hides && (!o->alpha_apart || shows) && form->fills && !settings->missing)
        imf_lowering_fill(&l);
    if (l.light)
        imf_lowering_append(&l, IMF_LINEARIZE);
    if (l.pick)
        gray(&l, l.pick);
    for (size_t i = 0; i < filter->count; i++) {
        l.stage = (int)i;
        /* What is combined with the image has it filled where that matters. Otherwise it is as it
         * is: what a mask leaves out stays. */
        l.backdrop = shows || form->around > i + 1 ? l.filled : -1;
        lower_stage(&l, &filter->stages[i]);
        show(&l, &filter->stages[i], i == form->shown ? settings->range : IMF_RANGE_DEFAULT);
    }
    imf_lowering_straighten(&l);
    if (regions) /* leave the image as it is outside them */
        blend(&l, IMF_BLEND_NORMAL, (struct imf_weights){.amount = 1, .regions = true});
    if (picked) { /* put what was picked of the image's colours back into them */
        l.channels = c->channels_in;
        struct imf_operation *op = imf_lowering_append(&l, IMF_PUT);
        op->second = l.backdrop;
        op->blend.pick = picked;
        op->blend.light = l.light;
    }
    if (l.light)
        imf_lowering_append(&l, IMF_DELINEARIZE);
    if (settings->depth == 1) { /* what is closer to white, ties to black */
        struct imf_epilogue *e = scalar(&l);
        e->threshold = true;
        e->level = nextafterf((float)(c->full / 2), INFINITY);
    }
    if (c->rescale != 1 || c->in != c->out ||
        l.current < 0) /* a chain that changes nothing still copies the image */
        imf_lowering_append(&l, IMF_RESCALE)->rescale.by = c->rescale;
}
