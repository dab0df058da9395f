/*
 * chain.c - a filter lowered to passes for one image
 *
 * Stages are taken in order. Point operations gather in a pending point pass until a convolution
 * needs their result, or join the epilogue of the convolution just before them. Bounds of the
 * values and what is known of their being integers travel along, since they decide which solvers
 * are exact enough.
 */
#include "chain.h"

#include "point.h"

#include <math.h>
#include <stdlib.h>

struct builder {
    struct imf_chain *chain;
    int capacity;
    int channels;
    int source;              /* surface that holds the present values */
    bool alpha, alpha_apart; /* alpha must not pass through colour arithmetic */
    bool integral;           /* the present values are integers */
    double bound;            /* largest |value| */
    bool pending;
    enum {
        AT_START,
        AT_LINEARIZE,
        AT_PREMULTIPLY,
        AT_UNSHARP,
        AT_GRAY,
        AT_NORMALIZE,
        AT_EPILOGUE,
        AT_UNPREMULTIPLY,
        AT_DELINEARIZE,
        AT_RESCALE
    } at; /* last step of the pending pass */
    struct imf_point point;
    int second;
};

static const struct imf_epilogue plain_epilogue = {.scale = 1, .multiply = 1};

static struct imf_pass *append(struct builder *b, enum imf_pass_kind kind) {
    struct imf_chain *c = b->chain;
    if (c->count == b->capacity) {
        int capacity = b->capacity ? 2 * b->capacity : 8;
        struct imf_pass *grown = realloc(c->passes, (size_t)capacity * sizeof *grown);
        if (!grown)
            return NULL;
        c->passes = grown;
        b->capacity = capacity;
    }
    struct imf_pass *pass = &c->passes[c->count++];
    *pass = (struct imf_pass){.kind = kind,
                              .channels_in = b->channels,
                              .channels_out = b->channels,
                              .in = b->source < 0 ? c->in : IMF_F32,
                              .out = IMF_F32,
                              .source = b->source,
                              .second = -2};
    return pass;
}

/* Emit the pending point pass. */
static bool flush(struct builder *b) {
    if (!b->pending)
        return true;
    struct imf_pass *pass = append(b, IMF_PASS_POINT);
    if (!pass)
        return false;
    pass->point = b->point;
    pass->channels_in = b->point.in_channels;
    pass->channels_out = b->point.out_channels;
    pass->second = b->second;
    b->source = b->chain->count - 1;
    b->pending = false;
    return true;
}

/* The pending point pass, ready for a step at position `at`; NULL when memory ran out. */
static struct imf_point *point_at(struct builder *b, int at) {
    if (b->pending && (int)b->at >= at && !flush(b))
        return NULL;
    if (!b->pending) {
        b->pending = true;
        b->second = -2;
        b->point = (struct imf_point){.in_channels = b->channels,
                                      .out_channels = b->channels,
                                      .alpha = b->alpha,
                                      .e = plain_epilogue,
                                      .rescale = 1,
                                      .full = b->chain->full};
        b->point.e.full = b->chain->full;
    }
    b->at = at;
    return &b->point;
}

/* Append |v|, then multiply and offset, then threshold, if e can still take them. */
static bool extend(struct imf_epilogue *e, const struct imf_epilogue *more) {
    if (e->threshold || (more->absolute && (e->absolute || e->multiply != 1 || e->offset != 0)))
        return false;
    e->absolute |= more->absolute;
    e->offset = e->offset * more->multiply + more->offset;
    e->multiply *= more->multiply;
    e->threshold = more->threshold;
    e->level = more->level;
    e->full = more->full;
    return true;
}

/* Apply scalar operations to every colour: in the last convolution's epilogue, or as a point pass.
 */
static bool scalar(struct builder *b, const struct imf_epilogue *more) {
    struct imf_chain *c = b->chain;
    if (more->absolute || more->multiply != 1 || more->offset != 0)
        b->bound = fabs(more->multiply) * b->bound + fabs(more->offset);
    b->integral = b->integral && more->offset == rint(more->offset);
    if (more->threshold)
        b->bound = c->full;
    struct imf_pass *last = c->count ? &c->passes[c->count - 1] : NULL;
    if (!b->pending && last && last->kind == IMF_PASS_CONVOLVE && b->source == c->count - 1 &&
        !b->alpha_apart && extend(&last->problem.epilogue, more))
        return true;
    if (b->pending && b->at == AT_EPILOGUE && extend(&b->point.e, more))
        return true;
    struct imf_point *p = point_at(b, AT_EPILOGUE);
    if (!p)
        return false;
    p->epilogue = true;
    return extend(&p->e, more);
}

static bool convolve(struct builder *b, const struct imf_stage *stage) {
    struct imf_chain *c = b->chain;
    if (!flush(b))
        return false;
    struct imf_pass *pass = append(b, IMF_PASS_CONVOLVE);
    if (!pass)
        return false;
    const struct imf_kernel *k = stage->kernel[0];
    struct imf_problem *p = &pass->problem;
    *p = (struct imf_problem){.width = c->width,
                              .height = c->height,
                              .channels = b->channels,
                              .in = pass->in,
                              .out = IMF_F32,
                              .epilogue = plain_epilogue,
                              .edge = c->edge,
                              .edge_value = c->edge_value,
                              .in_max = b->bound};
    p->epilogue.full = c->full;
    double gain = 1;
    if (stage->op == IMF_OP_TRANSFER) {
        p->transfer = &stage->transfer;
        b->integral = false;
        gain = 2; /* ringing of an ideal response stays well below */
    } else {
        p->kernel[0] = k;
        p->kernel[1] = stage->op == IMF_OP_MAGNITUDE ? stage->kernel[1] : NULL;
        p->epilogue.scale = k->scale;
        p->epilogue.add = k->bias * c->full;
        p->exact = b->integral && imf_kernel_is_integer(k);
        gain = imf_kernel_abs_sum(k) / fabs(k->scale);
        if (p->kernel[1]) {
            p->exact = p->exact && imf_kernel_is_integer(p->kernel[1]);
            gain = hypot(gain, imf_kernel_abs_sum(p->kernel[1]) / fabs(k->scale));
        }
        b->integral = p->exact && fabs(k->scale) == 1 && !p->kernel[1];
    }
    b->bound = b->bound * gain + fabs(p->epilogue.add);
    b->source = c->count - 1;
    return true;
}

static bool unsharp(struct builder *b, const struct imf_stage *stage) {
    if (!flush(b))
        return false;
    int original = b->source;
    double bound = b->bound;
    if (!convolve(b, stage))
        return false;
    int blurred = b->source;
    b->source = original;
    struct imf_point *p = point_at(b, AT_UNSHARP);
    if (!p)
        return false;
    p->unsharp = true;
    p->amount = stage->amount;
    p->level = stage->threshold * b->chain->full;
    b->second = blurred;
    b->bound = bound * (1 + 2 * fabs(stage->amount));
    b->integral = false;
    return true;
}

static bool gray(struct builder *b) {
    int colors = b->channels - (b->alpha ? 1 : 0);
    if (colors == 1)
        return true;
    struct imf_point *p = point_at(b, AT_GRAY);
    if (!p)
        return false;
    p->gray = true;
    p->out_channels = b->channels = b->alpha ? 2 : 1;
    b->integral = false;
    return true;
}

static bool apply_stage(struct builder *b, const struct imf_stage *stage) {
    struct imf_epilogue e = plain_epilogue;
    e.full = b->chain->full;
    switch (stage->op) {
    case IMF_OP_LINEAR:
    case IMF_OP_MAGNITUDE:
    case IMF_OP_TRANSFER:
        return convolve(b, stage);
    case IMF_OP_UNSHARP:
        return unsharp(b, stage);
    case IMF_OP_GRAY:
        return gray(b);
    case IMF_OP_INVERT:
        e.multiply = -1;
        e.offset = e.full;
        return scalar(b, &e);
    case IMF_OP_THRESHOLD:
        e.threshold = true;
        e.level = stage->threshold * e.full;
        return scalar(b, &e);
    }
    return true;
}

/* How the response is shown, after the last filtering stage. */
static bool show(struct builder *b, enum imf_range range) {
    struct imf_epilogue e = plain_epilogue;
    e.full = b->chain->full;
    struct imf_point *p;
    switch (range) {
    case IMF_RANGE_ABS:
        e.absolute = true;
        return scalar(b, &e);
    case IMF_RANGE_OFFSET:
        e.offset = (e.full + 1) / 2;
        return scalar(b, &e);
    case IMF_RANGE_NORMALIZE:
        if (!flush(b) || !(p = point_at(b, AT_NORMALIZE)))
            return false;
        p->normalize = true;
        b->bound = e.full;
        b->integral = false;
        return true;
    default:
        return true;
    }
}

static bool keeps_brightness(const struct imf_filter *filter) {
    for (size_t i = 0; i < filter->count; i++) {
        const struct imf_stage *s = &filter->stages[i];
        if (s->op == IMF_OP_MAGNITUDE || s->range != IMF_RANGE_CLIP)
            return false;
        if (s->op == IMF_OP_LINEAR &&
            fabs(imf_kernel_sum(s->kernel[0]) / s->kernel[0]->scale - 1) > 1e-6)
            return false;
        if (s->op == IMF_OP_TRANSFER && fabs(imf_transfer_gain(&s->transfer, 0, 0) - 1) > 1e-6)
            return false;
    }
    return true;
}

static bool build(struct builder *b, const struct imf_filter *filter,
                  const struct imf_settings *settings, bool premultiply) {
    struct imf_chain *c = b->chain;
    struct imf_point *p;
    if (settings->linear) {
        if (!(p = point_at(b, AT_LINEARIZE)))
            return false;
        p->linearize = true;
        b->integral = false;
    }
    if (premultiply) {
        if (!(p = point_at(b, AT_PREMULTIPLY)))
            return false;
        p->premultiply = true;
        b->integral = false;
    }
    size_t last = filter->count; /* the last filtering stage decides how the response is shown */
    for (size_t i = 0; i < filter->count; i++)
        if (!imf_op_is_point(filter->stages[i].op))
            last = i;
    for (size_t i = 0; i < filter->count; i++) {
        if (!apply_stage(b, &filter->stages[i]))
            return false;
        enum imf_range range = settings->range ? settings->range : filter->stages[i].range;
        if (i == last && !show(b, range))
            return false;
    }
    if (premultiply) {
        if (!(p = point_at(b, AT_UNPREMULTIPLY)))
            return false;
        p->unpremultiply = true;
    }
    if (settings->linear) {
        if (!(p = point_at(b, AT_DELINEARIZE)))
            return false;
        p->delinearize = true;
    }
    if (c->in != c->out) {
        if (!(p = point_at(b, AT_RESCALE)))
            return false;
        p->rescale = c->rescale;
    }
    /* A chain of operations that change nothing still copies the image. */
    if (!b->pending && !c->count && !(p = point_at(b, AT_EPILOGUE)))
        return false;
    return flush(b);
}

enum imf_status imf_chain_build(struct imf_chain **out, const struct imf_filter *filter,
                                const struct imf_info *input, const struct imf_settings *settings,
                                struct imf_error *err) {
    *out = NULL;
    for (size_t i = 0; i < filter->count; i++)
        if (filter->stages[i].op == IMF_OP_GRAY && input->color == IMF_COLOR_CMYK)
            return imf_fail(err, IMF_ERR_ARGUMENT, "gray needs a gray or RGB image, this is CMYK");
    if (settings->linear && input->color == IMF_COLOR_CMYK)
        return imf_fail(err, IMF_ERR_ARGUMENT, "--linear needs a gray or RGB image, this is CMYK");
    struct imf_chain *c = calloc(1, sizeof *c);
    if (!c)
        return imf_fail_memory(err, sizeof *c);
    int out_depth = settings->depth ? settings->depth : input->depth;
    c->width = input->width;
    c->height = input->height;
    c->channels_in = input->channels;
    c->in = input->depth == 16 ? IMF_U16 : IMF_U8;
    c->out = out_depth == 16 ? IMF_U16 : IMF_U8;
    c->full = imf_sample_max(c->in);
    c->rescale = c->in == c->out ? 1 : c->out == IMF_U16 ? 257 : 1 / 257.0;
    c->edge = settings->edge;
    double v = settings->edge_value;
    c->edge_value = rint((settings->linear ? imf_srgb_to_linear(v) : v) * c->full);
    enum imf_alpha alpha = settings->alpha;
    if (alpha == IMF_ALPHA_AUTO)
        alpha = keeps_brightness(filter) ? IMF_ALPHA_PREMULTIPLY : IMF_ALPHA_KEEP;
    bool filters = false;
    for (size_t i = 0; i < filter->count; i++)
        filters |= !imf_op_is_point(filter->stages[i].op);
    bool premultiply = input->alpha && filters && alpha == IMF_ALPHA_PREMULTIPLY;
    c->keep_alpha = input->alpha && (!filters || alpha == IMF_ALPHA_KEEP);
    struct builder b = {.chain = c,
                        .channels = input->channels,
                        .source = -1,
                        .alpha = input->alpha,
                        .alpha_apart = input->alpha && !c->keep_alpha,
                        .integral = true,
                        .bound = c->full};
    if (!build(&b, filter, settings, premultiply)) {
        imf_chain_free(&c);
        return imf_fail_memory(err, sizeof *c);
    }
    imf_chain_settle(c);
    *out = c;
    return IMF_OK;
}

void imf_chain_free(struct imf_chain **chain) {
    if (!*chain)
        return;
    for (int i = 0; (*chain)->passes && i < (*chain)->count; i++)
        imf_composition_free(&(*chain)->passes[i].composition);
    free((*chain)->passes);
    free(*chain);
    *chain = NULL;
}

struct imf_margin imf_chain_margin(const struct imf_chain *chain, int index) {
    struct imf_margin all = {0, 0, 0, 0};
    for (int i = 0; i < chain->count; i++) {
        const struct imf_pass *pass = &chain->passes[i];
        if (pass->kind != IMF_PASS_CONVOLVE || pass->source != index)
            continue;
        struct imf_margin m = imf_problem_margin(&pass->problem);
        all.left = imf_max(all.left, m.left);
        all.right = imf_max(all.right, m.right);
        all.top = imf_max(all.top, m.top);
        all.bottom = imf_max(all.bottom, m.bottom);
    }
    return all;
}
