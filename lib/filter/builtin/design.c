/*
 * design.c - the taps of parametric kernels
 *
 * Kernels that have integer coefficients are made of them, with the divisor in `scale`: those are
 * filtered exactly. Gaussians are sampled at pixel centres and divided by their own sum, so that a
 * flat image stays as it is however short the kernel.
 */
#include "filter/builtin/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In sigmas. Small kernels cost as many products as they have taps; large ones are to end so
 * smoothly that they can be filtered on a coarse grid (solver/convolution/decimated.c). */
#define GAUSSIAN_RADII 4 /* beyond it lie 6e-5 of the weight */
#define LARGE_RADII 5    /* 6e-7; as far as a kernel may reach, which is 4 sigmas of the largest */
#define LARGE_SIGMA 5
#define LOG_RADII 5 /* the Laplacian decays later: beyond 5 lie 9e-5, beyond 4 0.7 % */

static double *tap_at(struct imf_kernel *k, int dx, int dy) {
    return k->taps + (size_t)(k->cy + dy) * (size_t)k->width + (size_t)(k->cx + dx);
}

static enum imf_status centred(struct imf_kernel **out, int radius_x, int radius_y,
                               struct imf_error *err) {
    return imf_kernel_create(out, 2 * radius_x + 1, 2 * radius_y + 1, err);
}

/* ---- Gaussians ---------------------------------------------------------------------------- */

/* exp(-x^2 / 2 sigma^2) for x = -radius..radius, divided by their sum, into g[0..2 radius]. */
void imf_gaussian_sample(double *g, int radius, double sigma) {
    double sum = 0;
    for (int x = radius; x >= 0; x--) { /* small terms first */
        double t = x / sigma;           /* before squaring: a tiny sigma's square is 0 */
        g[radius - x] = g[radius + x] = exp(-t * t / 2);
        sum += x ? 2 * g[radius + x] : g[radius];
    }
    for (int i = 0; i <= 2 * radius; i++)
        g[i] /= sum;
}

static int reach(double sigma, int radii) {
    double radius = ceil((sigma < LARGE_SIGMA ? radii : LARGE_RADII) * sigma);
    radius = fmin(radius, (IMF_KERNEL_MAX - 1) / 2);
    return radius < 1 ? 1 : (int)radius;
}

int imf_gaussian_radius(double sigma) {
    return reach(sigma, GAUSSIAN_RADII);
}

/* Add weight times the Gaussian of sigma, cut at `radii` sigmas, to a kernel that is large enough.
 * Both products of a pair of mirrored taps are the same product: the symmetry is exact. */
static enum imf_status add_gaussian(struct imf_kernel *k, double weight, double sigma, int radii,
                                    struct imf_error *err) {
    int radius = reach(sigma, radii);
    size_t bytes = (2 * (size_t)radius + 1) * sizeof(double);
    double *g = malloc(bytes);
    if (!g)
        return imf_fail_memory(err, bytes);
    imf_gaussian_sample(g, radius, sigma);
    for (int y = -radius; y <= radius; y++)
        for (int x = -radius; x <= radius; x++)
            *tap_at(k, x, y) += weight * (g[radius + y] * g[radius + x]);
    free(g);
    return IMF_OK;
}

static enum imf_status gaussians(struct imf_kernel **out, const double *weights,
                                 const double *sigmas, int count, int radii,
                                 struct imf_error *err) {
    int radius = 0;
    for (int i = 0; i < count; i++)
        radius = reach(sigmas[i], radii) > radius ? reach(sigmas[i], radii) : radius;
    enum imf_status status = centred(out, radius, radius, err);
    for (int i = 0; i < count && status == IMF_OK; i++)
        status = add_gaussian(*out, weights[i], sigmas[i], radii, err);
    if (status != IMF_OK)
        imf_kernel_free(out);
    return status;
}

enum imf_status imf_design_gaussian(struct imf_kernel **out, const double *values,
                                    struct imf_error *err) {
    return gaussians(out, (double[]){1}, values, 1, GAUSSIAN_RADII, err);
}

enum imf_status imf_design_dog(struct imf_kernel **out, const double *values,
                               struct imf_error *err) {
    return gaussians(out, (double[]){1, -1}, values, 2, GAUSSIAN_RADII, err);
}

/* x + amount (x - G(x)) in one kernel; with a threshold its G alone. */
enum imf_status imf_design_unsharp(struct imf_kernel **out, const double *values,
                                   struct imf_error *err) {
    double sigma = values[0], amount = values[1];
    if (values[2] != 0)
        return imf_design_gaussian(out, values, err);
    enum imf_status status = gaussians(out, (double[]){-amount}, &sigma, 1, GAUSSIAN_RADII, err);
    if (status == IMF_OK)
        *tap_at(*out, 0, 0) += 1 + amount;
    return status;
}

/* (r^2 - 2 sigma^2) / sigma^4 G, with the sampled, truncated sum taken off in proportion to G. */
enum imf_status imf_design_log(struct imf_kernel **out, const double *values,
                               struct imf_error *err) {
    double sigma = values[0], square = sigma * sigma, mean = 0;
    enum imf_status status = gaussians(out, (double[]){1}, values, 1, LOG_RADII, err);
    if (status != IMF_OK)
        return status;
    struct imf_kernel *k = *out;
    for (int y = -k->cy; y <= k->cy; y++)
        for (int x = -k->cx; x <= k->cx; x++)
            mean += ((double)x * x + (double)y * y) * *tap_at(k, x, y);
    for (int y = -k->cy; y <= k->cy; y++)
        for (int x = -k->cx; x <= k->cx; x++)
            *tap_at(k, x, y) *= ((double)x * x + (double)y * y - mean) / (square * square);
    return IMF_OK;
}

/* ---- integer kernels ---------------------------------------------------------------------- */

enum imf_status imf_design_sharpen(struct imf_kernel **out, const double *values,
                                   struct imf_error *err) {
    enum imf_status status = centred(out, 1, 1, err);
    if (status != IMF_OK)
        return status;
    double a = values[0];
    memcpy((*out)->taps, (double[]){0, -a, 0, -a, 1 + 4 * a, -a, 0, -a, 0}, 9 * sizeof(double));
    return IMF_OK;
}

enum imf_status imf_design_box(struct imf_kernel **out, const double *values,
                               struct imf_error *err) {
    int n = (int)values[0];
    enum imf_status status = imf_kernel_create(out, n, n, err);
    if (status != IMF_OK)
        return status;
    size_t count = (size_t)n * (size_t)n;
    for (size_t i = 0; i < count; i++)
        (*out)->taps[i] = 1;
    (*out)->scale = (double)count;
    return IMF_OK;
}

/* The same by its reach. */
enum imf_status imf_design_square(struct imf_kernel **out, const double *values,
                                  struct imf_error *err) {
    return imf_design_box(out, (const double[]){2 * values[0] + 1}, err);
}

enum imf_status imf_design_disk(struct imf_kernel **out, const double *values,
                                struct imf_error *err) {
    double square = values[0] * values[0], count = 0;
    int radius = (int)floor(values[0]);
    enum imf_status status = centred(out, radius, radius, err);
    if (status != IMF_OK)
        return status;
    for (int y = -radius; y <= radius; y++)
        for (int x = -radius; x <= radius; x++)
            if ((double)x * x + (double)y * y <= square) {
                *tap_at(*out, x, y) = 1;
                count++;
            }
    (*out)->scale = count;
    return IMF_OK;
}

/* ---- directions --------------------------------------------------------------------------- */

/* Cosine and sine of degrees, exact at multiples of 90 and equal at 45: the angle is first reduced
 * to -45..45 around a multiple of 90. */
static void direction(double degrees, double *c, double *s) {
    double turn = fmod(degrees, 360), quarter = rint(turn / 90);
    double angle = (turn - 90 * quarter) * (acos(-1.0) / 180);
    double cosine = cos(angle), sine = sin(angle);
    if (fabs(turn - 90 * quarter) == 45)
        cosine = fabs(sine);
    switch (((int)quarter % 4 + 4) % 4) {
    case 0:
        *c = cosine, *s = sine;
        break;
    case 1:
        *c = -sine, *s = cosine;
        break;
    case 2:
        *c = -cosine, *s = -sine;
        break;
    default:
        *c = sine, *s = -cosine;
    }
}

/* 1 - distance to the segment from -half to half along (c, s), where that is above 0. */
static double line_coverage(double x, double y, double c, double s, double half) {
    double along = fabs(x * c + y * s), across = x * s - y * c;
    double beyond = along > half ? along - half : 0;
    double distance = hypot(beyond, across);
    return distance < 1 ? 1 - distance : 0;
}

enum imf_status imf_design_motion(struct imf_kernel **out, const double *values,
                                  struct imf_error *err) {
    double half = (values[0] - 1) / 2, c, s, sum = 0;
    bool whole = true;
    direction(-values[1], &c, &s); /* y grows downwards */
    /* Taps reach less than one pixel beyond the segment. */
    int radius_x = (int)ceil(half * fabs(c) + 1) - 1, radius_y = (int)ceil(half * fabs(s) + 1) - 1;
    enum imf_status status = centred(out, radius_x, radius_y, err);
    if (status != IMF_OK)
        return status;
    struct imf_kernel *k = *out;
    for (int y = -radius_y; y <= radius_y; y++)
        for (int x = -radius_x; x <= radius_x; x++) {
            double tap = line_coverage(x, y, c, s, half);
            *tap_at(k, x, y) = tap;
            sum += tap;
            whole = whole && tap == rint(tap);
        }
    if (whole) { /* along a row or column: an exact integer kernel */
        k->scale = sum;
        return IMF_OK;
    }
    for (size_t i = 0, count = (size_t)k->width * (size_t)k->height; i < count; i++)
        k->taps[i] /= sum;
    return IMF_OK;
}

/*
 * The eight neighbours, by their angle from the light: -1 up to 45 degrees off, +1 from 135, linear
 * between. At multiples of 45 degrees these are the classical integer masks: light from 135, the
 * upper left, gives -1 -1 0 / -1 0 1 / 0 1 1, bright where the image rises away from the light.
 */
enum imf_status imf_design_emboss(struct imf_kernel **out, const double *values,
                                  struct imf_error *err) {
    static const int ring[8][2] = {{1, 0},  {1, -1}, {0, -1}, {-1, -1},
                                   {-1, 0}, {-1, 1}, {0, 1},  {1, 1}};
    enum imf_status status = centred(out, 1, 1, err);
    if (status != IMF_OK)
        return status;
    for (int i = 0; i < 8; i++) {
        double off = fabs(fmod(45.0 * i - fmod(values[0], 360), 360));
        off = off > 180 ? 360 - off : off;
        double tap = (off - 90) / 45;
        *tap_at(*out, ring[i][0], ring[i][1]) = tap < -1 ? -1 : tap > 1 ? 1 : tap;
    }
    return IMF_OK;
}

/* Sobel's two kernels, whose sums are the gradient's parts to the right and downwards. */
static enum imf_status sobel(struct imf_kernel **out, const double *taps, struct imf_error *err) {
    enum imf_status status = centred(out, 1, 1, err);
    if (status == IMF_OK)
        memcpy((*out)->taps, taps, 9 * sizeof *taps);
    return status;
}

enum imf_status imf_design_across(struct imf_kernel **out, const double *values,
                                  struct imf_error *err) {
    (void)values;
    return sobel(out, (const double[]){-1, 0, 1, -2, 0, 2, -1, 0, 1}, err);
}

enum imf_status imf_design_down(struct imf_kernel **out, const double *values,
                                struct imf_error *err) {
    (void)values;
    return sobel(out, (const double[]){-1, -2, -1, 0, 0, 0, 1, 2, 1}, err);
}
