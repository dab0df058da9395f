/* test_noise.c - noise of a known sigma is measured, whatever it lies on */
#include "check.h"
#include "noise.h"
#include "solver/denoise/noise.h"

#include <math.h>
#include <stdlib.h>

/* Pairs of independent normal variables (Box and Muller). */
static double normal(void) {
    double u = (noise() + 1.0) / 16777217, v = noise() / 16777216.0;
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

enum ground { FLAT, RAMP, EDGES, HALF_BLOWN };

static double ground_at(enum ground ground, int x, int y) {
    switch (ground) {
    case RAMP:
        return 0.3 + 0.001 * x + 0.0005 * y;
    case EDGES:
        return (x / 40 + y / 30) % 2 ? 0.3 : 0.7;
    case HALF_BLOWN:
        return (x / 64 + y / 64) % 2 ? 4 : 0.5;
    case FLAT:
    default:
        return 0.5;
    }
}

static struct imf_surface surface_of(enum imf_sample sample, int width, int height, int channels) {
    const struct imf_margin none = {0, 0, 0, 0};
    struct imf_surface s;
    if (imf_surface_layout(&s, sample, width, height, channels, none, NULL) ||
        imf_surface_alloc(&s, NULL))
        exit(1);
    return s;
}

static double measure(const struct imf_surface *s, int colors, double full) {
    struct imf_error err;
    double sigma = -1;
    CHECK(!imf_noise_sigma(&sigma, s, colors, false, full, 1, 1, &err), "%s", err.text);
    return sigma;
}

/* sigma as a fraction of full scale. */
static void test_white(enum imf_sample sample, int channels, int colors, enum ground ground,
                       double sigma, double full) {
    struct imf_surface s = surface_of(sample, 301, 300, channels);
    for (int y = 0; y < s.height; y++)
        for (int x = 0; x < s.width; x++)
            for (int c = 0; c < channels; c++) {
                double v = c < colors ? ground_at(ground, x, y) + sigma * normal() : 1;
                v = sample == IMF_F32 || sample == IMF_F64 ? v : fmin(fmax(v, 0), 1);
                imf_sample_put(imf_surface_row(&s, y), sample, (ptrdiff_t)x * channels + c,
                               v * full);
            }
    double got = measure(&s, colors, full) / full;
    CHECK(fabs(got / sigma - 1) < 0.05, "samples %d, ground %d, sigma %g: %g", sample, ground,
          sigma * 255, got * 255);
    imf_surface_free(&s);
}

/* Images that say nothing of noise. */
static void test_none(int width, int height, double value, double flicker) {
    struct imf_surface s = surface_of(IMF_U8, width, height, 1);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            imf_sample_put(imf_surface_row(&s, y), IMF_U8, x, value + flicker * normal());
    CHECK(measure(&s, 1, 255) == 0, "%dx%d of %g", width, height, value);
    imf_surface_free(&s);
}

/* Rows that are left out do not change what a large image's noise is. */
static void test_large(void) {
    struct imf_surface s = surface_of(IMF_U16, 2501, 2300, 1);
    for (int y = 0; y < s.height; y++)
        for (int x = 0; x < s.width; x++)
            imf_sample_put(imf_surface_row(&s, y), IMF_U16, x, 20000 + 300 * normal());
    double got = measure(&s, 1, 65535);
    CHECK(fabs(got / 300 - 1) < 0.01, "%g instead of 300", got);
    imf_surface_free(&s);
}

int main(void) {
    static const double sigmas[] = {2 / 255.0, 10 / 255.0, 25 / 255.0};
    for (int i = 0; i < 3; i++)
        for (enum ground ground = FLAT; ground <= HALF_BLOWN; ground++) {
            test_white(IMF_U8, 1, 1, ground, sigmas[i], 255);
            test_white(IMF_U16, 4, 3, ground, sigmas[i], 65535);
        }
    test_white(IMF_U16, 3, 3, FLAT, 1e-4, 65535);
    test_white(IMF_F32, 3, 3, RAMP, 0.02, 255);
    test_white(IMF_F64, 2, 1, EDGES, 0.02, 65535);
    test_large();
    test_none(64, 64, 77, 0);
    test_none(64, 64, 255, 0);
    test_none(64, 64, 300, 20);
    test_none(1, 1, 77, 5);
    test_none(1, 99, 77, 5);
    test_none(99, 2, 77, 5);
    return check_done("test_noise");
}
