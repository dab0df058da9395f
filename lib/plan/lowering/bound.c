/*
 * bound.c - what is known of the values of each operation's result
 *
 * A pure function of the list: the image's value travels along, and each operation does something
 * to it.
 */
#include "plan/lowering/operations.h"

#include <math.h>

/* Deconvolution magnifies errors by about this. */
#define DEBLUR_GAIN 10
/* Ringing of an ideal response stays well below; a pattern is weaker than the picture; estimates of
 * blocks may be beyond their samples, by less than these spread. */
#define OVERSHOOT 2

/* A colour that has got a luma differs by it and by its own; one that is beyond black or white is as far from gray as the
 * luma times a share, which is at least that of blue: 1 / 0.0722, and twice that of both. */
#define CHROMA_SLOPE 28

/* A sum's gain, or a magnitude's. */
static double kernel_gain(const struct imf_problem *p) {
    double gain = 0;
    for (int i = 0; i < imf_problem_kernels(p); i++)
        gain = hypot(gain, p->facts[i].abs_sum / fabs(p->epilogue.scale));
    return gain;
}

/* f of integers is an integer. */
static bool keeps_integers(enum imf_blend_mode mode) {
    return mode == IMF_BLEND_NORMAL || (mode >= IMF_BLEND_LIGHTEN && mode < IMF_BLEND_HUE);
}

/* An upper bound of |df(b, x) / dx| is 1, but for hardlight's 2, and for those of all colours, as of chroma: of a colour that
 * is nearly gray the hue has none. */
static double blend_slope(enum imf_blend_mode mode) {
    return mode >= IMF_BLEND_HUE ? CHROMA_SLOPE : mode == IMF_BLEND_HARDLIGHT ? 2 : 1;
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

/* ---- what solvers make of a value, by the table of problems ---------------------------------- */

typedef void solves(const struct imf_operations *o, struct imf_problem *p, struct imf_value *v);

static void convolved(const struct imf_operations *o, struct imf_problem *p, struct imf_value *v) {
    bool sum = p->kind == IMF_CONVOLUTION, one = fabs(p->epilogue.scale) == 1;
    bool integers = p->facts[0].integer && (sum || p->facts[1].integer);
    (void)o;
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

/* One of the samples. */
static void ranked(const struct imf_operations *o, struct imf_problem *p, struct imf_value *v) {
    (void)o;
    p->exact = v->integer;
    p->positive = v->positive;
}

/* A mean of samples, by weights that depend on them. */
static void averaged(const struct imf_operations *o, struct imf_problem *p, struct imf_value *v) {
    forget(v);
    ranked(o, p, v);
}

/* Results are samples of the image's depth, or words, but for alpha that is apart. */
static void decided(const struct imf_operations *o, struct imf_problem *p, struct imf_value *v) {
    p->exact = true;
    v->bound = o->alpha_apart ? fmax(v->bound, p->unit) : p->unit;
    v->stored = !o->alpha_apart;
    v->integer = v->integer || v->stored;
    v->positive = v->positive || v->stored;
}

static void filled(const struct imf_operations *o, struct imf_problem *p, struct imf_value *v) {
    (void)o, (void)v;
    p->exact = p->positive = true;
}

static void turned(const struct imf_operations *o, struct imf_problem *p, struct imf_value *v) {
    (void)p;
    forget(v);
    v->bound = o->chain->full;
    v->positive = true;
}

static void ringing(const struct imf_operations *o, struct imf_problem *p, struct imf_value *v) {
    (void)o, (void)p;
    forget(v);
    v->bound *= OVERSHOOT;
}

static void deblurred(const struct imf_operations *o, struct imf_problem *p, struct imf_value *v) {
    (void)o, (void)p;
    forget(v);
    v->bound *= DEBLUR_GAIN;
}

/* Sums and means of what windows have; and scenes, which may be off by a part of the largest sample. */
static bool is_proportional(const struct imf_problem *p) {
    return p->kind == IMF_CONVOLUTION || p->kind == IMF_MAGNITUDE || p->kind == IMF_BILATERAL ||
           p->kind == IMF_GUIDED || p->kind == IMF_DEBLURRING;
}

#define SOLVES(kind, name, extent, value, ...) [IMF_##kind] = value,
static solves *const solved[] = {IMF_PROBLEMS(SOLVES)};

bool imf_problem_decides(const struct imf_problem *p) {
    return solved[p->kind] == decided;
}

bool imf_problem_selects(const struct imf_problem *p) {
    return solved[p->kind] == ranked;
}

/* ---- what operations on points make of one and of its errors, by theirs ------------------------ */

typedef void changes(const struct imf_operations *o, struct imf_operation *op, struct imf_value *v);

static void kept(const struct imf_operations *o, struct imf_operation *op, struct imf_value *v) {
    (void)o, (void)op;
    v->stored = false;
}

static void curved(const struct imf_operations *o, struct imf_operation *op, struct imf_value *v) {
    kept(o, op, v);
    v->integer = false;
}

/* Where the curve is steep there is little light. */
static void delinearized(const struct imf_operations *o, struct imf_operation *op,
                         struct imf_value *v) {
    const struct imf_curve *curve = o->chain->curve;
    bool few = o->chain->out == IMF_U8;
    curved(o, op, v);
    op->slope = imf_curve_steepest(curve, few);
    op->part = imf_curve_log_slope(curve, few) / op->slope;
}

/* Both the sample and the low end of the range have an error. */
static void limited(const struct imf_operations *o, struct imf_operation *op, struct imf_value *v) {
    forget(v);
    v->bound = o->chain->full;
    op->slope = op->normalize.whole ? 1 : 2 * IMF_HIGH_GAIN;
    op->part = 0;
}

static void premultiplied(const struct imf_operations *o, struct imf_operation *op,
                          struct imf_value *v) {
    bool integer = v->integer;
    curved(o, op, v);
    v->integer_if_opaque = integer;
    v->bound = fmax(v->bound, o->chain->full);
}

static void unpremultiplied(const struct imf_operations *o, struct imf_operation *op,
                            struct imf_value *v) {
    curved(o, op, v);
    v->integer_if_opaque = false;
    v->bound /= op->number;
    op->slope = sqrt(2) / op->number; /* both colour and alpha have an error */
}

static void combined(const struct imf_operations *o, struct imf_operation *op,
                     struct imf_value *v) {
    const struct imf_value a = *v, b = o->list[op->second].value;
    double amount = fabs(op->combine.amount);
    forget(v);
    op->slope = 1 + amount;
    op->part = 0;
    if (op->combine.quotient) { /* both numerator and denominator have an error */
        v->bound = o->chain->full;
        op->slope = sqrt(2) * IMF_LIFT;
        op->gain = INFINITY;
    } else if (op->combine.difference) {
        v->bound = a.positive && b.positive ? fmax(a.bound, b.bound) : a.bound + b.bound;
        v->integer = a.integer && b.integer;
        v->integer_if_opaque = a.integer_if_opaque && b.integer_if_opaque;
    } else {
        op->gain = 1 + 2 * amount;
        v->bound *= op->gain;
    }
}

static void grayed(const struct imf_operations *o, struct imf_operation *op, struct imf_value *v) {
    const double *luma = imf_curve_luma(o->chain->curve);
    double below = fmin(fmin(luma[0], fmin(luma[1], luma[2])), 0);
    bool picks = op->gray != IMF_CHANNELS_LUMA;
    v->bound *= 1 - 4 * below; /* weights of imaginary primaries: 1 in all, two below 0 at most */
    v->positive = v->positive && below == 0;
    v->integer = v->integer && picks;
    v->stored = v->stored && picks;
}

static void scaled(const struct imf_operations *o, struct imf_operation *op, struct imf_value *v) {
    const struct imf_epilogue *e = &op->scalar;
    v->bound = e->threshold ? o->chain->full : fabs(e->multiply) * v->bound + fabs(e->offset);
    v->integer = v->integer && imf_is_integer(e->offset) && imf_is_integer(e->multiply);
    v->positive = v->stored = false;
    op->jump = e->threshold ? e->level : INFINITY;
}

/* A power below 1 has no steepest slope: below half a step of the result all is black. */
static void leveled(const struct imf_operations *o, struct imf_operation *op, struct imf_value *v) {
    const double *n = op->map.number, by = IMF_LEVELS_BY(n), e = 1 / n[2];
    double full = o->chain->full, offset = -n[0] * by * full;
    double half = 0.5 / (o->chain->out == IMF_U8 ? 255 : 65535);
    bool positive = v->positive && by > 0 && offset >= 0;
    forget(v);
    v->positive = positive;
    v->bound = full * pow((fabs(by) * v->bound + fabs(offset)) / full, e);
    op->gain = fabs(by);
    op->slope = op->gain * e * fmax(1, pow(half, 1 - 1 / e));
    op->part = offset == 0 ? e * op->gain / op->slope : 1;
}

static void splined(const struct imf_operations *o, struct imf_operation *op, struct imf_value *v) {
    const struct imf_spline *s = op->map.spline;
    forget(v);
    v->positive = s->low >= 0;
    v->bound = o->chain->full * fmax(fabs(s->low), fabs(s->high));
    op->slope = op->gain = s->steepest;
    op->part = 0;
}

static void blended(const struct imf_operations *o, struct imf_operation *op, struct imf_value *v) {
    const struct imf_weights *w = &op->blend.weights;
    double full = o->chain->full, amount = fabs(w->amount), straight = fabs(1 - w->amount);
    bool hard = !w->regions || o->settings->mask_feather == 0;
    bool selects = w->amount == 1 && !w->mask && hard && !o->alpha_apart && !o->settings->linear;
    bool integer = v->integer && selects && keeps_integers(op->blend.mode);
    double bound = op->blend.mode == IMF_BLEND_NORMAL ? v->bound : full;
    forget(v);
    v->integer = integer;
    v->bound = fmax(bound, straight * full + amount * bound);
    op->gain = amount;
    op->slope = blend_slope(op->blend.mode) * (op->blend.apart ? sqrt(2) : 1) * fmax(1, amount);
    op->part = op->blend.mode == IMF_BLEND_NORMAL && w->amount <= 1; /* a mean */
}

static void put_back(const struct imf_operations *o, struct imf_operation *op,
                     struct imf_value *v) {
    double full = o->chain->full;
    bool luma = op->blend.pick == IMF_CHANNELS_LUMA, chroma = op->blend.pick == IMF_CHANNELS_CHROMA;
    v->bound = luma ? 2 * full : fmax(v->bound, full) * (chroma && o->chain->open ? 3 : 1);
    v->integer = v->integer && !luma && !chroma && !op->blend.light;
    op->slope = chroma ? CHROMA_SLOPE : 1;
    v->integer_if_opaque = v->positive = v->stored = false;
    op->part = 0;
}

/* To what is read next, or what is written. */
static void rescaled(const struct imf_operations *o, struct imf_operation *op,
                     struct imf_value *v) {
    kept(o, op, v);
    v->bound *= op->slope = op->rescale.by;
    v->integer = v->integer && imf_is_integer(op->rescale.by);
}

static void clipped(const struct imf_operations *o, struct imf_operation *op, struct imf_value *v) {
    kept(o, op, v);
    v->bound = fmin(v->bound, o->chain->full);
}

#define CHANGES(kind, name, holds, value, ...) [IMF_##kind] = value,
static changes *const changed[] = {IMF_POINT_OPERATIONS(CHANGES)};

/* What an operation does to the source's value. */
static void change(const struct imf_operations *o, struct imf_operation *op, struct imf_value *v) {
    struct imf_problem *p = &op->problem;
    if (op->kind != IMF_SOLVE) {
        op->slope = op->part = 1;
        op->gain = 0;
        op->jump = INFINITY;
        changed[op->kind](o, op, v);
        return;
    }
    if (p->kind != IMF_FILLING)
        see_outside(p, v);
    p->in_max = v->bound;
    p->local = is_proportional(p) && (isinf(o->chain->high) || o->chain->relative);
    solved[p->kind](o, p, v);
}

void imf_bound(struct imf_operations *o) {
    const struct imf_chain *c = o->chain;
    bool limited = !isinf(c->high);
    const struct imf_value image = {.bound = limited ? fmax(c->high, -c->low) : c->full,
                                    .integer = c->integer,
                                    .stored = true,
                                    .positive = c->low >= 0};
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
        double gain = op->gain;
        if (op->kind == IMF_SOLVE)
            gain = op->problem.kind == IMF_DEBLURRING ? INFINITY
                   : op->problem.kind == IMF_PHASE    ? 0
                                                      : kernel_gain(&op->problem);
        most = fmax(most, gain);
    }
    return most > IMF_HIGH_GAIN;
}
