/*
 * kernel_compose.c - one kernel for two in a row
 *
 * b's response to a's response is sum over t of b[t] * sum over s of a[s] f(x + s + t), so the taps
 * are the full convolution of both arrays of taps and the origins add up. The kernel with fewer
 * taps that are not 0 is walked tap by tap, each adding a scaled copy of the other. For two large
 * Gaussians that would take seconds: kernels that are a column times a row compose by columns and
 * rows, in a multiplication a tap of the result.
 */
#include "filter/kernel.h"

#include <math.h>
#include <stdlib.h>

/* Below so many multiplications it is not worth asking for factors. */
#define FACTORS_FROM 1e6

static double tap_count(const struct imf_kernel *k) {
    return (double)k->width * k->height;
}

static double tap_by_tap(const struct imf_kernel *a, const struct imf_kernel *b) {
    double in_a = (double)imf_kernel_nonzero(a), in_b = (double)imf_kernel_nonzero(b);
    return in_a < in_b ? in_a * tap_count(b) : in_b * tap_count(a);
}

/* Columns and rows of a and b, one after the other; the caller frees. NULL: not products. */
static double *factors(const struct imf_kernel *a, const struct imf_kernel *b) {
    size_t ah = (size_t)a->height, aw = (size_t)a->width, bh = (size_t)b->height;
    double *f = malloc((ah + aw + bh + (size_t)b->width) * sizeof *f);
    if (f && imf_kernel_separate(a, f, f + ah) &&
        imf_kernel_separate(b, f + ah + aw, f + ah + aw + bh))
        return f;
    free(f);
    return NULL;
}

double imf_kernel_compose_work(const struct imf_kernel *a, const struct imf_kernel_facts *of_a,
                               const struct imf_kernel *b, const struct imf_kernel_facts *of_b) {
    double in_a = (double)of_a->nonzero, in_b = (double)of_b->nonzero;
    double work = in_a < in_b ? in_a * tap_count(b) : in_b * tap_count(a);
    if (work < FACTORS_FROM || !of_a->product || !of_b->product)
        return work;
    return (double)(a->width + b->width) * (a->height + b->height);
}

static void convolve(double *out, const double *a, int na, const double *b, int nb) {
    for (int i = 0; i < na + nb - 1; i++)
        out[i] = 0;
    for (int i = 0; i < na; i++)
        for (int j = 0; j < nb; j++)
            out[i + j] += a[i] * b[j];
}

/* f: as factors() gives them. */
static enum imf_status compose_factors(struct imf_kernel *c, const struct imf_kernel *a,
                                       const struct imf_kernel *b, const double *f,
                                       struct imf_error *err) {
    size_t height = (size_t)c->height, width = (size_t)c->width;
    double *column = malloc((height + width) * sizeof *column);
    if (!column)
        return imf_fail_memory(err, (height + width) * sizeof *column);
    double *row = column + height;
    const double *second = f + a->height + a->width;
    convolve(column, f, a->height, second, b->height);
    convolve(row, f + a->height, a->width, second + b->height, b->width);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            c->taps[y * width + x] = column[y] * row[x];
    free(column);
    return IMF_OK;
}

static void compose_taps(struct imf_kernel *c, const struct imf_kernel *a,
                         const struct imf_kernel *b) {
    bool swap = imf_kernel_nonzero(a) < imf_kernel_nonzero(b);
    const struct imf_kernel *few = swap ? a : b, *many = swap ? b : a;
    for (int fy = 0; fy < few->height; fy++)
        for (int fx = 0; fx < few->width; fx++) {
            double tap = few->taps[(size_t)fy * (size_t)few->width + (size_t)fx];
            if (tap == 0)
                continue;
            for (int y = 0; y < many->height; y++) {
                const double *src = many->taps + (size_t)y * (size_t)many->width;
                double *dst = c->taps + (size_t)(y + fy) * (size_t)c->width + (size_t)fx;
                for (int x = 0; x < many->width; x++)
                    dst[x] += tap * src[x];
            }
        }
}

enum imf_status imf_kernel_compose(struct imf_kernel **out, const struct imf_kernel *a,
                                   const struct imf_kernel *b, struct imf_error *err) {
    *out = NULL;
    if (a->bias != 0 || b->bias != 0)
        return imf_fail(err, IMF_ERR_ARGUMENT, "kernels with a bias cannot be combined");
    double scale = a->scale * b->scale;
    if (!isfinite(scale) || scale == 0)
        return imf_fail(err, IMF_ERR_ARGUMENT, "scales %g and %g cannot be combined", a->scale,
                        b->scale);
    enum imf_status status =
        imf_kernel_create(out, a->width + b->width - 1, a->height + b->height - 1, err);
    if (status != IMF_OK)
        return status;
    (*out)->cx = a->cx + b->cx;
    (*out)->cy = a->cy + b->cy;
    (*out)->scale = scale;
    double *f = tap_by_tap(a, b) < FACTORS_FROM ? NULL : factors(a, b);
    if (f)
        status = compose_factors(*out, a, b, f, err);
    else
        compose_taps(*out, a, b);
    free(f);
    if (status != IMF_OK)
        imf_kernel_free(out);
    return status;
}
