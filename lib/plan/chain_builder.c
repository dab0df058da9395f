/* chain_builder.c - appending passes to a chain */
#include "plan/chain_builder.h"

#include "base/rounding.h"

#include <math.h>
#include <stdlib.h>

static struct imf_pass *append(struct imf_builder *b, enum imf_pass_kind kind) {
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
                              .stage = b->stage,
                              .channels_in = b->channels,
                              .channels_out = b->channels,
                              .in = b->source < 0 ? c->in : c->passes[b->source].out,
                              .out = IMF_F32,
                              .source = b->source,
                              .second = -2};
    return pass;
}

bool imf_builder_flush(struct imf_builder *b) {
    if (!b->pending)
        return true;
    struct imf_pass *pass = append(b, IMF_PASS_POINT);
    if (!pass)
        return false;
    pass->point = b->point;
    pass->channels_in = b->point.in_channels;
    pass->channels_out = b->point.out_channels;
    pass->second = b->second;
    pass->bound = b->bound;
    pass->whole = b->integral;
    pass->whole_if_opaque = b->whole_if_opaque;
    b->source = b->chain->count - 1;
    b->pending = false;
    return true;
}

struct imf_point *imf_builder_point(struct imf_builder *b, enum imf_builder_at at) {
    if (b->pending && b->at >= at && !imf_builder_flush(b))
        return NULL;
    if (!b->pending) {
        b->pending = true;
        b->second = -2;
        b->point = (struct imf_point){.in_channels = b->channels,
                                      .out_channels = b->channels,
                                      .alpha = b->alpha,
                                      .alpha_scale = 1,
                                      .e = imf_plain_epilogue,
                                      .rescale = 1,
                                      .full = b->chain->full,
                                      .curve = b->chain->curve};
        b->point.e.full = b->chain->full;
    }
    b->at = at;
    return &b->point;
}

bool imf_builder_alpha(struct imf_builder *b) {
    if (!b->hides || !b->alpha_filtered)
        return true;
    struct imf_point *p = imf_builder_flush(b) ? imf_builder_point(b, IMF_AT_ALPHA) : NULL;
    if (!p)
        return false;
    p->take_alpha = true;
    p->image_channels = b->chain->channels_in;
    b->second = -1;
    b->alpha_filtered = false;
    return imf_builder_flush(b);
}

/* Append |v|, then multiply and offset, then threshold, if e has no later step yet. */
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

/* Multiply colours by alpha, before a filter that spreads them. */
bool imf_builder_premultiply(struct imf_builder *b) {
    if (!b->premultiplies || b->premultiplied)
        return true;
    struct imf_point *p = imf_builder_point(b, IMF_AT_PREMULTIPLY);
    if (!p)
        return false;
    p->premultiply = true;
    b->premultiplied = b->positive = true;
    b->whole_if_opaque = b->integral;
    b->integral = false;
    b->bound = fmax(b->bound, b->chain->full);
    return true;
}

bool imf_builder_straighten(struct imf_builder *b) {
    struct imf_chain *c = b->chain;
    if (!b->premultiplied)
        return true;
    double scale = 1;
    struct imf_pass *last = &c->passes[c->count - 1];
    if (!b->pending && last->kind == IMF_PASS_CONVOLVE && last->problem.whole_if_opaque &&
        last->problem.kind == IMF_CONVOLUTION) {
        struct imf_epilogue *e = &last->problem.epilogue;
        scale = fabs(e->scale);
        e->scale = copysign(1, e->scale);
        last->bound *= scale;
        last->whole_if_opaque = true;
    }
    struct imf_point *p = imf_builder_point(b, IMF_AT_UNPREMULTIPLY);
    if (!p)
        return false;
    p->unpremultiply = true;
    p->alpha_scale = scale;
    b->premultiplied = b->integral = b->whole_if_opaque = false;
    return true;
}

/* Undo what only shifts or scales the sums of an integer kernel just before, but not the sign.
 * Returns the scale, or 0 after other passes. */
static double bare_sums(struct imf_builder *b) {
    struct imf_chain *c = b->chain;
    const struct imf_point *p = &b->point;
    bool shifts = b->pending && b->at == IMF_AT_EPILOGUE && c->count == b->source + 1 &&
                  !p->unsharp && !p->unpremultiply && !p->gray && !p->e.absolute &&
                  p->e.multiply == 1;
    if (c->count == 0)
        return 0;
    struct imf_pass *last = &c->passes[c->count - 1];
    struct imf_problem *problem = &last->problem;
    if ((b->pending && !shifts) || last->kind != IMF_PASS_CONVOLVE || !problem->exact ||
        problem->kind != IMF_CONVOLUTION)
        return 0;
    b->pending = false;
    double scale = fabs(problem->epilogue.scale);
    problem->epilogue.scale /= scale;
    problem->epilogue.add = problem->epilogue.offset = 0;
    last->bound = problem->in_max * problem->facts[0].abs_sum;
    last->whole = true;
    return scale;
}

bool imf_builder_normalize(struct imf_builder *b) {
    if (!imf_builder_straighten(b))
        return false;
    double scale = bare_sums(b);
    if (scale) {
        b->integral = true;
        b->bound = b->chain->passes[b->source].bound;
    }
    if (!imf_builder_alpha(b) || !imf_builder_flush(b))
        return false;
    if (!scale && b->integral && b->bound <= IMF_WHOLE_FLOATS)
        scale = 1; /* one of an integer kernel's results, or of the samples, or their difference */
    struct imf_point *p = imf_builder_point(b, IMF_AT_NORMALIZE);
    if (!p)
        return false;
    p->normalize = true;
    p->whole = scale > 0;
    p->flat = (b->chain->in == IMF_U8 ? 1.0 / 32 : 1) * (p->whole ? scale : 1);
    p->alpha_scale = p->whole && b->alpha_apart ? scale : 1;
    p->weigh = b->hides;
    b->bound = b->chain->full;
    b->integral = b->positive = false;
    return true;
}

bool imf_builder_scalar(struct imf_builder *b, const struct imf_epilogue *more) {
    struct imf_chain *c = b->chain;
    if (!imf_builder_straighten(b))
        return false;
    double bound = more->threshold ? c->full : fabs(more->multiply) * b->bound + fabs(more->offset);
    bool integral = b->integral && more->offset == rint(more->offset);
    struct imf_pass *last = c->count ? &c->passes[c->count - 1] : NULL;
    if (!b->pending && last && last->kind == IMF_PASS_CONVOLVE && b->source == c->count - 1 &&
        !b->alpha_apart && last->problem.kind != IMF_FILLING &&
        extend(&last->problem.epilogue, more)) {
        last->bound = bound;
        last->whole = integral;
        last->out = IMF_F32; /* integer samples may not hold it */
    } else if (!b->pending || b->at != IMF_AT_EPILOGUE || !extend(&b->point.e, more)) {
        struct imf_point *p = imf_builder_point(b, IMF_AT_EPILOGUE);
        if (!p)
            return false;
        p->epilogue = true;
        extend(&p->e, more);
    }
    b->bound = bound;
    b->integral = integral;
    b->positive = false;
    return true;
}

void imf_builder_border(struct imf_builder *b) {
    const struct imf_chain *c = b->chain;
    double v = rint(b->settings->edge_value * c->full);
    for (int i = 0, colors = c->channels_in - b->alpha; i < colors; i++)
        b->outside[i] =
            !b->settings->linear
                ? v
                : c->full *
                      imf_curve_to_light(c->curve, imf_curve_of(c->curve, i, colors), v / c->full);
}

/* The pixel beyond the edge: opaque grey. */
static void set_outside(const struct imf_builder *b, double *outside) {
    for (int i = 0; i < b->channels; i++)
        outside[i] = b->alpha && i == b->channels - 1 ? b->chain->full : b->outside[i];
}

struct imf_pass *imf_builder_problem(struct imf_builder *b) {
    struct imf_chain *c = b->chain;
    struct imf_pass *pass = imf_builder_flush(b) ? append(b, IMF_PASS_CONVOLVE) : NULL;
    if (!pass)
        return NULL;
    pass->problem = (struct imf_problem){.width = c->width,
                                         .height = c->height,
                                         .channels = b->channels,
                                         .in = pass->in,
                                         .out = IMF_F32,
                                         .epilogue = imf_plain_epilogue,
                                         .edge = c->edge,
                                         .in_max = b->bound,
                                         .unit = c->full};
    set_outside(b, pass->problem.outside);
    if (c->edge == IMF_EDGE_CONSTANT) { /* it may exceed all values of the image */
        bool whole = true;
        for (int i = 0; i < b->channels; i++) {
            b->bound = fmax(b->bound, pass->problem.outside[i]);
            whole = whole && pass->problem.outside[i] == rint(pass->problem.outside[i]);
        }
        pass->problem.in_max = b->bound;
        if (!whole) { /* integer samples cannot hold it */
            if (b->source >= 0)
                c->passes[b->source].out = pass->in = pass->problem.in = IMF_F32;
            b->integral = b->whole_if_opaque = false;
        }
    }
    pass->problem.epilogue.full = c->full;
    b->source = c->count - 1;
    b->alpha_filtered = b->alpha && !b->alpha_apart;
    return pass;
}

/* A pass of the stage's kernels, or of one of its window operations. */
static bool filter(struct imf_builder *b, const struct imf_stage *stage,
                   const struct imf_window_op *window) {
    struct imf_chain *c = b->chain;
    struct imf_pass *pass = imf_builder_premultiply(b) ? imf_builder_problem(b) : NULL;
    if (!pass)
        return false;
    const struct imf_kernel *k = stage->kernel[0];
    struct imf_problem *p = &pass->problem;
    double gain = 1, bias = 0;
    if (stage->op == IMF_OP_TRANSFER) {
        imf_problem_transfer(p, &stage->transfer);
        b->integral = b->whole_if_opaque = b->positive = false;
        gain = 2; /* ringing of an ideal response stays well below */
    } else if (stage->op == IMF_OP_WINDOW) {
        imf_problem_window_op(p, window);
        p->colors -= b->alpha && !b->alpha_apart; /* alpha that is kept is no colour */
        p->exact = b->integral = b->integral && window->selects;
        b->whole_if_opaque = b->whole_if_opaque && window->selects;
        b->positive = b->positive && window->selects;
        /* A selected sample has the type of the input. */
        if (window->selects)
            pass->out = pass->in;
    } else {
        if (stage->op == IMF_OP_MAGNITUDE)
            imf_problem_magnitude(p, k, stage->kernel[1]);
        else
            imf_problem_convolve(p, k);
        p->epilogue.scale = k->scale;
        bias = k->bias * c->full;
        p->exact = b->integral && p->facts[0].integer;
        p->whole_if_opaque = b->whole_if_opaque && p->facts[0].integer &&
                             k->scale == rint(k->scale) && p->kind == IMF_CONVOLUTION;
        b->whole_if_opaque = p->whole_if_opaque && fabs(k->scale) == 1;
        gain = p->facts[0].abs_sum / fabs(k->scale);
        if (p->kind == IMF_MAGNITUDE) {
            p->exact = p->exact && p->facts[1].integer;
            gain = hypot(gain, p->facts[1].abs_sum / fabs(k->scale));
        }
        b->integral = p->exact && fabs(k->scale) == 1 && p->kind != IMF_MAGNITUDE;
        b->positive = b->positive && p->facts[0].positive && p->kind != IMF_MAGNITUDE;
    }
    p->positive = b->positive;
    c->high_gain = c->high_gain || gain > IMF_HIGH_GAIN;
    b->bound *= gain;
    pass->bound = b->bound;
    pass->whole = b->integral;
    pass->whole_if_opaque = b->whole_if_opaque;
    if (bias == 0)
        return true;
    if (b->alpha_apart) { /* the bias is for colours alone */
        struct imf_epilogue e = imf_plain_epilogue;
        e.full = c->full;
        e.offset = bias;
        return imf_builder_scalar(b, &e);
    }
    p->epilogue.add = bias;
    b->integral = pass->whole = b->integral && bias == rint(bias);
    b->positive = p->positive = false;
    pass->bound = b->bound += fabs(bias);
    return true;
}

bool imf_builder_convolve(struct imf_builder *b, const struct imf_stage *stage) {
    return filter(b, stage, NULL);
}

bool imf_builder_subtract(struct imf_builder *b, int other, bool swapped) {
    b->chain->passes[other].out = IMF_F32; /* as point passes read it */
    struct imf_point *p = imf_builder_point(b, IMF_AT_UNSHARP);
    if (!p)
        return false;
    p->unsharp = p->difference = true;
    p->amount = swapped ? -1 : 1;
    b->second = other;
    b->bound *= b->positive ? 1 : 2;
    b->positive = false;
    return true;
}

/* Divide surface `original` by the mean of the current values in the stage's kernel. */
static bool divide_by_mean(struct imf_builder *b, const struct imf_stage *stage, int original) {
    struct imf_stage mean = *stage;
    mean.op = IMF_OP_LINEAR;
    if (!filter(b, &mean, NULL))
        return false;
    int blurred = b->source;
    b->source = original;
    struct imf_point *p = imf_builder_point(b, IMF_AT_UNSHARP);
    if (!p)
        return false;
    p->unsharp = p->quotient = true;
    b->second = blurred;
    b->bound = b->chain->full;
    b->chain->high_gain = true;
    b->integral = b->whole_if_opaque = b->positive = false;
    return true;
}

bool imf_builder_windows(struct imf_builder *b, const struct imf_stage *stage) {
    if (!imf_builder_premultiply(b) || !imf_builder_flush(b))
        return false;
    int original = b->source;
    if (!filter(b, stage, &stage->window_op))
        return false;
    int first = b->source;
    if (stage->compound == IMF_ALONE)
        return true;
    if (stage->compound == IMF_APART)
        b->source = original;
    if (!filter(b, stage, &stage->second))
        return false;
    if (stage->compound == IMF_AFTER)
        return true;
    if (stage->compound == IMF_APART)
        return imf_builder_subtract(b, first, false);
    if (stage->compound == IMF_PART)
        return divide_by_mean(b, stage, original);
    int second = b->source;
    b->source = original;
    return imf_builder_subtract(b, second, stage->compound == IMF_BELOW);
}

bool imf_builder_unsharp(struct imf_builder *b, const struct imf_stage *stage) {
    if (!imf_builder_premultiply(b) || !imf_builder_flush(b))
        return false;
    int original = b->source;
    double bound = b->bound;
    if (!imf_builder_convolve(b, stage))
        return false;
    int blurred = b->source;
    b->source = original;
    struct imf_point *p = imf_builder_point(b, IMF_AT_UNSHARP);
    if (!p)
        return false;
    p->unsharp = true;
    p->amount = stage->amount;
    p->level = stage->threshold * b->chain->full;
    b->second = blurred;
    b->whole_if_opaque = false;
    b->bound = bound * (1 + 2 * fabs(stage->amount));
    b->chain->high_gain = b->chain->high_gain || 1 + 2 * fabs(stage->amount) > IMF_HIGH_GAIN;
    b->integral = b->positive = false;
    return true;
}

bool imf_builder_phase(struct imf_builder *b, const struct imf_stage *stage) {
    struct imf_pass *pass = imf_builder_problem(b);
    if (!pass)
        return false;
    imf_problem_phase(&pass->problem, stage->kernel[0], stage->kernel[1]);
    pass->bound = b->bound = b->chain->full;
    b->integral = false;
    b->positive = true;
    return true;
}
