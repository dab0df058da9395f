/*
 * chain_bounds.c - how exact each convolution of a chain has to be
 *
 * A convolution of integers by integers is done exactly as long as nothing in between rounds. The
 * others share the tolerance that the contract leaves the final samples, divided by what later
 * passes magnify errors by. So is the rounding of the floats between passes: where it alone is too
 * much the pass is marked as coarse, and the chain takes float64 all through, on the host.
 */
#include "base/rounding.h"
#include "plan/chain.h"

#include <float.h>
#include <math.h>

static bool is_whole(double v) {
    return v == rint(v);
}

/* What a problem reads is rounded first, and any sample may change any other. */
static bool rounds(const struct imf_problem *p) {
    return p->kind == IMF_TABLE || p->kind == IMF_CANNY;
}

/* How a kernel magnifies its input's rounding errors: as independent ones by the root of the sum of
 * squares, as a common one by the sum. Its bound is statistical, like the solvers' own. */
static double error_gain(const struct imf_problem *p) {
    double squares = 0, sum = 0;
    for (int i = 0; i < imf_problem_kernels(p); i++) {
        squares += p->facts[i].squares;
        sum = hypot(sum, p->facts[i].sum);
    }
    double gain = imf_problem_kernels(p) ? fmax(sqrt(squares), sum) / fabs(p->epilogue.scale) : 1;
    if (p->kind == IMF_NEIGHBOURHOOD)
        gain = fmax(1, p->neighbourhood->gain);
    return gain * fabs(p->epilogue.multiply);
}

/* The same of a point pass. What alpha's error adds to the colours' is seen when it runs: pixels in
 * doubt are done again (precision.h). */
static double point_gain(const struct imf_point *p) {
    double gain = p->unsharp ? 1 + fabs(p->amount) : 1;
    if (p->unpremultiply)
        gain /= p->full * p->alpha_scale;
    if (p->epilogue)
        gain *= fabs(p->e.multiply);
    return p->premultiply ? gain * p->full : gain;
}

/* What the rounding of a pass's output to floats is off by. */
static double storage(const struct imf_pass *pass) {
    bool exact = pass->out != IMF_F32 || (pass->whole && pass->bound <= IMF_WHOLE_FLOATS);
    return exact ? 0 : IMF_SIGMAS * imf_float_ulp(pass->bound) / sqrt(12);
}

/* On the scale of the input's samples. */
static double final_tolerance(const struct imf_chain *c) {
    return (c->out == IMF_U8 ? 1e-3 : 0.5) / c->rescale;
}

static void set_gains(struct imf_chain *c) {
    double gain = 1;
    for (int i = c->count - 1; i >= 0; i--) {
        struct imf_pass *pass = &c->passes[i];
        pass->gain = gain;
        if (pass->kind == IMF_PASS_POINT)
            gain = pass->point.normalize ? IMF_FLAT / pass->point.flat
                                         : gain * point_gain(&pass->point);
        else if (rounds(&pass->problem))
            gain = 1; /* what it reads is rounded as results are */
        else
            gain = fmax(gain, gain * error_gain(&pass->problem));
    }
}

/* Share the final tolerance out: errors add up as squares, magnified by later gains. What storing
 * floats between passes takes is taken first, and when that is most of it, then the passes that
 * take the most of it are too coarse. */
static void set_tolerances(struct imf_chain *c) {
    double whole = final_tolerance(c) * final_tolerance(c), rest = whole, most = 0;
    int convolutions = 0;
    set_gains(c);
    for (int i = 0; i < c->count; i++) {
        double stored = storage(&c->passes[i]) * c->passes[i].gain;
        convolutions += c->passes[i].kind == IMF_PASS_CONVOLVE;
        rest -= stored * stored;
        most = fmax(most, stored);
    }
    bool coarse = rest < whole / 4;
    for (int i = 0; i < c->count; i++) {
        struct imf_pass *pass = &c->passes[i];
        pass->coarse = coarse && storage(pass) * pass->gain >= most;
        pass->problem.tolerance = sqrt(fmax(rest, whole / 4) / fmax(convolutions, 1)) / pass->gain;
    }
}

/* A point pass that leaves integers as they are, or takes the only quotient, of integers. */
static bool point_exact(const struct imf_chain *c, int i) {
    const struct imf_point *p = &c->passes[i].point;
    if (p->digits)
        return true;
    if (p->normalize)
        return p->whole && p->rescale == 1 && i == c->count - 1;
    if (p->unsharp && !(p->difference && c->passes[i].whole))
        return false;
    if (p->linearize || p->gray || p->epilogue || p->delinearize || p->rescale != 1)
        return false;
    return p->unpremultiply ? i == c->count - 1 && !p->premultiply
                            : p->premultiply || p->difference;
}

/* Integers are stretched exactly: floats must hold them, and the host alone tells whether a
 * quotient lies on a threshold. */
static void settle_stretch(struct imf_chain *c, int i) {
    const struct imf_point *p = &c->passes[i].point;
    struct imf_pass *sums = &c->passes[imf_max(c->passes[i].source, 0)];
    bool held = sums->kind == IMF_PASS_POINT || sums->problem.exact;
    if (p->normalize && p->whole && p->rescale == 1)
        sums->coarse = sums->coarse || !held || (p->epilogue && p->e.threshold);
}

/* Doubles hold all integers up to here. */
#define WHOLE_DOUBLES 9007199254740992.0

/* What pass i, in float64, makes of what its inputs are off by, and adds: a sample is a sum of as
 * many products as it reads samples, for transforms of all of them (base/rounding.h). */
static double fine_error(const struct imf_chain *c, int i) {
    const struct imf_pass *pass = &c->passes[i];
    const struct imf_problem *p = &pass->problem;
    double before = 0, gain = 1, reads = 1;
    if (pass->whole && pass->bound <= WHOLE_DOUBLES)
        return 0;
    if (pass->source >= 0)
        before = c->passes[pass->source].error;
    if (pass->second >= 0)
        before = fmax(before, c->passes[pass->second].error);
    if (pass->kind == IMF_PASS_POINT) {
        gain = point_gain(&pass->point);
    } else {
        gain = error_gain(p);
        reads = p->kind == IMF_TRANSFER ? (double)c->width * c->height
                                        : (p->reach.left + p->reach.right + 1.0) *
                                              (p->reach.top + p->reach.bottom + 1.0);
    }
    return gain * before + IMF_SIGMAS * sqrt(reads / 12) * pass->bound * DBL_EPSILON;
}

/* A gradient of nearly 0 that rounding has made points anywhere: floats have to hold what it is
 * taken of, or it is taken in float64 and is 0 within the error that is left. */
static void settle_phase(struct imf_chain *c, int i) {
    int source = c->passes[i].source;
    if (c->passes[i].problem.kind != IMF_PHASE || source < 0)
        return;
    struct imf_pass *before = &c->passes[source];
    bool held = before->whole && before->bound <= IMF_WHOLE_FLOATS;
    before->coarse = before->coarse || !held;
    c->passes[i].problem.in_error = before->error;
}

void imf_chain_settle(struct imf_chain *c) {
    struct imf_pass *last = &c->passes[c->count - 1];
    last->out = c->out;
    c->channels_out = last->channels_out;
    c->exact = true;
    for (int i = 0; i < c->count; i++) {
        struct imf_pass *pass = &c->passes[i];
        bool fits = pass->out != IMF_F32 || (pass->whole && pass->bound <= IMF_WHOLE_FLOATS);
        if (pass->kind == IMF_PASS_POINT) {
            c->exact = c->exact && fits && point_exact(c, i);
            continue;
        }
        struct imf_problem *p = &pass->problem;
        const struct imf_epilogue *e = &p->epilogue;
        p->out = pass->out;
        bool held = (p->in != IMF_F32 || p->in_max <= IMF_WHOLE_FLOATS) &&
                    (p->out != IMF_F32 || pass->bound * fabs(e->scale) <= IMF_WHOLE_FLOATS);
        p->exact =
            p->exact && held && is_whole(e->add) && is_whole(e->offset) && fabs(e->multiply) == 1;
        c->exact = c->exact && p->exact && fits;
    }
    c->exact = c->exact || imf_chain_digits(c) > 0;
    set_tolerances(c);
    for (int i = 0; i < c->count; i++) {
        c->passes[i].error = fine_error(c, i);
        settle_stretch(c, i);
        settle_phase(c, i);
    }
}

/* What pass i adds to the error where its gain leads. */
static double added_error(const struct imf_chain *c, int i, const struct imf_proposal *taken,
                          bool store, bool sums) {
    const struct imf_pass *pass = &c->passes[i];
    double error = store ? storage(pass) : 0;
    if (pass->kind == IMF_PASS_CONVOLVE && sums)
        error = hypot(error, taken[i].error);
    return error * pass->gain;
}

/* How the light curve magnifies errors of the values that it ends on, of dark colours mostly. */
static double steepest(const struct imf_chain *c) {
    return imf_curve_steepest(c->curve, c->out == IMF_U8);
}

/* What errors in proportion to the light become may be more than in proportion to the sample: a
 * curve is nearly flat somewhere. */
#define CONDITION 4

/* Errors that are not in proportion to colours and alpha are divided by alpha before pass `index`. */
static bool divides_errors(const struct imf_chain *c, int index, const struct imf_proposal *taken) {
    bool divided = false;
    for (int i = index - 1; i >= 0; i--) {
        const struct imf_pass *pass = &c->passes[i];
        divided = divided || (pass->kind == IMF_PASS_POINT && pass->point.unpremultiply);
        if (divided &&
            (pass->kind == IMF_PASS_POINT
                 ? pass->point.unsharp
                 : !pass->problem.positive || taken[i].solver->backend == IMF_BACKEND_FFT))
            return true;
    }
    return false;
}

struct imf_stretch imf_chain_stretch(const struct imf_chain *c, int index,
                                     const struct imf_proposal *taken) {
    double error = 0;
    for (int i = 0; i < index; i++)
        error = hypot(error, added_error(c, i, taken, true, true));
    /* The sample, and the minimum or maximum that it is measured against, are off. */
    double flat = c->passes[index].point.flat;
    struct imf_stretch s = {.error = 2 * error * flat / IMF_FLAT, .flat = flat};
    s.least = s.error * c->full * c->passes[index].gain / final_tolerance(c);
    s.opaque = divides_errors(c, index, taken) ? c->full : 0;
    if (c->passes[c->count - 1].point.delinearize)
        s.least *= steepest(c);
    return s;
}

double imf_chain_doubt(const struct imf_chain *c, const struct imf_proposal *taken) {
    const struct imf_pass *last = &c->passes[c->count - 1];
    struct imf_point after = last->point;
    /* What a stretch magnifies is imf_chain_stretch()'s: no pixel can be done again without it. */
    if (last->kind != IMF_PASS_POINT || after.normalize || after.digits ||
        !(after.unpremultiply || after.delinearize))
        return 0;
    /* From the last pass back; in proportion: what is small has a small error. */
    bool proportional =
        !after.unsharp && !(after.delinearize && imf_curve_condition(c->curve) > CONDITION);
    double error = 0;
    for (int i = c->count - 2; i >= 0; i--) {
        const struct imf_pass *pass = &c->passes[i];
        bool store = !proportional, sums = !proportional;
        if (pass->kind == IMF_PASS_POINT) {
            if (pass->point.normalize)
                return 0;
            proportional = proportional && !pass->point.unsharp;
        } else if (rounds(&pass->problem)) {
            return 0; /* no pixel can be done again without the others */
        } else {
            sums = sums || !pass->problem.positive || taken[i].solver->backend == IMF_BACKEND_FFT;
            proportional = proportional && pass->problem.positive;
        }
        error = hypot(error, added_error(c, i, taken, store, sums));
    }
    after.unsharp = false;
    error /= point_gain(&after);
    double worst = error * (after.delinearize ? steepest(c) : 1);
    if (after.unpremultiply) /* alpha is half a step at least, and off itself */
        worst *= 4 / after.alpha_scale;
    return worst > final_tolerance(c) ? error : 0;
}

bool imf_chain_curve_magnifies(const struct imf_chain *c) {
    /* Half an ulp of the light, and half an ulp of the table's. */
    double error = FLT_EPSILON * c->full * imf_curve_log_slope(c->curve, c->out == IMF_U8);
    return c->passes[c->count - 1].point.delinearize && error > final_tolerance(c);
}
