/*
 * host_maps.c - what deconvolution does to rows of planes on the host, between transforms
 *
 * cl/deblur.cl has the same for devices, methods.c what it is for.
 */
#include "solver/restore/host.h"

#include "base/clones.h"
#include "solver/restore/channels.h"

#include <math.h>
#include <string.h>

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

static void mean_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    const struct imf_field *f = &h->f;
    double values[CHUNK], sum = 0;
    (void)row;
    for (int x = 0; x < f->in->width && y < f->in->height; x += CHUNK) {
        int count = imf_min(CHUNK, f->in->width - x);
        imf_channel_read(values, f->in, f->channel, y, x, count);
        for (int i = 0; i < count; i++)
            sum += values[i] - f->mean;
    }
    h->sums[y] = sum;
}

static void result_row(void *user, int y, imf_real *row) {
    const struct imf_field *f = user;
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
static void load_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    (void)row;
    if (h->picture && y < h->f.in->height)
        picture_row(&h->f, y, h->picture + row_at(h, y));
}

static void clear_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    size_t bytes = (size_t)h->f.nx * sizeof(imf_real);
    (void)row;
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

static void begin_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    const struct imf_field *f = &h->f;
    const struct gap gap = gap_of(h, y);
    int width = f->in->width, height = f->in->height;
    imf_real *to = h->outside + gap.at, *other = h->residual + gap.at;
    (void)row;
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

static void blurred_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    const struct gap gap = gap_of(h, y);
    if (gap.first > 0)
        picture_row(&h->f, y, row);
    memcpy(row + gap.first, h->outside + gap.at, gap.count * sizeof *row);
}

static void direction_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    const struct gap gap = gap_of(h, y);
    memset(row, 0, gap.first * sizeof *row);
    memcpy(row + gap.first, h->direction + gap.at, gap.count * sizeof *row);
}

static void residual_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    const struct gap gap = gap_of(h, y);
    double sum = 0;
    for (size_t i = 0; i < gap.count; i++) {
        imf_real r = -row[gap.first + i];
        h->residual[gap.at + i] = h->direction[gap.at + i] = r;
        sum += (double)r * (double)r;
    }
    h->sums[y] = sum;
}

static void curvature_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    const struct gap gap = gap_of(h, y);
    double sum = 0;
    for (size_t i = 0; i < gap.count; i++) {
        imf_real q = row[gap.first + i];
        h->product[gap.at + i] = q;
        sum += (double)h->direction[gap.at + i] * (double)q;
    }
    h->sums[y] = sum;
}

static void move_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    const struct gap gap = gap_of(h, y);
    imf_real along = (imf_real)h->f.step;
    double sum = 0;
    (void)row;
    for (size_t i = gap.at; i < gap.at + gap.count; i++) {
        h->outside[i] += along * h->direction[i];
        h->residual[i] -= along * h->product[i];
        sum += (double)h->residual[i] * (double)h->residual[i];
    }
    h->sums[y] = sum;
}

static void turn_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    const struct gap gap = gap_of(h, y);
    (void)row;
    for (size_t i = gap.at; i < gap.at + gap.count; i++)
        h->direction[i] = h->residual[i] + (imf_real)h->f.step * h->direction[i];
}

/* ---- total variation ------------------------------------------------------------------------- */

static void scene_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    memcpy(h->scene + row_at(h, y), row, (size_t)h->f.nx * sizeof *row);
}

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

/* first: where a gradient's other pixel lies, 1 or -1. */
IMF_CLONES static void IMF_REAL_NAME(divergences)(imf_real *restrict row, const imf_real *px,
                                                  const imf_real *py, const imf_real *ax,
                                                  const imf_real *ay, imf_real limit, int first,
                                                  size_t n) {
    size_t end = first < 0 ? n - 1 : 0;
    row[end] = divergence(px, py, ax, ay, end, n - 1 - end, limit);
    if (first < 0)
        for (size_t x = 0; x + 1 < n; x++)
            row[x] = divergence(px, py, ax, ay, x, x + 1, limit);
    else
        for (size_t x = 1; x < n; x++)
            row[x] = divergence(px, py, ax, ay, x, x - 1, limit);
}

/* The row of the plane by one further down, `by` being 1 or -1. */
static size_t row_beside(const struct imf_host_field *h, int y, int by) {
    return row_at(h, (y + by + h->f.ny) % h->f.ny);
}

static int side(int first) {
    return first < 0 ? -1 : 1;
}

static void divergence_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    const struct imf_deblur *d = h->f.p->deblur;
    size_t at = row_at(h, y), above = row_beside(h, y, -side(d->first_y));
    IMF_REAL_NAME(divergences)
    (row, h->px + at, h->py + at, h->px + above, h->py + above, (imf_real)h->f.bound,
     side(d->first_x), (size_t)h->f.nx);
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

static void gradients_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    const struct imf_deblur *d = h->f.p->deblur;
    size_t at = row_at(h, y), below = row_beside(h, y, side(d->first_y));
    (void)row;
    IMF_REAL_NAME(gradients)
    (h->px + at, h->py + at, h->scene + at, h->scene + below, (imf_real)h->f.bound,
     side(d->first_x), (size_t)h->f.nx);
}

/* ---- Richardson and Lucy --------------------------------------------------------------------- */

static void begin_scene_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    (void)row;
    for (size_t i = row_at(h, y); i < row_at(h, y + 1); i++) {
        h->scene[i] = h->before[i] = (imf_real)h->f.mean;
        h->change[i] = 0;
    }
}

static void mask_row(void *user, int y, imf_real *row) {
    const struct imf_field *f = user;
    for (int x = 0; x < f->nx; x++)
        row[x] = x < f->in->width && y < f->in->height;
}

static void cover_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    memcpy(h->cover + row_at(h, y), row, (size_t)h->f.nx * sizeof *row);
}

/* The guess from which a round begins, of n values. */
IMF_CLONES static void IMF_REAL_NAME(guesses)(imf_real *restrict row, const imf_real *x,
                                              const imf_real *before, imf_real ahead,
                                              imf_real least, size_t n) {
    for (size_t i = 0; i < n; i++) {
        imf_real v = x[i] + ahead * (x[i] - before[i]);
        row[i] = v > least ? v : least;
    }
}

static void guess_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    size_t at = row_at(h, y);
    IMF_REAL_NAME(guesses)
    (row, h->scene + at, h->before + at, (imf_real)h->f.step, (imf_real)h->f.bound,
     (size_t)h->f.nx);
}

#define LANES 8 /* sums that run side by side */

static double sum_of(const double *lanes) {
    double sum = 0;
    for (size_t l = 0; l < LANES; l++)
        sum += lanes[l];
    return sum;
}

/* The picture's n values, at `picture`, over the blurred ones; the squares of the differences are added up. */
IMF_CLONES static double IMF_REAL_NAME(quotients)(imf_real *restrict row, const imf_real *picture,
                                                  imf_real least, size_t n) {
    double sums[LANES] = {0};
    for (size_t x = 0; x < n; x += LANES)
        for (size_t l = 0; l < LANES && x + l < n; l++) {
            imf_real v = picture[x + l] > 0 ? picture[x + l] : 0;
            imf_real blurred = row[x + l] > least ? row[x + l] : least;
            sums[l] += (double)(v - blurred) * (double)(v - blurred);
            row[x + l] = v / blurred;
        }
    return sum_of(sums);
}

static void quotient_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    size_t nx = (size_t)h->f.nx, width = y < h->f.in->height ? (size_t)h->f.in->width : 0;
    h->sums[y] =
        IMF_REAL_NAME(quotients)(row, h->picture + row_at(h, y), (imf_real)h->f.bound, width);
    memset(row + width, 0, (nx - width) * sizeof *row);
}

struct sums {
    double along, square;
};

/* `row` is K' of the quotients. The scene's n values and their change move on. */
IMF_CLONES static struct sums IMF_REAL_NAME(accelerate)(imf_real *restrict x,
                                                        imf_real *restrict before,
                                                        imf_real *restrict change,
                                                        const imf_real *cover, const imf_real *row,
                                                        imf_real ahead, imf_real least, size_t n) {
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
    return (struct sums){sum_of(along), sum_of(square)};
}

static void accelerate_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    size_t at = row_at(h, y);
    struct sums s =
        IMF_REAL_NAME(accelerate)(h->scene + at, h->before + at, h->change + at, h->cover + at, row,
                                  (imf_real)h->f.step, (imf_real)h->f.bound, (size_t)h->f.nx);
    h->sums[y] = s.along;
    h->sums[h->f.ny + y] = s.square;
}

imf_half_plane_row *const imf_host_maps[IMF_MAPS] = {[IMF_MAP_MEAN] = mean_row,
                                                     [IMF_MAP_LOAD] = load_row,
                                                     [IMF_MAP_CLEAR] = clear_row,
                                                     [IMF_MAP_BEGIN_GAP] = begin_row,
                                                     [IMF_MAP_BLURRED] = blurred_row,
                                                     [IMF_MAP_DIRECTION] = direction_row,
                                                     [IMF_MAP_RESIDUALS] = residual_row,
                                                     [IMF_MAP_CURVATURE] = curvature_row,
                                                     [IMF_MAP_MOVE] = move_row,
                                                     [IMF_MAP_TURN] = turn_row,
                                                     [IMF_MAP_SCENE] = scene_row,
                                                     [IMF_MAP_RESULT] = result_row,
                                                     [IMF_MAP_GRADIENTS] = gradients_row,
                                                     [IMF_MAP_DIVERGENCE] = divergence_row,
                                                     [IMF_MAP_BEGIN_SCENE] = begin_scene_row,
                                                     [IMF_MAP_MASK] = mask_row,
                                                     [IMF_MAP_COVER] = cover_row,
                                                     [IMF_MAP_GUESS] = guess_row,
                                                     [IMF_MAP_QUOTIENTS] = quotient_row,
                                                     [IMF_MAP_ACCELERATE] = accelerate_row};
