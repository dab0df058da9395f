/*
 * background.c - the background of a measured point spread function
 *
 * A camera's offset and the light of the sky lie under all of a point's picture, and would count as a
 * blur as wide as that. Level and noise are those of the corners of the picture's frame, the pixels that
 * are farthest from the point: a mean and a standard deviation, without what is more than 3 of the
 * latter away. A sample belongs to the point if it is 3 standard deviations above the level, or if the
 * mean of the samples around it is 3 of such a mean's; all others become 0.
 *
 * Wings that reach the frame are higher at its sides than in its corners. Then nothing tells a
 * background from them.
 */
#include "filter/kernel/taps.h"

#include <math.h>
#include <stdlib.h>

#define SMALLEST 7 /* width or height: smaller pictures have no frame beside the point */
#define SIGMAS 3
#define PEAK_SIGMAS 5 /* the highest of thousands of samples of noise is 4 above the level */
#define LOWER_QUARTILE 0.6745 /* standard deviations below the median, of a normal distribution */
#define FINE 128 /* levels at least, of a picture in which the quartile is the median */

struct level {
    double mean, sigma;
    size_t count;
};

static int from_edge(int at, int size) {
    return at < size - 1 - at ? at : size - 1 - at;
}

/* A sixteenth of the size, rounded; and a quarter. */
static int frame(int size) {
    return size < 24 ? 1 : (size + 8) / 16;
}

static int corner(int size) {
    return (size + 2) / 4;
}

/* The samples of the frame's corners, or of its sides; `to` may be NULL. */
static size_t collect(double *to, const struct imf_kernel *k, bool corners) {
    size_t count = 0;
    for (int i = 0; i < k->height; i++)
        for (int j = 0; j < k->width; j++) {
            int y = from_edge(i, k->height), x = from_edge(j, k->width);
            bool framed = y < frame(k->height) || x < frame(k->width);
            if (!framed || (y < corner(k->height) && x < corner(k->width)) != corners)
                continue;
            if (to)
                to[count] = k->taps[(size_t)i * (size_t)k->width + (size_t)j];
            count++;
        }
    return count;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What does not belong to the background is bright, so that the lower half tells how it spreads. */
static struct level level_of(double *v, size_t count, double peak) {
    struct level l = {.count = count};
    if (count == 0)
        return l;
    qsort(v, count, sizeof *v, by_value);
    l.mean = v[count / 2];
    l.sigma = (l.mean - v[count / 4]) / LOWER_QUARTILE;
    if (!(l.sigma > 0))
        l.sigma = (peak - l.mean) / FINE;
    for (int round = 0; round < 20; round++) {
        double sum = 0, squares = 0, n = 0;
        for (size_t i = 0; i < count; i++) {
            double d = v[i] - l.mean;
            if (fabs(d) <= SIGMAS * l.sigma) {
                sum += d;
                squares += d * d;
                n++;
            }
        }
        double shift = n > 0 ? sum / n : 0, before = l.sigma;
        l.mean += shift;
        l.sigma = n > 0 ? sqrt(fmax(squares / n - shift * shift, 0)) : 0;
        if (shift == 0 && l.sigma == before)
            break;
    }
    return l;
}

static bool black(struct level l) {
    return l.mean == 0 && l.sigma == 0;
}

/* Is the corners' level one to be taken off? */
static bool is_level(const struct imf_kernel *k, struct level corners, struct level sides,
                     double peak) {
    double apart = fabs(sides.mean - corners.mean);
    double flat = fabs(corners.mean) / 2 + SIGMAS * corners.sigma / sqrt((double)corners.count);
    return k->width >= SMALLEST && k->height >= SMALLEST && !black(corners) && !black(sides) &&
           apart <= flat && peak - corners.mean > PEAK_SIGMAS * corners.sigma;
}

static bool stands_out(const struct imf_kernel *k, int i, int j, double level, double sigma) {
    double sum = 0, n = 0;
    for (int y = i > 0 ? i - 1 : 0; y <= i + 1 && y < k->height; y++)
        for (int x = j > 0 ? j - 1 : 0; x <= j + 1 && x < k->width; x++, n++)
            sum += k->taps[(size_t)y * (size_t)k->width + (size_t)x] - level;
    double own = k->taps[(size_t)i * (size_t)k->width + (size_t)j] - level;
    return own > SIGMAS * sigma || (own > 0 && sum > SIGMAS * sigma * sqrt(n));
}

static enum imf_status take_off(struct imf_kernel *k, double level, double sigma,
                                struct imf_error *err) {
    size_t count = (size_t)k->width * (size_t)k->height, at = 0;
    bool *kept = malloc(count * sizeof *kept);
    if (!kept)
        return imf_fail_memory(err, count * sizeof *kept);
    for (int i = 0; i < k->height; i++)
        for (int j = 0; j < k->width; j++)
            kept[at++] = stands_out(k, i, j, level, sigma);
    for (at = 0; at < count; at++)
        k->taps[at] = kept[at] ? k->taps[at] - level : 0;
    free(kept);
    k->background = level;
    k->scale = imf_kernel_sum(k);
    return IMF_OK;
}

enum imf_status imf_kernel_take_background(struct imf_kernel *k, double level,
                                           struct imf_error *err) {
    size_t most = collect(NULL, k, true), other = collect(NULL, k, false);
    most = most > other ? most : other;
    double *v = malloc(most * sizeof *v), peak = k->taps[0];
    if (!v)
        return imf_fail_memory(err, most * sizeof *v);
    for (size_t i = 1, count = (size_t)k->width * (size_t)k->height; i < count; i++)
        peak = fmax(peak, k->taps[i]);
    struct level corners = level_of(v, collect(v, k, true), peak);
    struct level sides = level_of(v, collect(v, k, false), peak);
    free(v);
    if (isnan(level) && !is_level(k, corners, sides, peak))
        return IMF_OK;
    return take_off(k, isnan(level) ? corners.mean : level, corners.sigma, err);
}
