/* powers.c - a picture's mean spectral power, of up to GRID x GRID windows of it, each Hann's */
#include "solver/restore/powers.h"

#include "fourier/half_plane.h"
#include "fourier/plan.h"
#include "solver/common/channels.h"

#include <math.h>
#include <stdlib.h>

#define SIDE 256 /* of a window at most */
#define GRID IMF_WINDOWS_GRID
#define LOWEST 0.004 /* frequency: brightness of the whole follows no law */

enum imf_status imf_powers_open(struct imf_powers *p, size_t most, struct imf_error *err) {
    *p = (struct imf_powers){.power = calloc(4 * most, sizeof *p->power)};
    if (!p->power)
        return imf_fail_memory(err, 4 * most * sizeof *p->power);
    p->log_f = p->power + most;
    p->blur = p->log_f + most;
    p->weight = p->blur + most;
    return IMF_OK;
}

/* ---- spectra --------------------------------------------------------------------------------- */

/* The longest fast length up to n and SIDE with which windows lie alike from either end: the middle one of three has
 * as many samples before it as behind it. */
static int window_side(int n) {
    int side = imf_min(n, SIDE);
    while (imf_fft_length(side, 1) != side || (n > (GRID - 1) * side && (n - side) % 2))
        side--;
    return side;
}

/* Where windows begin along an axis. */
static int window_starts(int length, int side, int starts[GRID]) {
    int count = imf_min(GRID, (length - 1) / side + 1);
    for (int i = 0; i < count; i++)
        starts[i] = (int)((int64_t)(length - side) * i / imf_max(count - 1, 1));
    return count;
}

int imf_windows_rows(int height, int starts[GRID], int *side) {
    *side = window_side(height);
    return window_starts(height, *side, starts);
}

static void window_row(void *user, int y, double *row) {
    const struct imf_windows *w = user;
    imf_channel_read(row, w->in, w->channel, w->y + y, w->x, w->width);
    for (int x = 0; x < w->width; x++)
        row[x] = (row[x] - w->mean) * w->hann_x[x] * w->hann_y[y];
}

static double window_mean(const struct imf_windows *w) {
    double sum = 0;
    for (int y = 0; y < w->height; y++)
        for (int x = 0; x < w->width; x++)
            sum += imf_sample_get(imf_surface_row(w->in, w->y + y), w->in->sample,
                                  (ptrdiff_t)(w->x + x) * w->in->channels + w->channel);
    return sum / ((double)w->width * w->height);
}

/* Add |spectrum|^2 of the window to sums, rows of width / 2 + 1. */
static enum imf_status add_window(struct imf_windows *w, double *sums, struct imf_pool *pool,
                                  struct imf_error *err) {
    struct imf_half_plane plane;
    w->mean = window_mean(w);
    enum imf_status status =
        imf_half_plane_make(&plane, w->width, w->height, window_row, w, pool, err);
    if (status != IMF_OK)
        return status;
    for (int ky = 0; ky < w->height; ky++)
        for (int kx = 0; kx <= w->width / 2; kx++) {
            struct imf_complex z = imf_half_plane_at(&plane, kx, ky);
            *sums++ += z.re * z.re + z.im * z.im;
        }
    imf_half_plane_free(&plane);
    return IMF_OK;
}

static double set_hann(double *to, int n) {
    const double pi = 3.14159265358979323846;
    double squares = 0;
    for (int i = 0; i < n; i++) {
        double s = sin(pi * (i + 1) / (n + 1));
        to[i] = s * s;
        squares += to[i] * to[i];
    }
    return squares;
}

enum imf_status imf_windows_powers(double **out, struct imf_windows *w,
                                   const struct imf_surface *in, int colors, struct imf_pool *pool,
                                   struct imf_error *err) {
    *w = (struct imf_windows){
        .in = in, .width = window_side(in->width), .height = window_side(in->height)};
    size_t count = (size_t)(w->width / 2 + 1) * (size_t)w->height;
    double *sums = *out = calloc(count + (size_t)(w->width + w->height), sizeof *sums);
    if (!sums)
        return imf_fail_memory(err, count * sizeof *sums);
    w->hann_x = sums + count;
    w->hann_y = w->hann_x + w->width;
    double squares = set_hann(w->hann_x, w->width) * set_hann(w->hann_y, w->height);
    int first_x[GRID], first_y[GRID], windows = 0;
    int across = window_starts(in->width, w->width, first_x);
    int down = window_starts(in->height, w->height, first_y);
    enum imf_status status = IMF_OK;
    for (int i = 0; i < across * down && status == IMF_OK; i++) {
        w->x = first_x[i % across];
        w->y = first_y[i / across];
        for (w->channel = 0; w->channel < colors && status == IMF_OK; w->channel++, windows++)
            status = add_window(w, sums, pool, err);
    }
    for (size_t i = 0; i < count; i++)
        sums[i] /= squares * windows;
    if (status != IMF_OK) {
        free(sums);
        *out = NULL;
    }
    return status;
}

double imf_windows_frequency(const struct imf_windows *w, int kx, int ky, double *weight) {
    double u = (double)kx / w->width;
    double v = (double)(ky > w->height / 2 ? ky - w->height : ky) / w->height, f = hypot(u, v);
    double lowest = fmax(LOWEST, 3.0 / imf_max(w->width, w->height));
    *weight = f <= lowest ? 0 : kx == 0 || 2 * kx == w->width ? 1 : 2;
    return f;
}
