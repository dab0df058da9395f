/*
 * transfer.c - gains of frequency-domain filters
 *
 * All are made from one prototype, a low-pass gain g(x) of a normalised frequency x whose cutoff is
 * at x = 1 (Gonzalez and Woods, Digital Image Processing, chapter 4):
 *
 *     gaussian     exp(-x^2 / 2)            0.607 at the cutoff
 *     butterworth  1 / (1 + x^(2 order))    0.5
 *     ideal        x <= 1 ? 1 : 0           1
 *
 * With d = sqrt(u^2 + v^2):
 *
 *     lowpass   g(d / low)                                 highpass  1 - lowpass
 *     bandpass  g(|d^2 - low high| / (d (high - low)))     bandstop  1 - bandpass
 *     notch     (1 - p(d1)) (1 - p(d2)), d1 and d2 the distances from +-(u, v),
 *               p(e) = exp(-e^2 / 2 (1 / radius^2 + radius^2 / d^4))
 *
 * At frequency 0 alone, a high- or bandpass that keeps the mean has gain 1.
 *
 * The band's mapping is the classical low-pass to band-pass transformation: it takes both edges to
 * the cutoff and their geometric mean to gain 1, and removes the frequency 0.
 *
 * A notch's second term keeps frequency 0, the mean, with all of its derivatives: at sqrt(e radius)
 * from it the first is doubled. Farther away than the radius, as notches mostly are, p is the gaussian.
 */
#include "filter/filter.h"

#include <math.h>

static double prototype(const struct imf_transfer *t, double x) {
    switch (t->type) {
    case IMF_BUTTERWORTH:
        return 1 / (1 + pow(x, 2.0 * t->order));
    case IMF_IDEAL:
        /* A cutoff that falls on a frequency of the grid belongs to the pass band, whatever the
         * rounding of d. */
        return x <= 1 + 1e-12 ? 1 : 0;
    default:
        return exp(-x * x / 2);
    }
}

static double band(const struct imf_transfer *t, double d) {
    return d > 0 ? fabs(d * d - t->low * t->high) / (d * (t->high - t->low)) : INFINITY;
}

/* Squared distance from 0 on the torus of frequencies: 0.5 and -0.5 are the same. */
static double square(double u, double v) {
    u -= rint(u);
    v -= rint(v);
    return u * u + v * v;
}

static double pit(const struct imf_transfer *t, double u, double v, int sign) {
    double radius = t->radius * t->radius, mean = square(u, v);
    double near = 1 / radius + radius / (mean * mean);
    return 1 - exp(-0.5 * square(u - sign * t->u, v - sign * t->v) * near);
}

double imf_transfer_gain(const struct imf_transfer *t, double u, double v) {
    double d = hypot(u, v);
    if (t->keeps_mean && d == 0)
        return 1;
    switch (t->kind) {
    case IMF_LOWPASS:
        return prototype(t, d / t->low);
    case IMF_HIGHPASS:
        return 1 - prototype(t, d / t->low);
    case IMF_BANDPASS:
        return prototype(t, band(t, d));
    case IMF_BANDSTOP:
        return 1 - prototype(t, band(t, d));
    default:
        return pit(t, u, v, 1) * pit(t, u, v, -1);
    }
}
