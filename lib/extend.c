/*
 * extend.c - how an image is made periodic
 *
 * Reach. What a filter's response at a pixel owes to samples further away than its reach is too
 * little to see. It follows from the narrowest feature of the gain, D cycles per pixel: the cutoff;
 * for notches the radius; for bands the smaller of half the width and a = low high / (high - low),
 * where the flank towards frequency 0 lies.
 *
 *     gaussian     4 sigma, sigma = 1 / (2 pi D). The lower flank of a band, exp(-(a / d)^2 / 2),
 * is no Gaussian: its response falls as exp(-3/4 (2 pi a r)^(2/3)) (by the method of steepest
 * descent), to 1/500 at 24 / (2 pi a) butterworth  the slowest of its exponential terms decays as
 * exp(-2 pi D sin(pi / 2n) r): 8 of its lengths, but no more than for the ideal filter, which it
 * approaches ideal        oscillates on and on, falling only as r^-1.5: 4 / D, four turns of the
 * cutoff
 *
 * In the gap the first three eighths repeat what lies beyond the end, the last three what lies
 * before the beginning, and a smooth step in between leads from one to the other. Of the lengths
 * that are long enough the cheapest to transform is taken, up to an eighth longer.
 */
#include "extend.h"

#include "edge.h"
#include "fft_plan.h"

#include <math.h>

static double reach(const struct imf_transfer *t) {
    const double turn = 2 * acos(-1.0);
    bool band = t->kind == IMF_BANDPASS || t->kind == IMF_BANDSTOP;
    double width = (t->high - t->low) / 2, flank = t->low * t->high / (t->high - t->low);
    double d = band ? fmin(width, flank) : t->kind == IMF_NOTCH ? t->radius : t->low;
    switch (t->type) {
    case IMF_GAUSSIAN:
        return band ? fmax(4 / width, 24 / flank) / turn : 4 / (turn * d);
    case IMF_BUTTERWORTH:
        return fmin(8 / (turn * d * sin(turn / (4.0 * t->order))), 4 / d);
    default:
        return 4 / d;
    }
}

/* Nanoseconds a sample takes on one core of an x86-64 machine, times the length: stages wait for
 * memory, so that all radices cost nearly alike. With high powers of two the elements of a
 * butterfly lie on the same sets of the caches. */
static double cost(int length) {
    static const struct {
        int prime;
        double each;
    } factors[] = {{2, 0.1}, {3, 0.14}, {5, 0.17}, {7, 0.17}};
    double sum = 5 + (length % 64 == 0 ? 2 : length % 32 == 0 ? 0.5 : 0);
    int rest = length;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        for (; rest % factors[i].prime == 0; rest /= factors[i].prime)
            sum += factors[i].each;
    return sum * length;
}

int imf_extend_period(const struct imf_transfer *t, int size, enum imf_edge edge) {
    if (edge == IMF_EDGE_WRAP && imf_fft_length(size, 1) == size)
        return size;
    double least = size + 2 * fmin(ceil(reach(t)), size);
    if (least > IMF_FFT_MAX)
        return 0;
    int best = imf_fft_length((int)least, 1);
    for (int n = best; n && n <= least * 9 / 8; n = imf_fft_length(n + 1, 1))
        if (cost(n) < cost(best))
            best = n;
    return best;
}

void imf_extend_blends(struct imf_blend *out, int size, int period, enum imf_edge edge) {
    int gap = period - size;
    for (int i = 0; i < gap; i++) {
        double step = fmin(fmax(((i + 0.5) / gap - 0.375) * 4, 0), 1);
        out[i].first = imf_edge_index(edge, size + i, size);
        out[i].second = imf_edge_index(edge, i - gap, size);
        out[i].weight = (float)(step * step * (3 - 2 * step));
    }
}
