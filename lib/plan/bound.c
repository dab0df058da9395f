/*
 * bound.c - what is known of the values of each operation's result
 *
 * A pure function of the list: the image's value travels along, and each operation does something
 * to it.
 */
#include "plan/operations.h"

#include <math.h>

/* Deconvolution magnifies errors by about this. */
#define DEBLUR_GAIN 10
/* Ringing of an ideal response stays well below; a pattern is weaker than the picture; estimates of
 * blocks may be beyond their samples, by less than these spread. */
#define OVERSHOOT 2

/* A sum's gain, or a magnitude's. */
static double kernel_gain(const struct imf_problem *p) {
    double gain = 0;
    for (int i = 0; i < imf_problem_kernels(p); i++)
        gain = hypot(gain, p->facts[i].abs_sum / fabs(p->epilogue.scale));
    return gain;
}

/* f of integers is an integer. */
static bool keeps_integers(enum imf_blend_mode mode) {
    return mode == IMF_BLEND_NORMAL || mode >= IMF_BLEND_LIGHTEN;
}

/* An upper bound of |df(b, x) / dx| is 1, but for hardlight's 2. */
double imf_blend_slope(enum imf_blend_mode mode) {
    return mode == IMF_BLEND_HARDLIGHT ? 2 : 1;
}

static void forget(struct imf_value *v) {
    v->integer = v->integer_if_opaque = v->stored = v->positive = false;
}

/* The samples beyond a constant edge may exceed all values of the image, and be no integers. */
static void see_outside(const struct imf_problem *p, struct imf_value *v) {
    for (int i = 0; i < p->channels && p->edge == IMF_EDGE_CONSTANT; i++) {
        v->bound = fmax(v->bound, p->outside[i]);
        if (!imf_is_integer(p->outside[i]))
            v->integer = v->integer_if_opaque = v->stored = false;
    }
}

static void convolved(struct imf_problem *p, struct imf_value *v) {
    bool sum = p->kind == IMF_CONVOLUTION, one = fabs(p->epilogue.scale) == 1;
    bool integers = p->facts[0].integer && (sum || p->facts[1].integer);
    p->exact = v->integer && integers;
    p->whole_if_opaque =
        sum && v->integer_if_opaque && integers && imf_is_integer(p->epilogue.scale);
    p->positive = v->positive && p->facts[0].positive && sum && p->epilogue.add == 0;
    v->bound = v->bound * kernel_gain(p) + fabs(p->epilogue.add);
    v->integer = p->exact && one && sum && imf_is_integer(p->epilogue.add);
    v->integer_if_opaque = p->whole_if_opaque && one;
    v->stored = false;
    v->positive = p->positive;
}

/* Results are samples of the image's depth, but for alpha that is apart. */
static void made_samples(const struct imf_operations *o, struct imf_problem *p,
                         struct imf_value *v) {
    double full = o->chain->full;
    p->exact = true;
    v->bound = o->alpha_apart ? fmax(v->bound, full) : full;
    v->stored = !o->alpha_apart;
    v->integer = v->integer || v->stored;
    v->positive = v->positive || v->stored;
}

static void solved(const struct imf_operations *o, struct imf_problem *p, struct imf_value *v) {
    if (p->kind != IMF_FILLING)
        see_outside(p, v);
    p->in_max = v->bound;
    switch (p->kind) {
    case IMF_CONVOLUTION:
    case IMF_MAGNITUDE:
        convolved(p, v);
        break;
    case IMF_BILATERAL:
    case IMF_GUIDED:
        forget(v); /* fall through */
    case IMF_RANK:
        p->exact = v->integer;
        p->positive = v->positive;
        break;
    case IMF_LOCAL_THRESHOLD:
    case IMF_CANNY:
    case IMF_CLAHE:
    case IMF_HISTOGRAM_OP:
        made_samples(o, p, v);
        break;
    case IMF_FILLING:
        p->exact = p->positive = true;
        break;
    case IMF_PHASE:
        forget(v);
        v->bound = o->chain->full;
        v->positive = true;
        break;
    case IMF_TRANSFER:
    case IMF_DESCREEN:
    case IMF_DENOISE:
        forget(v);
        v->bound *= OVERSHOOT;
        break;
    case IMF_DEBLURRING:
        forget(v);
        v->bound *= DEBLUR_GAIN;
        break;
    case IMF_PROBLEM_KINDS:
        break;
    }
}

static void combined(const struct imf_operations *o, const struct imf_operation *op,
                     struct imf_value *v) {
    const struct imf_value a = *v, b = o->list[op->second].value;
    forget(v);
    if (op->combine.quotient) {
        v->bound = o->chain->full;
    } else if (op->combine.difference) {
        v->bound = a.positive && b.positive ? fmax(a.bound, b.bound) : a.bound + b.bound;
        v->integer = a.integer && b.integer;
        v->integer_if_opaque = a.integer_if_opaque && b.integer_if_opaque;
    } else {
        v->bound *= 1 + 2 * fabs(op->combine.amount);
    }
}

static void grayed(const struct imf_curve *curve, enum imf_channels which, struct imf_value *v) {
    const double *luma = imf_curve_luma(curve);
    double below = fmin(fmin(luma[0], fmin(luma[1], luma[2])), 0);
    bool picks = which != IMF_CHANNELS_LUMA;
    v->bound *= 1 - 4 * below; /* weights of imaginary primaries: 1 in all, two below 0 at most */
    v->positive = v->positive && below == 0;
    v->integer = v->integer && picks;
    v->stored = v->stored && picks;
}

static void blended(const struct imf_operations *o, const struct imf_operation *op,
                    struct imf_value *v) {
    const struct imf_weights *w = &op->blend.weights;
    double full = o->chain->full, amount = fabs(w->amount), straight = fabs(1 - w->amount);
    bool hard = !w->regions || o->settings->mask_feather == 0;
    bool selects = w->amount == 1 && !w->mask && hard && !o->alpha_apart && !o->settings->linear;
    bool integer = v->integer && selects && keeps_integers(op->blend.mode);
    double bound = op->blend.mode == IMF_BLEND_NORMAL ? v->bound : full;
    forget(v);
    v->integer = integer;
    v->bound = fmax(bound, straight * full + amount * bound);
}

/* What an operation does to the source's value. */
static void change(const struct imf_operations *o, struct imf_operation *op, struct imf_value *v) {
    const struct imf_epilogue *e = &op->scalar;
    double full = o->chain->full;
    bool luma;
    switch (op->kind) {
    case IMF_SOLVE:
        solved(o, &op->problem, v);
        return;
    case IMF_GRAY:
        grayed(o->chain->curve, op->gray, v);
        return;
    case IMF_COMBINE:
        combined(o, op, v);
        return;
    case IMF_BLEND:
        blended(o, op, v);
        return;
    case IMF_NORMALIZE:
        forget(v);
        v->bound = full;
        return;
    case IMF_SCALAR:
        v->bound = e->threshold ? full : fabs(e->multiply) * v->bound + fabs(e->offset);
        v->integer = v->integer && imf_is_integer(e->offset) && imf_is_integer(e->multiply);
        v->positive = false;
        break;
    case IMF_PUT:
        luma = op->blend.pick == IMF_CHANNELS_LUMA;
        v->bound = luma ? 2 * full : fmax(v->bound, full);
        v->integer = v->integer && !luma && !o->settings->linear;
        v->integer_if_opaque = v->positive = false;
        break;
    case IMF_PREMULTIPLY:
        v->integer_if_opaque = v->integer;
        v->integer = false;
        v->bound = fmax(v->bound, full);
        break;
    case IMF_UNPREMULTIPLY:
        v->integer = v->integer_if_opaque = false;
        v->bound /= op->alpha_scale;
        break;
    case IMF_LINEARIZE:
    case IMF_DELINEARIZE:
        v->integer = false;
        break;
    case IMF_TAKE_ALPHA:
    case IMF_RESCALE:
        break;
    }
    v->stored = false;
}

void imf_bound(struct imf_operations *o) {
    const struct imf_value image = {
        .bound = o->chain->full, .integer = true, .stored = true, .positive = true};
    for (int i = 0; i < o->count; i++) {
        struct imf_operation *op = &o->list[i];
        struct imf_value v = op->source < 0 ? image : o->list[op->source].value;
        change(o, op, &v);
        op->value = v;
    }
}

bool imf_operations_gain(const struct imf_operations *o) {
    double most = 0;
    for (int i = 0; i < o->count; i++) {
        const struct imf_operation *op = &o->list[i];
        double gain = 0;
        if (op->kind == IMF_SOLVE)
            gain = op->problem.kind == IMF_DEBLURRING ? INFINITY
                   : op->problem.kind == IMF_PHASE    ? 0
                                                      : kernel_gain(&op->problem);
        else if (op->kind == IMF_COMBINE)
            gain = op->combine.quotient     ? INFINITY
                   : op->combine.difference ? 0
                                            : 1 + 2 * fabs(op->combine.amount);
        else if (op->kind == IMF_BLEND)
            gain = fabs(op->blend.weights.amount);
        most = fmax(most, gain);
    }
    return most > IMF_HIGH_GAIN;
}
