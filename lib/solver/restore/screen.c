/*
 * screen.c - printed dots, whose size is the tone, and the parts of a picture that have any
 *
 * Dots that follow the tone multiply the picture: each wave k of the screen carries the picture's
 * spectrum again, around its own frequency instead of 0. A picture's power falls as 1 / f^2, and so
 * that of these bands falls with the distance from k. N. Wiener's filter passes, of each frequency, the share
 * that is the picture's own (Extrapolation, interpolation and smoothing of stationary time series, 1949):
 *
 *     W(f) = (1 / f^2) / (1 / f^2 + sum over waves of r(k) / |f - k|^2)
 *
 * It is 1 at frequency 0 and 0 at each wave, and how strong the picture is does not matter. r(k) is the share of
 * the band, which falls as 1 / |k|. The response is some periods wide, and the plane is reflected at its borders.
 *
 * What is taken, 1 - W of the plane, is subtracted where there are dots: there its energy E, smoothed over
 * half a period, is near to what it is at most. The rest, paper beside a tint, keeps its grain and its edges. The share
 * E^2 / (E^2 + e^2) is subtracted, e a hundredth of the largest energy: dots of a tenth of the contrast.
 */
#include "solver/restore/screen.h"

#include "base/image/surface.h"
#include "fourier/half_plane.h"
#include "fourier/plan.h"

#include <math.h>
#include <stdlib.h>

#define BATCH IMF_FFT_BATCH
#define BORDER 64   /* samples at each end that are reflected */
#define ABSENT 0.01 /* of the largest energy */

struct screen {
    int width, height;
    const struct imf_pattern_wave *wave;
    int count;
    double share;
    imf_screen_row *source;
    void *user;
    struct imf_half_plane plane;
    float *taken;
};

/* ---- Wiener's filter -------------------------------------------------------------------------- */

static int period_of(int size) {
    return imf_fft_length(size + 2 * BORDER, 2);
}

double imf_screen_bytes(int width, int height) {
    int x = period_of(width), y = period_of(height);
    return x && y ? imf_half_plane_bytes(x, y, 0) : 0;
}

/* The sample that stands at i of a period: behind the end, then before the beginning, is the reflection. */
static int reflected(int i, int size, int period) {
    int at = i < (size + period) / 2 ? i : i - period;
    at = at < 0 ? -1 - at : at;
    at %= 2 * size;
    return at < size ? at : 2 * size - 1 - at;
}

static void load_row(void *user, int y, double *row) {
    const struct screen *s = user;
    s->source(s->user, reflected(y, s->height, s->plane.height), row);
    for (int x = s->width; x < s->plane.width; x++)
        row[x] = row[reflected(x, s->width, s->plane.width)];
}

static void store_row(void *user, int y, double *row) {
    const struct screen *s = user;
    float *to = s->taken + (size_t)y * (size_t)s->width;
    for (int x = 0; x < s->width; x++)
        to[x] += (float)row[x];
}

/* Add a wave's bands to the ratio of theirs and the picture's power. */
static void add_band(double ratio[BATCH], const double u[BATCH], double v,
                     const struct imf_pattern_wave *wave, double share, int sign) {
    double dv = v - sign * wave->v;
    dv -= rint(dv);
    for (int l = 0; l < BATCH; l++) {
        double du = u[l] - sign * wave->u;
        du -= rint(du);
        ratio[l] += share * (u[l] * u[l] + v * v) / (du * du + dv * dv + 1e-12);
    }
}

static void take_columns(void *user, int block, struct imf_fft_batch *points,
                         struct imf_fft_batch *scratch) {
    const struct screen *s = user;
    const int *position = imf_fft_host_positions(s->plane.along_y);
    int nx = s->plane.width, ny = s->plane.height;
    double first = hypot(s->wave->u, s->wave->v), u[BATCH];
    for (int l = 0; l < BATCH; l++)
        u[l] = (double)imf_min(block * BATCH + l, nx / 2) / nx;
    imf_fft_host_forward(s->plane.along_y, points, scratch);
    for (int k = 0; k < ny; k++) {
        double ratio[BATCH] = {0}, v = (double)(k > ny / 2 ? k - ny : k) / ny;
        for (int i = 0; i < s->count; i++) {
            const struct imf_pattern_wave *wave = &s->wave[i];
            double share = s->share * first / hypot(wave->u, wave->v);
            add_band(ratio, u, v, wave, share, 1);
            if (!imf_pattern_is_real(wave))
                add_band(ratio, u, v, wave, share, -1);
        }
        struct imf_fft_batch *point = &points[position[k]];
        for (int l = 0; l < BATCH; l++) {
            double gain = ratio[l] / (1 + ratio[l]) / ((double)nx * ny);
            point->re[l] *= gain;
            point->im[l] *= gain;
        }
    }
    imf_fft_host_backward(s->plane.along_y, points, scratch);
}

enum imf_status imf_screen_take(float *taken, int width, int height,
                                const struct imf_pattern_wave *wave, int count, double share,
                                imf_screen_row *source, void *user, struct imf_pool *pool,
                                struct imf_error *err) {
    struct screen s = {.width = width,
                       .height = height,
                       .wave = wave,
                       .count = count,
                       .share = share,
                       .source = source,
                       .user = user,
                       .taken = taken};
    enum imf_status status =
        imf_half_plane_open(&s.plane, period_of(width), period_of(height), err);
    if (status == IMF_OK)
        status = imf_half_plane_load(&s.plane, s.plane.height, load_row, &s, pool, err);
    if (status == IMF_OK)
        status = imf_half_plane_each(&s.plane, take_columns, &s, pool, err);
    if (status == IMF_OK)
        status = imf_half_plane_store(&s.plane, height, store_row, &s, pool, err);
    imf_half_plane_free(&s.plane);
    return status;
}

/* ---- where there is a pattern ----------------------------------------------------------------- */

struct sums {
    struct imf_screen_area *area;
    const float *taken;
    int width, height;
    double *cells; /* mean energy of each */
};

static void add_cells(void *data, int row) {
    const struct sums *s = data;
    const struct imf_screen_area *p = s->area;
    double *to = s->cells + (size_t)row * (size_t)p->across;
    int end = imf_min((row + 1) * p->cell, s->height);
    for (int y = row * p->cell; y < end; y++)
        for (int x = 0; x < s->width; x++) {
            double v = (double)s->taken[(size_t)y * (size_t)s->width + (size_t)x];
            to[x / p->cell] += v * v;
        }
    for (int i = 0; i < p->across; i++)
        to[i] /=
            (double)(end - row * p->cell) * (imf_min((i + 1) * p->cell, s->width) - i * p->cell);
}

/* 1 2 1 along a line; cells at the ends are repeated. */
static double smoothed(const double *cell, int i, int count, size_t step) {
    return (cell[(size_t)imf_max(i - 1, 0) * step] + 2 * cell[(size_t)i * step] +
            cell[(size_t)imf_min(i + 1, count - 1) * step]) /
           4;
}

enum imf_status imf_screen_area_make(struct imf_screen_area *out, const float *taken, int width,
                                     int height, double period, struct imf_pool *pool,
                                     struct imf_error *err) {
    int cell = imf_max((int)lrint(period / 2), 2);
    *out = (struct imf_screen_area){cell, (width - 1) / cell + 1, (height - 1) / cell + 1, NULL, 0};
    size_t across = (size_t)out->across, count = across * (size_t)out->down;
    struct sums s = {out, taken, width, height, calloc(count, sizeof *s.cells)};
    out->energy = malloc(count * sizeof *out->energy);
    if (!s.cells || !out->energy) {
        free(s.cells);
        imf_screen_area_free(out);
        return imf_fail_memory(err, 2 * count * sizeof *s.cells);
    }
    imf_parallel(pool, out->down, add_cells, &s);
    for (size_t i = 0; i < count; i++)
        out->energy[i] = smoothed(s.cells + i / across * across, (int)(i % across), out->across, 1);
    for (size_t i = 0; i < count; i++) {
        s.cells[i] = smoothed(out->energy + i % across, (int)(i / across), out->down, across);
        out->least = fmax(out->least, ABSENT * s.cells[i]);
    }
    free(out->energy);
    out->energy = s.cells;
    return IMF_OK;
}

void imf_screen_area_free(struct imf_screen_area *p) {
    free(p->energy);
    p->energy = NULL;
}

/* The cells whose centres are before and behind a sample, and how much of it is the second's. */
struct between {
    size_t first, second;
    double weight;
};

static struct between cells_at(int i, int cell, int count) {
    double at = fmin(fmax((i + 0.5) / cell - 0.5, 0), count - 1);
    int first = (int)at;
    return (struct between){(size_t)first, (size_t)imf_min(first + 1, count - 1), at - first};
}

void imf_screen_area_confine(const struct imf_screen_area *p, int y, float *row, int width) {
    struct between v = cells_at(y, p->cell, p->down);
    const double *above = p->energy + v.first * (size_t)p->across;
    const double *below = p->energy + v.second * (size_t)p->across;
    for (int x = 0; x < width; x++) {
        struct between u = cells_at(x, p->cell, p->across);
        double first = above[u.first] + v.weight * (below[u.first] - above[u.first]);
        double second = above[u.second] + v.weight * (below[u.second] - above[u.second]);
        double energy = first + u.weight * (second - first), square = energy * energy;
        row[x] *= (float)(square / (square + p->least * p->least + 1e-300));
    }
}
