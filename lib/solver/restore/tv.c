/*
 * tv.c - deconvolution whose scene has sparse gradients: total variation
 *
 * Least squares lets noise and ringing through in flat parts to keep edges sharp elsewhere. The scene x that
 * minimises |K x - v|^2 / 2 noise + lambda sum |grad x| has flat parts and sharp edges instead (Rudin,
 * Osher and Fatemi 1992). By split Bregman (Goldstein and Osher 2009) gradients become variables d of their
 * own, tied to grad x by a penalty rho/2 |d - grad x - b|^2, and rounds alternate between
 *
 *      p = grad x + b,  d = p shortened by lambda / rho,  b = p - d,
 *      (|K|^2 + noise rho |grad|^2) x = conj K v + noise rho div (b - d),
 *
 * of which the second is a transform there and back. b is p limited to the length lambda / rho, and d - b =
 * p - 2 b: the state is x and p. Gradients go from a pixel to the next in its row and in its column of the upright
 * picture; where that is stored turned, to the one before. v is what plane.c completed, and the start its restored scene.
 */
#include "solver/restore/plane.h"

#include "base/clones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH IMF_FFT_BATCH
#define GROUP 16 /* rows of an item */

struct tv {
    struct imf_deblur_plane *d;
    imf_real *x, *px, *py;      /* planes */
    struct imf_fft_batch *data; /* conj K times the blurred plane's spectrum */
    double *gain_x, *gain_y;    /* |grad|^2 along the axes, of frequencies and of positions */
    double weight;              /* noise * rho */
    imf_real limit;             /* lambda / rho */
    int first_x, first_y;       /* struct imf_deblur's */
    bool last;
};

/* ---- rows ------------------------------------------------------------------------------------ */

static inline imf_real part(imf_real px, imf_real py, imf_real limit) {
    imf_real square = px * px + py * py, most = limit * limit;
    return square > most ? limit / (imf_real)sqrt(square) : 1;
}

/* Of a row of p and the row above in the upright picture, div (p - 2 b) at x, whose neighbour there is at `left`. */
static inline imf_real divergence(const imf_real *px, const imf_real *py, const imf_real *ax,
                                  const imf_real *ay, size_t x, size_t left, imf_real limit) {
    imf_real here = 1 - 2 * part(px[x], py[x], limit);
    imf_real before = 1 - 2 * part(px[left], py[left], limit);
    imf_real above = 1 - 2 * part(ax[x], ay[x], limit);
    return before * px[left] - here * px[x] + (above * ay[x] - here * py[x]);
}

IMF_CLONES static void IMF_REAL_NAME(divergences)(imf_real *restrict row, const imf_real *px,
                                                  const imf_real *py, const imf_real *ax,
                                                  const imf_real *ay, imf_real limit, int first,
                                                  size_t n) {
    if (first < 0) {
        for (size_t x = 0; x + 1 < n; x++)
            row[x] = divergence(px, py, ax, ay, x, x + 1, limit);
        row[n - 1] = divergence(px, py, ax, ay, n - 1, 0, limit);
        return;
    }
    row[0] = divergence(px, py, ax, ay, 0, n - 1, limit);
    for (size_t x = 1; x < n; x++)
        row[x] = divergence(px, py, ax, ay, x, x - 1, limit);
}

/* The row of the plane by one further down, `by` being 1 or -1. */
static size_t row_beside(const struct tv *t, int y, int by) {
    int ny = t->d->run->ny, to = y + by;
    return (size_t)(to < 0 ? ny - 1 : to < ny ? to : 0) * (size_t)t->d->run->nx;
}

static void divergence_row(void *user, int y, imf_real *row) {
    const struct tv *t = user;
    size_t nx = (size_t)t->d->run->nx, at = (size_t)y * nx, above = row_beside(t, y, -t->first_y);
    IMF_REAL_NAME(divergences)
    (row, t->px + at, t->py + at, t->px + above, t->py + above, t->limit, t->first_x, nx);
}

IMF_CLONES static void IMF_REAL_NAME(gradients)(imf_real *restrict px, imf_real *restrict py,
                                                const imf_real *x, const imf_real *below,
                                                imf_real limit, int first, size_t n) {
    size_t last = first < 0 ? 0 : n - 1, begin = first < 0, end = first < 0 ? n : n - 1;
    for (size_t i = begin; i < end; i++) {
        imf_real b = part(px[i], py[i], limit);
        px[i] = b * px[i] + (x[(ptrdiff_t)i + first] - x[i]);
        py[i] = b * py[i] + (below[i] - x[i]);
    }
    imf_real b = part(px[last], py[last], limit);
    px[last] = b * px[last] + (x[n - 1 - last] - x[last]);
    py[last] = b * py[last] + (below[last] - x[last]);
}

static void update_rows(void *data, int group) {
    const struct tv *t = data;
    int nx = t->d->run->nx, ny = t->d->run->ny, end = imf_min((group + 1) * GROUP, ny);
    for (int y = group * GROUP; y < end; y++) {
        size_t at = (size_t)y * (size_t)nx, below = row_beside(t, y, t->first_y);
        IMF_REAL_NAME(gradients)
        (t->px + at, t->py + at, t->x + at, t->x + below, t->limit, t->first_x, (size_t)nx);
    }
}

static void scene_row(void *user, int y, imf_real *row) {
    const struct tv *t = user;
    size_t nx = (size_t)t->d->run->nx;
    if (!t->last)
        memcpy(t->x + (size_t)y * nx, row, nx * sizeof *row);
    else if (y < t->d->run->in->height)
        imf_deblur_result_row(t->d, y, row);
}

static void blurred_row(void *user, int y, imf_real *row) {
    const struct tv *t = user;
    imf_deblur_blurred_row(t->d, y, row);
}

/* ---- columns --------------------------------------------------------------------------------- */

IMF_CLONES static void IMF_REAL_NAME(correlate)(struct imf_fft_batch *restrict to,
                                                const struct imf_fft_batch *points,
                                                const struct imf_fft_batch *kernel, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < BATCH; l++) {
            imf_real a = kernel[i].re[l], b = kernel[i].im[l];
            to[i].re[l] = a * points[i].re[l] + b * points[i].im[l];
            to[i].im[l] = a * points[i].im[l] - b * points[i].re[l];
        }
}

static void start_columns(void *user, int block, struct imf_fft_batch *points,
                          struct imf_fft_batch *scratch) {
    const struct tv *t = user;
    const struct imf_deblur_plane *d = t->d;
    size_t ny = (size_t)d->run->ny, at = (size_t)block * ny;
    imf_fft_host_forward(d->plane.along_y, points, scratch);
    IMF_REAL_NAME(correlate)(t->data + at, points, d->kernel.data + at, ny);
    imf_deblur_restored(d, block, points, 1 / ((double)d->run->nx * d->run->ny));
    imf_fft_host_backward(d->plane.along_y, points, scratch);
}

struct solve {
    imf_real gain_x[BATCH], weight, scale; /* weight * |grad|^2 along x */
    const double *gain_y;
};

IMF_CLONES static void IMF_REAL_NAME(solve)(struct imf_fft_batch *restrict points,
                                            const struct imf_fft_batch *data,
                                            const struct imf_fft_batch *kernel,
                                            const struct solve *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        imf_real gain_y = s->weight * (imf_real)s->gain_y[i];
        for (size_t l = 0; l < BATCH; l++) {
            imf_real a = kernel[i].re[l], b = kernel[i].im[l];
            imf_real w = s->scale / (a * a + b * b + s->gain_x[l] + gain_y);
            points[i].re[l] = w * (data[i].re[l] + s->weight * points[i].re[l]);
            points[i].im[l] = w * (data[i].im[l] + s->weight * points[i].im[l]);
        }
    }
}

static void solve_columns(void *user, int block, struct imf_fft_batch *points,
                          struct imf_fft_batch *scratch) {
    const struct tv *t = user;
    const struct imf_deblur_plane *d = t->d;
    size_t ny = (size_t)d->run->ny, at = (size_t)block * ny;
    struct solve s = {.weight = (imf_real)t->weight,
                      .scale = (imf_real)(1 / ((double)d->run->nx * d->run->ny)),
                      .gain_y = t->gain_y};
    for (int l = 0; l < BATCH; l++)
        s.gain_x[l] = (imf_real)(t->weight * t->gain_x[imf_min(block * BATCH + l, d->run->nx / 2)]);
    imf_fft_host_forward(d->plane.along_y, points, scratch);
    IMF_REAL_NAME(solve)(points, t->data + at, d->kernel.data + at, &s, ny);
    imf_fft_host_backward(d->plane.along_y, points, scratch);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static enum imf_status open_tv(struct tv *t, struct imf_deblur_plane *d, struct imf_error *err) {
    const double pi = 3.14159265358979323846;
    int nx = d->run->nx, ny = d->run->ny;
    size_t count = (size_t)nx * (size_t)ny;
    size_t points = (size_t)imf_half_plane_blocks(nx) * (size_t)ny;
    const struct imf_deblur_tv_weights w = imf_deblur_tv_weights(&d->run->model);
    *t = (struct tv){.d = d,
                     .x = calloc(3 * count, sizeof *t->x),
                     .data = aligned_alloc(64, points * sizeof *t->data),
                     .gain_x = malloc((size_t)(nx + ny) * sizeof *t->gain_x),
                     .weight = w.weight,
                     .first_x = d->run->p->deblur->first_x < 0 ? -1 : 1,
                     .first_y = d->run->p->deblur->first_y < 0 ? -1 : 1,
                     .limit = (imf_real)w.limit};
    if (!t->x || !t->data || !t->gain_x)
        return imf_fail_memory(err, 3 * count * sizeof *t->x);
    t->px = t->x + count;
    t->py = t->px + count;
    t->gain_y = t->gain_x + nx;
    for (int k = 0; k < nx; k++)
        t->gain_x[k] = 4 * pow(sin(pi * k / nx), 2);
    for (int k = 0; k < ny; k++)
        t->gain_y[imf_fft_host_positions(d->plane.along_y)[k]] = 4 * pow(sin(pi * k / ny), 2);
    return IMF_OK;
}

static enum imf_status round_of(struct tv *t, imf_half_plane_row *load,
                                imf_half_plane_columns *work, struct imf_error *err) {
    struct imf_half_plane *plane = &t->d->plane;
    struct imf_pool *pool = t->d->run->pool;
    enum imf_status status = imf_half_plane_load(plane, plane->height, load, t, pool, err);
    if (status == IMF_OK)
        status = imf_half_plane_each(plane, work, t, pool, err);
    if (status == IMF_OK)
        status = imf_half_plane_store(plane, plane->height, scene_row, t, pool, err);
    return status;
}

enum imf_status imf_deblur_tv(struct imf_deblur_plane *d, struct imf_error *err) {
    struct tv t;
    int rounds = d->run->iterations > 0 ? d->run->iterations : IMF_DEBLUR_TV_ROUNDS;
    enum imf_status status = open_tv(&t, d, err);
    if (status == IMF_OK)
        status = imf_deblur_plane_complete(d, IMF_DEBLUR_STEPS, err);
    if (status == IMF_OK)
        status = round_of(&t, blurred_row, start_columns, err);
    for (int i = 1; i <= rounds && status == IMF_OK; i++) {
        imf_parallel(d->run->pool, (d->run->ny - 1) / GROUP + 1, update_rows, &t);
        t.last = i == rounds;
        status = round_of(&t, divergence_row, solve_columns, err);
    }
    free(t.x);
    free(t.data);
    free(t.gain_x);
    return status;
}
