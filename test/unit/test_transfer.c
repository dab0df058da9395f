/* test_transfer.c - transfer functions: gains, the periodic extension, and the host solver */
#include "check.h"

#include "fourier/plan.h"
#include "solver/fft/extend.h"
#include "solver/solver.h"

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
    {.kind = IMF_BANDPASS, .type = IMF_GAUSSIAN, .low = 0.05, .high = 0.2, .keeps_mean = true},
    {.kind = IMF_HIGHPASS, .type = IMF_IDEAL, .low = 0.1, .keeps_mean = true},
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
                            .epilogue = {.scale = 1, .multiply = 1, .full = 255},
                            .edge = edge,
                            .outside = {40, 40, 40, 40}};
    struct imf_job *job = NULL;
    imf_problem_transfer(&p, t);
    struct imf_proposal host;
    imf_propose_host(&host, &p);
    bool ok = !imf_job_make(&job, &p, &host, NULL, NULL) && !imf_job_run(job, in, out, NULL);
    imf_job_free(&job);
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
    /* The edge of an ideal filter passes, wherever it falls on a frequency of the grid. */
    static const struct imf_transfer ideal = {.type = IMF_IDEAL, .kind = IMF_LOWPASS, .low = 0.25};
    CHECK(imf_transfer_gain(&ideal, 0.25, 0) == 1 && imf_transfer_gain(&ideal, 0.15, 0.2) == 1,
          "ideal at its edge");
    CHECK(imf_transfer_gain(&ideal, 0.2500001, 0) == 0, "ideal beyond its edge");
    /* Beyond 0.5 frequencies go on at -0.5, and so does a notch beside it. */
    static const struct imf_transfer notch = {
        .type = IMF_GAUSSIAN, .kind = IMF_NOTCH, .u = 0.47, .v = 0.1, .radius = 0.05};
    double mean = (0.49 * 0.49 + 0.1 * 0.1) / (0.05 * 0.05), wide = 1 + 1 / (mean * mean);
    double near = 1 - exp(-wide * 0.04 * 0.04 / (2 * 0.05 * 0.05));
    double far = 1 - exp(-wide * (0.02 * 0.02 + 0.2 * 0.2) / (2 * 0.05 * 0.05));
    CHECK(fabs(imf_transfer_gain(&notch, -0.49, 0.1) - near * far) < 1e-12, "a notch beyond 0.5");
    struct imf_transfer upright = notch;
    upright.u = notch.v;
    upright.v = notch.u;
    CHECK(fabs(imf_transfer_gain(&upright, 0.1, -0.49) - near * far) < 1e-12, "and below 0.5");
    /* Frequency 0 stays, and its neighbourhood, however wide the notch is. */
    for (double radius = 0.0005; radius < 1; radius *= 2) {
        const struct imf_transfer slow = {
            .type = IMF_GAUSSIAN, .kind = IMF_NOTCH, .u = 0.006, .v = -0.008, .radius = radius};
        CHECK(imf_transfer_gain(&slow, 0, 0) == 1, "the mean at a radius of %g", radius);
        CHECK(imf_transfer_gain(&slow, 0.001, 0.001) > 0.999, "beside it at %g", radius);
        CHECK(imf_transfer_gain(&slow, 0.006, -0.008) == 0, "the centre at %g", radius);
    }
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
        if (transfers[i].type == IMF_IDEAL || transfers[i].keeps_mean)
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
                CHECK(period >= n && imf_fft_plan_any(&plan, period), "period %d of %d", period, n);
                bool free_to_choose = edge == IMF_EDGE_CLAMP || edge == IMF_EDGE_CONSTANT;
                CHECK(!free_to_choose || period % 2 == 0 || (n == 1 && period == 1),
                      "period %d of %d is odd", period, n);
                struct imf_blend *b = calloc((size_t)(period - n) + 1, sizeof *b);
                imf_extend_blends(b, n, period, (enum imf_edge)edge, (struct imf_wave){0});
                bool inside = true;
                for (int k = 0; k < period - n; k++)
                    inside = inside && b[k].first >= -1 && b[k].first < n && b[k].second >= -1 &&
                             b[k].second < n && b[k].weight >= 0 && b[k].weight <= 1;
                CHECK(inside, "size %d period %d edge %d", n, period, edge);
                free(b);
            }
    CHECK(imf_extend_period(&transfers[0], 4000, IMF_EDGE_WRAP) == 4000, "4000 needs no gap");
    CHECK(imf_extend_period(&transfers[0], 4001, IMF_EDGE_WRAP) == 4001, "nor does a prime");
    CHECK(imf_extend_period(&transfers[0], IMF_FFT_MAX, IMF_EDGE_CLAMP) == 0, "too long");
}

/* ---- how far responses reach ---------------------------------------------------------------- */

#define GRID 8192

/* The response along u through the centre, of what the filter adds to a constant gain, at 0 to
 * GRID / 2, from the definition; returns its peak. */
static double response(const struct imf_transfer *t, double *out) {
    static double gain[GRID], cosine[GRID];
    bool rejects = t->kind != IMF_LOWPASS && t->kind != IMF_BANDPASS;
    for (int k = 0; k < GRID; k++) {
        double u = (k <= GRID / 2 ? k : k - GRID) / (double)GRID;
        double g = imf_transfer_gain(t, t->kind == IMF_NOTCH ? u + t->u : u,
                                     t->kind == IMF_NOTCH ? t->v : 0);
        gain[k] = (rejects ? 1 - g : g) / GRID;
        cosine[k] = cos(turn * k / GRID);
    }
    double peak = 0;
    for (int r = 0; r <= GRID / 2; r++) {
        double re = 0, im = 0;
        for (int k = 0; k < GRID; k++) {
            int at = (int)((long)k * r % GRID);
            re += gain[k] * cosine[at];
            im += gain[k] * cosine[(at + GRID / 4) % GRID];
        }
        out[r] = hypot(re, im);
        peak = fmax(peak, out[r]);
    }
    return peak;
}

/* Beyond the reach a response stays below 1/1000 of its peak; and the reach is not needlessly
 * long. */
static void test_reach(void) {
    static const struct imf_transfer cases[] = {
        {.kind = IMF_LOWPASS, .type = IMF_GAUSSIAN, .low = 0.02},
        {.kind = IMF_HIGHPASS, .type = IMF_GAUSSIAN, .low = 0.003},
        {.kind = IMF_LOWPASS, .type = IMF_GAUSSIAN, .low = 0.7},
        {.kind = IMF_LOWPASS, .type = IMF_GAUSSIAN, .low = 0.28},
        {.kind = IMF_LOWPASS, .type = IMF_BUTTERWORTH, .low = 0.02, .order = 1},
        {.kind = IMF_HIGHPASS, .type = IMF_BUTTERWORTH, .low = 0.01, .order = 2},
        {.kind = IMF_LOWPASS, .type = IMF_BUTTERWORTH, .low = 0.4, .order = 3},
        {.kind = IMF_LOWPASS, .type = IMF_BUTTERWORTH, .low = 0.05, .order = 10},
        {.kind = IMF_BANDPASS, .type = IMF_GAUSSIAN, .low = 0.05, .high = 0.2},
        {.kind = IMF_BANDPASS, .type = IMF_GAUSSIAN, .low = 0.01, .high = 0.02},
        {.kind = IMF_BANDSTOP, .type = IMF_GAUSSIAN, .low = 0.001, .high = 0.2},
        {.kind = IMF_BANDSTOP, .type = IMF_GAUSSIAN, .low = 0.118, .high = 0.41},
        {.kind = IMF_BANDPASS, .type = IMF_BUTTERWORTH, .low = 0.1, .high = 0.11, .order = 1},
        {.kind = IMF_BANDSTOP, .type = IMF_BUTTERWORTH, .low = 0.05, .high = 0.2, .order = 2},
        {.kind = IMF_BANDPASS, .type = IMF_BUTTERWORTH, .low = 0.1, .high = 0.3, .order = 5},
        {.kind = IMF_BANDPASS, .type = IMF_BUTTERWORTH, .low = 0.1, .high = 0.3, .order = 100},
        {.kind = IMF_HIGHPASS, .type = IMF_BUTTERWORTH, .low = 0.1, .order = 100},
        {.kind = IMF_NOTCH, .type = IMF_GAUSSIAN, .u = 0.25, .v = -0.1, .radius = 0.02},
        {.kind = IMF_NOTCH, .type = IMF_GAUSSIAN, .u = 0.03, .v = 0, .radius = 0.05},
        {.kind = IMF_NOTCH, .type = IMF_GAUSSIAN, .u = 0, .v = -0.06, .radius = 0.05},
        {.kind = IMF_NOTCH, .type = IMF_GAUSSIAN, .u = 0.15, .v = 0, .radius = 0.05},
    };
    static double h[GRID / 2 + 1];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double peak = response(&cases[i], h), reach = imf_extend_reach(&cases[i], 1);
        int needed = GRID / 2;
        while (needed > 0 && h[needed] <= 1e-3 * peak)
            needed--;
        CHECK(reach > needed, "%zu: %g is too short: %d", i, reach, needed);
        CHECK(reach < 5 * needed + 10, "%zu: %g is too long: %d", i, reach, needed);
    }
    struct imf_transfer ideal = transfers[1];
    CHECK(imf_extend_reach(&ideal, 200) == 200 && imf_extend_reach(&ideal, 3) == 64, "ideal");
}

/* ---- the reference against the definition --------------------------------------------------- */

static long double *need(size_t count) {
    long double *p = calloc(count, sizeof *p);
    if (!p)
        abort();
    return p;
}

/* One line after the other by the definition; sign -1: forward. */
static void transform_lines(long double *re, long double *im, int n, int lines, int step, int next,
                            int sign) {
    long double *root = need((size_t)n * 4), *out = root + 2 * n;
    for (int k = 0; k < n; k++) {
        root[2 * k] = cosl(2 * acosl(-1) * k / n);
        root[2 * k + 1] = sign * sinl(2 * acosl(-1) * k / n);
    }
    for (int l = 0; l < lines; l++, re += next, im += next) {
        for (int k = 0; k < n; k++) {
            long double a = 0, b = 0;
            for (int j = 0, at = 0; j < n; j++, at = (at + k) % n) {
                a += re[j * step] * root[2 * at] - im[j * step] * root[2 * at + 1];
                b += re[j * step] * root[2 * at + 1] + im[j * step] * root[2 * at];
            }
            out[2 * k] = a;
            out[2 * k + 1] = b;
        }
        for (int k = 0; k < n; k++) {
            re[k * step] = out[2 * k];
            im[k * step] = out[2 * k + 1];
        }
    }
    free(root);
}

/* The edge modes, one step at a time; -1: the constant. */
static int walk(enum imf_edge edge, int i, int n) {
    while (i < 0 || i >= n) {
        if (edge == IMF_EDGE_CONSTANT)
            return -1;
        if (edge == IMF_EDGE_CLAMP || (edge == IMF_EDGE_MIRROR && n == 1))
            i = i < 0 ? 0 : n - 1;
        else if (edge == IMF_EDGE_WRAP)
            i += i < 0 ? n : -n;
        else if (edge == IMF_EDGE_REFLECT)
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
        else
            i = i < 0 ? -i : 2 * n - 2 - i;
    }
    return i;
}

/* A clamped line of `size` samples between two of `far` goes on as a notch has it: a constant and a
 * wave of frequency f are fitted to the last n samples, and to the first, by normal equations. */
static void continue_line(long double *line, int step, int size, int far, double f, double radius) {
    int n = (int)ceil(fmax(1 / (2 * radius), 1 / fabs(f)));
    if (size * fabs(f) < 2)
        return;
    if (n > size)
        n = size;
    for (int side = -1; side <= 1; side += 2) {
        long double *end = line + (ptrdiff_t)(side < 0 ? far : far + size - 1) * step,
                    a[3][4] = {{0}};
        a[1][1] = a[2][2] = n / 1000.0L;
        for (int i = 0; i < n; i++) {
            double at = -2 * acos(-1) * f * i;
            long double term[] = {1, cos(at), sin(at), end[-(ptrdiff_t)i * side * step]};
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 4; k++)
                    a[j][k] += term[j] * term[k];
        }
        for (int j = 0; j < 3; j++) /* Gauss and Jordan */
            for (int r = 0; r < 3; r++)
                for (int k = 3; r != j && k >= j; k--)
                    a[r][k] -= a[r][j] / a[j][j] * a[j][k];
        for (int i = 1; i <= far; i++) {
            double at = 2 * acos(-1) * f * i;
            long double more = a[1][3] / a[1][1] * (cos(at) - 1) + a[2][3] / a[2][2] * sin(at);
            end[(ptrdiff_t)i * side * step] = end[0] + more;
        }
    }
}

/* Largest difference from the image extended by far_x and far_y samples on each side, transformed
 * by the definition. */
static double off_by(const struct imf_transfer *t, enum imf_edge edge, int w, int h, int far_x,
                     int far_y) {
    struct imf_surface in = surface(w, h, 1), out = surface(w, h, 1);
    int nx = w + 2 * far_x, ny = h + 2 * far_y, n = nx * ny;
    long double *re = need((size_t)n * 2), *im = re + n;
    unsigned random = 1;
    double worst = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            random = random * 1664525u + 1013904223u;
            /* A gradient and noise: edges do not fit. */
            *pixel(&in, x, y) = 200.0 * (x + 1) / w + (double)(random >> 24) / 5;
        }
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            int i = walk(edge, x - far_x, w), j = walk(edge, y - far_y, h);
            re[y * nx + x] = i < 0 || j < 0 ? 40 : *pixel(&in, i, j);
        }
    if (t->kind == IMF_NOTCH && edge == IMF_EDGE_CLAMP) {
        for (int y = 0; y < ny; y++)
            continue_line(re + y * nx, 1, w, far_x, t->u, t->radius);
        for (int x = 0; x < nx; x++)
            continue_line(re + x, nx, h, far_y, t->v, t->radius);
    }
    transform_lines(re, im, nx, ny, 1, nx, -1);
    transform_lines(re, im, ny, nx, nx, 1, -1);
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            double u = (double)(x > nx / 2 ? x - nx : x) / nx;
            double v = (double)(y > ny / 2 ? y - ny : y) / ny;
            long double gain = (long double)imf_transfer_gain(t, u, v) / n;
            re[y * nx + x] *= gain;
            im[y * nx + x] *= gain;
        }
    transform_lines(re, im, ny, nx, nx, 1, 1);
    transform_lines(re + far_y * nx, im + far_y * nx, nx, h, 1, nx, 1);
    CHECK(filter(t, edge, &in, &out), "runs");
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            worst =
                fmax(worst, fabs(*pixel(&out, x, y) - (double)re[(y + far_y) * nx + x + far_x]));
    free(re);
    imf_surface_free(&in);
    imf_surface_free(&out);
    return worst;
}

/* Wrapped: the image's own transform, whatever the size. */
static void test_periodic(void) {
    static const int sizes[][2] = {{13, 11}, {61, 3}, {1, 67}, {107, 2}, {22, 34}, {131, 9}};
    for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++)
        for (size_t i = z % 2; i < TRANSFERS; i += 2) {
            double worst = off_by(&transfers[i], IMF_EDGE_WRAP, sizes[z][0], sizes[z][1], 0, 0);
            CHECK(worst < 1e-10, "%zu, %dx%d: off by %g", i, sizes[z][0], sizes[z][1], worst);
        }
}

/* Otherwise that of an extension as long as the filter reaches, here of one twice as long, however
 * small the image. */
static void test_small(void) {
    static const struct imf_transfer some[] = {
        {.kind = IMF_LOWPASS, .type = IMF_GAUSSIAN, .low = 0.05},
        {.kind = IMF_HIGHPASS, .type = IMF_BUTTERWORTH, .low = 0.12, .order = 2},
        {.kind = IMF_BANDSTOP, .type = IMF_GAUSSIAN, .low = 0.1, .high = 0.3},
        {.kind = IMF_NOTCH, .type = IMF_GAUSSIAN, .u = 0.25, .v = -0.1, .radius = 0.08},
    };
    static const int sizes[][2] = {{7, 5}, {40, 1}, {1, 9}, {30, 33}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        for (size_t z = 0; z < sizeof sizes / sizeof *sizes; z++)
            for (int edge = IMF_EDGE_CLAMP; edge <= IMF_EDGE_CONSTANT; edge++) {
                int w = sizes[z][0], h = sizes[z][1];
                int far = edge == IMF_EDGE_WRAP ? 0 : 2 * (int)imf_extend_reach(&some[i], 1);
                double worst = off_by(&some[i], (enum imf_edge)edge, w, h, far, far);
                CHECK(worst < 0.1, "%zu, %dx%d, edge %d: off by %g", i, w, h, edge, worst);
            }
    /* White on 200x1 in black: next to nothing beyond a few lines. */
    struct imf_transfer low = {.kind = IMF_LOWPASS, .type = IMF_GAUSSIAN, .low = 0.02};
    double worst = off_by(&low, IMF_EDGE_CONSTANT, 200, 1, 64, 64);
    CHECK(worst < 0.05, "200x1 off by %g", worst);
}

int main(void) {
    test_gains();
    test_waves();
    test_constants();
    test_sides();
    test_extension();
    test_reach();
    test_periodic();
    test_small();
    return check_done("transfer");
}
