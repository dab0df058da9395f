/*
 * pattern.c - the waves that a pattern adds to an image
 *
 * A pattern's wave is a peak of the spectrum, but so are edges, fences and lines of text. A wave that is
 * taken has to be what only a pattern is:
 *
 *     everywhere   it stands out by 13 dB in three of the quarters; along the axes, where a
 *                  picture's own lines lie, in all four
 *     in step      from quarter to quarter its phase advances as its frequency says, within 1/8 of a
 *                  turn, and all quarters' waves add up to at least 0.9 of the sum of their amplitudes
 *     visible      its amplitude is at least half a level of 8 bits: blocks of JPEG files and the
 *                  upsampling of their colours have less
 *     fine         at least 0.03 cycles per pixel, and no part of a picture's own rows
 *                  (pattern_lattice.c)
 *
 * So it is of the whole image, and of windows of it, which overlap by half: a pattern may fill a part.
 *
 * Each quarter is transformed under a Hann window, whose skirts fall by 18 dB an octave; it leaves of
 * the mean only frequencies within a step of 0. What a peak stands out from are medians of
 * the square around it, and of the line through it and frequency 0, since edges draw such lines; each of them
 * of what is nearer to frequency 0 and of what is farther away: on the steep flank of the spectrum of soft noise
 * half of all that is around a peak is far below it. It is 13 dB above a median if fewer than half of the samples
 * are within 13 dB of it, so that nothing is sorted. Rows, which are left alone, stand out from both together.
 *
 * The frequency is that of the parabola through the logarithms of power, which is right within a
 * tenth of a step; the phases' difference over half the image then gives it to some hundredths.
 *
 * In noise a bin is 13 dB above the median with a probability of 1e-6, in three quarters at once
 * of 4e-18.
 */
#include "fourier/pattern.h"

#include "base/image/surface.h"
#include "fourier/half_plane.h"
#include "fourier/plan.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

enum {
    SMALLEST = 32,      /* steps of a quarter's transform */
    INNER = 4,          /* steps around a peak that belong to it */
    OUTER = 12,         /* steps to the end of its surroundings */
    NEAREST = 6,        /* steps from frequency 0: it has surroundings on that side */
    LEAST_WINDOW = 256, /* samples */
    WINDOWS = 8         /* of an image's side; they overlap by half */
};
#define STANDS_OUT 20.0      /* power over a median: 13 dB */
#define FAINTEST (0.5 / 255) /* amplitude, of full scale */
#define COARSEST 0.01        /* cycles per pixel */
#define IN_STEP 0.785        /* radians of phase */
#define COHERENT 0.9
#define CORNER 0.70710678118654757
#define MEDIAN_OF_4 0.918 /* of the mean of four exponentials, over its mean */

static const double two_pi = 6.283185307179586;

struct search {
    int left, top, width, height; /* the window of the image */
    int channel;
    const struct imf_pattern_source *source;
    struct imf_pool *pool;
    double *window;                 /* of a row, then of a column; owned */
    double unit;                    /* times a squared magnitude: a wave's squared amplitude */
    struct imf_half_plane plane[4]; /* upper left, upper right, lower left, lower right */
    double *low;                    /* of each bin's four powers the second least; owned */
};

/* Where a quarter begins. */
static int left_of(const struct search *s, int quarter) {
    return quarter % 2 ? s->width - s->plane->width : 0;
}

static int top_of(const struct search *s, int quarter) {
    return quarter / 2 ? s->height - s->plane->height : 0;
}

int imf_pattern_quarter(int size) {
    int n = size / 2;
    while (n >= SMALLEST && imf_fft_length(n, 1) != n)
        n--;
    return n >= SMALLEST ? n : 0;
}

int imf_pattern_window(int size) {
    return imf_max(LEAST_WINDOW, size / WINDOWS);
}

int imf_pattern_windows(int size) {
    int window = imf_pattern_window(size);
    return size < window * 3 / 2 ? 1 : (2 * size - 1) / window;
}

double imf_pattern_bytes(int width, int height) {
    int w = imf_pattern_quarter(width), h = imf_pattern_quarter(height);
    return w && h ? 4 * imf_half_plane_bytes(w, h, 0) + (double)(w / 2 + 1) * h * sizeof(double)
                  : 0;
}

/* ---- spectra ---------------------------------------------------------------------------------- */

static double power_at(const struct search *s, int quarter, int x, int y) {
    struct imf_complex z = imf_half_plane_at(&s->plane[quarter], x, y);
    return (z.re * z.re + z.im * z.im) * s->unit;
}

struct quarter {
    const struct search *search;
    int index;
};

static void windowed_row(void *user, int y, double *row) {
    const struct quarter *q = user;
    const struct search *s = q->search;
    int width = s->plane->width;
    s->source->row(s->source->user, s->channel, s->top + top_of(s, q->index) + y,
                   s->left + left_of(s, q->index), row, width);
    for (int x = 0; x < width; x++)
        row[x] *= s->window[x] * s->window[width + y];
}

/* Of a block of columns, which lie together. */
static void low_columns(void *data, int block) {
    const struct search *s = data;
    int across = s->plane->width / 2 + 1, first = block * IMF_FFT_BATCH;
    int count = imf_min(IMF_FFT_BATCH, across - first), height = s->plane->height;
    const int *position = imf_fft_host_positions(s->plane->along_y);
    for (int y = 0; y < height; y++) {
        double *low = s->low + (size_t)y * (size_t)across + (size_t)first;
        size_t at = (size_t)block * (size_t)height + (size_t)position[y];
        for (int i = 0; i < count; i++) {
            double least = INFINITY, second = INFINITY;
            for (int q = 0; q < 4; q++) {
                double re = s->plane[q].data[at].re[i], im = s->plane[q].data[at].im[i];
                double power = (re * re + im * im) * s->unit;
                double more = power > least ? power : least;
                second = more < second ? more : second;
                least = power < least ? power : least;
            }
            low[i] = second;
        }
    }
}

static double low_at(const struct search *s, int x, int y) {
    int w = s->plane->width, h = s->plane->height;
    x = (x + w) % w;
    if (x > w / 2) {
        x = w - x;
        y = -y;
    }
    return s->low[(size_t)((y + h) % h) * (size_t)(w / 2 + 1) + (size_t)x];
}

static enum imf_status transform(struct search *s, struct imf_pool *pool, struct imf_error *err) {
    int w = s->plane->width, h = s->plane->height;
    enum imf_status status = IMF_OK;
    for (int i = 0; i < 4 && status == IMF_OK; i++) {
        struct quarter q = {s, i};
        imf_half_plane_free(&s->plane[i]);
        status = imf_half_plane_make(&s->plane[i], w, h, windowed_row, &q, pool, err);
    }
    if (status == IMF_OK)
        imf_parallel(pool, imf_half_plane_blocks(w), low_columns, s);
    return status;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, size_t step, size_t count) {
    double sorted[IMF_PATTERN_DIRECTIONS];
    for (size_t i = 0; i < count; i++)
        sorted[i] = values[i * step];
    qsort(sorted, count, sizeof *sorted, by_value);
    return sorted[count / 2];
}

/* The picture's own power: medians over all directions, of each ring; and by how much, over all rings,
 * a direction has more: edges of one direction are waves of one direction. */
static void measure_noise(struct imf_pattern_noise *out, const struct search *s) {
    enum { RINGS = IMF_PATTERN_RINGS, DIRECTIONS = IMF_PATTERN_DIRECTIONS };
    int w = s->plane->width, h = s->plane->height;
    double power[RINGS][DIRECTIONS];
    for (int ring = 0; ring < RINGS; ring++) {
        double f = (ring + 0.5) * CORNER / RINGS;
        for (int i = 0; i < DIRECTIONS; i++) {
            double angle = two_pi / 2 * i / DIRECTIONS;
            int x = (int)lrint(f * cos(angle) * w), y = (int)lrint(f * sin(angle) * h);
            power[ring][i] = 0;
            for (int q = 0; q < 4; q++)
                power[ring][i] += power_at(s, q, x, y) / 4;
        }
        double middle = median(power[ring], 1, DIRECTIONS);
        for (int i = 0; i < DIRECTIONS; i++)
            power[ring][i] /= fmax(middle, 1e-300);
        /* White noise of variance 1 has the mean power 4 * 2.25 / (w h). */
        out->ring[ring] = middle / MEDIAN_OF_4 * w * h / 9;
    }
    for (int i = 0; i < DIRECTIONS; i++)
        out->excess[i] = fmax(median(power[0] + i, DIRECTIONS, RINGS), 1);
}

/* ---- peaks ------------------------------------------------------------------------------------ */

/* Of the samples around a peak, those nearer to frequency 0 and the others: all, and those within 13 dB. */
struct around {
    int all[2], near[2];
};

static void look_at(struct around *a, bool beyond, bool near) {
    a->all[beyond]++;
    a->near[beyond] += near;
}

/* Both medians are 13 dB below the peak. */
static bool is_above(const struct around *a) {
    for (int i = 0; i < 2; i++)
        if (a->all[i] && 2 * a->near[i] >= a->all[i])
            return false;
    return true;
}

/* pooled: as one. */
static bool above_line(const struct search *s, int q, int x, int y, double power, bool pooled) {
    struct around line = {{0}, {0}};
    double length = hypot(x, y);
    for (int i = -2 * OUTER; i <= 2 * OUTER; i++) {
        double d = i / 2.0;
        if (fabs(d) <= INNER || length + d <= 1)
            continue;
        int at_x = x + (int)lrint(d * x / length), at_y = y + (int)lrint(d * y / length);
        look_at(&line, d > 0 && !pooled, power_at(s, q, at_x, at_y) * STANDS_OUT >= power);
    }
    return is_above(&line);
}

static bool above_square(const struct search *s, int q, int x, int y, double power, bool pooled) {
    struct around square = {{0}, {0}};
    for (int j = -OUTER; j <= OUTER; j++)
        for (int i = -OUTER; i <= OUTER; i++)
            if (abs(i) > INNER || abs(j) > INNER)
                look_at(&square, i * x + j * y > 0 && !pooled,
                        power_at(s, q, x + i, y + j) * STANDS_OUT >= power);
    return is_above(&square);
}

static bool is_everywhere(const struct search *s, int x, int y) {
    int fails = 0, w = s->plane->width, h = s->plane->height;
    /* Within a step of an axis, or of half a cycle along the other. */
    int may_fail = x <= 1 || abs(y) <= 1 || w - 2 * x <= 2 || h - 2 * abs(y) <= 2 ? 0 : 1;
    bool rows = imf_pattern_are_rows((double)x / w, (double)y / h, fmax(1.0 / w, 1.0 / h));
    if (!rows && hypot(x, y) < NEAREST)
        return false;
    for (int q = 0; q < 4 && fails <= may_fail; q++) {
        double power = power_at(s, q, x, y);
        fails += !above_line(s, q, x, y, power, rows) || !above_square(s, q, x, y, power, rows);
    }
    return fails <= may_fail;
}

/* Conjugates, which are neighbours at 1/2 of an odd height, differ by rounding. */
static bool is_largest(const struct search *s, int x, int y) {
    double power = low_at(s, x, y) * (1 + 1e-9);
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if ((i || j) && low_at(s, x + i, y + j) > power)
                return false;
    return true;
}

/* Where the parabola through the logarithms of three powers is largest, from the middle one. */
static double vertex(const struct search *s, int x, int y, int dx, int dy) {
    double power[3] = {0}, at;
    for (int i = 0; i < 3; i++)
        for (int q = 0; q < 4; q++)
            power[i] += power_at(s, q, x + (i - 1) * dx, y + (i - 1) * dy);
    double a = log(fmax(power[0], 1e-300)), b = log(fmax(power[1], 1e-300));
    double c = log(fmax(power[2], 1e-300)), bend = a - 2 * b + c;
    at = bend < 0 ? 0.5 * (a - c) / bend : 0;
    return fmin(fmax(at, -0.5), 0.5);
}

/* The window's transform d steps from its centre, where it is 1; d within 1. */
static double lobe_at(double d) {
    double angle = two_pi / 2 * d;
    return fabs(d) < 1e-6 ? 1 : sin(angle) / (angle * (1 - d * d));
}

/* Set the wave of a peak; false if it is out of step. */
static bool refine(struct imf_pattern_wave *out, const struct search *s, int x, int y) {
    int w = s->plane->width, h = s->plane->height, dx = s->width - w, dy = s->height - h;
    double complex at_centre[4], sum = 0;
    double amplitudes = 0;
    /* About its own centre a window's transform is positive: the phase there is the wave's. */
    for (int q = 0; q < 4; q++) {
        struct imf_complex z = imf_half_plane_at(&s->plane[q], x, y);
        double turn = two_pi / 2 * ((double)x * (w - 1) / w + (double)y * (h - 1) / h);
        at_centre[q] = (z.re + I * z.im) * cexp(I * turn) * sqrt(s->unit);
        amplitudes += cabs(at_centre[q]);
    }
    double u = (x + vertex(s, x, y, 1, 0)) / w, v = (y + vertex(s, x, y, 0, 1)) / h;
    double complex along_x = at_centre[1] * conj(at_centre[0]) + at_centre[3] * conj(at_centre[2]);
    double complex along_y = at_centre[2] * conj(at_centre[0]) + at_centre[3] * conj(at_centre[1]);
    double late_x = carg(along_x * cexp(-I * two_pi * u * dx));
    double late_y = carg(along_y * cexp(-I * two_pi * v * dy));
    u += late_x / (two_pi * dx);
    v += late_y / (two_pi * dy);
    for (int q = 0; q < 4; q++)
        sum += at_centre[q] * cexp(-I * two_pi * (u * left_of(s, q) + v * top_of(s, q)));
    double lobe = lobe_at(u * w - x) * lobe_at(v * h - y);
    *out = (struct imf_pattern_wave){u, v, cabs(sum) / 4 / lobe, {0}};
    out->in[s->channel] = out->amplitude;
    return fabs(late_x) < IN_STEP && fabs(late_y) < IN_STEP && cabs(sum) >= COHERENT * amplitudes;
}

/* Append the peaks of a channel. */
static enum imf_status collect(struct imf_pattern_wave **list, size_t *count, size_t *room,
                               const struct search *s, double least, struct imf_error *err) {
    int w = s->plane->width, h = s->plane->height;
    for (int y = -(h - 1) / 2; y <= h / 2; y++)
        for (int x = 0; x <= w / 2; x++) {
            bool twice = (x == 0 || 2 * x == w) && y < 0;
            if (twice || low_at(s, x, y) < least * least ||
                hypot((double)x / w, (double)y / h) < COARSEST || !is_largest(s, x, y) ||
                !is_everywhere(s, x, y))
                continue;
            if (*count == *room) {
                size_t more = 2 * *room + 64;
                struct imf_pattern_wave *grown = realloc(*list, more * sizeof **list);
                if (!grown)
                    return imf_fail_memory(err, more * sizeof **list);
                *list = grown;
                *room = more;
            }
            *count += refine(&(*list)[*count], s, x, y);
        }
    return IMF_OK;
}

static enum imf_status prepare(struct search *s, int w, int h, struct imf_error *err) {
    size_t lines = (size_t)w + (size_t)h, bins = (size_t)(w / 2 + 1) * (size_t)h;
    double sums[2] = {0};
    s->plane->width = w;
    s->plane->height = h;
    s->window = malloc(lines * sizeof *s->window);
    s->low = malloc(bins * sizeof *s->low);
    if (!s->window || !s->low)
        return imf_fail_memory(err, (lines + bins) * sizeof *s->low);
    for (int axis = 0; axis < 2; axis++)
        for (int i = 0, n = axis ? h : w; i < n; i++) {
            double sine = sin(two_pi / 2 * (i + 0.5) / n);
            s->window[axis * w + i] = sine * sine;
            sums[axis] += sine * sine;
        }
    s->unit = 4 / (sums[0] * sums[0] * sums[1] * sums[1]);
    return IMF_OK;
}

/* The pattern of a window; noise: of each channel, or NULL. */
static enum imf_status search_window(struct imf_pattern *out, struct search *s,
                                     struct imf_pattern_noise *noise, struct imf_error *err) {
    struct imf_pattern_wave *peaks = NULL;
    size_t count = 0, room = 0;
    enum imf_status status = IMF_OK;
    for (s->channel = 0; s->channel < s->source->channels && status == IMF_OK; s->channel++) {
        status = transform(s, s->pool, err);
        if (status == IMF_OK) {
            if (noise)
                measure_noise(&noise[s->channel], s);
            status = collect(&peaks, &count, &room, s, FAINTEST * s->source->full, err);
        }
    }
    if (status == IMF_OK)
        imf_pattern_join(out, peaks, count, fmax(1.0 / s->plane->width, 1.0 / s->plane->height));
    free(peaks);
    return status;
}

static enum imf_status search_all(struct imf_pattern *out, struct search s, int across, int down,
                                  struct imf_error *err) {
    int spare_x = s.width, spare_y = s.height;
    s.width = across > 1 ? imf_pattern_window(s.width) : s.width;
    s.height = down > 1 ? imf_pattern_window(s.height) : s.height;
    spare_x -= s.width;
    spare_y -= s.height;
    enum imf_status status =
        prepare(&s, imf_pattern_quarter(s.width), imf_pattern_quarter(s.height), err);
    for (int i = 0; i < across * down && status == IMF_OK; i++) {
        s.left = across > 1 ? (int)((long)spare_x * (i % across) / (across - 1)) : 0;
        s.top = down > 1 ? (int)((long)spare_y * (i / across) / (down - 1)) : 0;
        bool whole = across * down == 1;
        status = search_window(out, &s, whole ? out->noise : NULL, err);
    }
    for (int i = 0; i < 4; i++)
        imf_half_plane_free(&s.plane[i]);
    free(s.window);
    free(s.low);
    return status;
}

enum imf_status imf_pattern_find(struct imf_pattern *out, const struct imf_pattern_source *source,
                                 struct imf_pool *pool, struct imf_error *err) {
    int width = source->width, height = source->height;
    *out = (struct imf_pattern){0};
    if (!imf_pattern_quarter(width) || !imf_pattern_quarter(height))
        return IMF_OK;
    const struct search s = {.width = width, .height = height, .source = source, .pool = pool};
    int across = imf_pattern_windows(width), down = imf_pattern_windows(height);
    enum imf_status status = search_all(out, s, 1, 1, err);
    if (status == IMF_OK && across * down > 1)
        status = search_all(out, s, across, down, err);
    return status;
}
