/*
 * error.c - how accurate convolution by float32 transforms is
 *
 * The bound is one of IMF_SIGMAS standard deviations (base/image/rounding.h) of roundings that are assumed
 * independent; it holds for every input, also the worst. With u = 2^-24, N points, samples of
 * at most m, and a kernel whose taps have the sum of magnitudes A and the norm |w|:
 *
 *   - A stage's additions and multiplications by twiddles round a complex value v with a variance of
 *     at most 2/3 u^2 |v|^2 for each factor 2 of the length: a component's product, sum and sum again,
 *     each at most (2 u |value|)^2 / 12; larger radices round less often. Of this a real plane gets
 *     half, but |v|^2 is that of two planes: the factors cancel.
 *   - After s factors of 2 each value of the forward transform depends on a class of 2^s samples,
 *     N / 2^s apart. It contributes to a result with the sum of the taps' magnitudes on that class over
 *     2^s. By Parseval the squares add up to m^2 * (sum of the squares of these sums). The sums add up
 *     to A, and none exceeds A or 2^s times the largest tap, P: at most m^2 A^2 min(1, 2^s P / A).
 *   - Of the inverse's values N / 2^s contribute to a result, with factor 1; their squares add up to
 *     the mean square of the results of one class: at most m^2 A^2.
 *   - The product rounds once more, like a stage. The error of the kernel's spectrum is |w| times that
 *     of a forward transform, and the same for all samples.
 *
 * In all the variance is u^2 m^2 2/3 ((F + log2 N + 1) A^2 + log2 N |w|^2), where F is the sum of
 * min(1, 2^s P / A) over s from 1 to log2 N. The two kernels of a magnitude are one complex kernel,
 * gx + i gy.
 */
#include "solver/fft/error.h"

#include "base/image/rounding.h"

#include <float.h>
#include <math.h>

/* If errors are below 1 - WINDOW, an integer within WINDOW of a computed sum is the true sum. If there
 * is none, the sum is computed again, tap by tap. */
#define WINDOW 0.3

/* If sums are doubtful only within this distance of a tie between two pixels, a float decides the
 * others. */
#define TIE_MAX 0.01

/* If a larger share of pixels is doubtful, the problem is refused. */
#define DOUBTFUL_MAX 0.01

/* About the most points of a transform: the error grows as the root of their logarithm. */
#define POINTS_MAX 0x1p22

double imf_fft_middle(enum imf_sample in) {
    return in == IMF_U8 ? 128 : in == IMF_U16 ? 32768 : 0;
}

struct imf_fft_bound imf_fft_bound(const struct imf_problem *p) {
    double squares = 0, middle = imf_fft_middle(p->in);
    struct imf_fft_bound b = {.middle = middle, .size = p->in == IMF_F32 ? p->in_max : middle};
    for (int i = 0; i < imf_problem_kernels(p); i++) {
        squares += p->facts[i].squares;
        b.abs_sum = hypot(b.abs_sum, p->facts[i].abs_sum);
        b.largest = hypot(b.largest, fabs(p->facts[i].pivot.tap));
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
    double stages = log2(points), taps = b->abs_sum * b->abs_sum, norm = b->norm * b->norm;
    double forward = 0;
    for (int s = 1; s < stages + 1; s++)
        forward += fmin(1, ldexp(b->largest, s) / b->abs_sum);
    double variance = 2.0 / 3 * ((forward + stages + 1) * taps + stages * norm);
    return IMF_SIGMAS * FLT_EPSILON / 2 * b->size * sqrt(variance);
}

double imf_fft_window(double error) {
    return error < 1 - WINDOW ? WINDOW : error;
}

double imf_fft_doubtful(const struct imf_problem *p, const struct imf_fft_bound *b, double error) {
    if (error < 1 - WINDOW)
        return (b->alone ? 2 : 1) * erfc(WINDOW / (error / IMF_SIGMAS) * sqrt(0.5));
    return p->out == IMF_F32 || b->alone ? 1 : fmin(1, 2 * error / fabs(p->epilogue.scale));
}

double imf_fft_tie(const struct imf_problem *p, const struct imf_fft_bound *b, double error) {
    const struct imf_epilogue *e = &p->epilogue;
    double mul = fabs(e->multiply / e->scale), sum = b->size * b->abs_sum * mul;
    double add = fabs(e->add) + fabs(e->offset) + sum;
    return fmax(error, 1 - WINDOW) * mul + FLT_EPSILON / 2 * (sum + add + e->full);
}

bool imf_fft_near_tie(const struct imf_problem *p, const struct imf_fft_bound *b, double error) {
    const struct imf_epilogue *e = &p->epilogue;
    return p->exact && !b->alone && p->out != IMF_F32 && !e->absolute && !e->threshold &&
           imf_fft_tie(p, b, error) <= TIE_MAX;
}

/* The error of a real result whose sums have the error `error`. The error of a magnitude is at most the
 * root of its two sums' squared errors. */
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
    imf_problem_defines(d, &shifted);
}
