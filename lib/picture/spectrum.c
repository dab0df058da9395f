/*
 * spectrum.c - power spectra of images, as numbers
 *
 * A discrete transform takes the image for one period of an endless pattern. Where opposite edges
 * differ that pattern has steps, and their spectrum is a bright cross over all others. A Hann
 * window, sin^2 along each side, takes the edges to 0: the cross goes, and a cosine of any
 * frequency shows as a pair of small dots whose skirts fall by 18 dB an octave (Harris 1978, On the
 * use of windows for harmonic analysis with the discrete Fourier transform). The mean under the
 * window is subtracted first, or it would be the brightest of all dots and carry nothing.
 *
 * Zeros are appended up to a length that transforms quickly; they only make the grid of frequencies
 * finer. Where the grid is finer than the result, power is averaged over the area of each value.
 */
#include "picture/spectrum.h"

#include "base/image/info.h"
#include "base/image/orientation.h"
#include "base/image/surface.h"
#include "fourier/pattern.h"
#include "fourier/plan.h"

#include <math.h>
#include <stdlib.h>

#define PICTURE_BYTES 24e6 /* of powers and the picture of two spectra, at most */
#define SMALLEST 256       /* values each way, however small the image */

/* ---- samples -------------------------------------------------------------------------------- */

struct source {
    const struct imf_pixels *pixels;
    struct imf_orientation
        orientation;   /* to the upright picture: frequencies are those that filters mean */
    int width, height; /* of that */
    int padded;        /* length of a row with its zeros */
    double *window;    /* width values, then height values; owned */
    double mean;       /* under the window */
    double weight;     /* sum of the window, */
    double squares;    /* and of its squares */
};

static double sample(const struct imf_pixels *p, int x, int y, int channel) {
    const char *row = (const char *)p->data + (size_t)y * p->stride;
    enum imf_sample type = imf_info_sample(p->info);
    double full = p->info->depth > 16 ? imf_info_full(p->info) : imf_sample_max(type);
    return imf_sample_get(row, type, (ptrdiff_t)x * p->info->channels + channel) / full;
}

/* Rec. 709 luma, 0..1, over black if there is alpha; of CMYK, the light that the ink leaves. */
static double luma(const struct source *s, int x, int y) {
    const struct imf_pixels *p = s->pixels;
    const struct imf_info *info = p->info;
    imf_pixel_to_stored(s->orientation, s->width, s->height, &x, &y);
    double alpha = info->alpha ? sample(p, x, y, info->channels - 1) : 1;
    double first = sample(p, x, y, 0);
    if (info->channels - (info->alpha ? 1 : 0) < 3)
        return alpha * first;
    double sum = 0.2126 * first + 0.7152 * sample(p, x, y, 1) + 0.0722 * sample(p, x, y, 2);
    if (info->color == IMF_COLOR_CMYK)
        return (1 - sum) * (1 - sample(p, x, y, 3));
    return alpha * sum;
}

static void hann(double *window, int length) {
    for (int i = 0; i < length; i++) {
        double s = sin(acos(-1.0) * (i + 0.5) / length);
        window[i] = s * s;
    }
}

static enum imf_status source_make(struct source *s, const struct imf_pixels *pixels, int padded,
                                   struct imf_error *err) {
    s->pixels = pixels;
    s->padded = padded;
    int width = s->width, height = s->height;
    size_t count = (size_t)width + (size_t)height;
    s->window = malloc(count * sizeof *s->window);
    if (!s->window)
        return imf_fail_memory(err, count * sizeof *s->window);
    hann(s->window, width);
    hann(s->window + width, height);
    double sum = 0;
    double squares[2] = {0};
    for (size_t i = 0; i < count; i++)
        squares[i >= (size_t)width] += s->window[i] * s->window[i];
    s->squares = squares[0] * squares[1];
    for (int y = 0; y < height; y++) {
        double row = 0, weight = 0;
        for (int x = 0; x < width; x++) {
            row += s->window[x] * luma(s, x, y);
            weight += s->window[x];
        }
        sum += s->window[width + y] * row;
        s->weight += s->window[width + y] * weight;
    }
    s->mean = sum / s->weight;
    return isfinite(s->mean) ? IMF_OK
                             : imf_fail(err, IMF_ERR_FORMAT,
                                        "it has NaN or infinity, of which there is no spectrum");
}

static void windowed_row(void *user, int y, double *row) {
    const struct source *s = user;
    int width = s->width, height = s->height;
    for (int x = 0; x < s->padded; x++) {
        row[x] = 0;
        if (x < width && y < height)
            row[x] = s->window[x] * s->window[width + y] * (luma(s, x, y) - s->mean);
    }
}

static void channel_row(void *user, int channel, int y, int x, double *row, int count) {
    const struct source *s = user;
    for (int i = 0; i < count; i++) {
        int at_x = x + i, at_y = y;
        imf_pixel_to_stored(s->orientation, s->width, s->height, &at_x, &at_y);
        row[i] = sample(s->pixels, at_x, at_y, channel);
    }
}

/* What notch:auto removes. */
static enum imf_status find_waves(struct imf_peaks *peaks, struct source *s,
                                  struct imf_error *err) {
    const struct imf_info *info = s->pixels->info;
    struct imf_pattern pattern;
    const struct imf_pattern_source source = {
        s->width, s->height, info->channels - (info->alpha ? 1 : 0), 1, channel_row, s};
    enum imf_status status = imf_pattern_find(&pattern, &source, NULL, err);
    peaks->waves = 0;
    for (int i = 0; status == IMF_OK && i < pattern.count; i++) {
        peaks->wave_u[i] = pattern.wave[i].u;
        peaks->wave_v[i] = pattern.wave[i].v;
        peaks->wave_decibels[i] = 20 * log10(2 * pattern.wave[i].amplitude);
        peaks->waves++;
    }
    return status;
}

/* ---- frequencies ---------------------------------------------------------------------------- */

/* The range from..to of `bins` frequencies that value k of `side` covers; its ends may be
 * fractions. */
struct cover {
    int from, to;
    double first, last;
};

static struct cover cover_of(int k, int side, int bins) {
    double low = (k - side / 2 - 0.5) * bins / side + 0.5;
    double high = (k - side / 2 + 0.5) * bins / side + 0.5;
    struct cover c = {(int)floor(low + 1e-9), (int)ceil(high - 1e-9) - 1, 0, 0};
    c.first = c.from + 1 - low;
    c.last = high - c.to;
    return c;
}

static double cover_weight(const struct cover *c, int bin) {
    return bin == c->from ? c->first : bin == c->to ? c->last : 1;
}

static double mean_power(const struct imf_half_plane *p, const struct cover *cx,
                         const struct cover *cy) {
    double sum = 0, area = 0;
    for (int y = cy->from; y <= cy->to; y++)
        for (int x = cx->from; x <= cx->to; x++) {
            struct imf_complex z = imf_half_plane_at(p, x, y);
            double weight = cover_weight(cx, x) * cover_weight(cy, y);
            sum += weight * (z.re * z.re + z.im * z.im);
            area += weight;
        }
    return sum / area;
}

static void fill(struct imf_spectrum *s, const struct imf_half_plane *p, double unit) {
    double count[IMF_RINGS] = {0};
    for (int v = 0; v < s->side; v++) {
        struct cover cy = cover_of(v, s->side, p->height);
        for (int u = 0; u < s->side; u++) {
            struct cover cx = cover_of(u, s->side, p->width);
            double power = unit * mean_power(p, &cx, &cy);
            s->power[(size_t)v * (size_t)s->side + (size_t)u] = power;
            double f = hypot(u - s->side / 2, v - s->side / 2) / s->side;
            int ring = (int)(f * 2 * IMF_RINGS);
            if (ring < IMF_RINGS && f > 0) {
                s->ring[ring] += power;
                count[ring]++;
            }
        }
    }
    for (int i = 0; i < IMF_RINGS; i++)
        s->ring[i] = count[i] > 0 ? s->ring[i] / count[i] : 0;
}

/* A length of at least n that is fast to transform, or n if none is known. */
static int padded_length(int n, int multiple) {
    int length = imf_fft_length(n, multiple);
    return length ? length : n;
}

double imf_spectrum_bytes(const struct imf_info *info, bool numbers) {
    int sides[2] = {info->width, info->height};
    for (int i = 0; i < 2; i++)
        sides[i] = padded_length(sides[i] > SMALLEST ? sides[i] : SMALLEST, 1);
    double plane = imf_half_plane_bytes(sides[0], sides[1], 0);
    double turned = imf_half_plane_bytes(sides[1], sides[0], 0);
    double pattern = imf_pattern_bytes(info->width, info->height);
    double turned_pattern = imf_pattern_bytes(info->height, info->width);
    double powers = numbers ? (double)sides[0] * sides[1] * sizeof(float) : 0;
    return fmax(fmax(plane, turned), fmax(pattern, turned_pattern)) + powers + PICTURE_BYTES;
}

static struct source source_of(const struct imf_info *info) {
    struct source s = {.orientation = imf_orientation_of(info->orientation)};
    s.width = s.orientation.swap ? info->height : info->width;
    s.height = s.orientation.swap ? info->width : info->height;
    return s;
}

enum imf_status imf_spectrum_make(struct imf_spectrum *out, const struct imf_pixels *pixels,
                                  int most, struct imf_error *err) {
    struct source source = source_of(pixels->info);
    int width = source.width, height = source.height;
    int longest = width > height ? width : height;
    *out = (struct imf_spectrum){.side = most};
    if (longest < most)
        out->side = padded_length(longest > SMALLEST ? longest : SMALLEST, 2);
    if (out->side > most)
        out->side = most;
    size_t count = (size_t)out->side * (size_t)out->side;
    out->power = malloc(count * sizeof *out->power);
    if (!out->power)
        return imf_fail_memory(err, count * sizeof *out->power);
    int nx = padded_length(width > out->side ? width : out->side, 1);
    int ny = padded_length(height > out->side ? height : out->side, 1);
    struct imf_half_plane plane = {0};
    enum imf_status status = source_make(&source, pixels, nx, err);
    if (status == IMF_OK)
        status = imf_half_plane_make(&plane, nx, ny, windowed_row, &source, NULL, err);
    if (status == IMF_OK) {
        /* A cosine of amplitude 1/2, from black to white, has |X| = weight / 4. */
        double unit = 16 / (source.weight * source.weight);
        fill(out, &plane, unit);
        status = imf_spectrum_peaks(&out->peaks, &plane, width, height, unit, err);
    }
    imf_half_plane_free(&plane);
    if (status == IMF_OK)
        status = find_waves(&out->peaks, &source, err);
    free(source.window);
    if (status != IMF_OK)
        imf_spectrum_free(out);
    return status;
}

/* The plane's powers, of which white noise has its variance. */
static enum imf_status powers(struct imf_picture **out, const struct imf_half_plane *p,
                              double squares, struct imf_error *err) {
    size_t count = (size_t)p->width * (size_t)p->height;
    struct imf_picture *plane = calloc(1, sizeof *plane);
    if (plane)
        *plane = (struct imf_picture){p->width, p->height, NULL, malloc(count * sizeof(float))};
    *out = plane;
    if (!plane || !plane->power)
        return imf_fail_memory(err, count * sizeof(float));
    for (int v = 0; v < p->height; v++)
        for (int u = 0; u < p->width; u++) {
            struct imf_complex z = imf_half_plane_at(p, u - p->width / 2, v - p->height / 2);
            plane->power[(size_t)v * (size_t)p->width + (size_t)u] =
                (float)((z.re * z.re + z.im * z.im) / squares);
        }
    return IMF_OK;
}

enum imf_status imf_spectrum_numbers(struct imf_picture **out, const struct imf_pixels *pixels,
                                     struct imf_peaks *peaks, struct imf_error *err) {
    struct source source = source_of(pixels->info);
    struct imf_half_plane plane = {0};
    int nx = padded_length(source.width, 1), ny = padded_length(source.height, 1);
    *out = NULL;
    enum imf_status status = source_make(&source, pixels, nx, err);
    if (status == IMF_OK)
        status = imf_half_plane_make(&plane, nx, ny, windowed_row, &source, NULL, err);
    if (status == IMF_OK)
        status = powers(out, &plane, source.squares, err);
    if (status == IMF_OK)
        status = imf_spectrum_peaks(peaks, &plane, source.width, source.height,
                                    16 / (source.weight * source.weight), err);
    imf_half_plane_free(&plane);
    if (status == IMF_OK)
        status = find_waves(peaks, &source, err);
    free(source.window);
    if (status != IMF_OK)
        imf_picture_free(out);
    return status;
}

void imf_spectrum_free(struct imf_spectrum *s) {
    free(s->power);
    s->power = NULL;
}
