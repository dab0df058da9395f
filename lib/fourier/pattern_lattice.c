/*
 * pattern_lattice.c - the waves of a pattern: peaks of all channels joined, and their harmonics
 *
 * A screen of dots is a sum of the waves m a + n b, where a and b are those of its rows in two
 * directions. The higher ones may not stand out, yet they make up the shape of the dots.
 *
 * Lines of text, bricks and fences are patterns, too, but the picture's own. Their rows are along an axis,
 * or nearly so, and coarser than 10 pixels: what repeats with them, at a multiple of their frequency
 * along their direction, as the letters of a typewriter do, is left alone.
 *
 * Frequencies count modulo 1, and a wave is the same as that of (-u, -v).
 */
#include "fourier/pattern.h"

#include <math.h>
#include <stdlib.h>

#define ORDER 4        /* of harmonics */
#define COARSEST 0.03  /* cycles per pixel */
#define ROWS_BELOW 0.1 /* along an axis coarser waves are the picture's own */
#define UPRIGHT 0.05   /* sine of the angle from an axis */
#define SQUARE 0.6     /* least area of a cell, of the square's of the longer side */

bool imf_pattern_is_real(const struct imf_pattern_wave *w) {
    return (w->u == 0 || w->u == 0.5) && (w->v == 0 || w->v == 0.5);
}

/* A half of the plane; what is next to a real wave becomes that: its own conjugate is as near. */
static struct imf_pattern_wave folded(struct imf_pattern_wave w) {
    double u = w.u - rint(w.u), v = w.v - rint(w.v);
    double to_u = rint(2 * u) / 2, to_v = rint(2 * v) / 2;
    if (hypot(u - to_u, v - to_v) < IMF_PATTERN_APART) {
        u = fabs(to_u);
        v = fabs(to_v);
    }
    if (u < 0 || (u == 0 && v < 0)) {
        u = 0 - u;
        v = 0 - v;
    }
    w.u = u;
    w.v = v;
    return w;
}

static double distance(const struct imf_pattern_wave *a, const struct imf_pattern_wave *b) {
    double least = INFINITY;
    for (int sign = -1; sign <= 1; sign += 2) {
        double u = a->u - sign * b->u, v = a->v - sign * b->v;
        least = fmin(least, hypot(u - rint(u), v - rint(v)));
    }
    return least;
}

/* Append a wave if it is fine and there is room; false if it is there already. */
static bool add(struct imf_pattern *p, struct imf_pattern_wave w) {
    w = folded(w);
    for (int i = 0; i < p->count; i++)
        if (distance(&p->wave[i], &w) < IMF_PATTERN_APART) {
            struct imf_pattern_wave *there = &p->wave[i];
            there->amplitude = fmax(there->amplitude, w.amplitude);
            for (int c = 0; c < IMF_PATTERN_CHANNELS; c++)
                there->in[c] = fmax(there->in[c], w.in[c]);
            return false;
        }
    if (hypot(w.u, w.v) >= COARSEST && p->count < IMF_PATTERN_WAVES)
        p->wave[p->count++] = w;
    return true;
}

static int strongest_first(const void *a, const void *b) {
    const struct imf_pattern_wave *x = a, *y = b;
    if (x->amplitude != y->amplitude)
        return x->amplitude < y->amplitude ? 1 : -1;
    return x->u != y->u ? (x->u > y->u) - (x->u < y->u) : (x->v > y->v) - (x->v < y->v);
}

bool imf_pattern_are_rows(double u, double v, double step) {
    double length = hypot(u, v), least = fmin(fabs(u), fabs(v));
    return length < ROWS_BELOW && least <= fmax(1.5 * step, UPRIGHT * length);
}

/* A wave repeats with rows. */
static bool goes_with(const struct imf_pattern_wave *w, const struct imf_pattern_wave *rows,
                      double step) {
    double length = hypot(rows->u, rows->v);
    double times = (w->u * rows->u + w->v * rows->v) / (length * length);
    return fabs(times - rint(times)) * length < step / 2;
}

void imf_pattern_join(struct imf_pattern *out, struct imf_pattern_wave *peaks, size_t count,
                      double step) {
    if (count)
        qsort(peaks, count, sizeof *peaks, strongest_first);
    for (size_t i = 0; i < count; i++) {
        bool own = false;
        for (size_t k = 0; k < count && !own; k++)
            own = imf_pattern_are_rows(peaks[k].u, peaks[k].v, step) &&
                  goes_with(&peaks[i], &peaks[k], step);
        if (!own)
            add(out, peaks[i]);
    }
    qsort(out->wave, (size_t)out->count, sizeof *out->wave, strongest_first);
}

/* The wave behind a that makes the squarest lattice with it, or NULL: in colours, screens of about the
 * same width lie at several angles. */
static const struct imf_pattern_wave *partner(const struct imf_pattern *p, int a) {
    const struct imf_pattern_wave *w = &p->wave[a], *best = NULL;
    double length = hypot(w->u, w->v), most = SQUARE;
    for (int i = a + 1; i < p->count; i++) {
        const struct imf_pattern_wave *other = &p->wave[i];
        double across = hypot(other->u, other->v), longest = fmax(length, across);
        double area = fabs(w->u * other->v - w->v * other->u) / (longest * longest);
        if (area > most) {
            most = area;
            best = other;
        }
    }
    return best;
}

void imf_pattern_add_harmonics(struct imf_pattern *p) {
    struct imf_pattern peaks = *p;
    p->count = 0;
    for (int i = 0; i < peaks.count; i++) {
        const struct imf_pattern_wave *a = &peaks.wave[i], *b = partner(&peaks, i);
        if (!add(p, *a)) /* another wave's harmonic */
            continue;
        if (b)
            add(p, *b);
        for (int m = 0; m <= ORDER; m++)
            for (int n = b ? m - ORDER : 0; n <= (b ? ORDER - m : 0); n++)
                if (m > 0 || n > 0)
                    add(p, (struct imf_pattern_wave){.u = m * a->u + (b ? n * b->u : 0),
                                                     .v = m * a->v + (b ? n * b->v : 0)});
    }
}

double imf_pattern_noise_at(const struct imf_pattern_noise *noise,
                            const struct imf_pattern_wave *w) {
    int ring = (int)(hypot(w->u, w->v) / 0.7071067811865476 * IMF_PATTERN_RINGS);
    int direction = (int)lrint(atan2(w->v, w->u) / acos(-1.0) * IMF_PATTERN_DIRECTIONS);
    if (ring >= IMF_PATTERN_RINGS)
        ring = IMF_PATTERN_RINGS - 1;
    return noise->ring[ring] *
           noise->excess[(direction + IMF_PATTERN_DIRECTIONS) % IMF_PATTERN_DIRECTIONS];
}
