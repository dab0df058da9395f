/*
 * test_pictures.c - frequency responses and spectra against known values, and the host's transform
 * against the definition
 */
#include "check.h"
#include "fourier/half_plane.h"
#include "picture/picture.h"
#include "picture/response.h"
#include "picture/spectrum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- transforms ------------------------------------------------------------------------------ */

static void test_transform(void) {
    static const int lengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 16, 30, 49, 60, 97, 128, 210};
    struct imf_complex in[210], out[210];
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        int n = lengths[i];
        struct imf_fft_host *fft;
        CHECK(imf_fft_host_create(&fft, n, NULL) == IMF_OK, "length %d", n);
        for (int j = 0; j < n; j++)
            in[j] = (struct imf_complex){sin(j * j + 1.0), cos(3.0 * j * j)};
        imf_fft_host_run(fft, in, 1, out, NULL);
        double worst = 0;
        for (int k = 0; k < n; k++) {
            double re = 0, im = 0;
            for (int j = 0; j < n; j++) {
                double angle = -2 * PI * (j * k % n) / n, c = cos(angle), s = sin(angle);
                re += in[j].re * c - in[j].im * s;
                im += in[j].re * s + in[j].im * c;
            }
            worst = fmax(worst, hypot(out[k].re - re, out[k].im - im));
        }
        CHECK(worst < 1e-15 * (n + 4) * 4, "length %d: error %g", n, worst);
        imf_fft_host_free(&fft);
    }
}

struct plane {
    int width;
    const double *values;
};

static void plane_row(void *user, int y, double *row) {
    const struct plane *p = user;
    memcpy(row, p->values + y * p->width, (size_t)p->width * sizeof *row);
}

static void test_half_plane(int width, int height) {
    double values[15 * 15];
    for (int i = 0; i < width * height; i++)
        values[i] = sin(7.0 * i * i + 2);
    struct plane plane = {width, values};
    struct imf_half_plane half;
    CHECK(imf_half_plane_make(&half, width, height, plane_row, &plane, NULL, NULL) == IMF_OK,
          "%dx%d", width, height);
    double worst = 0;
    for (int v = -height; v < height; v++)
        for (int u = -width; u < width; u++) {
            double re = 0, im = 0;
            for (int y = 0; y < height; y++)
                for (int x = 0; x < width; x++) {
                    double angle = -2 * PI * ((double)u * x / width + (double)v * y / height);
                    re += values[y * width + x] * cos(angle);
                    im += values[y * width + x] * sin(angle);
                }
            struct imf_complex z = imf_half_plane_at(&half, u, v);
            worst = fmax(worst, hypot(z.re - re, z.im - im));
        }
    CHECK(worst < 1e-11, "%dx%d: error %g", width, height, worst);
    imf_half_plane_free(&half);
}

/* ---- responses ------------------------------------------------------------------------------- */

static double gain[IMF_RESPONSE_SIZE];

/* At frequency (u, v) / 256. */
static double at(int u, int v) {
    return gain[(size_t)(v + 128) * IMF_RESPONSE + (size_t)(u + 128)];
}

static void respond(const char *spec) {
    struct imf_filter *f;
    CHECK(imf_filter_parse(&f, &spec, 1, NULL) == IMF_OK, "%s", spec);
    if (!f)
        return;
    if (f->stages[0].op == IMF_OP_TRANSFER)
        imf_response_transfer(gain, &f->stages[0].transfer);
    else
        CHECK(imf_response_kernel(gain, f->stages[0].kernel[0], NULL) == IMF_OK, "%s", spec);
    imf_filter_free(&f);
}

static void test_responses(void) {
    respond("box:4");
    CHECK(fabs(at(0, 0) - 1) < 1e-12, "%.17g", at(0, 0));
    CHECK(at(-128, 0) < 1e-12 && at(0, -128) < 1e-12 && at(64, 0) < 1e-12, "zeros of the box");
    respond("box:3");
    CHECK(fabs(at(-128, 0) - 1.0 / 3) < 1e-12, "%.17g", at(-128, 0));
    CHECK(fabs(at(-128, -128) - 1.0 / 9) < 1e-12, "%.17g", at(-128, -128));
    CHECK(fabs(at(32, 0) - (1 + 2 * cos(2 * PI / 8)) / 3) < 1e-12, "%.17g", at(32, 0));
    respond("sharpen");
    CHECK(fabs(at(0, 0) - 1) < 1e-12 && fabs(at(-128, -128) - 9) < 1e-12, "sharpen");
    respond("blur:2");
    CHECK(fabs(at(0, 0) - 1) < 1e-12, "%.17g", at(0, 0));
    CHECK(at(-128, 0) < 1e-4, "%g", at(-128, 0));
    for (int k = 0; k < 60; k += 5) {
        double want = exp(-2 * PI * PI * 4 * (k / 256.0) * (k / 256.0));
        CHECK(fabs(at(k, 0) - want) < 2e-4 && fabs(at(0, -k) - want) < 2e-4, "%d: %g, not %g", k,
              at(k, 0), want);
    }
    respond("box:301"); /* larger than the grid */
    CHECK(fabs(at(0, 0) - 1) < 1e-12, "%.17g", at(0, 0));
    CHECK(fabs(at(-128, 0) - 1.0 / 301) < 1e-12, "%.17g", at(-128, 0));
    respond("highpass:0.1");
    CHECK(at(0, 0) == 0 && at(-128, 0) > 0.99, "highpass");
}

/* What the text shows of an unsharp mask with a threshold is its blur; the picture, all of it. */
static void test_unsharp(void) {
    const char *spec = "unsharp:sigma=1:amount=2:threshold=0.1";
    struct imf_filter *f;
    struct imf_kernel *k = NULL;
    CHECK(imf_filter_parse(&f, &spec, 1, NULL) == IMF_OK && f->stages[0].op == IMF_OP_UNSHARP, "%s",
          spec);
    CHECK(f && imf_response_unsharp(&k, &f->stages[0], NULL) == IMF_OK, "%s", spec);
    if (f && k) {
        size_t centre = (size_t)k->cy * (size_t)k->width + (size_t)k->cx;
        CHECK(fabs(imf_kernel_sum(k) - 1) < 1e-12, "sum %.17g", imf_kernel_sum(k));
        CHECK(k->taps[centre] > 2 && k->taps[centre + 1] < -0.1, "%g beside %g", k->taps[centre],
              k->taps[centre + 1]);
        CHECK(imf_response_kernel(gain, k, NULL) == IMF_OK && fabs(at(-128, -128) - 3) < 1e-3,
              "%.17g", at(-128, -128));
    }
    imf_kernel_free(&k);
    imf_filter_free(&f);
}

/* Where nothing but distances counts: guided is a box twice, bilateral a Gaussian in a disk. */
static void test_flat(void) {
    const char *specs[] = {"guided:2:0.1", "bilateral:2:0.1", "median:1", "threshold:sauvola:3"};
    double box[128];
    respond("box:5");
    for (int k = 0; k < 128; k++)
        box[k] = at(k, 0);
    for (int i = 0; i < 4; i++) {
        struct imf_filter *f;
        struct imf_kernel *k = NULL;
        CHECK(imf_filter_parse(&f, &specs[i], 1, NULL) == IMF_OK, "%s", specs[i]);
        CHECK(f && imf_response_flat(&k, &f->stages[0], NULL) == IMF_OK, "%s", specs[i]);
        CHECK((i >= 2) == !k, "%s", specs[i]);
        CHECK(!k || imf_response_kernel(gain, k, NULL) == IMF_OK, "%s", specs[i]);
        for (int u = 0; u < 128 && i == 0; u++)
            CHECK(fabs(at(u, 0) - box[u] * box[u]) < 1e-12, "%d: %g, not %g squared", u, at(u, 0),
                  box[u]);
        for (int j = 0; k && j < 169 && i == 1; j++) {
            int square = (j % 13 - 6) * (j % 13 - 6) + (j / 13 - 6) * (j / 13 - 6);
            double want = square > 36 ? 0 : exp(-square / 8.0);
            CHECK(k->width == 13 && fabs(k->taps[j] - want) < 1e-12, "%d: %g", j, k->taps[j]);
        }
        CHECK(!k || (k->cx == k->width / 2 && fabs(imf_kernel_sum(k) / k->scale - 1) < 1e-12),
              "%s: %d, %g", specs[i], k->cx, k->scale);
        imf_kernel_free(&k);
        imf_filter_free(&f);
    }
}

static void test_impulse(void) {
    const struct imf_transfer t = {.kind = IMF_LOWPASS, .type = IMF_GAUSSIAN, .low = 0.05};
    struct imf_kernel *k;
    CHECK(imf_response_impulse(&k, &t, 65, NULL) == IMF_OK, "impulse");
    double sum = imf_kernel_sum(k), centre = k->taps[32 * 65 + 32];
    CHECK(fabs(sum - 1) < 1e-6, "%.17g", sum);
    CHECK(fabs(centre - 2 * PI * 0.05 * 0.05) < 1e-9, "%.17g", centre);
    imf_kernel_free(&k);
}

/* ---- spectra --------------------------------------------------------------------------------- */

/* A cosine of amplitude 100 with u and v periods across `size` pixels. */
static void test_cosine(int size, int most, int u, int v) {
    struct imf_info info = {.width = size, .height = size, .channels = 1, .depth = 8};
    unsigned char *data = malloc((size_t)size * (size_t)size);
    CHECK(data, "no memory");
    if (!data)
        return;
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++)
            data[y * size + x] =
                (unsigned char)lrint(128 + 100 * cos(2 * PI * (u * x + v * y) / size));
    const struct imf_pixels pixels = {&info, data, (size_t)size};
    struct imf_spectrum s;
    CHECK(imf_spectrum_make(&s, &pixels, most, NULL) == IMF_OK, "size %d", size);
    int side = s.side, peak = 0, above = 0;
    for (int i = 0; i < side * side; i++)
        peak = s.power[i] > s.power[peak] ? i : peak;
    int px = peak % side - side / 2, py = peak / side - side / 2;
    CHECK((px == u * side / size && py == v * side / size) ||
              (px == -u * side / size && py == -v * side / size),
          "size %d: peak of %d,%d at %d,%d of %d", size, u, v, px, py, side);
    if (side == size) {
        double want = pow(100 / 127.5, 2);
        CHECK(fabs(s.power[peak] / want - 1) < 0.01, "power %g, not %g", s.power[peak], want);
        CHECK(s.power[side / 2 * side + side / 2] < 1e-8, "mean %g",
              s.power[side / 2 * side + side / 2]);
        for (int i = 0; i < side * side; i++)
            above += s.power[i] > s.power[peak] * 1e-3;
        CHECK(above == 18, "%d values within 30 dB", above); /* two dots of 3x3 */
    }
    imf_spectrum_free(&s);
    free(data);
}

/* A ramp has no frequencies of its own: without a window it would draw a cross. */
static void test_ramp(void) {
    enum { SIZE = 256 };
    static unsigned char data[SIZE * SIZE];
    struct imf_info info = {.width = SIZE, .height = SIZE, .channels = 1, .depth = 8};
    for (int i = 0; i < SIZE * SIZE; i++)
        data[i] = (unsigned char)(i % SIZE);
    const struct imf_pixels pixels = {&info, data, SIZE};
    struct imf_spectrum s;
    CHECK(imf_spectrum_make(&s, &pixels, 1024, NULL) == IMF_OK, "ramp");
    double far = s.power[SIZE / 2 * SIZE + SIZE / 2 + 64];
    CHECK(far < 1e-8, "%g", far);
    imf_spectrum_free(&s);
}

/* White under alpha, over black, and white under black ink are as bright as the gray is. */
static void test_brightness(void) {
    enum { SIZE = 32 };
    static const struct {
        int channels;
        enum imf_color color;
        bool alpha;
        unsigned char first; /* value of the channels before the last, which is the gray */
        bool inverted;
    } kinds[] = {{1, IMF_COLOR_GRAY, false, 0, false},
                 {2, IMF_COLOR_GRAY, true, 255, false},
                 {4, IMF_COLOR_RGB, true, 255, false},
                 {4, IMF_COLOR_CMYK, false, 0, true}};
    static unsigned char data[SIZE * SIZE * 4];
    struct imf_spectrum s[4];
    for (int k = 0; k < 4; k++) {
        int n = kinds[k].channels;
        struct imf_info info = {.width = SIZE,
                                .height = SIZE,
                                .channels = n,
                                .depth = 8,
                                .color = kinds[k].color,
                                .alpha = kinds[k].alpha};
        for (int i = 0; i < SIZE * SIZE * n; i++) {
            int pixel = i / n, gray = (pixel * 7 + pixel / SIZE * pixel) % 256;
            bool last = i % n == n - 1;
            data[i] =
                (unsigned char)(last ? kinds[k].inverted ? 255 - gray : gray : kinds[k].first);
        }
        const struct imf_pixels pixels = {&info, data, (size_t)(SIZE * n)};
        CHECK(imf_spectrum_make(&s[k], &pixels, 1024, NULL) == IMF_OK, "spectrum");
        double worst = 0;
        for (int i = 0; i < s[k].side * s[k].side; i++)
            worst = fmax(worst, fabs(s[k].power[i] - s[0].power[i]));
        CHECK(s[k].side == s[0].side && worst < 1e-12, "kind %d: off by %g", k, worst);
    }
    for (int k = 0; k < 4; k++)
        imf_spectrum_free(&s[k]);
}

static void test_drawing(void) {
    struct imf_picture *p;
    CHECK(imf_picture_create(&p, 20, 10, NULL) == IMF_OK, "create");
    imf_picture_rect(p, -5, -5, 100, 100, 0x102030); /* clipped */
    CHECK(p->rgb[0] == 0x10 && p->rgb[1] == 0x20 && p->rgb[599] == 0x30, "rectangle");
    imf_picture_text(p, 15, 5, IMF_PAPER, "clipped \xff");
    imf_picture_free(&p);
    CHECK(!p, "freed");
    CHECK(imf_picture_create(&p, 0, 5, NULL) != IMF_OK && !p, "no picture is empty");
    char text[IMF_FITTED];
    CHECK(strcmp(imf_picture_fit(text, "abcdefghij", 82), "abcd...") == 0, "%s", text);
    CHECK(imf_plot_step(1, 5) > 0.19 && imf_plot_step(1, 5) < 0.21, "%g", imf_plot_step(1, 5));
}

int main(void) {
    test_transform();
    test_half_plane(8, 6);
    test_half_plane(9, 7);
    test_half_plane(1, 5);
    test_half_plane(15, 1);
    test_responses();
    test_unsharp();
    test_flat();
    test_impulse();
    test_cosine(256, 1024, 20, -33);
    test_cosine(320, 640, 100, 7);
    test_cosine(64, 1024, 8, 0);
    test_cosine(1024, 256, 64, 128);
    test_ramp();
    test_brightness();
    test_drawing();
    return check_done("test_pictures");
}
