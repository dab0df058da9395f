/*
 * centre.c - is a kernel a smooth one and something at its centre?
 *
 * unsharp:SIGMA is (1 + a) times the pixel less a times its Gaussian: one kernel of full rank 2 that
 * is smooth everywhere but in the middle, so that what is fast for Gaussians is none of it. Its
 * taps but the centre's are those of a product R of a column and a row, in which
 *
 *      R[0][0] = R[0][1] R[1][0] / R[1][1]
 *
 * for any other row and column in place of 1, of which the neighbours are the largest. What the
 * kernel has more there is the centre's part, if the rest then is a product, and symmetric.
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

bool imf_kernel_split_centre(const struct imf_kernel *k, double *centre, struct imf_kernel **rest) {
    *rest = NULL;
    if (k->cx * 2 + 1 != k->width || k->cy * 2 + 1 != k->height || k->cx < 1 || k->cy < 1 ||
        *tap_at(k, 1, 1) == 0 || imf_kernel_copy(rest, k, NULL))
        return false;
    double middle = *tap_at(k, 0, 1) * *tap_at(k, 1, 0) / *tap_at(k, 1, 1);
    *tap_at(*rest, 0, 0) = middle;
    *centre = *tap_at(k, 0, 0) - middle;
    struct imf_pivot pivot = imf_kernel_pivot(*rest);
    double allowed = TOLERANCE * fabs(pivot.tap);
    if (isfinite(middle) && fabs(*centre) > allowed && is_symmetric(*rest, allowed) &&
        imf_kernel_is_product(*rest, &pivot))
        return true;
    imf_kernel_free(rest);
    return false;
}
