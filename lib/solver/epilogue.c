/*
 * epilogue.c - the epilogue of a filtering pass, in double precision and as "#define" lines
 *
 * The float form folds scale, bias, range and point operations into v * MUL + ADD on either side of
 * an optional |v|. The exact form keeps everything on numerators over the integer scale, so that a
 * single division, rounded to nearest even, is the only rounding.
 */
#include "base/clones.h"
#include "solver/solver.h"

#include <float.h>
#include <math.h>

double imf_epilogue_apply(const struct imf_epilogue *e, double v) {
    if (e->absolute)
        v = fabs(v);
    v = e->multiply * v + e->offset;
    if (e->threshold)
        v = v >= e->level ? e->full : 0;
    return v;
}

/* The same for a row, a loop for each step, so that compilers vectorise it. */
IMF_CLONES static void apply_row(const struct imf_epilogue *e, double *v, size_t count) {
    const double multiply = e->multiply, offset = e->offset, level = e->level, full = e->full;
    if (e->absolute)
        for (size_t i = 0; i < count; i++)
            v[i] = fabs(v[i]);
    if (multiply != 1 || offset != 0)
        for (size_t i = 0; i < count; i++)
            v[i] = multiply * v[i] + offset;
    if (e->threshold)
        for (size_t i = 0; i < count; i++)
            v[i] = v[i] >= level ? full : 0;
}

IMF_CLONES static void scale_row(double scale, double add, double *v, size_t count) {
    for (size_t i = 0; i < count; i++)
        v[i] = v[i] / scale + add;
}

void imf_epilogue_values(const struct imf_epilogue *e, double *v, size_t count) {
    apply_row(e, v, count);
}

void imf_epilogue_sums(const struct imf_epilogue *e, double *v, size_t count) {
    scale_row(e->scale, e->add, v, count);
    apply_row(e, v, count);
}

/* Exact sums (for magnitudes: the sum of two squares) or their numerators need 64 bits. */
static bool is_wide(const struct imf_problem *p) {
    const struct imf_epilogue *e = &p->epilogue;
    double scale = fabs(e->scale), sum = imf_largest_sum(p);
    if (p->kind == IMF_MAGNITUDE)
        return 2 * sum * sum + sum > INT32_MAX;
    double numerator = sum + (fabs(e->add) + fabs(e->offset)) * scale;
    return numerator > INT32_MAX || scale * 65536 > INT32_MAX;
}

double imf_problem_end_error(const struct imf_problem *p, double sum) {
    const struct imf_epilogue *e = &p->epilogue;
    int exponent;
    double mul = fabs(e->multiply / e->scale), add = fabs(e->add) + fabs(e->offset), error = 0;
    double size = fmin(sum * mul, p->out == IMF_F32 ? INFINITY : e->full + add);
    if (frexp(mul, &exponent) != 0.5) /* the factor and the product are rounded */
        error += 2 * size;
    if (add > 0) /* so are the summand and the result */
        error += size + 2 * add;
    if (p->kind == IMF_MAGNITUDE) /* and squares, their sum and its root */
        error += 4 * size;
    return FLT_EPSILON / 2 * error;
}

static void define_nonzero(struct imf_defines *d, const char *name, double value) {
    if (value != 0)
        imf_define_float(d, name, value);
}

/* Parenthesised, as the value may be negative; long where the sums are. */
static void define_whole(struct imf_defines *d, const char *name, double value, bool wide) {
    imf_define(d, name, "(%.0f%s)", value, wide ? "L" : "");
}

/* An absolute value or a magnitude comes before the last multiplication and addition. */
static bool two_steps(const struct imf_problem *p) {
    return p->epilogue.absolute || imf_problem_kernels(p) == 2;
}

void imf_levels_make(struct imf_levels *levels, const struct imf_problem *p,
                     enum imf_sample sample) {
    for (int i = 0; i < 2; i++)
        levels->v[i] = imf_epilogue_apply(&p->epilogue, i ? p->epilogue.full : 0);
    imf_samples_narrow(&levels->as, sample, levels->v, 2);
}

bool imf_epilogue_is_identity(const struct imf_problem *p) {
    const struct imf_epilogue *e = &p->epilogue;
    return p->in == p->out && !e->absolute && e->multiply == 1 && e->offset == 0 && !e->threshold;
}

double imf_epilogue_least_square(const struct imf_epilogue *e) {
    double root = (e->level - e->offset) / e->multiply, square = root * fabs(root);
    return fmax(e->multiply > 0 ? ceil(square) : floor(square) + 1, 0);
}

void imf_problem_defines(struct imf_defines *d, const struct imf_problem *p) {
    static const int bits[] = {[IMF_U8] = 8, [IMF_U16] = 16, [IMF_F32] = 32, [IMF_F64] = 64};
    const struct imf_epilogue *e = &p->epilogue;
    imf_define(d, "IN", "%d", bits[p->in]);
    imf_define(d, "OUT", "%d", bits[p->out]);
    imf_define(d, "EXACT", "%d", p->exact);
    imf_define(d, "E_ABS", "%d", e->absolute);
    imf_define(d, "E_THRESHOLD", "%d", e->threshold);
    imf_define_float(d, "E_FULL", e->full);
    imf_define_float(d, "E_LEVEL", e->level);
    imf_define_float(d, "E_MUL", (two_steps(p) ? 1 : e->multiply) / e->scale);
    if (two_steps(p)) {
        imf_define_float(d, "E_MUL2", e->multiply);
        define_nonzero(d, "E_ADD", e->add);
        define_nonzero(d, "E_ADD2", e->offset);
    } else {
        define_nonzero(d, "E_ADD", e->multiply * e->add + e->offset);
    }
    if (!p->exact)
        return;
    double scale = fabs(e->scale);
    bool wide = is_wide(p);
    imf_define(d, "WIDE", "%d", wide);
    imf_define(d, "X_SIGN", "%s", e->scale < 0 ? "(-1)" : "1");
    imf_define(d, "X_SIGN2", "%s", e->multiply < 0 ? "(-1)" : "1");
    define_whole(d, "X_SCALE", scale, false);
    define_whole(d, "X_ADD", e->add * scale, wide);
    define_whole(d, "X_ADD2", e->offset * scale, wide);
    define_whole(d, "X_LEVEL", ceil(e->level * scale), wide);
    if (p->kind == IMF_MAGNITUDE && e->threshold)
        define_whole(d, "X_SQUARE", fmin(imf_epilogue_least_square(e), wide ? 0x1p62 : INT32_MAX),
                     wide);
}
