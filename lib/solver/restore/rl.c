/*
 * rl.c - deconvolution after Richardson and Lucy, with the outside unknown
 *
 * With y the picture, M the mask of its pixels and K the blur, rounds (Richardson 1972, Lucy 1974)
 *
 *      x <- x * K'(M y / K x) / K' M
 *
 * climb to the scene that is most likely if y counts photons; x never becomes negative. K' M is 1 inside
 * and fades outside, where x extends as far as it was blurred into the picture (Bertero and Boccacci
 * 2005). Each round begins from a guess ahead: x + a (x - the x before), with a from how the last two
 * rounds' corrections agree (Biggs and Andrews 1997), which takes a third of the rounds.
 *
 * Later rounds fit the noise. They end where the residual y - K x is as large as the noise (the
 * discrepancy principle, Morozov 1966), times IMF_DEBLUR_RL_TIGHT since some of it is fitted already.
 */
#include "solver/restore/plane.h"

#include "base/clones.h"

#include <math.h>
#include <stdlib.h>

#define BATCH IMF_FFT_BATCH
#define COVERED 0.01 /* of K' M: what was blurred less into the picture stays as it is */

struct rl {
    struct imf_deblur_plane *d;
    imf_real *x, *before, *change,
        *cover;             /* planes: scene, the one before, its last change, K' M, */
    imf_real *picture;      /* and the picture */
    double *along, *square; /* of rows: change times the change before, squared before */
    imf_real ahead, least;
    bool conjugate;
};

/* ---- columns --------------------------------------------------------------------------------- */

IMF_CLONES static void IMF_REAL_NAME(multiply)(struct imf_fft_batch *restrict points,
                                               const struct imf_fft_batch *kernel, imf_real scale,
                                               imf_real sign, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < BATCH; l++) {
            imf_real a = scale * kernel[i].re[l], b = scale * sign * kernel[i].im[l];
            imf_real re = points[i].re[l], im = points[i].im[l];
            points[i].re[l] = a * re - b * im;
            points[i].im[l] = a * im + b * re;
        }
}

static void blur_columns(void *user, int block, struct imf_fft_batch *points,
                         struct imf_fft_batch *scratch) {
    const struct rl *r = user;
    const struct imf_deblur_plane *d = r->d;
    size_t ny = (size_t)d->run->ny;
    imf_real scale = (imf_real)(1 / ((double)d->run->nx * d->run->ny));
    imf_fft_host_forward(d->plane.along_y, points, scratch);
    IMF_REAL_NAME(multiply)
    (points, d->kernel.data + (size_t)block * ny, scale, r->conjugate ? -1 : 1, ny);
    imf_fft_host_backward(d->plane.along_y, points, scratch);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static size_t row_at(const struct rl *r, int y) {
    return (size_t)y * (size_t)r->d->run->nx;
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
    const struct rl *r = user;
    size_t at = row_at(r, y);
    IMF_REAL_NAME(guesses)
    (row, r->x + at, r->before + at, r->ahead, r->least, (size_t)r->d->run->nx);
}

static void mask_row(void *user, int y, imf_real *row) {
    const struct rl *r = user;
    for (int x = 0; x < r->d->run->nx; x++)
        row[x] = x < r->d->run->in->width && y < r->d->run->in->height;
}

static void cover_row(void *user, int y, imf_real *row) {
    const struct rl *r = user;
    size_t at = row_at(r, y);
    for (int x = 0; x < r->d->run->nx; x++)
        r->cover[at + (size_t)x] = row[x];
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

/* The blurred guess becomes the picture's quotient by it, 0 outside. */
static void quotient_row(void *user, int y, imf_real *row) {
    const struct rl *r = user;
    size_t nx = (size_t)r->d->run->nx, width = 0;
    if (y < r->d->run->in->height) {
        width = (size_t)r->d->run->in->width;
        r->d->sums[y] = IMF_REAL_NAME(quotients)(row, r->picture + row_at(r, y), r->least, width);
    }
    for (size_t x = width; x < nx; x++)
        row[x] = 0;
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

static void update_row(void *user, int y, imf_real *row) {
    const struct rl *r = user;
    size_t at = row_at(r, y);
    struct sums s =
        IMF_REAL_NAME(accelerate)(r->x + at, r->before + at, r->change + at, r->cover + at, row,
                                  r->ahead, r->least, (size_t)r->d->run->nx);
    r->along[y] = s.along;
    r->square[y] = s.square;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static double total(const double *rows, int count) {
    double sum = 0;
    for (int y = 0; y < count; y++)
        sum += rows[y];
    return sum;
}

static enum imf_status products(struct rl *r, imf_half_plane_row *load, bool conjugate,
                                struct imf_error *err) {
    struct imf_half_plane *plane = &r->d->plane;
    struct imf_pool *pool = r->d->run->pool;
    enum imf_status status = load ? imf_half_plane_load(plane, plane->height, load, r, pool, err)
                                  : imf_half_plane_turn(plane, quotient_row, r, pool, err);
    r->conjugate = conjugate;
    return status ? status : imf_half_plane_each(plane, blur_columns, r, pool, err);
}

/* One round, or what ends them. */
static enum imf_status round_of(struct rl *r, double enough, bool *ends, struct imf_error *err) {
    struct imf_half_plane *plane = &r->d->plane;
    enum imf_status status = products(r, guess_row, false, err);
    if (status == IMF_OK)
        status = products(r, NULL, true, err);
    *ends = total(r->d->sums, r->d->run->in->height) <= enough;
    if (status != IMF_OK || *ends)
        return status;
    status = imf_half_plane_store(plane, plane->height, update_row, r, r->d->run->pool, err);
    double along = total(r->along, plane->height), square = total(r->square, plane->height);
    double ahead = square > 0 ? along / square : 0;
    r->ahead = (imf_real)fmin(fmax(ahead, 0), 0.999);
    return status;
}

static void begin_row(void *data, int y) {
    const struct rl *r = data;
    imf_deblur_picture_row(r->d, y, r->picture + row_at(r, y));
}

static void result_row(void *data, int y) {
    const struct rl *r = data;
    imf_real *row = r->change + row_at(r, y); /* no longer needed */
    guess_row(data, y, row);
    imf_deblur_result_row(r->d, y, row);
}

enum imf_status imf_deblur_rl(struct imf_deblur_plane *d, struct imf_error *err) {
    int nx = d->run->nx, ny = d->run->ny, height = d->run->in->height;
    int rounds = d->run->iterations > 0 ? d->run->iterations : IMF_DEBLUR_RL_ROUNDS;
    size_t count = (size_t)nx * (size_t)ny;
    double mean = fmax(d->mean, d->run->p->unit * IMF_DEBLUR_RL_DARK),
           noise = d->run->model.noise * IMF_DEBLUR_RL_TIGHT * IMF_DEBLUR_RL_TIGHT;
    double enough = noise * d->run->in->width * height;
    struct rl r = {.d = d,
                   .x = calloc(5 * count, sizeof *r.x),
                   .along = calloc(2 * (size_t)ny, sizeof *r.along),
                   .least = (imf_real)(IMF_DEBLUR_RL_LEAST * d->run->p->unit)};
    enum imf_status status =
        r.x && r.along ? IMF_OK : imf_fail_memory(err, 5 * count * sizeof *r.x);
    d->mean = 0; /* values are those of the samples */
    if (status == IMF_OK) {
        r.before = r.x + count;
        r.change = r.before + count;
        r.cover = r.change + count;
        r.picture = r.cover + count;
        r.square = r.along + ny;
        imf_parallel(d->run->pool, height, begin_row, &r);
        for (size_t i = 0; i < count; i++)
            r.x[i] = r.before[i] = (imf_real)mean;
        status = products(&r, mask_row, true, err);
    }
    if (status == IMF_OK)
        status = imf_half_plane_store(&d->plane, ny, cover_row, &r, d->run->pool, err);
    bool ends = false;
    for (int i = 0; i < rounds && !ends && status == IMF_OK; i++)
        status = round_of(&r, enough, &ends, err);
    if (status == IMF_OK && !ends)
        r.ahead = 0;
    if (status == IMF_OK)
        imf_parallel(d->run->pool, height, result_row, &r);
    free(r.x);
    free(r.along);
    return status;
}
