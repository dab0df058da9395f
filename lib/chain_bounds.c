/*
 * chain_bounds.c - how exact each convolution of a chain has to be
 *
 * A convolution of integers by integers is done exactly as long as nothing in between rounds. The
 * others share the tolerance that the contract leaves the final samples.
 */
#include "chain.h"

#include <math.h>

static bool is_whole(double v) {
    return v == rint(v);
}

/* How a kernel magnifies its input's rounding errors: as independent ones by the root of the sum of
 * squares, as a common one by the sum. Its bound is statistical, like the solvers' own. */
static double error_gain(const struct imf_problem *p) {
    const struct imf_kernel *k = p->kernel[0];
    if (!k)
        return 1;
    double squares = 0;
    for (size_t i = 0; i < (size_t)k->width * (size_t)k->height; i++)
        squares += k->taps[i] * k->taps[i];
    return fmax(sqrt(squares), fabs(imf_kernel_sum(k))) / fabs(p->epilogue.scale);
}

/* Share the final tolerance out among the convolutions, whose errors add up as squares; later gains
 * magnify earlier errors. */
static void set_tolerances(struct imf_chain *c) {
    double tolerance = (c->out == IMF_U8 ? 1e-3 : 0.25) / c->rescale;
    int convolutions = 0;
    for (int i = 0; i < c->count; i++)
        convolutions += c->passes[i].kind == IMF_PASS_CONVOLVE;
    double gain = 1;
    for (int i = c->count - 1; i >= 0; i--) {
        struct imf_pass *pass = &c->passes[i];
        if (pass->kind == IMF_PASS_POINT) {
            gain *= pass->point.unsharp ? fmax(1, fabs(pass->point.amount)) : 1;
            continue;
        }
        pass->problem.tolerance = tolerance / (gain * sqrt(convolutions));
        gain = fmax(gain, gain * error_gain(&pass->problem));
    }
}

void imf_chain_settle(struct imf_chain *c) {
    struct imf_pass *last = &c->passes[c->count - 1];
    last->out = c->out;
    c->channels_out = last->channels_out;
    c->exact = true;
    for (int i = 0; i < c->count; i++) {
        struct imf_pass *pass = &c->passes[i];
        if (pass->kind == IMF_PASS_POINT) {
            c->exact = false;
            continue;
        }
        struct imf_problem *p = &pass->problem;
        const struct imf_epilogue *e = &p->epilogue;
        p->out = pass->out;
        /* Floats between passes hold integers up to 2^24 exactly. */
        bool fits = p->in != IMF_F32 || p->in_max < 16777216;
        p->exact =
            p->exact && fits && is_whole(e->add) && is_whole(e->offset) && fabs(e->multiply) == 1;
        c->exact = c->exact && p->exact && (i == c->count - 1 || fabs(e->scale) == 1);
    }
    set_tolerances(c);
}
