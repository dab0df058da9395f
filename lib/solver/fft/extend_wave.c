/*
 * extend_wave.c - the wave that a notch removes, continued beyond the ends of a line
 *
 * If a wave were clamped at the edge of the image, the notch would leave stripes there. So the last n
 * samples f(0), f(-1) ... of a line are fitted, by least squares, by a constant and a wave of the
 * notch's frequency along the line:
 *
 *     f(d) = m + c cos(t d) + s sin(t d) + rest(d),    t = 2 pi |frequency|
 *
 * Beyond the end the wave is continued, and constant and rest are clamped: d samples on follows
 *
 *     f(0) + c (cos(t d) - 1) + s sin(t d)
 *
 * The same holds before the beginning, with the line read backwards. A wave in the plane has one of
 * these frequencies along each row and each column.
 *
 * n is at least one period, so that the terms are independent, and at least 1/(2 radius), over which
 * the notch averages; over more samples a slightly different frequency would drift. A line shorter than
 * two periods is clamped. Near a frequency of 0.5 sines are small: n / 1000 (c^2 + s^2) is added to
 * the sum of squares, which keeps c and s small, too. m vanishes if the means of cosine and
 * sine are subtracted; c and s are then sums of products with taps that depend on the filter only.
 */
#include "solver/fft/extend.h"

#include <math.h>

#define PERIODS_MIN 2
#define RIDGE 1e-3

static const double two_pi = 6.283185307179586;

struct imf_wave imf_extend_wave(const struct imf_transfer *t, double frequency, int size,
                                enum imf_edge edge) {
    double f = fabs(frequency - rint(frequency));
    struct imf_wave wave = {0, two_pi * f};
    if (t->kind == IMF_NOTCH && edge == IMF_EDGE_CLAMP && size * f >= PERIODS_MIN)
        wave.taps = (int)fmin(size, ceil(fmax(0.5 / t->radius, 1 / f)));
    return wave;
}

void imf_extend_taps(double *out, struct imf_wave wave) {
    double n = wave.taps, c = 0, s = 0, cc = RIDGE * n, cs = 0, ss = RIDGE * n;
    for (int i = 0; i < wave.taps; i++) {
        c += cos(wave.omega * i) / n;
        s -= sin(wave.omega * i) / n;
    }
    for (int i = 0; i < wave.taps; i++) {
        double x = cos(wave.omega * i) - c, y = -sin(wave.omega * i) - s;
        cc += x * x;
        cs += x * y;
        ss += y * y;
    }
    for (int i = 0; i < wave.taps; i++) {
        double x = cos(wave.omega * i) - c, y = -sin(wave.omega * i) - s, det = cc * ss - cs * cs;
        out[2 * i] = (ss * x - cs * y) / det;
        out[2 * i + 1] = (cc * y - cs * x) / det;
    }
}

void imf_extend_wave_on(struct imf_blend *b, struct imf_wave wave, int after, int before) {
    double w = (double)b->weight;
    b->wave[0] = (float)((1 - w) * (cos(wave.omega * after) - 1));
    b->wave[1] = (float)((1 - w) * sin(wave.omega * after));
    b->wave[2] = (float)(w * (cos(wave.omega * before) - 1));
    b->wave[3] = (float)(w * sin(wave.omega * before));
}
