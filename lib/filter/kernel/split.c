/*
 * split.c - is a kernel the sum of two products of a column and a row, one within the other?
 *
 * dog:S1:S2 is the Gaussian of S1 less that of S2, unsharp:SIGMA is (1 + a) times the pixel less a
 * times its Gaussian, and log:SIGMA a sum of two products: kernels of rank 2, which cost a transform
 * where their parts are columns and rows. Cross approximation from the corner gives the outer part,
 *
 *      outer[y][x] = k[y][0] k[0][x] / k[0][0];
 *
 * what is left is 0 in the first row and column, and is the inner part if it has rank 1. (It has
 * for every kernel of rank 2. Solvers bound the errors of parts that cancel.)
 */
#include "filter/kernel/taps.h"

#include <math.h>

#define TOLERANCE 1e-12 /* of the largest tap */

static double *tap_at(const struct imf_kernel *k, int y, int x) {
    return &k->taps[(size_t)(k->cy + y) * (size_t)k->width + (size_t)(k->cx + x)];
}

/* Each tap is those that mirror it, but for rounding of the largest. */
static bool is_symmetric(const struct imf_kernel *k, double allowed) {
    for (int y = 0; y <= k->cy; y++)
        for (int x = 0; x <= k->cx; x++) {
            double tap = *tap_at(k, y, x);
            if (!(fabs(*tap_at(k, -y, x) - tap) <= allowed) ||
                !(fabs(*tap_at(k, y, -x) - tap) <= allowed) ||
                !(fabs(*tap_at(k, -y, -x) - tap) <= allowed))
                return false;
        }
    return true;
}

/* Make `outer`, a copy of k, the product of k's first column and row. Returns whether it is finite. */
static bool extend_rim(const struct imf_kernel *k, struct imf_kernel *outer) {
    double corner = *tap_at(k, -k->cy, -k->cx);
    bool finite = true;
    for (int y = -k->cy; y <= k->cy; y++)
        for (int x = -k->cx; x <= k->cx; x++) {
            double tap = *tap_at(k, y, -k->cx) / corner * *tap_at(k, -k->cy, x);
            finite = finite && isfinite(tap);
            *tap_at(outer, y, x) = tap;
        }
    return finite;
}

/* How many columns and rows around the middle k and `outer` differ in; -1: they do not. */
static void reach_of_rest(const struct imf_kernel *k, const struct imf_kernel *outer,
                          double allowed, int *across, int *down) {
    *across = *down = -1;
    for (int y = -k->cy; y <= k->cy; y++)
        for (int x = -k->cx; x <= k->cx; x++)
            if (fabs(*tap_at(k, y, x) - *tap_at(outer, y, x)) > allowed) {
                *across = imf_max(*across, x < 0 ? -x : x);
                *down = imf_max(*down, y < 0 ? -y : y);
            }
}

static struct imf_kernel *rest_of(const struct imf_kernel *k, const struct imf_kernel *outer,
                                  double allowed) {
    struct imf_kernel *rest = NULL;
    int across, down;
    reach_of_rest(k, outer, allowed, &across, &down);
    if (across < 0 || across >= k->cx || down >= k->cy ||
        imf_kernel_create(&rest, 2 * across + 1, 2 * down + 1, NULL))
        return NULL;
    for (int y = -down; y <= down; y++)
        for (int x = -across; x <= across; x++)
            *tap_at(rest, y, x) = *tap_at(k, y, x) - *tap_at(outer, y, x);
    rest->scale = k->scale;
    return rest;
}

bool imf_kernel_split(const struct imf_kernel *k, struct imf_kernel **outer,
                      struct imf_kernel **inner) {
    *outer = *inner = NULL;
    if (k->cx * 2 + 1 != k->width || k->cy * 2 + 1 != k->height || k->bias != 0 ||
        k->taps[0] == 0 || imf_kernel_copy(outer, k, NULL))
        return false;
    double allowed = TOLERANCE * fabs(imf_kernel_pivot(k).tap);
    if (extend_rim(k, *outer) && is_symmetric(k, allowed))
        *inner = rest_of(k, *outer, allowed);
    if (*inner) {
        struct imf_pivot pivot = imf_kernel_pivot(*inner);
        if (imf_kernel_is_product(*inner, &pivot))
            return true;
    }
    imf_kernel_free(inner);
    imf_kernel_free(outer);
    return false;
}
