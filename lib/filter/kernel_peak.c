/*
 * kernel_peak.c - how strong is the strongest frequency response of a kernel?
 *
 * The response is sampled at a number of frequencies along each axis. With centred taps it is a
 * trigonometric polynomial of degree d = (K - 1) / 2 along an axis of K taps, and between samples
 * of such a one, h apart, its magnitude is at most 1 / cos(d h / 2) times the largest sample
 * (Ehlich and Zeller 1964, on its real part after turning the peak onto the real axis).
 */
#include "filter/kernel.h"

#include <math.h>
#include <stdlib.h>

#define POINTS 128  /* at most; */
#define ENOUGH 8    /* times the taps' number less 1 makes the factor 1.02 along each axis */
#define TAPS_MAX 64 /* so that it is at most sqrt 2 */

static double between(int taps, int points) {
    return 1 / cos(M_PI * (taps - 1) / 2 / points);
}

/* Rows at frequency fx, then columns at each fy. sums: two a row of taps. */
static double largest_at(const struct imf_kernel *k, int points, const double *cosine, int fx,
                         double *sums) {
    const double *sine = cosine + points - points / 4; /* cos(a - pi / 2) */
    double most = 0;
    for (int y = 0; y < k->height; y++) {
        const double *row = k->taps + (size_t)y * (size_t)k->width;
        double re = 0, im = 0;
        for (int x = 0; x < k->width; x++) {
            re += row[x] * cosine[(unsigned)(fx * x) % (unsigned)points];
            im += row[x] * sine[(unsigned)(fx * x) % (unsigned)points];
        }
        sums[2 * y] = re;
        sums[2 * y + 1] = im;
    }
    for (int fy = 0; fy < points; fy++) {
        double re = 0, im = 0;
        for (int y = 0; y < k->height; y++) {
            unsigned at = (unsigned)(fy * y) % (unsigned)points;
            double c = cosine[at], s = sine[at];
            re += sums[2 * y] * c - sums[2 * y + 1] * s;
            im += sums[2 * y] * s + sums[2 * y + 1] * c;
        }
        most = fmax(most, re * re + im * im);
    }
    return sqrt(most);
}

double imf_kernel_peak(const struct imf_kernel *k, double sum, double abs_sum) {
    double most = 0;
    if (abs_sum - fabs(sum) <= 1e-12 * abs_sum || k->width > TAPS_MAX || k->height > TAPS_MAX)
        return abs_sum;
    double cosine[2 * POINTS], sums[2 * TAPS_MAX];
    int points = 16, taps = imf_max(k->width, k->height);
    while (points < POINTS && points < ENOUGH * (taps - 1))
        points *= 2;
    for (int i = 0; i < 2 * points; i++)
        cosine[i] = cos(2 * M_PI * i / points);
    for (int fx = 0; fx <= points / 2; fx++) /* the others are conjugates of these */
        most = fmax(most, largest_at(k, points, cosine, fx, sums));
    return fmin(abs_sum, most * between(k->width, points) * between(k->height, points));
}
