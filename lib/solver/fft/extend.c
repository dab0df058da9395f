/*
 * extend.c - how an image is made periodic
 *
 * Reach. The image is extended as far as the response of a gaussian or butterworth filter is above
 * 1/1000 of its peak. For an image that is constant along the other axis, the response is the transform
 * of the gain's section g(u) through the centre, and its peak is the section's integral.
 *
 *     gaussian     exp(-(2 pi D r)^2 / 2), D the cutoff or a notch's radius: 3.717 / (2 pi D)
 *     butterworth  g is rational: its response is a sum of exp(2 pi i p r) over its poles p above
 *                  the axis, each times 2 pi / (2 order |x'(p)|), x(u) the prototype's argument;
 *                  the sum of their magnitudes bounds it
 *     bands        of a gaussian, like a gaussian of half the band's width; and the flank towards
 *                  frequency 0, exp(-(a / u)^2 / 2) with a = low high / (high - low), whose
 *                  response is about 4 a exp(-3/4 y) / y, y = (2 pi a r)^(2/3) (by the method of
 *                  steepest descent)
 *     notch        within four radii of frequency 0, which it keeps, it is narrower towards it: up to
 *                  5.4 / c, c the distance of its centre from 0 (computed, for c from 0.3 radii on)
 *     any          g repeats beyond 0.5 cycles a pixel, with a kink if its slope s there is not 0:
 *                  the response to that falls as 2 s / (2 pi r)^2
 *
 * An ideal filter's response never ends: the reach is the image's own size, at least 64.
 *
 * The wave that a notch removes is continued beyond clamped ends (extend_wave.c).
 *
 * The gap begins with the samples beyond the end, as far as the filter reaches, and ends with those
 * before the beginning; in between, for a ninth of the gap, one is blended smoothly into the other.
 * Of the even lengths (spectral_filter_gpu.c takes samples by pairs) that are long enough the one
 * that is transformed fastest is taken, up to an eighth longer.
 * An image that is reflected over its own size is periodic without blending: reflect and mirror
 * reach any distance.
 */
#include "solver/fft/extend.h"

#include "fourier/plan.h"
#include "solver/common/edge.h"

#include <complex.h>
#include <math.h>

#define SMALL 1e-3 /* of a response's peak */
#define IDEAL_MIN 64
#define STEP 9 /* a part of the gap */

static const double two_pi = 6.283185307179586;

static bool is_band(const struct imf_transfer *t) {
    return t->kind == IMF_BANDPASS || t->kind == IMF_BANDSTOP;
}

/* The section of the gain along u or v through the centre, without its constant part. */
static double section(const struct imf_transfer *t, double f) {
    bool notch = t->kind == IMF_NOTCH, rejects = t->kind != IMF_LOWPASS && t->kind != IMF_BANDPASS;
    struct imf_transfer low = *t;
    if (notch) {
        low.kind = IMF_HIGHPASS;
        low.low = t->radius;
    }
    double gain = imf_transfer_gain(&low, f, 0);
    return rejects ? 1 - gain : gain;
}

/* The integral of the section: that of the prototype times the width, for bands too, because the
 * integrals of f(u - c / u) and f(u) are equal; of wide filters only frequencies up to 0.5 count. */
static double peak(const struct imf_transfer *t) {
    enum { POINTS = 2048 };
    double width = is_band(t) ? t->high - t->low : t->kind == IMF_NOTCH ? t->radius : t->low;
    if (width < 0.1)
        return width * (t->type == IMF_GAUSSIAN
                            ? sqrt(two_pi)
                            : two_pi / (2 * t->order) / sin(two_pi / (4 * t->order)));
    double sum = 0;
    for (int i = 0; i < POINTS; i++)
        sum += section(t, (i + 0.5) / (2 * POINTS));
    return sum / POINTS;
}

/* The argument at which a falling function reaches `level`. */
static double fall(double (*f)(const void *, double), const void *what, double level) {
    double low = 0, high = 1;
    while (f(what, high) > level && high < 1e9)
        low = high, high *= 2;
    for (int i = 0; i < 40; i++) {
        double middle = (low + high) / 2;
        if (f(what, middle) > level)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The terms that bound a butterworth filter's response: weight * exp(-decay * r). */
#define ORDER_MAX 100 /* as filter/builtin/table.c has it */
struct terms {
    int count;
    double weight[4 * ORDER_MAX], decay[4 * ORDER_MAX];
};

static void add_term(struct terms *terms, double weight, double imaginary) {
    if (imaginary > 0) {
        terms->weight[terms->count] = weight;
        terms->decay[terms->count++] = two_pi * imaginary;
    }
}

static void find_terms(struct terms *terms, const struct imf_transfer *t) {
    double width = t->high - t->low, centre = t->low * t->high, scale = two_pi / (2 * t->order);
    terms->count = 0;
    for (int k = 0; k < 2 * t->order && k < 2 * ORDER_MAX; k++) {
        double complex x = cexp(I * two_pi / 4 * (2 * k + 1) / t->order);
        if (!is_band(t)) {
            add_term(terms, scale * t->low, t->low * cimag(x));
            continue;
        }
        /* x = (u^2 - centre) / (u width) has two solutions u. */
        double complex root = csqrt(width * width * x * x + 4 * centre);
        for (int sign = -1; sign <= 1; sign += 2) {
            double complex u = (width * x + sign * root) / 2;
            add_term(terms, scale * width / cabs(1 + centre / (u * u)), cimag(u));
        }
    }
}

static double butterworth_bound(const void *what, double r) {
    const struct terms *terms = what;
    double sum = 0;
    for (int i = 0; i < terms->count; i++)
        sum += terms->weight[i] * exp(-terms->decay[i] * r);
    return sum;
}

static double butterworth_reach(const struct imf_transfer *t, double level) {
    struct terms terms;
    find_terms(&terms, t);
    return fall(butterworth_bound, &terms, level);
}

static double flank_bound(const void *what, double r) {
    const struct imf_transfer *t = what;
    double a = t->low * t->high / (t->high - t->low), y = pow(two_pi * a * r, 2.0 / 3);
    return 4 * a * exp(-0.75 * y) / fmax(y, 1e-9);
}

static double gaussian_reach(const struct imf_transfer *t, double level) {
    double sigmas = sqrt(-2 * log(SMALL)) / two_pi, c = hypot(t->u, t->v);
    if (is_band(t))
        return sigmas / ((t->high - t->low) / 2) + fall(flank_bound, t, level);
    if (t->kind != IMF_NOTCH)
        return sigmas / t->low;
    return fmax(sigmas / t->radius, c < 4 * t->radius ? 5.5 / c : 0);
}

double imf_extend_reach(const struct imf_transfer *t, int size) {
    if (t->type == IMF_IDEAL)
        return size > IDEAL_MIN ? size : IDEAL_MIN;
    double level = SMALL * peak(t), near = 1e-4;
    double slope = fabs(section(t, 0.5) - section(t, 0.5 - near)) / near;
    double reach = t->type == IMF_GAUSSIAN ? gaussian_reach(t, level) : butterworth_reach(t, level);
    return ceil(fmax(reach, sqrt(2 * slope / level) / two_pi)) + 1;
}

/* Relative cost of a transform of this length on an x86-64 core: stages wait for memory, so that all
 * radices cost nearly the same. With high powers of two the elements of a butterfly fall into the same
 * sets of the caches. */
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
    /* Already periodic: wrapped, or a single sample that repeats. */
    if (edge == IMF_EDGE_WRAP || (size == 1 && edge != IMF_EDGE_CONSTANT))
        return size <= IMF_FFT_MAX ? size : 0;
    double least = size + ceil(2 * imf_extend_reach(t, size) * STEP / (STEP - 1.0));
    double twice = edge == IMF_EDGE_REFLECT  ? 2.0 * size
                   : edge == IMF_EDGE_MIRROR ? 2.0 * size - 2
                                             : INFINITY;
    if (least >= twice)
        return twice <= IMF_FFT_MAX ? (int)twice : 0;
    if (least > IMF_FFT_MAX)
        return 0;
    int best = imf_fft_length((int)least, 2);
    for (int n = best; n && n <= least * 9 / 8; n = imf_fft_length(n + 1, 2))
        if (cost(n) < cost(best))
            best = n;
    return best <= IMF_FFT_MAX ? best : 0;
}

void imf_extend_too_long(char *text, size_t size, const struct imf_problem *p) {
    double reach = imf_extend_reach(p->transfer, p->width > p->height ? p->width : p->height);
    if (p->edge == IMF_EDGE_WRAP || reach < IMF_FFT_MAX / 4)
        snprintf(text, size, "no transform is as long as %dx%d pixels need", p->width, p->height);
    else
        snprintf(text, size,
                 "the filter reaches %.0f pixels beyond the edges, too far for a transform (wrap, "
                 "reflect and mirror need none)",
                 reach);
}

void imf_extend_blends(struct imf_blend *out, int size, int period, enum imf_edge edge,
                       struct imf_wave wave) {
    int gap = period - size;
    for (int i = 0; i < gap; i++) {
        double step = fmin(fmax(((i + 0.5) / gap - 0.5) * STEP + 0.5, 0), 1);
        out[i].first = imf_edge_index(edge, size + i, size);
        out[i].second = imf_edge_index(edge, i - gap, size);
        out[i].weight = (float)(step * step * (3 - 2 * step));
        imf_extend_wave_on(&out[i], wave, i + 1, gap - i);
    }
}
