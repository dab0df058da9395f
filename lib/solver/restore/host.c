/*
 * host.c - planes of a deconvolution on the host: their memory, and products in the frequency domain
 */
#include "solver/restore/host.h"

#include "base/clones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCH IMF_FFT_BATCH
#define INLINE static inline __attribute__((always_inline))

/* ---- products -------------------------------------------------------------------------------- */

struct points {
    const struct imf_fft_batch *kernel;
    struct imf_fft_batch *data;
    const imf_real *penalty;
    const double *gain_y;
    imf_real gain_x[BATCH], weight, scale; /* weight * |grad|^2 along x */
    size_t count;
};

/* An operator, which is constant where this is inlined, and `scale`. */
INLINE void operate(struct imf_fft_batch *restrict points, struct imf_fft_batch *restrict data,
                    const struct points *p, enum imf_operator of) {
    bool plain = of == IMF_OPERATOR_BLUR || of == IMF_OPERATOR_CORRELATE;
    imf_real first = plain ? p->scale : 1;
    for (size_t i = 0; i < p->count; i++) {
        imf_real gain_y = of == IMF_OPERATOR_SOLVE ? p->weight * (imf_real)p->gain_y[i] : 0;
        for (size_t l = 0; l < BATCH; l++) {
            imf_real a = p->kernel[i].re[l], b = p->kernel[i].im[l], power = a * a + b * b, by = 1;
            imf_real re = points[i].re[l], im = points[i].im[l];
            if (of == IMF_OPERATOR_LEAVE)
                by = p->scale * p->penalty[i * BATCH + l] / (power + p->penalty[i * BATCH + l]);
            else if (of == IMF_OPERATOR_SOLVE)
                by = p->scale / (power + p->gain_x[l] + gain_y);
            else if (!plain)
                by = p->scale / (power + p->penalty[i * BATCH + l]);
            if (of == IMF_OPERATOR_SOLVE) {
                re = data[i].re[l] + p->weight * re;
                im = data[i].im[l] + p->weight * im;
            } else if (of != IMF_OPERATOR_LEAVE) {
                imf_real c = first * a, d = of == IMF_OPERATOR_BLUR ? -first * b : first * b;
                imf_real turned = c * im - d * re;
                re = c * re + d * im;
                im = turned;
            }
            if (of == IMF_OPERATOR_START) {
                data[i].re[l] = re;
                data[i].im[l] = im;
            }
            points[i].re[l] = by * re;
            points[i].im[l] = by * im;
        }
    }
}

#define OPERATOR(of)                                                                               \
    case of:                                                                                       \
        operate(points, p->data, p, of);                                                           \
        break;

IMF_CLONES static void IMF_REAL_NAME(operate_on)(struct imf_fft_batch *points,
                                                 const struct points *p, enum imf_operator of) {
    switch (of) {
        OPERATOR(IMF_OPERATOR_LEAVE)
        OPERATOR(IMF_OPERATOR_RESTORE)
        OPERATOR(IMF_OPERATOR_START)
        OPERATOR(IMF_OPERATOR_SOLVE)
        OPERATOR(IMF_OPERATOR_BLUR)
        OPERATOR(IMF_OPERATOR_CORRELATE)
    default:
        break;
    }
}

struct product {
    const struct imf_host_field *h;
    enum imf_operator of;
};

static void do_columns(void *user, int block, struct imf_fft_batch *points,
                       struct imf_fft_batch *scratch) {
    const struct product *product = user;
    const struct imf_host_field *h = product->h;
    const struct imf_field *f = &h->f;
    size_t count = (size_t)f->ny, at = (size_t)block * count;
    struct points p = {.kernel = h->kernel.data + at,
                       .data = h->data ? h->data + at : NULL,
                       .penalty = h->penalty + at * BATCH,
                       .gain_y = h->gain_y,
                       .weight = (imf_real)f->weight,
                       .scale = (imf_real)(1 / ((double)f->nx * f->ny)),
                       .count = count};
    for (int l = 0; l < BATCH; l++)
        p.gain_x[l] = (imf_real)(f->weight * h->gain_x[imf_min(block * BATCH + l, f->nx / 2)]);
    imf_fft_host_forward(h->plane.along_y, points, scratch);
    IMF_REAL_NAME(operate_on)(points, &p, product->of);
    imf_fft_host_backward(h->plane.along_y, points, scratch);
}

struct rows {
    const struct imf_host_field *h;
    enum imf_map map;
};

static void do_row(void *user, int y, imf_real *row) {
    const struct rows *rows = user;
    imf_host_map(rows->h, rows->map, y, row);
}

static void do_row_alone(void *data, int y) {
    const struct imf_host_field *h = ((const struct rows *)data)->h;
    do_row(data, y, h->change ? h->change + (size_t)y * (size_t)h->f.nx : NULL);
}

static void add_up(struct imf_host_field *h) {
    for (int k = 0; k < 2; k++) {
        h->f.sums[k] = 0;
        for (int y = 0; y < h->f.ny; y++)
            h->f.sums[k] += h->sums[k * h->f.ny + y];
    }
}

static enum imf_status do_product(struct imf_field *f, enum imf_map from, enum imf_operator of,
                                  enum imf_map to) {
    struct imf_host_field *h = (struct imf_host_field *)f;
    struct product product = {h, of};
    struct rows load = {h, from}, store = {h, to};
    int count = to == IMF_MAP_RESULT ? f->in->height : f->ny;
    enum imf_status status = IMF_OK;
    if (from != IMF_MAP_KEPT)
        status = imf_half_plane_load(&h->plane, f->ny, do_row, &load, f->pool, f->err);
    if (status == IMF_OK)
        status = imf_half_plane_each(&h->plane, do_columns, &product, f->pool, f->err);
    if (status == IMF_OK && to == IMF_MAP_QUOTIENTS)
        status = imf_half_plane_turn(&h->plane, do_row, &store, f->pool, f->err);
    else if (status == IMF_OK)
        status = imf_half_plane_store(&h->plane, count, do_row, &store, f->pool, f->err);
    add_up(h);
    return status;
}

static enum imf_status do_map(struct imf_field *f, enum imf_map map) {
    struct imf_host_field *h = (struct imf_host_field *)f;
    struct rows rows = {h, map};
    imf_parallel(f->pool, f->ny, do_row_alone, &rows);
    add_up(h);
    return IMF_OK;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int modulo(int a, int n) {
    return (a % n + n) % n;
}

/* The kernel's row y: a correlation's taps stand on the other side of its origin. */
static void kernel_row(void *user, int y, imf_real *row) {
    const struct imf_host_field *h = user;
    const struct imf_kernel *k = h->f.blur;
    int nx = h->f.nx, ny = h->f.ny;
    memset(row, 0, (size_t)nx * sizeof *row);
    for (int i = 0; i < k->height; i++)
        for (int j = 0; j < k->width && modulo(k->cy - i, ny) == y; j++)
            row[modulo(k->cx - j, nx)] +=
                (imf_real)(k->taps[(size_t)i * (size_t)k->width + (size_t)j] / h->sum);
}

/* k / n as a frequency of -0.5..0.5. */
static double frequency(int k, int n) {
    return (double)(k > n / 2 ? k - n : k) / n;
}

static void set_penalty(void *data, int block) {
    struct imf_host_field *h = data;
    const struct imf_deblur_model *m = &h->f.model;
    const int *position = imf_fft_host_positions(h->plane.along_y);
    int nx = h->f.nx, ny = h->f.ny;
    double least = 1.0 / imf_max(nx, ny), ratio = IMF_DEBLUR_NOISE * m->noise / m->power;
    imf_real *to = h->penalty + (size_t)block * (size_t)ny * BATCH;
    for (int k = 0; k < ny; k++)
        for (int l = 0; l < BATCH; l++) {
            double u = frequency(imf_min(block * BATCH + l, nx / 2), nx), v = frequency(k, ny);
            double square = fmax(u * u + v * v, least * least);
            to[position[k] * BATCH + l] = (imf_real)(ratio * exp(log(square) * m->slope / 2));
        }
}

static void set_gains(struct imf_host_field *h) {
    const double pi = 3.14159265358979323846;
    const int *position = imf_fft_host_positions(h->plane.along_y);
    int nx = h->f.nx, ny = h->f.ny;
    h->gain_x = h->sums + 2 * ny;
    h->gain_y = h->gain_x + nx;
    for (int k = 0; k < nx; k++)
        h->gain_x[k] = 4 * pow(sin(pi * k / nx), 2);
    for (int k = 0; k < ny; k++)
        h->gain_y[position[k]] = 4 * pow(sin(pi * k / ny), 2);
}

/* Values of the gap and planes, in one piece of memory. */
static bool set_values(struct imf_host_field *h) {
    enum imf_deblur_method method = h->f.p->deblur->method;
    const struct imf_surface *in = h->f.in;
    size_t plane = (size_t)h->f.nx * (size_t)h->f.ny, gap = 0, planes = 0;
    if (method != IMF_DEBLUR_RL)
        gap = plane - (size_t)in->width * (size_t)in->height;
    if (method != IMF_DEBLUR_WIENER)
        planes = method == IMF_DEBLUR_TV ? 3 : 5;
    imf_real *v = h->values = calloc(4 * gap + planes * plane + 1, sizeof *v);
    if (!v)
        return false;
    h->outside = v;
    h->residual = v + gap;
    h->direction = v + 2 * gap;
    h->product = v + 3 * gap;
    v += 4 * gap;
    h->scene = v;
    if (method == IMF_DEBLUR_TV) {
        h->px = v + plane;
        h->py = v + 2 * plane;
    } else if (method == IMF_DEBLUR_RL) {
        h->before = v + plane;
        h->change = v + 2 * plane;
        h->cover = v + 3 * plane;
        h->picture = v + 4 * plane;
    }
    return true;
}

static enum imf_status open_field(struct imf_host_field *h, struct imf_error *err) {
    const struct imf_field *f = &h->f;
    size_t nx = (size_t)f->nx, ny = (size_t)f->ny, blocks = (size_t)imf_half_plane_blocks(f->nx);
    size_t bytes = blocks * ny * sizeof *h->data;
    enum imf_status status = imf_half_plane_open(&h->plane, f->nx, f->ny, err);
    if (status == IMF_OK)
        status = imf_half_plane_make(&h->kernel, f->nx, f->ny, kernel_row, h, f->pool, err);
    if (status != IMF_OK)
        return status;
    if (!(h->penalty = malloc(bytes / 2)) || !(h->sums = calloc(3 * ny + nx, sizeof *h->sums)) ||
        !set_values(h) ||
        (f->p->deblur->method == IMF_DEBLUR_TV && !(h->data = aligned_alloc(64, bytes))))
        return imf_fail_memory(err, bytes);
    set_gains(h);
    if (f->p->deblur->method != IMF_DEBLUR_RL)
        imf_parallel(f->pool, (int)blocks, set_penalty, h);
    return IMF_OK;
}

enum imf_status imf_deblur_do(struct imf_field *f, struct imf_error *err) {
    static const struct imf_field_ops ops = {do_map, do_product};
    struct imf_host_field h = {.f = *f, .sum = imf_kernel_sum(f->blur)};
    h.f.ops = &ops;
    enum imf_status status = open_field(&h, err);
    if (status == IMF_OK)
        status = imf_field_restore(&h.f, err);
    imf_half_plane_free(&h.plane);
    imf_half_plane_free(&h.kernel);
    free(h.penalty);
    free(h.data);
    free(h.sums);
    free(h.values);
    return status;
}
