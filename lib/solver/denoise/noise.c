/*
 * noise.c - how much noise an image has, from the median of its finest diagonal wavelet band
 *
 * Few edges and little texture are fine in both directions at once, so that most coefficients of the
 * finest diagonal band are noise alone, and the median of their magnitudes does not depend on how large the
 * others are (Donoho and Johnstone, Biometrika 81(3), 1994): sigma = median / 0.6745 for white Gaussian
 * noise. The wavelet is that of Le Gall and Tabatabai (1988), whose high-pass filter is a second difference:
 *
 *       1 -2  1
 *      -2  4 -2     at every second pixel of every second row; noise of sigma 1 makes it 6
 *       1 -2  1
 *
 * It is an integer where samples are, and 0 where the image is a product of two linear functions. Windows with a
 * sample at either end of the scale do not count: there the noise is clipped away. On four photographs
 * with noise of sigma 25 of 255 that is the difference between -13 % and -2 %.
 */
#include "solver/denoise/noise.h"

#include <stdint.h>
#include <stdlib.h>

#define MEDIAN 0.6744897501960817 /* of the magnitude of a standard normal variable */
#define NORM 6                    /* root of the sum of the window's squares */
#define LARGEST (8 * 65535)       /* the most that a window of 16-bit samples can make */
/* So many windows have a median with an error of 0.1 %: of larger images rows and columns are left out, alike, so that
 * they are the same ones in a picture that is stored turned. */
#define WINDOWS 1000000

struct windows {
    uint32_t *count; /* of each magnitude */
    double *row[3];
    double full;
    int width, channels, colors, first, step; /* of the windows of a row */
    bool weigh;
};

static double second_difference(const double *row, int channels) {
    return row[0] - 2 * row[channels] + row[2 * channels];
}

/* None of a window's pixels is under alpha 0. */
static bool is_seen(const struct windows *w, int x) {
    bool seen = true;
    for (int i = 0; i < 3; i++)
        for (int k = x; k < x + 3; k++)
            seen = seen && w->row[i][k * w->channels + w->colors] > 0.5; /* of steps */
    return seen;
}

/* Smallest and largest sample of three pixels are within the scale. */
static bool unclipped(const double *row, int channels, double full) {
    bool inside = true;
    for (int i = 0; i < 3; i++)
        inside = inside && row[i * channels] > 0 && row[i * channels] < full;
    return inside;
}

static void count_row(const struct windows *w) {
    for (int x = w->first; x + 2 < w->width; x += w->step)
        for (int c = 0; c < w->colors && (!w->weigh || is_seen(w, x)); c++) {
            const double *at[3];
            double v[3];
            bool inside = true;
            for (int i = 0; i < 3; i++) {
                at[i] = w->row[i] + x * w->channels + c;
                v[i] = second_difference(at[i], w->channels);
                inside = inside && unclipped(at[i], w->channels, w->full);
            }
            double magnitude = fabs(v[0] - 2 * v[1] + v[2]);
            if (inside)
                w->count[(size_t)rint(fmin(magnitude, LARGEST))]++;
        }
}

/* The median of magnitudes, of which those that were rounded to one integer are spread evenly over half a
 * step to either side; 0 if it is one of those that were rounded to 0. */
static double median(const uint32_t *count) {
    uint64_t n = 0, below = 0;
    int at = 0;
    for (int v = 0; v <= LARGEST; v++)
        n += count[v];
    while (at < LARGEST && 2 * (below + count[at]) <= n)
        below += count[at++];
    return at && count[at] ? at - 0.5 + ((double)n / 2 - (double)below) / count[at] : 0;
}

enum imf_status imf_noise_sigma(double *sigma, const struct imf_surface *s, int colors, bool weigh,
                                double full, int first_x, int first_y, struct imf_error *err) {
    /* Magnitudes are counted in steps of samples, or of 16 bits where full scale says nothing of steps. */
    double unit = full == 255 || full == 65535 ? 1 : 65535 / full;
    struct windows w = {.full = full * unit,
                        .width = s->width,
                        .channels = s->channels,
                        .colors = colors,
                        .weigh = weigh};
    size_t samples = (size_t)s->width * (size_t)s->channels;
    *sigma = 0;
    if (s->width < 3 || s->height < 3)
        return IMF_OK;
    w.count = calloc(LARGEST + 1, sizeof *w.count);
    double *rows = w.row[0] = malloc(3 * samples * sizeof *rows);
    enum imf_status st =
        w.count && rows ? IMF_OK : imf_fail_memory(err, 3 * samples * sizeof *rows);
    if (!st) {
        double all = s->width / 2.0 * (s->height / 2.0) * colors;
        w.step = 2 * (int)ceil(sqrt(all / WINDOWS));
        w.first = first_x < 0 ? (s->width - 3) % w.step : 0;
        w.row[1] = rows + samples;
        w.row[2] = rows + 2 * samples;
        for (int y = first_y < 0 ? (s->height - 3) % w.step : 0; y + 2 < s->height; y += w.step) {
            for (int i = 0; i < 3; i++)
                imf_samples_widen(w.row[i], imf_surface_row(s, y + i), s->sample, 0, samples);
            for (size_t i = 0; i < 3 * samples && unit != 1; i++)
                rows[i] *= unit;
            count_row(&w);
        }
        *sigma = median(w.count) / (NORM * MEDIAN * unit);
    }
    free(rows);
    free(w.count);
    return st;
}
