/* test_pattern.c - periodic patterns: waves that are there are found, others are not */
#include "base/image/surface.h"
#include "check.h"
#include "fourier/pattern.h"
#include "pattern_util.h"

#include <string.h>

/* A slope, a disk and noise: nothing that repeats. */
static struct image scene(int width, int height, double sigma) {
    struct image image = image_of(width, height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            image.v[y * width + x] = 90 + 50.0 * x / width + 30.0 * y / height + sigma * normal() +
                                     (hypot(x - width / 3, y - height / 2) < height / 4 ? 40 : 0);
    return image;
}

static void image_row(void *user, int channel, int y, int x, double *row, int count) {
    const struct image *image = user;
    const double *from =
        image->v + ((size_t)channel * (size_t)image->height + (size_t)y) * (size_t)image->width;
    memcpy(row, from + x, (size_t)count * sizeof *row);
}

static struct imf_pattern find(struct image *image) {
    struct imf_pattern p;
    const struct imf_pattern_source source = {image->width, image->height, image->channels,
                                              255,          image_row,     image};
    CHECK(!imf_pattern_find(&p, &source, NULL, NULL), "%dx%d", image->width, image->height);
    return p;
}

static int count_of(struct image image) {
    int count = find(&image).count;
    free(image.v);
    return count;
}

/* ---- what is found ---------------------------------------------------------------------------- */

static void test_one_wave(void) {
    static const double waves[][2] = {{0.1371, 0.0712}, {0.2083, -0.1777}, {0.031, 0.031},
                                      {0.4137, 0.3},    {0.3333, -0.4444}, {0, 0.1501},
                                      {0.2718, 0},      {0.05, -0.21},     {0.4, 0.0371}};
    static const int sizes[][2] = {{64, 64}, {131, 97}, {300, 200}, {256, 401}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t i = 0; i < sizeof waves / sizeof *waves; i++) {
            int width = sizes[s][0], height = sizes[s][1];
            double u = waves[i][0], v = waves[i][1];
            if (hypot(u, v) * imf_min(width, height) < 21) /* too near to the picture itself */
                continue;
            struct image image = scene(width, height, 2);
            add_wave(&image, u, v, 8);
            struct imf_pattern p = find(&image);
            const struct imf_pattern_wave *w = &p.wave[0];
            CHECK(p.count == 1, "%dx%d (%g,%g): %d waves", width, height, u, v, p.count);
            double sign = w->u * u + w->v * v < 0 ? -1 : 1; /* either stands for both */
            CHECK(fabs(sign * w->u - u) * width < 0.5 && fabs(sign * w->v - v) * height < 0.5,
                  "%dx%d (%g,%g): (%g,%g)", width, height, u, v, w->u, w->v);
            CHECK(fabs(w->amplitude - 8) < 1.5, "amplitude %g", w->amplitude);
            free(image.v);
        }
}

/* A wave that is next to a real one is that. */
static void test_real_waves(void) {
    struct image image = scene(200, 150, 1);
    for (int i = 0; i < 200 * 150; i++)
        image.v[i] += (i % 200 + i / 200) % 2 ? 6 : -6;
    struct imf_pattern p = find(&image);
    CHECK(p.count == 1 && imf_pattern_is_real(&p.wave[0]) && p.wave[0].u == 0.5 &&
              p.wave[0].v == 0.5,
          "%d waves, (%g,%g)", p.count, p.wave[0].u, p.wave[0].v);
    free(image.v);
}

static void test_nothing(void) {
    static const int sizes[][2] = {{1, 1},    {1, 500}, {500, 1},  {63, 300},
                                   {300, 63}, {64, 64}, {200, 90}, {317, 251}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int width = sizes[s][0], height = sizes[s][1];
        CHECK(count_of(image_of(width, height)) == 0, "flat %dx%d", width, height);
        for (int turn = 0; turn < 3; turn++) {
            double sigma = turn == 0 ? 0 : turn == 1 ? 3 : 40;
            CHECK(count_of(scene(width, height, sigma)) == 0, "%dx%d, noise %g", width, height,
                  sigma);
        }
    }
    /* A wave in half of the picture, one that is too faint, and one that is too coarse. */
    struct image half = scene(256, 256, 2), faint = scene(256, 256, 2), coarse = scene(256, 256, 2);
    struct image wave = image_of(256, 256);
    add_wave(&wave, 0.13, 0.08, 20);
    for (int i = 0; i < 256 * 128; i++)
        half.v[i] += wave.v[i];
    free(wave.v);
    add_wave(&faint, 0.13, 0.08, 0.3);
    add_wave(&coarse, 0.02, 0.02, 20);
    CHECK(count_of(half) == 0, "half");
    CHECK(count_of(faint) == 0, "faint");
    CHECK(count_of(coarse) == 0, "coarse");
}

/* Means over boxes of 2 radius + 1, clamped, along lines of `size` samples `step` apart. */
static void smooth(double *v, int size, int step, int lines, int next, int radius) {
    double sum[1024];
    for (int l = 0; l < lines; l++, v += next) {
        sum[0] = 0;
        for (int i = 0; i < size + 2 * radius; i++)
            sum[i + 1] = sum[i] + v[imf_min(imf_max(i - radius, 0), size - 1) * step];
        for (int i = 0; i < size; i++)
            v[i * step] = (sum[i + 2 * radius + 1] - sum[i]) / (2 * radius + 1);
    }
}

/* Whole levels of noise that is smooth to any degree, one for each axis, with a white part. */
static struct image soft_noise(void) {
    int width = 130 + (int)(noise() % 90), height = 130 + (int)(noise() % 90);
    struct image image = image_of(width, height);
    size_t count = (size_t)width * (size_t)height;
    double sum = 0, white = noise() % 2 ? 0 : pow(10, -(double)(noise() % 200) / 100);
    int round = noise() % 2, across = (int)pow(1.12, noise() % 30) - 1;
    int down = round ? across : (int)pow(1.12, noise() % 30) - 1;
    for (size_t i = 0; i < count; i++)
        image.v[i] = normal();
    for (int pass = 0; pass < 3; pass++) {
        smooth(image.v, width, 1, height, width, across);
        smooth(image.v, height, width, width, 1, down);
    }
    for (size_t i = 0; i < count; i++)
        sum += image.v[i] * image.v[i];
    double contrast = pow(10, 0.3 + (noise() % 130) / 100.0) / sqrt(sum / (double)count);
    for (size_t i = 0; i < count; i++)
        image.v[i] = rint(fmin(
            fmax(130 + contrast * (image.v[i] + white * sqrt(sum / (double)count) * normal()), 0),
            255));
    return image;
}

static void test_soft_noise(void) {
    for (int i = 0; i < 500; i++) {
        struct image image = soft_noise();
        struct imf_pattern p = find(&image);
        CHECK(p.count == 0, "field %d, %dx%d: %d waves, (%g,%g) of %g", i, image.width,
              image.height, p.count, p.wave[0].u, p.wave[0].v, p.wave[0].amplitude);
        free(image.v);
    }
}

/* A wave in a quarter of a picture. */
static void test_part(void) {
    struct image image = scene(640, 512, 2), wave = image_of(640, 512);
    add_wave(&wave, 0.13, -0.08, 12);
    for (int y = 256; y < 512; y++)
        for (int x = 0; x < 320; x++)
            image.v[y * 640 + x] += wave.v[y * 640 + x];
    struct imf_pattern p = find(&image);
    CHECK(p.count == 1 && fabs(p.wave[0].u - 0.13) < 0.002 && fabs(p.wave[0].v + 0.08) < 0.002,
          "%d waves, (%g,%g)", p.count, p.wave[0].u, p.wave[0].v);
    free(wave.v);
    free(image.v);
}

/* Rows such as lines of text, with letters of one width, and turned by a degree. */
static void test_rows(void) {
    for (int turn = 0; turn < 4; turn++) {
        struct image image = scene(400, 400, 2);
        double sine = turn % 2 ? sin(PI / 180) : 0, cosine = turn % 2 ? cos(PI / 180) : 1;
        for (int y = 0; y < 400; y++)
            for (int x = 0; x < 400; x++) {
                double along = x * cosine + y * sine, across = y * cosine - x * sine;
                double line = 0.5 + 0.5 * cos(2 * PI * across / 20);
                double letter = turn < 2 ? 1 : 0.5 + 0.5 * cos(2 * PI * along / 7);
                image.v[y * 400 + x] -= 90 * line * line * line * letter;
            }
        struct imf_pattern p = find(&image);
        CHECK(p.count == 0, "turn %d: %d waves, (%g,%g) of %g", turn, p.count, p.wave[0].u,
              p.wave[0].v, p.wave[0].amplitude);
        free(image.v);
    }
}

static void test_channels(void) {
    struct image image = scene(200, 160, 2), others = scene(200, 2 * 160, 2), all = image;
    add_wave(&image, 0.11, 0.23, 7);
    all.v = malloc(3 * 200 * 160 * sizeof *all.v);
    if (!all.v)
        abort();
    memcpy(all.v, others.v, 2 * 200 * 160 * sizeof *all.v);
    memcpy(all.v + 2 * 200 * 160, image.v, 200 * 160 * sizeof *all.v);
    all.channels = 3;
    struct imf_pattern p = find(&all);
    CHECK(p.count == 1 && fabs(p.wave[0].u - 0.11) < 1e-3, "%d waves", p.count);
    free(image.v);
    free(others.v);
    free(all.v);
}

static void test_noise(void) {
    struct image image = image_of(512, 400);
    for (int i = 0; i < 512 * 400; i++)
        image.v[i] = 100 + 5 * normal();
    struct imf_pattern p = find(&image);
    double sum = 0;
    for (int ring = 4; ring < IMF_PATTERN_RINGS; ring++)
        sum += p.noise[0].ring[ring] / (IMF_PATTERN_RINGS - 4);
    CHECK(fabs(sqrt(sum) / 5 - 1) < 0.05, "sigma 5 is measured as %g", sqrt(sum));
    free(image.v);
}

static bool has(const struct imf_pattern *p, double u, double v) {
    for (int i = 0; i < p->count; i++)
        if (hypot(p->wave[i].u - u, p->wave[i].v - v) < 1e-9)
            return true;
    return false;
}

static void test_harmonics(void) {
    struct imf_pattern p = {.count = 2, .wave = {{0.11, 0.12, 9, {9}}, {0.12, -0.11, 8, {8}}}};
    imf_pattern_add_harmonics(&p);
    static const double want[][2] = {{0.11, 0.12}, {0.12, -0.11}, {0.23, 0.01}, {0.01, -0.23},
                                     {0.22, 0.24}, {0.36, -0.33}, {0.34, 0.13}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        CHECK(has(&p, want[i][0], want[i][1]) || has(&p, -want[i][0], -want[i][1]),
              "(%g,%g) is missing", want[i][0], want[i][1]);
    CHECK(p.count == 20, "%d waves", p.count);
    for (int i = 0; i < p.count; i++)
        CHECK((p.wave[i].amplitude > 0) == (i < 2) && p.wave[i].u >= 0, "wave %d", i);
    struct imf_pattern alone = {.count = 1, .wave = {{0, 0.2, 9, {9}}}};
    imf_pattern_add_harmonics(&alone);
    CHECK(alone.count == 2 && has(&alone, 0, 0.4), "%d waves of one", alone.count);
    struct imf_pattern full = {.count = IMF_PATTERN_WAVES};
    for (int i = 0; i < full.count; i++)
        full.wave[i] = (struct imf_pattern_wave){
            .u = 0.04 + i % 8 * 0.05, .v = 0.05 + i / 8 * 0.05, .amplitude = 64 - i};
    imf_pattern_add_harmonics(&full);
    CHECK(full.count == IMF_PATTERN_WAVES, "%d waves", full.count);
}

int main(void) {
    test_one_wave();
    test_real_waves();
    test_nothing();
    test_soft_noise();
    test_part();
    test_rows();
    test_channels();
    test_noise();
    test_harmonics();
    return check_done("test_pattern");
}
