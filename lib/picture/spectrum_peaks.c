/*
 * spectrum_peaks.c - periodic patterns in an image: the dots of its spectrum
 *
 * A dot is a local maximum far above what surrounds it. What surrounds it is the larger of two
 * medians: that of a square around it, and that along the line from frequency 0 through it, since
 * the edges of an ordinary picture draw bright lines, and all of these pass through frequency 0.
 * A strong dot has skirts, whose ripples are local maxima as well. The window determines them, so
 * that a maximum counts only if it exceeds the skirts of all stronger dots.
 *
 * Distances are in steps: a step is one more period across the image.
 */
#include "picture/spectrum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALLEST_SIDE = 32, /* pixels of an image that has room for dots */
    NEAREST = 5,        /* steps from frequency 0, where the picture itself is brightest */
    INNER = 4,          /* steps around a dot that belong to it */
    OUTER = 12,         /* steps to the end of its surroundings */
    PER_STEP = 2,       /* samples a step of a median */
    SAMPLES = (2 * OUTER * PER_STEP + 1) * (2 * OUTER * PER_STEP + 1)
};
#define STANDS_OUT 100.0 /* power over a median; noise reaches some 25 */
#define FAINTEST 4e-6    /* power: a quarter of a level of 8 bits */
#define ABOVE_SKIRTS 9.0 /* power over the skirts of a stronger dot */
#define NARROWEST 0.01   /* radius of a notch */
#define RADIUS_STEPS 4.0 /* of a notch: the main lobe, and room for the notch's response to decay */
#define FROM_MEAN 0.25 /* at most so much of the distance from frequency 0, whose neighbours stay */
#define MOST_CANDIDATES 32768 /* local maxima examined, the strongest ones */

struct search {
    const struct imf_half_plane *plane;
    double step_x, step_y; /* of the plane's values in a step of the window */
    double *samples;       /* buffer for a median */
};

struct candidate {
    int x, y;
    double power;
};

static double power_at(const struct search *s, int x, int y) {
    struct imf_complex z = imf_half_plane_at(s->plane, x, y);
    return z.re * z.re + z.im * z.im;
}

/* ---- surroundings --------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, by_value);
    return count ? values[count / 2] : 0;
}

static double sample_at(const struct search *s, const struct candidate *c, double dx, double dy) {
    return power_at(s, c->x + (int)lrint(dx * s->step_x), c->y + (int)lrint(dy * s->step_y));
}

static double around(const struct search *s, const struct candidate *c) {
    size_t count = 0;
    for (int j = -OUTER * PER_STEP; j <= OUTER * PER_STEP; j++)
        for (int i = -OUTER * PER_STEP; i <= OUTER * PER_STEP; i++)
            if (abs(i) > INNER * PER_STEP || abs(j) > INNER * PER_STEP)
                s->samples[count++] = sample_at(s, c, (double)i / PER_STEP, (double)j / PER_STEP);
    return median(s->samples, count);
}

/* Along the line through frequency 0, on both sides of the dot, without frequency 0 itself. */
static double along(const struct search *s, const struct candidate *c) {
    double x = c->x / s->step_x, y = c->y / s->step_y, length = hypot(x, y);
    size_t count = 0;
    for (int i = -OUTER * PER_STEP; i <= OUTER * PER_STEP; i++) {
        double d = (double)i / PER_STEP;
        if (fabs(d) > INNER && length + d > 1)
            s->samples[count++] = sample_at(s, c, d * x / length, d * y / length);
    }
    return median(s->samples, count);
}

static bool stands_out(const struct search *s, const struct candidate *c) {
    return c->power > STANDS_OUT * along(s, c) && c->power > STANDS_OUT * around(s, c);
}

/* ---- local maxima --------------------------------------------------------------------------- */

static bool is_largest(const struct search *s, int x, int y, double power) {
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if ((i || j) && power_at(s, x + i, y + j) > power)
                return false;
    return true;
}

static int strongest_first(const void *a, const void *b) {
    double x = ((const struct candidate *)a)->power, y = ((const struct candidate *)b)->power;
    return (x < y) - (x > y);
}

/* Drop the weaker half of a full list. */
static size_t collect(const struct search *s, struct candidate *list, double least) {
    size_t count = 0;
    int height = s->plane->height;
    for (int ky = 0; ky < height; ky++)
        for (int x = 0; x <= s->plane->width / 2; x++) {
            int y = ky <= height / 2 ? ky : ky - height;
            double power = power_at(s, x, y);
            if (power <= least || hypot(x / s->step_x, y / s->step_y) < NEAREST ||
                !is_largest(s, x, y, power))
                continue;
            list[count++] = (struct candidate){x, y, power};
            if (count == MOST_CANDIDATES) {
                qsort(list, count, sizeof *list, strongest_first);
                count /= 2;
                least = list[count].power;
            }
        }
    qsort(list, count, sizeof *list, strongest_first);
    return count;
}

/* ---- skirts --------------------------------------------------------------------------------- */

/* Largest magnitude of the window's transform at least d steps away, 1 at its centre. */
static double skirt(double d) {
    d = fabs(d);
    return d < 1.5 ? 1 : 1 / (acos(-1.0) * d * (d * d - 1));
}

/* Power that another dot or its mirror image may cause at `c`. The plane is periodic. */
static double skirt_power(const struct search *s, const struct candidate *c,
                          const struct candidate *other) {
    double sum = 0;
    for (int sign = -1; sign <= 1; sign += 2) {
        double dx = remainder(c->x - sign * other->x, s->plane->width) / s->step_x;
        double dy = remainder(c->y - sign * other->y, s->plane->height) / s->step_y;
        sum += skirt(dx) * skirt(dy);
    }
    return sum * sum * other->power;
}

/* ---- results -------------------------------------------------------------------------------- */

/* Where the parabola through the logarithms of three powers is largest, from the middle one. */
static double vertex(double before, double middle, double after) {
    double a = log(fmax(before, 1e-300)), b = log(fmax(middle, 1e-300));
    double c = log(fmax(after, 1e-300)), bend = a - 2 * b + c;
    double at = bend < 0 ? 0.5 * (a - c) / bend : 0;
    return fmin(fmax(at, -0.5), 0.5);
}

/* -0.5..0.5 with five decimals. Within a tenth of a step of 0 or 0.5 it is these. */
static double in_period(double f, double step) {
    double near = fmax(step / 10, 1e-4);
    f -= rint(f);
    if (fabs(f) < near)
        return 0;
    return 0.5 - fabs(f) < near ? copysign(0.5, f) : rint(f * 1e5) / 1e5;
}

static void add_refined(struct imf_peaks *out, const struct search *s, const struct candidate *c,
                        double unit) {
    double dx = vertex(power_at(s, c->x - 1, c->y), c->power, power_at(s, c->x + 1, c->y));
    double dy = vertex(power_at(s, c->x, c->y - 1), c->power, power_at(s, c->x, c->y + 1));
    double wide = s->step_x / s->plane->width, high = s->step_y / s->plane->height;
    double u = in_period((c->x + dx) / s->plane->width, wide);
    double v = in_period((c->y + dy) / s->plane->height, high);
    if (u < 0 || (u == 0 && v < 0)) {
        u = 0 - u; /* never -0 */
        v = 0 - v;
    }
    double radius = fmax(ceil(RADIUS_STEPS * fmax(wide, high) * 1e3) / 1e3, NARROWEST);
    out->u[out->count] = u;
    out->v[out->count] = v;
    out->radius[out->count] = fmin(radius, floor(FROM_MEAN * hypot(u, v) * 1e5) / 1e5);
    out->decibels[out->count++] = 10 * log10(c->power * unit);
}

enum imf_status imf_spectrum_peaks(struct imf_peaks *out, const struct imf_half_plane *plane,
                                   int width, int height, double unit, struct imf_error *err) {
    *out = (struct imf_peaks){0};
    if (width < SMALLEST_SIDE || height < SMALLEST_SIDE)
        return IMF_OK;
    struct search s = {plane, (double)plane->width / width, (double)plane->height / height, NULL};
    s.samples = malloc(SAMPLES * sizeof *s.samples);
    struct candidate *list = malloc(MOST_CANDIDATES * sizeof *list), found[IMF_PEAKS];
    enum imf_status status =
        s.samples && list ? IMF_OK : imf_fail_memory(err, MOST_CANDIDATES * sizeof *list);
    size_t count = status == IMF_OK ? collect(&s, list, FAINTEST / unit) : 0;
    for (size_t i = 0; i < count && out->count < IMF_PEAKS; i++) {
        double skirts = 0;
        for (size_t k = 0; k < out->count; k++)
            skirts += skirt_power(&s, &list[i], &found[k]);
        if (list[i].power <= ABOVE_SKIRTS * skirts || !stands_out(&s, &list[i]))
            continue;
        found[out->count] = list[i];
        add_refined(out, &s, &list[i], unit);
    }
    free(s.samples);
    free(list);
    return status;
}
