/*
 * host_maps.c - what deconvolution does to rows of planes on the host, between transforms
 *
 * cl/deblur.cl has the same for devices, methods.c what it is for.
 */
#include "solver/restore/host.h"

#include "base/clones.h"
#include "solver/common/channels.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define CHUNK 512    /* samples that are converted at a time */
#define COVERED 0.01 /* of K' M: what was blurred less into the picture stays as it is */

/* ---- pixels ---------------------------------------------------------------------------------- */

static void picture_row(const struct imf_field *f, int y, imf_real *row) {
    double values[CHUNK];
    for (int x = 0; x < f->in->width; x += CHUNK) {
        int count = imf_min(CHUNK, f->in->width - x);
        imf_channel_read(values, f->in, f->channel, y, x, count);
        for (int i = 0; i < count; i++)
            row[x + i] = (imf_real)(values[i] - f->mean);
    }
}

INLINE void mean_row(const struct imf_host_field *h, int y) {
    const struct imf_field *f = &h->f;
    double values[CHUNK], sum = 0;
    for (int x = 0; x < f->in->width && y < f->in->height; x += CHUNK) {
        int count = imf_min(CHUNK, f->in->width - x);
        imf_channel_read(values, f->in, f->channel, y, x, count);
        for (int i = 0; i < count; i++)
            sum += values[i] - f->mean;
    }
    h->sums[y] = sum;
}

INLINE void result_row(const struct imf_host_field *h, int y, imf_real *row) {
    const struct imf_field *f = &h->f;
    const struct imf_surface *out = f->out;
    double values[CHUNK];
    for (int x = 0; x < out->width && y < out->height; x += CHUNK) {
        int count = imf_min(CHUNK, out->width - x);
        for (int i = 0; i < count; i++)
            values[i] = (double)row[x + i] + f->mean;
        imf_channel_finish(f->p, out, f->channel, y, x, values, count);
    }
}

static size_t row_at(const struct imf_host_field *h, int y) {
    return (size_t)y * (size_t)h->f.nx;
}

/* Where a picture is kept: otherwise its rows are read again, each time. */
INLINE void load_row(const struct imf_host_field *h, int y) {
    if (h->picture && y < h->f.in->height)
        picture_row(&h->f, y, h->picture + row_at(h, y));
}

INLINE void clear_row(const struct imf_host_field *h, int y) {
    size_t bytes = (size_t)h->f.nx * sizeof(imf_real);
    if (h->px) {
        memset(h->px + row_at(h, y), 0, bytes);
        memset(h->py + row_at(h, y), 0, bytes);
    }
}

/* ---- what lies outside ----------------------------------------------------------------------- */

/* The part of a row that lies in the gap: its first column, how many values it has, and where in a vector of the gap. */
struct gap {
    size_t first, count, at;
};

static struct gap gap_of(const struct imf_host_field *h, int y) {
    size_t w = (size_t)h->f.in->width, height = (size_t)h->f.in->height, nx = (size_t)h->f.nx;
    size_t row = (size_t)y;
    return row < height ? (struct gap){w, nx - w, row * (nx - w)}
                        : (struct gap){0, nx, height * (nx - w) + (row - height) * nx};
}

/* How far the n-th of `gap` steps of a smooth transition has come. */
static imf_real transition(int n, int gap) {
    const double pi = 3.14159265358979323846;
    return (imf_real)(0.5 - cos(pi * n / (gap + 1)) / 2);
}

/* A row of the picture that goes on to its other end. */
static void continued_row(const struct imf_field *f, int y, imf_real *row) {
    int w = f->in->width;
    picture_row(f, y, row);
    for (int x = w; x < f->nx; x++) {
        imf_real t = transition(x - w + 1, f->nx - w);
        row[x] = row[w - 1] * (1 - t) + row[0] * t;
    }
}

INLINE void begin_row(const struct imf_host_field *h, int y) {
    const struct imf_field *f = &h->f;
    const struct gap gap = gap_of(h, y);
    int width = f->in->width, height = f->in->height;
    imf_real *to = h->outside + gap.at, *other = h->residual + gap.at;
    if (y < height) {
        double left, right;
        imf_channel_read(&left, f->in, f->channel, y, 0, 1);
        imf_channel_read(&right, f->in, f->channel, y, width - 1, 1);
        imf_real first = (imf_real)(left - f->mean), last = (imf_real)(right - f->mean);
        for (int i = 0; i < f->nx - width; i++) {
            imf_real t = transition(i + 1, f->nx - width);
            to[i] = last * (1 - t) + first * t;
        }
        return;
    }
    imf_real t = transition(y - height + 1, f->ny - height);
    continued_row(f, height - 1, to);
    continued_row(f, 0, other);
    for (int x = 0; x < f->nx; x++)
        to[x] = to[x] * (1 - t) + other[x] * t;
}

INLINE void blurred_row(const struct imf_host_field *h, int y, imf_real *row) {
    const struct gap gap = gap_of(h, y);
    if (gap.first > 0)
        picture_row(&h->f, y, row);
    memcpy(row + gap.first, h->outside + gap.at, gap.count * sizeof *row);
}

INLINE void direction_row(const struct imf_host_field *h, int y, imf_real *row) {
    const struct gap gap = gap_of(h, y);
    memset(row, 0, gap.first * sizeof *row);
    memcpy(row + gap.first, h->direction + gap.at, gap.count * sizeof *row);
}

INLINE void residual_row(const struct imf_host_field *h, int y, imf_real *row) {
    const struct gap gap = gap_of(h, y);
    double sum = 0;
    for (size_t i = 0; i < gap.count; i++) {
        imf_real r = -row[gap.first + i];
        h->residual[gap.at + i] = h->direction[gap.at + i] = r;
        sum += (double)r * (double)r;
    }
    h->sums[y] = sum;
}

INLINE void curvature_row(const struct imf_host_field *h, int y, imf_real *row) {
    const struct gap gap = gap_of(h, y);
    double sum = 0;
    for (size_t i = 0; i < gap.count; i++) {
        imf_real q = row[gap.first + i];
        h->product[gap.at + i] = q;
        sum += (double)h->direction[gap.at + i] * (double)q;
    }
    h->sums[y] = sum;
}

INLINE void move_row(const struct imf_host_field *h, int y) {
    const struct gap gap = gap_of(h, y);
    imf_real along = (imf_real)h->f.step;
    double sum = 0;
    for (size_t i = gap.at; i < gap.at + gap.count; i++) {
        h->outside[i] += along * h->direction[i];
        h->residual[i] -= along * h->product[i];
        sum += (double)h->residual[i] * (double)h->residual[i];
    }
    h->sums[y] = sum;
}

INLINE void turn_row(const struct imf_host_field *h, int y) {
    const struct gap gap = gap_of(h, y);
    for (size_t i = gap.at; i < gap.at + gap.count; i++)
        h->direction[i] = h->residual[i] + (imf_real)h->f.step * h->direction[i];
}

/* ---- total variation ------------------------------------------------------------------------- */

INLINE void scene_row(const struct imf_host_field *h, int y, imf_real *row) {
    memcpy(h->scene + row_at(h, y), row, (size_t)h->f.nx * sizeof *row);
}

INLINE imf_real part(imf_real px, imf_real py, imf_real limit) {
    imf_real square = px * px + py * py, most = limit * limit;
    return square > most ? limit / (imf_real)sqrt(square) : 1;
}

/* Of a row of p and the row above in the upright picture, div (p - 2 b) at x, whose neighbour there is at `left`. */
INLINE imf_real divergence(const imf_real *px, const imf_real *py, const imf_real *ax,
                           const imf_real *ay, size_t x, size_t left, imf_real limit) {
    imf_real here = 1 - 2 * part(px[x], py[x], limit);
    imf_real before = 1 - 2 * part(px[left], py[left], limit);
    imf_real above = 1 - 2 * part(ax[x], ay[x], limit);
    return before * px[left] - here * px[x] + (above * ay[x] - here * py[x]);
}

/* The row of the plane by one further down, `by` being 1 or -1. */
static size_t row_beside(const struct imf_host_field *h, int y, int by) {
    return row_at(h, (y + by + h->f.ny) % h->f.ny);
}

static int side(int first) {
    return first < 0 ? -1 : 1;
}

INLINE void divergence_row(const struct imf_host_field *h, int y, imf_real *restrict row) {
    const struct imf_deblur *d = h->f.p->deblur;
    size_t at = row_at(h, y), above = row_beside(h, y, -side(d->first_y)), n = (size_t)h->f.nx;
    const imf_real *px = h->px + at, *py = h->py + at, *ax = h->px + above, *ay = h->py + above;
    imf_real limit = (imf_real)h->f.bound;
    size_t end = d->first_x < 0 ? n - 1 : 0;
    row[end] = divergence(px, py, ax, ay, end, n - 1 - end, limit);
    if (d->first_x < 0)
        for (size_t x = 0; x + 1 < n; x++)
            row[x] = divergence(px, py, ax, ay, x, x + 1, limit);
    else
        for (size_t x = 1; x < n; x++)
            row[x] = divergence(px, py, ax, ay, x, x - 1, limit);
}

INLINE void gradients_row(const struct imf_host_field *h, int y) {
    const struct imf_deblur *d = h->f.p->deblur;
    ptrdiff_t first = side(d->first_x);
    size_t at = row_at(h, y), n = (size_t)h->f.nx;
    imf_real *restrict px = h->px + at, *restrict py = h->py + at, limit = (imf_real)h->f.bound;
    const imf_real *x = h->scene + at, *below = h->scene + row_beside(h, y, side(d->first_y));
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

/* ---- Richardson and Lucy --------------------------------------------------------------------- */

INLINE void begin_scene_row(const struct imf_host_field *h, int y) {
    for (size_t i = row_at(h, y); i < row_at(h, y + 1); i++) {
        h->scene[i] = h->before[i] = (imf_real)h->f.mean;
        h->change[i] = 0;
    }
}

INLINE void mask_row(const struct imf_host_field *h, int y, imf_real *row) {
    const struct imf_field *f = &h->f;
    for (int x = 0; x < f->nx; x++)
        row[x] = x < f->in->width && y < f->in->height;
}

INLINE void cover_row(const struct imf_host_field *h, int y, imf_real *row) {
    memcpy(h->cover + row_at(h, y), row, (size_t)h->f.nx * sizeof *row);
}

/* From which a round begins. */
INLINE void guess_row(const struct imf_host_field *h, int y, imf_real *restrict row) {
    const imf_real *x = h->scene + row_at(h, y), *before = h->before + row_at(h, y);
    imf_real ahead = (imf_real)h->f.step, least = (imf_real)h->f.bound;
    for (int i = 0; i < h->f.nx; i++) {
        imf_real v = x[i] + ahead * (x[i] - before[i]);
        row[i] = v > least ? v : least;
    }
}

#define LANES 8 /* sums that run side by side */

static double sum_of(const double *lanes) {
    double sum = 0;
    for (size_t l = 0; l < LANES; l++)
        sum += lanes[l];
    return sum;
}

/* The picture over the blurred guess, 0 outside; the squares of the differences are added up. */
INLINE void quotient_row(const struct imf_host_field *h, int y, imf_real *restrict row) {
    const imf_real *picture = h->picture + row_at(h, y), least = (imf_real)h->f.bound;
    size_t nx = (size_t)h->f.nx, n = y < h->f.in->height ? (size_t)h->f.in->width : 0;
    double sums[LANES] = {0};
    for (size_t x = 0; x < n; x += LANES)
        for (size_t l = 0; l < LANES && x + l < n; l++) {
            imf_real v = picture[x + l] > 0 ? picture[x + l] : 0;
            imf_real blurred = row[x + l] > least ? row[x + l] : least;
            sums[l] += (double)(v - blurred) * (double)(v - blurred);
            row[x + l] = v / blurred;
        }
    h->sums[y] = sum_of(sums);
    memset(row + n, 0, (nx - n) * sizeof *row);
}

/* `row` is K' of the quotients. The scene and its change move on. */
INLINE void accelerate_row(const struct imf_host_field *h, int y, const imf_real *restrict row) {
    size_t first = row_at(h, y), n = (size_t)h->f.nx;
    imf_real *restrict x = h->scene + first, *restrict before = h->before + first;
    imf_real *restrict change = h->change + first, ahead = (imf_real)h->f.step;
    const imf_real *cover = h->cover + first, least = (imf_real)h->f.bound;
    double along[LANES] = {0}, square[LANES] = {0};
    for (size_t i = 0; i < n; i += LANES)
        for (size_t l = 0; l < LANES && i + l < n; l++) {
            size_t at = i + l;
            imf_real guess = x[at] + ahead * (x[at] - before[at]);
            imf_real from = guess > least ? guess : least;
            imf_real factor =
                (row[at] > 0 ? row[at] : 0) / (cover[at] > (imf_real)COVERED ? cover[at] : 1);
            imf_real to = cover[at] > (imf_real)COVERED ? from * factor : from;
            along[l] += (double)(to - from) * (double)change[at];
            square[l] += (double)change[at] * (double)change[at];
            change[at] = to - from;
            before[at] = x[at];
            x[at] = to;
        }
    h->sums[y] = sum_of(along);
    h->sums[h->f.ny + y] = sum_of(square);
}

#define MAP(of, row)                                                                               \
    case of:                                                                                       \
        row;                                                                                       \
        break;

IMF_CLONES static void IMF_REAL_NAME(do_map)(const struct imf_host_field *h, enum imf_map map,
                                             int y, imf_real *row) {
    switch (map) {
        MAP(IMF_MAP_MEAN, mean_row(h, y))
        MAP(IMF_MAP_LOAD, load_row(h, y))
        MAP(IMF_MAP_CLEAR, clear_row(h, y))
        MAP(IMF_MAP_BEGIN_GAP, begin_row(h, y))
        MAP(IMF_MAP_BLURRED, blurred_row(h, y, row))
        MAP(IMF_MAP_DIRECTION, direction_row(h, y, row))
        MAP(IMF_MAP_RESIDUALS, residual_row(h, y, row))
        MAP(IMF_MAP_CURVATURE, curvature_row(h, y, row))
        MAP(IMF_MAP_MOVE, move_row(h, y))
        MAP(IMF_MAP_TURN, turn_row(h, y))
        MAP(IMF_MAP_SCENE, scene_row(h, y, row))
        MAP(IMF_MAP_RESULT, result_row(h, y, row))
        MAP(IMF_MAP_GRADIENTS, gradients_row(h, y))
        MAP(IMF_MAP_DIVERGENCE, divergence_row(h, y, row))
        MAP(IMF_MAP_BEGIN_SCENE, begin_scene_row(h, y))
        MAP(IMF_MAP_MASK, mask_row(h, y, row))
        MAP(IMF_MAP_COVER, cover_row(h, y, row))
        MAP(IMF_MAP_GUESS, guess_row(h, y, row))
        MAP(IMF_MAP_QUOTIENTS, quotient_row(h, y, row))
        MAP(IMF_MAP_ACCELERATE, accelerate_row(h, y, row))
    default:
        break;
    }
}

void imf_host_map(const struct imf_host_field *h, enum imf_map map, int y, imf_real *row) {
    IMF_REAL_NAME(do_map)(h, map, y, row);
}
