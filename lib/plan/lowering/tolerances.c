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
#include "base/image/rounding.h"
#include "plan/lowering/operations.h"

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
    double gain = 0;
    switch (p->kind) {
#define GAIN(kind, name, extent, value, by, why)                                                   \
    case IMF_##kind:                                                                               \
        gain = by;                                                                                 \
        break;
        IMF_PROBLEMS(GAIN)
    case IMF_PROBLEM_KINDS:
        break;
    }
    return gain > 0 ? gain : fmax(sqrt(squares), sum) / fabs(p->epilogue.scale);
}

/* By how much what follows magnifies an error: an absolute one by `gain`, one in proportion to the
 * value by gain * part. */
struct magnified {
    double gain, part;
};

/* From behind an operation to what it reads. */
static void pass_back(struct magnified *m, const struct imf_operation *op) {
    m->gain *= op->slope;
    m->part = op->part > 0 ? m->part * op->part : 1;
}

static void pass_back_point(struct magnified *m, const struct imf_point *p) {
    for (int i = p->count - 1; i >= 0; i--)
        pass_back(m, &p->steps[i]);
}

/* Floats hold all values of the pass. */
static bool fits_floats(const struct imf_pass *pass) {
    return pass->value.integer && pass->value.bound <= IMF_WHOLE_FLOATS;
}

static bool has(const struct imf_point *p, enum imf_operation_kind kind) {
    return imf_point_find(p, kind);
}

/* Integers, to the image's depth. */
static bool stretches_exactly(const struct imf_point *p) {
    const struct imf_operation *stretch = imf_point_find(p, IMF_NORMALIZE);
    return stretch && stretch->normalize.whole && !has(p, IMF_RESCALE);
}

/* The error of rounding pass i's output to floats; a point pass rounds between its steps, too. */
static double storage(const struct imf_chain *c, int i) {
    const struct imf_pass *pass = &c->passes[i];
    bool reads_float64 = pass->source >= 0 && c->passes[pass->source].coarse;
    bool exact = pass->out != IMF_F32 || fits_floats(pass);
    bool steps = pass->kind == IMF_PASS_POINT && !imf_point_is_map(&pass->point);
    if (pass->kind == IMF_PASS_CONVOLVE && imf_problem_selects(&pass->problem))
        exact = exact || !reads_float64;
    return exact ? 0 : (steps ? 2 : 1) * IMF_SIGMAS * imf_float_ulp(pass->value.bound) / sqrt(12);
}

/* Results are no finer than bytes. */
static bool bytes(const struct imf_chain *c) {
    return c->out == IMF_U8 || (!c->relative && c->out != IMF_U16 && c->full * c->rescale <= 255);
}

double imf_contract_error(const struct imf_chain *c) {
    const struct imf_pass *last = &c->passes[c->count - 1];
    return c->relative    ? IMF_FLOAT_ERROR * last->value.bound
           : bytes(c)     ? 1.0 / 32
           : c->high_gain ? 2
                          : 1;
}

double imf_contract_choices(const struct imf_chain *c) {
    double most = 0;
    for (int i = 0; i < c->count; i++) {
        const struct imf_pass *pass = &c->passes[i];
        if (pass->kind == IMF_PASS_CONVOLVE && pass->problem.kind == IMF_DENOISE &&
            pass->problem.denoise->groups && pass->problem.in == IMF_F32)
            most = fmax(most, c->full / 255 * pass->gain);
    }
    return imf_contract_error(c) + most;
}

/* The tolerance of the computation. */
static double final_tolerance(const struct imf_chain *c) {
    double words = 1.0 / 32; /* what is less than a step away is the next sample at most */
    return imf_contract_error(c) - (c->relative || bytes(c) ? 0 : words);
}

/* From the last pass back. Rounding errors of floats are in proportion to the values, and stay so
 * through sums of positive products: these are magnified by `relative`. */
static void set_gains(struct imf_chain *c) {
    struct magnified m = {1, 1};
    for (int i = c->count - 1; i >= 0; i--) {
        struct imf_pass *pass = &c->passes[i];
        pass->gain = m.gain;
        pass->relative = m.gain * m.part;
        if (pass->kind == IMF_PASS_POINT) {
            pass_back_point(&m, &pass->point);
        } else if (imf_problem_decides(&pass->problem)) {
            m = (struct magnified){1, 1}; /* its input is rounded as results are */
        } else {
            m.gain *= fmax(1, error_gain(&pass->problem));
            m.part = pass->problem.positive ? m.part : 1;
        }
    }
}

/* Its result is counted, so that nothing may be rounded before it is an integer. */
static bool makes_words(const struct imf_pass *pass) {
    bool is = false;
    for (int i = 0; i < pass->point.count; i++)
        is = is || (pass->point.steps[i].kind == IMF_RESCALE && pass->point.steps[i].rescale.whole);
    return is;
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
        pass->coarse = outgrown || makes_words(pass) || c->in == IMF_F64 || c->out == IMF_F64 ||
                       (!c->relative && stored * stored > 0.75 * whole / c->count);
        rest -= pass->coarse ? 0 : stored * stored;
    }
    for (int i = 0; i < c->count; i++) {
        struct imf_pass *pass = &c->passes[i];
        double share = sqrt(rest / fmax(convolutions, 1));
        pass->problem.tolerance_even = share / pass->gain;
        pass->problem.tolerance = share / (pass->problem.positive ? pass->relative : pass->gain);
        if (c->relative) /* each stage by itself */
            pass->problem.tolerance = pass->problem.tolerance_even =
                IMF_FLOAT_ERROR * pass->value.bound;
    }
}

/* Light and, on a device, the curve's points are rounded to floats, in proportion to the light. A
 * curve that is steep where there is much light magnifies that too much. */
static void mark_coarse_curve(struct imf_chain *c) {
    struct imf_pass *last = &c->passes[c->count - 1];
    double error =
        c->rescale * FLT_EPSILON * c->full * imf_curve_log_slope(c->curve, c->out == IMF_U8);
    if (last->kind == IMF_PASS_POINT && has(&last->point, IMF_DELINEARIZE) &&
        error > final_tolerance(c))
        (last->source < 0 ? last : &c->passes[last->source])->coarse = true;
}

/* A point pass keeps integers as they are, or is a table of them or the chain's only quotient. */
static bool point_exact(const struct imf_chain *c, int i) {
    const struct imf_point *p = &c->passes[i].point;
    bool keeps = c->passes[i].value.integer && !c->passes[i].rounded;
    if (imf_point_first(p, IMF_TABLE))
        return imf_point_is_table(p, c->passes[i].in) && !c->passes[i].rounded;
    if (has(p, IMF_NORMALIZE))
        return stretches_exactly(p) && i == c->count - 1 && !has(p, IMF_BLEND) && !has(p, IMF_PUT);
    return keeps && imf_point_all(p, IMF_EXACT);
}

/* The same for an opaque image: alpha is 1 wherever it multiplies, and it divides once. */
static bool exact_if_opaque(const struct imf_chain *c, int i) {
    const struct imf_pass *pass = &c->passes[i];
    const struct imf_point *p = &pass->point;
    if (pass->kind == IMF_PASS_CONVOLVE)
        return pass->problem.exact || pass->problem.whole_if_opaque ||
               (imf_problem_selects(&pass->problem) && pass->value.integer_if_opaque);
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
 * (base/image/rounding.h). */
static double fine_error(const struct imf_chain *c, int i) {
    const struct imf_pass *pass = &c->passes[i];
    const struct imf_problem *p = &pass->problem;
    struct magnified m = {1, 1};
    double before = 0, reads = 1;
    if (pass->value.integer && pass->value.bound <= WHOLE_DOUBLES)
        return 0;
    if (pass->source >= 0)
        before = c->passes[pass->source].error;
    if (pass->second >= 0)
        before = fmax(before, c->passes[pass->second].error);
    if (pass->kind == IMF_PASS_POINT) {
        pass_back_point(&m, &pass->point);
    } else {
        m.gain = error_gain(p);
        reads = (double)c->width * c->height;
    }
    return m.gain * before + IMF_SIGMAS * sqrt(reads / 12) * pass->value.bound * DBL_EPSILON;
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
        before->coarse = before->coarse || !fits_floats(before);
        more = before->kind == IMF_PASS_POINT;
    }
}

/* A solver's work is exact if its input, its sums and what is added to them are. */
static bool solver_exact(const struct imf_pass *pass) {
    const struct imf_problem *p = &pass->problem;
    const struct imf_epilogue *e = &p->epilogue;
    return p->exact && (p->in != IMF_F32 || p->in_max <= IMF_WHOLE_FLOATS) &&
           (p->out != IMF_F32 || pass->value.bound * fabs(e->scale) <= IMF_WHOLE_FLOATS) &&
           imf_is_integer(e->add) && imf_is_integer(e->offset);
}

/* What has no steepest slope makes much of the errors of floats near 0. */
static void mark_coarse_root(struct imf_chain *c, int i) {
    const struct imf_pass *pass = &c->passes[i];
    if (c->relative && imf_point_first(&pass->point, IMF_ROOT) && pass->source >= 0)
        c->passes[pass->source].coarse = true;
}

/* Steep maps magnify the rounding of what they read, unless that is a table's. Of floats a result that grows with the slope
 * may be off by as much more. */
static void mark_coarse_steep(struct imf_chain *c, int i) {
    struct imf_pass *pass = &c->passes[i];
    const struct imf_point *p = &pass->point;
    const struct imf_operation *first = imf_point_first(p, c->relative ? IMF_BOUNDED : IMF_TABLE);
    if (!first || imf_point_is_table(p, pass->in))
        return;
    struct magnified m = {pass->gain, 1};
    for (const struct imf_operation *op = p->steps + p->count; op-- > first;)
        pass_back(&m, op);
    double allowed = c->relative ? imf_contract_error(c) / 4 : final_tolerance(c);
    if (m.gain * m.part * FLT_EPSILON * c->full <= allowed)
        return;
    pass->coarse = true;
    if (pass->source >= 0 && !fits_floats(&c->passes[pass->source]))
        c->passes[pass->source].coarse = true;
}

void imf_chain_set_tolerances(struct imf_chain *c) {
    bool premultiplied = false;
    c->exact = c->exact_if_opaque = true;
    for (int i = 0; i < c->count; i++) {
        struct imf_pass *pass = &c->passes[i];
        bool point = pass->kind == IMF_PASS_POINT;
        c->exact_if_opaque = c->exact_if_opaque && exact_if_opaque(c, i);
        premultiplied = premultiplied || pass->value.integer_if_opaque;
        pass->problem.exact = !point && solver_exact(pass);
        pass->exact = (pass->out != IMF_F32 || fits_floats(pass)) &&
                      (point ? point_exact(c, i) : pass->problem.exact);
        c->exact = c->exact && pass->exact;
    }
    c->exact_if_opaque = c->exact_if_opaque && premultiplied;
    set_tolerances(c);
    for (int i = 0; i < c->count; i++) {
        c->passes[i].error = fine_error(c, i);
        mark_coarse_stretch(c, i);
        mark_coarse_gradient(c, i);
        mark_coarse_root(c, i);
        mark_coarse_steep(c, i);
    }
    mark_coarse_curve(c);
}
