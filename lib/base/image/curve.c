/* curve.c - the curve between samples and light */
#include "base/image/curve.h"

#include "base/image/samples.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define LAST (IMF_CURVE_POINTS - 1)
/* A measured curve may fall by this much, from rounding or noise. */
#define RIPPLE (1.0 / 1024)
/* The least range of light. */
#define SPAN 0.5

struct imf_curve {
    atomic_int users;
    int channels; /* 0: sRGB's formula */
    double luma[3];
    double steepest[2], log_slope[2]; /* of words, of bytes */
    double light[][IMF_CURVE_POINTS];
};

static const double rec_709[3] = {1 - IMF_LUMA_GREEN - IMF_LUMA_BLUE, IMF_LUMA_GREEN,
                                  IMF_LUMA_BLUE};

struct imf_curve *imf_curve_make(int channels) {
    struct imf_curve *c = calloc(1, sizeof *c + (size_t)channels * sizeof c->light[0]);
    if (c) {
        atomic_init(&c->users, 1);
        c->channels = channels;
        memcpy(c->luma, rec_709, sizeof c->luma);
    }
    return c;
}

struct imf_curve *imf_curve_keep(struct imf_curve *curve) {
    if (curve)
        atomic_fetch_add(&curve->users, 1);
    return curve;
}

void imf_curve_free(struct imf_curve **curve) {
    if (*curve && atomic_fetch_sub(&(*curve)->users, 1) == 1)
        free(*curve);
    *curve = NULL;
}

void imf_curve_set_luma(struct imf_curve *curve, const double luma[3]) {
    memcpy(curve->luma, luma, sizeof curve->luma);
}

const double *imf_curve_luma(const struct imf_curve *curve) {
    return curve ? curve->luma : rec_709;
}

int imf_curve_tables(const struct imf_curve *curve) {
    return curve ? curve->channels : 0;
}

double *imf_curve_points(struct imf_curve *curve, int channel) {
    return curve->light[channel];
}

const double *imf_curve_table(const struct imf_curve *curve, int which) {
    return curve->light[which];
}

/* Within 0..1, each above the one before; false: that would be another curve. */
static bool raise_points(double *light) {
    const double rise = IMF_CURVE_RISE / LAST;
    double fall = 0;
    if (!(light[LAST] - light[0] >= SPAN))
        return false;
    for (int i = 0; i <= LAST; i++) {
        double v = fmin(fmax(light[i], 0), 1), least = i ? light[i - 1] + rise : 0;
        fall = fmax(fall, least - v);
        light[i] = fmax(v, least);
    }
    for (int i = LAST; i >= 0 && light[i] > 1 - rise * (LAST - i); i--)
        light[i] = 1 - rise * (LAST - i);
    return fall <= RIPPLE;
}

static void measure(struct imf_curve *c, const double *light) {
    for (int i = 0; i < LAST; i++) {
        double slope = 1.0 / LAST / (light[i + 1] - light[i]);
        for (int bytes = 0; bytes <= (i >= 128); bytes++) { /* darker samples are black in 8 bits */
            c->steepest[bytes] = fmax(c->steepest[bytes], slope);
            c->log_slope[bytes] = fmax(c->log_slope[bytes], slope * light[i + 1]);
        }
    }
}

bool imf_curve_settle(struct imf_curve *c) {
    bool same = true;
    for (int i = 1; i < c->channels; i++)
        same = same && memcmp(c->light[0], c->light[i], sizeof c->light[0]) == 0;
    c->channels = same ? c->channels > 0 : c->channels;
    for (int i = 0; i < c->channels; i++) {
        if (!raise_points(c->light[i]))
            return false;
        measure(c, c->light[i]);
    }
    return true;
}

bool imf_curve_same(const struct imf_curve *a, const struct imf_curve *b) {
    return a == b ||
           (a && b && a->channels == b->channels && memcmp(a->luma, b->luma, sizeof a->luma) == 0 &&
            memcmp(a->light, b->light, (size_t)a->channels * sizeof a->light[0]) == 0);
}

int imf_curve_count(const struct imf_curve *curve) {
    return imf_curve_tables(curve) ? curve->channels : 1;
}

int imf_curve_of(const struct imf_curve *curve, int color, int colors) {
    return imf_curve_count(curve) == 1 ? 0 : colors == 1 ? 1 : color;
}

double imf_curve_to_light(const struct imf_curve *curve, int which, double v) {
    if (!imf_curve_tables(curve))
        return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
    const double *light = curve->light[which];
    double at = fmin(fmax(v, 0), 1) * LAST;
    int i = (int)fmin(at, LAST - 1);
    return light[i] + (at - i) * (light[i + 1] - light[i]);
}

double imf_curve_from_light(const struct imf_curve *curve, int which, double v) {
    if (!imf_curve_tables(curve))
        return v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
    const double *light = curve->light[which];
    int i = 0;
    v = fmin(fmax(v, light[0]), light[LAST]);
    for (int step = IMF_CURVE_POINTS / 2; step > 0; step /= 2)
        i += light[i + step] <= v ? step : 0;
    i = i < LAST ? i : LAST - 1;
    return (i + (v - light[i]) / (light[i + 1] - light[i])) / LAST;
}

double imf_curve_any_light(const struct imf_curve *curve, int which, double v) {
    double within = fmin(fmax(v, 0), 1), over = v - within;
    const double *light = imf_curve_tables(curve) ? curve->light[which] : NULL;
    int i = v < 0 ? 0 : LAST - 1;
    return !light
               ? imf_curve_to_light(NULL, 0, v)
               : imf_curve_to_light(curve, which, within) + over * LAST * (light[i + 1] - light[i]);
}

double imf_curve_of_any_light(const struct imf_curve *curve, int which, double v) {
    if (!imf_curve_tables(curve))
        return imf_curve_from_light(NULL, 0, v);
    const double *light = curve->light[which];
    double over = v - fmin(fmax(v, light[0]), light[LAST]);
    int i = over < 0 ? 0 : LAST - 1;
    return imf_curve_from_light(curve, which, v) + over / LAST / (light[i + 1] - light[i]);
}

struct imf_curve *imf_curve_make_light(void) {
    struct imf_curve *c = imf_curve_make(1);
    for (int i = 0; c && i <= LAST; i++)
        c->light[0][i] = (double)i / LAST;
    if (c)
        (void)imf_curve_settle(c); /* it rises */
    return c;
}

/* As profiles have it, in 16 bits. */
bool imf_curve_is_light(const struct imf_curve *c) {
    bool is = imf_curve_tables(c) == 1 && memcmp(c->luma, rec_709, sizeof rec_709) == 0;
    for (int i = 0; is && i <= LAST; i++)
        is = fabs(c->light[0][i] * LAST - i) < 1e-6;
    return is;
}

bool imf_curve_spans(const struct imf_curve *curve) {
    bool spans = true;
    for (int i = 0; i < imf_curve_tables(curve); i++)
        spans = spans && curve->light[i][0] == 0 && curve->light[i][LAST] == 1;
    return spans;
}

double imf_curve_steepest(const struct imf_curve *curve, bool bytes) {
    return imf_curve_tables(curve) ? curve->steepest[bytes] : 12.92;
}

double imf_curve_log_slope(const struct imf_curve *curve, bool bytes) {
    return imf_curve_tables(curve) ? curve->log_slope[bytes] : 1;
}
