/*
 * tolerances.c - how exact each convolution of a chain has to be
 *
 * A convolution of integers by integers is exact as long as nothing rounds in between. The others
 * share the error that the contract allows the final samples, divided by the gain of later passes:
 * that of kernels and point operations, the steepest slope of the curve back from linear light, the
 * part of a stretch that the contract counts. The rounding of floats between passes takes its share
 * of it, too. A pass whose rounding takes more than its share is marked as coarse: its output has to
 * be float64.
 *
 * The error of a colour that was divided by alpha counts times alpha: the division magnifies
 * nothing.
 */
#include "base/rounding.h"
#include "plan/operations.h"

#include <float.h>
#include <math.h>

/* A kernel's gain for its input's rounding errors: for independent ones the root of the sum of
 * squares, for a common one the sum. The bound is statistical, as the solvers' own are. */
static double error_gain(const struct imf_problem *p) {
    double squares = 0, sum = 0;
    for (int i = 0; i < imf_problem_kernels(p); i++) {
        squares += p->facts[i].squares;
        sum = hypot(sum, p->facts[i].sum);
    }
    double gain = imf_problem_kernels(p) ? fmax(sqrt(squares), sum) / fabs(p->epilogue.scale) : 1;
    if (p->kind == IMF_BILATERAL || p->kind == IMF_GUIDED)
        gain = p->window_op->gain;
    if (p->kind == IMF_DENOISE)
        gain = IMF_DENOISE_GAIN;
    if (p->kind == IMF_DEBLURRING)
        gain = IMF_HIGH_GAIN;
    return gain * fabs(p->epilogue.multiply);
}

static double operation_gain(const struct imf_operation *op) {
    double times;
    switch (op->kind) {
    case IMF_COMBINE: /* of a quotient both numerator and denominator have an error */
        return op->combine.quotient ? sqrt(2) * IMF_LIFT : 1 + fabs(op->combine.amount);
    case IMF_UNPREMULTIPLY: /* likewise */
        return sqrt(2) / op->alpha_scale;
    case IMF_SCALAR:
        return fabs(op->scalar.multiply);
    case IMF_NORMALIZE: /* both the sample and the low end of the range have an error */
        return op->normalize.whole ? 1 : 2 * IMF_HIGH_GAIN;
    case IMF_BLEND:
        times = imf_blend_slope(op->blend.mode) * (op->blend.apart ? sqrt(2) : 1);
        return fmax(1, fabs(op->blend.weights.amount)) * times;
    default:
        return 1;
    }
}

/* The same for a point pass. */
static double point_gain(const struct imf_point *p) {
    double gain = 1;
    for (int i = 0; i < p->count; i++)
        gain *= operation_gain(&p->steps[i]);
    return gain;
}

static bool has(const struct imf_point *p, enum imf_operation_kind kind) {
    return imf_point_find(p, kind);
}

/* Integers, to the image's depth. */
static bool stretches_exactly(const struct imf_point *p) {
    const struct imf_operation *stretch = imf_point_find(p, IMF_NORMALIZE),
                               *scale = imf_point_find(p, IMF_RESCALE);
    return stretch && stretch->normalize.whole && (!scale || scale->rescale == 1);
}

/* The error of rounding pass i's output to floats; a point pass rounds between its steps, too. */
static double storage(const struct imf_chain *c, int i) {
    const struct imf_pass *pass = &c->passes[i];
    bool reads_float64 = pass->source >= 0 && c->passes[pass->source].coarse;
    bool exact =
        pass->out != IMF_F32 || (pass->value.integer && pass->value.bound <= IMF_WHOLE_FLOATS);
    bool steps = pass->kind == IMF_PASS_POINT && !imf_point_is_map(&pass->point);
    if (pass->kind == IMF_PASS_CONVOLVE && pass->problem.kind == IMF_RANK)
        exact = exact || !reads_float64;
    return exact ? 0 : (steps ? 2 : 1) * IMF_SIGMAS * imf_float_ulp(pass->value.bound) / sqrt(12);
}

double imf_contract_error(const struct imf_chain *c) {
    return c->out == IMF_U8 ? 1.0 / 32 : c->high_gain ? 2 : 1;
}

double imf_contract_choices(const struct imf_chain *c) {
    double most = 0;
    for (int i = 0; i < c->count; i++) {
        const struct imf_pass *pass = &c->passes[i];
        if (pass->kind == IMF_PASS_CONVOLVE && pass->problem.kind == IMF_DENOISE &&
            pass->problem.denoise->groups && pass->problem.in == IMF_F32)
            most = fmax(most, c->full / 255 * pass->gain * c->rescale);
    }
    return imf_contract_error(c) + most;
}

/* The tolerance of the computation, on the scale of the input's samples. */
static double final_tolerance(const struct imf_chain *c) {
    double words = 1.0 / 32; /* what is less than a step away is the next sample at most */
    return (imf_contract_error(c) - (c->out == IMF_U16 ? words : 0)) / c->rescale;
}

/* The curve back magnifies errors in proportion to the light by this much less than absolute ones:
 * where it is steep, there is little light. */
static double steep(const struct imf_chain *c) {
    return imf_curve_log_slope(c->curve, c->out == IMF_U8) /
           imf_curve_steepest(c->curve, c->out == IMF_U8);
}

/* From the last pass back. Rounding errors of floats are in proportion to the values, and stay so
 * through sums of positive products: these are magnified by `relative`. */
static void set_gains(struct imf_chain *c) {
    double gain = 1, part = 1;
    for (int i = c->count - 1; i >= 0; i--) {
        struct imf_pass *pass = &c->passes[i];
        const struct imf_point *p = &pass->point;
        pass->gain = gain;
        pass->relative = gain * part;
        if (pass->kind == IMF_PASS_POINT) {
            gain *= point_gain(p);
            if (has(p, IMF_DELINEARIZE)) {
                gain *= imf_curve_steepest(c->curve, c->out == IMF_U8);
                part = steep(c);
            }
            const struct imf_operation *b = imf_point_find(p, IMF_BLEND);
            bool means = !b || (b->blend.mode == IMF_BLEND_NORMAL && b->blend.weights.amount <= 1);
            bool keeps = means && !has(p, IMF_COMBINE) && !has(p, IMF_NORMALIZE);
            part = keeps && !has(p, IMF_PUT) ? part : 1;
        } else if (imf_problem_decides(&pass->problem)) {
            gain = part = 1; /* its input is rounded as results are */
        } else {
            gain = fmax(gain, gain * error_gain(&pass->problem));
            part = pass->problem.positive ? part : 1;
        }
    }
}

/* Share out the square of the final tolerance: errors are independent, so their squares add up.
 * Three quarters are for rounding floats between passes, in equal shares; a pass that needs more
 * than its share is coarse. Convolutions get the rest, in equal shares. */
static void set_tolerances(struct imf_chain *c) {
    double whole = final_tolerance(c) * final_tolerance(c), rest = whole;
    int convolutions = 0;
    set_gains(c);
    for (int i = 0; i < c->count; i++) {
        struct imf_pass *pass = &c->passes[i];
        double stored = storage(c, i) * pass->relative;
        convolutions += pass->kind == IMF_PASS_CONVOLVE && pass->problem.kind != IMF_FILLING;
        bool outgrown = pass->value.integer_if_opaque && pass->value.bound > IMF_WHOLE_FLOATS;
        pass->coarse = outgrown || stored * stored > 0.75 * whole / c->count;
        rest -= pass->coarse ? 0 : stored * stored;
    }
    for (int i = 0; i < c->count; i++) {
        struct imf_pass *pass = &c->passes[i];
        double share = sqrt(rest / fmax(convolutions, 1));
        pass->problem.tolerance_even = share / pass->gain;
        pass->problem.tolerance = share / (pass->problem.positive ? pass->relative : pass->gain);
    }
}

/* Light and, on a device, the curve's points are rounded to floats, in proportion to the light. A
 * curve that is steep where there is much light magnifies that too much. */
static void mark_coarse_curve(struct imf_chain *c) {
    struct imf_pass *last = &c->passes[c->count - 1];
    double error = FLT_EPSILON * c->full * imf_curve_log_slope(c->curve, c->out == IMF_U8);
    if (last->kind == IMF_PASS_POINT && has(&last->point, IMF_DELINEARIZE) &&
        error > final_tolerance(c))
        (last->source < 0 ? last : &c->passes[last->source])->coarse = true;
}

/* A point pass keeps integers as they are, or is the chain's only quotient, of integers. */
static bool point_exact(const struct imf_chain *c, int i) {
    const struct imf_point *p = &c->passes[i].point;
    bool integers = c->passes[i].value.integer && !c->passes[i].rounded;
    bool all = true, whole = false;
    for (int k = 0; k < p->count; k++) {
        const struct imf_operation *op = &p->steps[k];
        switch (op->kind) {
        case IMF_NORMALIZE:
            return stretches_exactly(p) && i == c->count - 1 && !has(p, IMF_BLEND) &&
                   !has(p, IMF_PUT);
        case IMF_COMBINE:
            whole = true;
            all = all && op->combine.difference && integers;
            break;
        case IMF_TAKE_ALPHA:
        case IMF_BLEND:
        case IMF_PUT:
        case IMF_GRAY:
            whole = whole || integers;
            break;
        case IMF_RESCALE:
            all = all && op->rescale == 1;
            break;
        default:
            all = false;
        }
    }
    return whole && all;
}

/* The same for an opaque image: alpha is 1 wherever it multiplies, and it divides once. */
static bool exact_if_opaque(const struct imf_chain *c, int i) {
    const struct imf_pass *pass = &c->passes[i];
    const struct imf_point *p = &pass->point;
    if (pass->kind == IMF_PASS_CONVOLVE)
        return pass->problem.exact || pass->problem.whole_if_opaque ||
               (pass->problem.kind == IMF_RANK && pass->value.integer_if_opaque);
    return pass->value.integer_if_opaque || point_exact(c, i) ||
           (p->steps[0].kind == IMF_UNPREMULTIPLY && p->count == 1 && i == c->count - 1);
}

/* Integers are stretched exactly, so floats must hold them, also where they have got the image's alpha on the way. */
static void mark_coarse_stretch(struct imf_chain *c, int i) {
    const struct imf_point *p = &c->passes[i].point;
    struct imf_pass *sums = &c->passes[imf_max(c->passes[i].source, 0)], *bare = sums;
    if (bare->kind == IMF_PASS_POINT && has(&bare->point, IMF_TAKE_ALPHA))
        bare = &c->passes[imf_max(bare->source, 0)];
    bool held = bare->kind == IMF_PASS_POINT || bare->problem.exact;
    if (stretches_exactly(p) && !held)
        sums->coarse = bare->coarse = true;
}

/* Doubles hold all integers up to here. */
#define WHOLE_DOUBLES 9007199254740992.0

/* The error of pass i in float64: that of its inputs times its gain, plus its own rounding. A
 * sample is a sum of as many products as the image has samples, as by transforms
 * (base/rounding.h). */
static double fine_error(const struct imf_chain *c, int i) {
    const struct imf_pass *pass = &c->passes[i];
    const struct imf_problem *p = &pass->problem;
    double before = 0, gain = 1, reads = 1;
    if (pass->value.integer && pass->value.bound <= WHOLE_DOUBLES)
        return 0;
    if (pass->source >= 0)
        before = c->passes[pass->source].error;
    if (pass->second >= 0)
        before = fmax(before, c->passes[pass->second].error);
    if (pass->kind == IMF_PASS_POINT) {
        gain = point_gain(&pass->point);
    } else {
        gain = error_gain(p);
        reads = (double)c->width * c->height;
    }
    return gain * before + IMF_SIGMAS * sqrt(reads / 12) * pass->value.bound * DBL_EPSILON;
}

/* A gradient of nearly 0 that rounding has made points anywhere. So floats must hold its input
 * exactly, and what a point pass makes that of, or it is computed in float64, where a gradient below
 * the remaining error is 0. */
static void mark_coarse_gradient(struct imf_chain *c, int i) {
    int source = c->passes[i].source;
    if (c->passes[i].problem.kind != IMF_PHASE || source < 0)
        return;
    c->passes[i].problem.in_error = c->passes[source].error;
    for (bool more = true; more && source >= 0; source = c->passes[source].source) {
        struct imf_pass *before = &c->passes[source];
        bool held = before->value.integer && before->value.bound <= IMF_WHOLE_FLOATS;
        before->coarse = before->coarse || !held;
        more = before->kind == IMF_PASS_POINT;
    }
}

void imf_chain_set_tolerances(struct imf_chain *c) {
    bool premultiplied = false;
    c->exact = c->exact_if_opaque = true;
    for (int i = 0; i < c->count; i++) {
        struct imf_pass *pass = &c->passes[i];
        c->exact_if_opaque = c->exact_if_opaque && exact_if_opaque(c, i);
        premultiplied = premultiplied || pass->value.integer_if_opaque;
        bool fits =
            pass->out != IMF_F32 || (pass->value.integer && pass->value.bound <= IMF_WHOLE_FLOATS);
        if (pass->kind == IMF_PASS_POINT) {
            pass->exact = fits && point_exact(c, i);
            c->exact = c->exact && pass->exact;
            continue;
        }
        struct imf_problem *p = &pass->problem;
        const struct imf_epilogue *e = &p->epilogue;
        bool held = (p->in != IMF_F32 || p->in_max <= IMF_WHOLE_FLOATS) &&
                    (p->out != IMF_F32 || pass->value.bound * fabs(e->scale) <= IMF_WHOLE_FLOATS);
        p->exact = p->exact && held && imf_is_integer(e->add) && imf_is_integer(e->offset) &&
                   fabs(e->multiply) == 1;
        pass->exact = p->exact && fits;
        c->exact = c->exact && pass->exact;
    }
    c->exact_if_opaque = c->exact_if_opaque && premultiplied;
    set_tolerances(c);
    for (int i = 0; i < c->count; i++) {
        c->passes[i].error = fine_error(c, i);
        mark_coarse_stretch(c, i);
        mark_coarse_gradient(c, i);
    }
    mark_coarse_curve(c);
}
