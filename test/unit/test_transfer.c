/* test_transfer.c - transfer functions: gains, the periodic extension, and the reference solver */
#include "check.h"

#include "extend.h"
#include "fft_plan.h"
#include "solver.h"

#include <math.h>
#include <stdlib.h>

static const double turn = 6.283185307179586;

static const struct imf_transfer transfers[] = {
    {.kind = IMF_LOWPASS, .type = IMF_GAUSSIAN, .low = 0.1},
    {.kind = IMF_LOWPASS, .type = IMF_IDEAL, .low = 0.2},
    {.kind = IMF_HIGHPASS, .type = IMF_GAUSSIAN, .low = 0.05},
    {.kind = IMF_HIGHPASS, .type = IMF_BUTTERWORTH, .low = 0.15, .order = 3},
    {.kind = IMF_BANDPASS, .type = IMF_GAUSSIAN, .low = 0.05, .high = 0.2},
    {.kind = IMF_BANDPASS, .type = IMF_IDEAL, .low = 0.1, .high = 0.3},
    {.kind = IMF_BANDSTOP, .type = IMF_BUTTERWORTH, .low = 0.1, .high = 0.2, .order = 2},
    {.kind = IMF_NOTCH, .type = IMF_GAUSSIAN, .u = 0.25, .v = -0.1, .radius = 0.05},
    {.kind = IMF_NOTCH, .type = IMF_GAUSSIAN, .u = 0.5, .v = 0.1, .radius = 0.1},
};
#define TRANSFERS (sizeof transfers / sizeof *transfers)

static struct imf_surface surface(int width, int height, int channels) {
    struct imf_surface s;
    struct imf_margin none = {0, 0, 0, 0};
    if (imf_surface_layout(&s, IMF_F64, width, height, channels, none, NULL) ||
        imf_surface_alloc(&s, NULL))
        abort();
    return s;
}

static double *pixel(const struct imf_surface *s, int x, int y) {
    return (double *)imf_surface_row(s, y) + (ptrdiff_t)x * s->channels;
}

/* Filter without rounding; false when the solver failed. */
static bool filter(const struct imf_transfer *t, enum imf_edge edge, const struct imf_surface *in,
                   const struct imf_surface *out) {
    struct imf_problem p = {.width = in->width,
                            .height = in->height,
                            .channels = in->channels,
                            .in = IMF_F64,
                            .out = IMF_F64,
                            .transfer = t,
                            .epilogue = {.scale = 1, .multiply = 1, .full = 255},
                            .edge = edge,
                            .outside = {40, 40, 40, 40}};
    void *job = NULL;
    bool ok =
        !imf_solver_host.make(&job, &p, NULL, NULL) && !imf_solver_host.run(job, in, out, NULL);
    imf_solver_host.destroy(&job);
    return ok;
}

/* Even under a change of sign and of a period; nothing is amplified. */
static void test_gains(void) {
    for (size_t i = 0; i < TRANSFERS; i++)
        for (double u = -0.5; u <= 0.5; u += 1.0 / 32)
            for (double v = -0.5; v <= 0.5; v += 1.0 / 32) {
                double g = imf_transfer_gain(&transfers[i], u, v);
                double even = imf_transfer_gain(&transfers[i], -u, -v);
                CHECK(g >= 0 && g <= 1 && fabs(g - even) < 1e-15, "%zu at %g %g: %g", i, u, v, g);
            }
    struct imf_transfer low = transfers[0], band = transfers[4];
    CHECK(fabs(imf_transfer_gain(&low, 0.1, 0) - exp(-0.5)) < 1e-15, "gaussian at its cutoff");
    CHECK(imf_transfer_gain(&band, 0, 0) == 0, "a band without frequency 0");
    CHECK(fabs(imf_transfer_gain(&band, 0.06, 0.08) - 1) < 1e-12, "the middle of a band");
}

/* A wave that fits the image is scaled by its gain, and by nothing else. */
static void test_waves(void) {
    static const int sizes[][2] = {{60, 42}, {64, 1}, {1, 35}, {49, 50}};
    for (size_t z = 0; z < 4; z++) {
        int w = sizes[z][0], h = sizes[z][1];
        struct imf_surface in = surface(w, h, 3), out = surface(w, h, 3);
        for (size_t i = 0; i < TRANSFERS; i++) {
            int kx = (int)(7 * i) % w, ky = (int)(5 * i + 3) % h;
            double u = (double)kx / w, v = (double)ky / h, worst = 0;
            double gain = imf_transfer_gain(&transfers[i], u - rint(u), v - rint(v));
            double mean = imf_transfer_gain(&transfers[i], 0, 0);
            for (int y = 0; y < h; y++)
                for (int x = 0; x < w; x++) {
                    double *p = pixel(&in, x, y);
                    p[0] = cos(turn * (u * x + v * y));
                    p[1] = sin(turn * (u * x + v * y));
                    p[2] = 5;
                }
            CHECK(filter(&transfers[i], IMF_EDGE_WRAP, &in, &out), "%zu runs", i);
            for (int y = 0; y < h; y++)
                for (int x = 0; x < w; x++) {
                    const double *p = pixel(&in, x, y), *q = pixel(&out, x, y);
                    worst = fmax(worst, fabs(q[0] - gain * p[0]));
                    worst = fmax(worst, fabs(q[1] - gain * p[1]));
                    worst = fmax(worst, fabs(q[2] - mean * p[2]));
                }
            CHECK(worst < 1e-13, "%zu, wave %d %d of %dx%d: off by %g", i, kx, ky, w, h, worst);
        }
        imf_surface_free(&in);
        imf_surface_free(&out);
    }
}

/* Whatever the edge repeats, a constant stays one; beyond a constant edge it fades. */
static void test_constants(void) {
    struct imf_surface in = surface(37, 23, 1), out = surface(37, 23, 1);
    for (int y = 0; y < 23; y++)
        for (int x = 0; x < 37; x++)
            *pixel(&in, x, y) = 200;
    for (size_t i = 0; i < TRANSFERS; i++)
        for (int edge = IMF_EDGE_CLAMP; edge < IMF_EDGE_CONSTANT; edge++) {
            double worst = 0, want = 200 * imf_transfer_gain(&transfers[i], 0, 0);
            CHECK(filter(&transfers[i], (enum imf_edge)edge, &in, &out), "%zu runs", i);
            for (int y = 0; y < 23; y++)
                for (int x = 0; x < 37; x++)
                    worst = fmax(worst, fabs(*pixel(&out, x, y) - want));
            CHECK(worst < 1e-11, "%zu of a constant, edge %d: off by %g", i, edge, worst);
        }
    CHECK(filter(&transfers[0], IMF_EDGE_CONSTANT, &in, &out), "a constant edge");
    CHECK(fabs(*pixel(&out, 0, 11) - 120) < 40 && fabs(*pixel(&out, 18, 11) - 200) < 0.1,
          "40 beyond the edge: %g there, %g within", *pixel(&out, 0, 11), *pixel(&out, 18, 11));
    imf_surface_free(&in);
    imf_surface_free(&out);
}

/* One side of the image does not show on the other. */
static void test_sides(void) {
    struct imf_surface in = surface(200, 9, 1), out = surface(200, 9, 1);
    for (int y = 0; y < 9; y++)
        for (int x = 0; x < 200; x++)
            *pixel(&in, x, y) = x < 100 ? 0 : 255;
    for (size_t i = 0; i < TRANSFERS; i++) {
        if (transfers[i].type == IMF_IDEAL)
            continue;
        double mean = 255 * imf_transfer_gain(&transfers[i], 0, 0);
        CHECK(filter(&transfers[i], IMF_EDGE_CLAMP, &in, &out), "%zu runs", i);
        CHECK(fabs(*pixel(&out, 0, 4)) < 0.2 && fabs(*pixel(&out, 199, 4) - mean) < 0.2,
              "%zu: %g and %g", i, *pixel(&out, 0, 4), *pixel(&out, 199, 4) - mean);
    }
    imf_surface_free(&in);
    imf_surface_free(&out);
}

static void test_extension(void) {
    static const int sizes[] = {1, 2, 11, 100, 997, 4000, 70001};
    for (size_t i = 0; i < TRANSFERS; i++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int edge = 0; edge < 5; edge++) {
                int n = sizes[s], period = imf_extend_period(&transfers[i], n, (enum imf_edge)edge);
                struct imf_fft_plan plan;
                CHECK(period >= n && imf_fft_plan_make(&plan, period), "period %d of %d", period,
                      n);
                struct imf_blend *b = calloc((size_t)(period - n) + 1, sizeof *b);
                imf_extend_blends(b, n, period, (enum imf_edge)edge);
                bool inside = true;
                for (int k = 0; k < period - n; k++)
                    inside = inside && b[k].first >= -1 && b[k].first < n && b[k].second >= -1 &&
                             b[k].second < n && b[k].weight >= 0 && b[k].weight <= 1;
                CHECK(inside, "size %d period %d edge %d", n, period, edge);
                free(b);
            }
    CHECK(imf_extend_period(&transfers[0], 4000, IMF_EDGE_WRAP) == 4000, "4000 needs no gap");
    CHECK(imf_extend_period(&transfers[0], IMF_FFT_MAX, IMF_EDGE_CLAMP) == 0, "too long");
}

int main(void) {
    test_gains();
    test_waves();
    test_constants();
    test_sides();
    test_extension();
    return check_done("transfer");
}
