/*
 * fft_error.c - how accurate convolution by float32 transforms is
 *
 * A transform in floats with exact twiddles has a relative L2 error of about 0.6 eps sqrt(log2 N),
 * eps = 2^-24, spread evenly over its outputs. Through forward transform, product and inverse, an
 * error of relative size e in the input's spectrum reaches the result as e * rms(x) * |w|_2, and
 * the inverse adds e * rms(y). Without structure in the input rms(y) = rms(x) |w|_2. Where the
 * input is all of one frequency, flat parts for most kernels, rms(y) is up to rms(x) times the peak
 * of the kernel's response, but then few roundings matter. imf_fft_error adds 6 and 12 times these
 * two for samples at the far end of the range. Measured on noise, edges, gratings and constants,
 * the largest error stays below 0.95 of that for the first kind and 0.85 for the second.
 *
 * Two kernels of a magnitude are one complex kernel, gx + i gy: errors of the sums, the real and
 * the imaginary part of its result, are those of its norm and its peak.
 */
#include "solver/fft_error.h"

#include <float.h>
#include <math.h>

/* An integer within this distance of a computed sum is the true one if errors are below 1 - WINDOW;
 * where there is none, the error is larger than usual and the sum is taken again. */
#define WINDOW 0.3

/* Where sums are doubtful no further than this from a tie between two pixels, it is worth letting a
 * float decide the others. */
#define TIE_MAX 0.01

/* Of a real tap as an integer. */
#define UNIT_BITS 30

/* The same of real sums, of which no integers are left to look at. */
#define SETTLED_MAX 0.1

/* More pixels than this share are not worth summing again. */
#define DOUBTFUL_MAX 0.01

/* Points of a transform that are not exceeded by much: the error grows as the root of their
 * logarithm. */
#define POINTS_MAX 0x1p22

double imf_fft_middle(enum imf_sample in) {
    return in == IMF_U8 ? 128 : in == IMF_U16 ? 32768 : 0;
}

struct imf_fft_bound imf_fft_bound(const struct imf_problem *p) {
    double squares = 0, middle = imf_fft_middle(p->in);
    struct imf_fft_bound b = {.middle = middle, .size = p->in == IMF_F32 ? p->in_max : middle};
    for (int i = 0; i < imf_problem_kernels(p); i++) {
        squares += p->facts[i].squares;
        b.peak += p->facts[i].peak;
        b.abs_sum = fmax(b.abs_sum, p->facts[i].abs_sum);
    }
    b.norm = sqrt(squares);
    if (p->exact && p->in == IMF_U16 && p->kind != IMF_MAGNITUDE &&
        imf_fft_doubtful(p, &b, imf_fft_error(&b, POINTS_MAX)) > DOUBTFUL_MAX) {
        b.split = true;
        b.size = b.middle = 128;
        middle = 256 * 128 + 128;
    }
    b.alone = b.split || p->kind == IMF_MAGNITUDE;
    for (int i = 0; i < imf_problem_kernels(p); i++)
        b.middle_sum[i] = middle * p->facts[i].sum;
    return b;
}

double imf_fft_error(const struct imf_fft_bound *b, double points) {
    return FLT_EPSILON / 2 * b->size * (6 * sqrt(log2(points)) * b->norm + 12 * b->peak);
}

double imf_fft_window(double error) {
    return error < 1 - WINDOW ? WINDOW : error;
}

double imf_fft_doubtful(const struct imf_problem *p, const struct imf_fft_bound *b, double error) {
    if (error < 1 - WINDOW)
        return (b->alone ? 2 : 1) * erfc(WINDOW / (error / 6) * sqrt(0.5));
    return p->out == IMF_F32 || b->alone ? 1 : fmin(1, 2 * error / fabs(p->epilogue.scale));
}

double imf_fft_tie(const struct imf_problem *p, const struct imf_fft_bound *b, double error) {
    const struct imf_epilogue *e = &p->epilogue;
    double mul = fabs(e->multiply / e->scale), sum = b->size * b->abs_sum * mul;
    double add = fabs(e->add) + fabs(e->offset) + sum;
    if (!p->exact) /* what the middle leaves out is added, too */
        return error * mul + FLT_EPSILON / 2 * (2 * sum + add + e->full);
    return fmax(error, 1 - WINDOW) * mul + FLT_EPSILON / 2 * (sum + add + e->full);
}

bool imf_fft_near_tie(const struct imf_problem *p, const struct imf_fft_bound *b, double error) {
    const struct imf_epilogue *e = &p->epilogue;
    return p->exact && !b->alone && p->out != IMF_F32 && !e->absolute && !e->threshold &&
           imf_fft_tie(p, b, error) <= TIE_MAX;
}

/* What sums that are off by `error` do to a real result. A magnitude is a distance: its error is at
 * most the root of its two sums' squared errors. */
static double after_scale(const struct imf_problem *p, double error) {
    return error * fabs(p->epilogue.multiply / p->epilogue.scale) *
           (p->kind == IMF_MAGNITUDE ? sqrt(2) : 1);
}

double imf_fft_result_error(const struct imf_problem *p, const struct imf_fft_bound *b,
                            double error) {
    if (p->exact)
        return 0;
    return after_scale(p, error) + imf_problem_end_error(p, b->size * b->abs_sum);
}

bool imf_fft_settle(struct imf_fft_settled *out, const struct imf_problem *p,
                    const struct imf_fft_bound *b, double error) {
    const struct imf_epilogue *e = &p->epilogue;
    const struct imf_kernel *k = p->kernel[0];
    double tie = imf_fft_tie(p, b, error), most = 0, mul = fabs(e->multiply / e->scale);
    double off[2] = {0}; /* what is left of the taps, below and above 0 */
    *out = (struct imf_fft_settled){0};
    if (p->exact || p->whole_if_opaque || p->kind != IMF_CONVOLUTION || p->in == IMF_F32 ||
        p->out == IMF_F32 || e->absolute || e->threshold || tie > SETTLED_MAX ||
        after_scale(p, error) <= p->tolerance_even)
        return false;
    size_t count = (size_t)k->width * (size_t)k->height;
    int exponent;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(k->taps[i]));
    frexp(most, &exponent);
    out->unit = ldexp(1, exponent - UNIT_BITS);
    for (size_t i = 0; i < count; i++) {
        double part = k->taps[i] - rint(k->taps[i] / out->unit) * out->unit;
        off[part > 0] += fabs(part);
    }
    /* A sum whose pixel is not saturated is below 2 (full + added) and rounded three times. */
    out->error = fmax(off[0], off[1]) * p->in_max * mul +
                 3 * FLT_EPSILON * (e->full + fabs(e->add * e->multiply) + fabs(e->offset));
    out->doubtful = fmin(1, 2 * tie);
    return out->error <= p->tolerance_even &&
           (b->abs_sum / out->unit + (double)count) * p->in_max < 0x1p62;
}

bool imf_fft_accurate(const struct imf_problem *p, const struct imf_fft_bound *b, double error,
                      double doubtful, char *why) {
    if (p->exact) {
        if (b->size * b->abs_sum + error < 2147483520.0 && doubtful <= DOUBTFUL_MAX)
            return true;
        snprintf(why, IMF_WHY,
                 "float32 transforms leave an error of %.2g in sums that must be exact", error);
        return false;
    }
    if (p->whole_if_opaque) {
        snprintf(why, IMF_WHY, "sums of an opaque image's integers must be exact");
        return false;
    }
    error = after_scale(p, error);
    if (error <= p->tolerance_even)
        return true;
    snprintf(why, IMF_WHY, "float32 transforms leave an error of %.2g, over the %.2g allowed",
             error, p->tolerance_even);
    return false;
}

void imf_fft_define_sums(struct imf_defines *d, const struct imf_problem *p,
                         const struct imf_fft_bound *bound, double error, bool near_tie) {
    struct imf_problem shifted = *p;
    const struct imf_epilogue *e = &p->epilogue;
    double middle = bound->middle_sum[0] / e->scale;
    if (!p->exact && p->kind != IMF_MAGNITUDE)
        shifted.epilogue.add += middle;
    imf_define(d, "CHANNELS", "%d", p->channels);
    imf_define(d, "DOUBT", "%d",
               p->exact && p->kind != IMF_MAGNITUDE && imf_fft_window(error) >= 0.5);
    imf_define(d, "SPLIT", "%d", bound->split);
    imf_define(d, "MAGNITUDE", "%d", p->kind == IMF_MAGNITUDE);
    if (near_tie) {
        imf_define(d, "NEAR_TIE", "1");
        imf_define_float(d, "NEAR_ADD", e->multiply * (e->add + middle) + e->offset);
        imf_define_float(d, "NEAR_WINDOW", 0.5 - imf_fft_tie(p, bound, error));
    }
    if (near_tie && !p->exact) {
        struct imf_fft_settled settled;
        imf_fft_settle(&settled, p, bound, error);
        imf_define(d, "WIDE", "1");
        imf_define_float(d, "UNIT_MUL", settled.unit * e->multiply / e->scale);
        imf_define_float(d, "UNIT_ADD", e->multiply * e->add + e->offset);
    }
    imf_problem_defines(d, &shifted);
}
