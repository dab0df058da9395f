/*
 * test_fft_transform.c - imf_fft_*(): good lengths, both directions, one and two dimensions;
 * primes and other lengths
 *
 * Noise and an impulse against a transform in float64, and of any length against the definition.
 * The relative L2 error must stay within 0.9 eps sqrt(log2 N), eps = 2^-24, or twice that for large
 * primes on a device without float64.
 */
#include "check.h"
#include "device/open/context.h"
#include "fft_util.h"
#include "fourier/host.h"
#include "fourier/plan.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *need(size_t bytes) {
    void *p = malloc(bytes);
    if (!p)
        abort();
    return p;
}

/* ---- reference ------------------------------------------------------------------------------- */

static struct imf_fft_host *host(int n) {
    struct imf_fft_host *fft;
    if (imf_fft_host_create(&fft, n, NULL) != IMF_OK)
        abort();
    return fft;
}

/* Rows, then columns, of one transform. The inverse is that of the conjugate, conjugated. */
static void reference(const float *in, struct imf_complex *out, int nx, int ny, bool inverse) {
    size_t n = (size_t)nx * (size_t)ny;
    struct imf_complex *a = need(sizeof *a * n), *b = need(sizeof *b * (size_t)ny);
    struct imf_fft_host *along_x = host(nx), *along_y = host(ny);
    for (size_t i = 0; i < n; i++)
        a[i] = (struct imf_complex){in[2 * i], inverse ? -in[2 * i + 1] : in[2 * i + 1]};
    for (int y = 0; y < ny; y++)
        imf_fft_host_run(along_x, a + (ptrdiff_t)y * nx, 1, out + (ptrdiff_t)y * nx, NULL);
    for (int x = 0; ny > 1 && x < nx; x++) {
        imf_fft_host_run(along_y, out + x, nx, b, NULL);
        for (int y = 0; y < ny; y++)
            out[x + (ptrdiff_t)y * nx] = b[y];
    }
    for (size_t i = 0; inverse && i < n; i++)
        out[i].im = -out[i].im;
    free(a);
    free(b);
    imf_fft_host_free(&along_x);
    imf_fft_host_free(&along_y);
}

/* ---- transforms ------------------------------------------------------------------------------ */

struct sums {
    double error, norm;
};

static void compare(struct sums *sums, const float *got, const struct imf_complex *exact,
                    size_t n) {
    for (size_t i = 0; i < n; i++) {
        double a = got[2 * i] - exact[i].re, b = got[2 * i + 1] - exact[i].im;
        sums->error += a * a + b * b;
        sums->norm += exact[i].re * exact[i].re + exact[i].im * exact[i].im;
    }
}

/* Noise, but the second transform is an impulse. Returns the largest error of the impulse, of the
 * first and last noise or, as a few values are no statistics, of all noise together when N is
 * below 64; in units of eps sqrt(log2 N). */
static double test_shape(struct imf_context *ctx, struct imf_fft_shape shape, bool inverse) {
    size_t n = (size_t)shape.nx * (size_t)shape.ny, floats = 2 * n * (size_t)shape.batch;
    float *in = need(sizeof *in * (floats + 16)), *out = need(sizeof *out * (floats + 16));
    struct imf_complex *exact = need(sizeof *exact * n);
    struct imf_error err = {0};
    struct imf_fft *fft;
    double worst = 0, unit = FLT_EPSILON / 2 * sqrt(n > 1 ? log2((double)n) : 1);
    for (size_t i = 0; i < floats; i++)
        in[i] = noise();
    if (shape.batch > 1) {
        memset(in + 2 * n, 0, 2 * n * sizeof *in);
        in[2 * (n + n / 3) + 1] = 1;
    }
    for (size_t i = 0; i < 16; i++)
        out[floats + i] = 77;
    enum imf_status status = imf_fft_create(&fft, ctx, &shape, &err);
    if (status == IMF_OK)
        status = imf_fft_run(fft, in, out, inverse ? IMF_FFT_INVERSE : IMF_FFT_FORWARD, &err);
    CHECK(status == IMF_OK, "%dx%d, %d: %s", shape.nx, shape.ny, shape.batch, err.text);
    struct sums all = {0};
    for (int i = 0; status == IMF_OK && i < shape.batch; i++) {
        if (n >= 64 && i > 1 && i < shape.batch - 1)
            continue;
        struct sums one = {0};
        size_t at = 2 * n * (size_t)i;
        reference(in + at, exact, shape.nx, shape.ny, inverse);
        compare(n >= 64 || i == 1 ? &one : &all, out + at, exact, n);
        double error = one.norm > 0 ? sqrt(one.error / one.norm) / unit : 0;
        CHECK(error <= 0.9, "%dx%d, number %d of %d, inverse %d: error %.3f", shape.nx, shape.ny, i,
              shape.batch, inverse, error);
        worst = fmax(worst, error);
    }
    double error = all.norm > 0 && shape.batch >= 32 ? sqrt(all.error / all.norm) / unit : 0;
    CHECK(error <= 0.9, "%dx%d, inverse %d: error %.3f", shape.nx, shape.ny, inverse, error);
    CHECK(all.norm == 0 || all.error <= 4 * unit * unit * all.norm, "%dx%d", shape.nx, shape.ny);
    for (size_t i = 0; i < 16; i++)
        CHECK(out[floats + i] == 77, "%dx%d writes past its end", shape.nx, shape.ny);
    imf_fft_free(&fft);
    CHECK(!fft, "freed");
    free(in);
    free(out);
    free(exact);
    return fmax(worst, error);
}

static double both_ways(struct imf_context *ctx, int nx, int ny, int batch, unsigned radices) {
    struct imf_fft_shape shape = {.nx = nx, .ny = ny, .batch = batch, .radices = radices};
    return fmax(test_shape(ctx, shape, false), test_shape(ctx, shape, true));
}

static bool prime_power(int n) {
    int p = imf_fft_largest_prime(n);
    while (n % p == 0 && n > 1)
        n /= p;
    return n == 1;
}

/* Every prime power and, unless all are wanted, every third of the others. */
static bool wanted(int n) {
    static int others;
    return smooth(n) && (prime_power(n) || others++ % 3 == 0 || check_thorough());
}

static void test_lengths(struct imf_context *ctx) {
    double worst = 0;
    /* Nine: a whole panel and one line, or more than one for each work-item. */
    for (int n = 1; n <= 4096; n++)
        if (wanted(n))
            worst = fmax(worst, both_ways(ctx, n, 1, n < 64 ? 65 : n % 2 ? 9 : 8, 0));
    for (int n = 1; n <= 4096; n = (check_thorough() ? n * 5 / 4 : 2 * n) + 1) {
        worst = fmax(worst, both_ways(ctx, imf_fft_good_length(n), 1, 1, 0));
        worst = fmax(worst, both_ways(ctx, imf_fft_good_length(n), 1, 3, 0));
    }
    printf("fft: 1D to 4096: largest error %.3f eps sqrt(log2 N)\n", worst);
    worst = 0;
    for (int k = 13; k <= 22; k++)
        worst =
            fmax(worst,
                 test_shape(ctx, (struct imf_fft_shape){.nx = 1 << k, .ny = 1, .batch = 1}, k % 2));
    static const int longer[] = {5 * 2401, 32805, 823543, 3 * 5 * 7 * 10000};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        worst = fmax(
            worst,
            test_shape(ctx, (struct imf_fft_shape){.nx = longer[i], .ny = 1, .batch = 1}, i % 2));
    /* Four steps, a transform in each work-item; columns and rows that do not fill the lanes. */
    worst = fmax(worst, both_ways(ctx, 8192, 1, 5, 0));
    worst = fmax(worst, both_ways(ctx, 4375, 1, 4, 0));
    printf("fft: 1D to 2^22: largest error %.3f eps sqrt(log2 N)\n", worst);
}

static void test_planes(struct imf_context *ctx) {
    static const int shapes[][3] = {
        {1, 1, 1},   {1, 7, 2},     {7, 1, 2},     {2, 3, 5},     {8, 8, 1},      {8, 8, 9},
        {9, 15, 3},  {16, 16, 4},   {5, 64, 3},    {64, 5, 3},    {49, 81, 2},    {128, 128, 5},
        {105, 7, 9}, {256, 256, 1}, {256, 256, 4}, {512, 3, 6},   {3, 512, 6},    {360, 240, 5},
        {600, 4, 2}, {1024, 32, 8}, {32, 1024, 1}, {640, 480, 1}, {1024, 1024, 1}};
    double worst = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        worst = fmax(worst, both_ways(ctx, shapes[i][0], shapes[i][1], shapes[i][2], 0));
    printf("fft: 2D: largest error %.3f eps sqrt(log2 N)\n", worst);
}

static void test_radices(struct imf_context *ctx) {
    static const unsigned sets[] = {1u << 2, 1u << 4, 1u << 8 | 1u << 2, 1u << 16 | 1u << 4};
    /* Alone, since two stages of 4 are as good as one of 16. */
    both_ways(ctx, 256, 1, 8, 1u << 16);
    both_ways(ctx, 4096, 1, 5, 1u << 16);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        both_ways(ctx, 256, 1, 8, sets[i]);
        both_ways(ctx, 4096, 1, 5, sets[i]);
        both_ways(ctx, 64, 256, 2, sets[i]);
    }
}

/* ---- any length ------------------------------------------------------------------------------ */

/* Up to SAMPLED frequencies of each line of nx values, by the definition; the others' errors are
 * like these. Float64 is enough, 2^-29 of the error that is allowed. Powers of a root come from the
 * one before: a table of a long line's roots is out of order and out of the cache. */
#define SAMPLED 32

static void sample_line(struct sums *sums, const float *in, const float *got, int n, int sign) {
    int count = n < SAMPLED ? n : SAMPLED;
    for (int s = 0; s < count; s++) {
        int k = n == count ? s : (int)(((long)s * n + (long)(state % (unsigned)n)) / count) % n;
        const double step = sign * 2 * acos(-1) * k / n, c1 = cos(step), d1 = sin(step);
        double a = 0, b = 0, c = 1, d = 0;
        for (int j = 0; j < n; j++) {
            if (j % 64 == 0) {
                double turn = sign * 2 * acos(-1) * (double)((long)j * k % n) / n;
                c = cos(turn);
                d = sin(turn);
            }
            a += in[2 * j] * c - in[2 * j + 1] * d;
            b += in[2 * j] * d + in[2 * j + 1] * c;
            double next = c * c1 - d * d1;
            d = c * d1 + d * c1;
            c = next;
        }
        double da = got[2 * k] - a, db = got[2 * k + 1] - b;
        sums->error += da * da + db * db;
        sums->norm += a * a + b * b;
    }
}

/* A batch of lines of noise; all lines count together. */
static double test_line(struct imf_context *ctx, int n, int batch, bool inverse) {
    size_t floats = 2 * (size_t)n * (size_t)batch;
    float *in = need(sizeof *in * floats), *out = need(sizeof *out * floats);
    struct imf_fft_shape shape = {.nx = n, .batch = batch};
    struct imf_error err = {0};
    struct imf_fft *fft;
    struct imf_runtime *rt;
    struct sums sums = {0};
    for (size_t i = 0; i < floats; i++)
        in[i] = noise();
    enum imf_status status = imf_fft_create(&fft, ctx, &shape, &err);
    if (status == IMF_OK)
        status = imf_fft_run(fft, in, out, inverse ? IMF_FFT_INVERSE : IMF_FFT_FORWARD, &err);
    CHECK(status == IMF_OK, "%d, %d: %s", n, batch, err.text);
    for (int i = 0; status == IMF_OK && i < batch; i++)
        if (n < 64 || i == 0 || i == batch - 1)
            sample_line(&sums, in + 2 * (size_t)n * (size_t)i, out + 2 * (size_t)n * (size_t)i, n,
                        inverse ? 1 : -1);
    bool wide = imf_context_runtime(ctx, &rt, &err) == IMF_OK && imf_runtime_device(rt)->fp64;
    double limit = wide || imf_fft_largest_prime(n) <= 61 ? 0.9 : 1.8;
    double error = sqrt(sums.error / sums.norm) / (FLT_EPSILON / 2 * sqrt(log2(n)));
    CHECK(error <= limit, "%d, %d, inverse %d: error %.3f", n, batch, inverse, error);
    imf_fft_free(&fft);
    free(in);
    free(out);
    return error;
}

static void test_any(struct imf_context *ctx) {
    double worst = 0;
    unsigned long long seed = (unsigned long long)time(NULL);
    printf("fft: lengths drawn with seed %llu\n", seed);
    for (int n = 11; n < 200; n++)
        if (imf_fft_largest_prime(n) == n)
            worst = fmax(worst, test_line(ctx, n, n < 64 ? 65 : 9, n % 4 == 1));
    /* A line alone; two prime stages; four steps; convolutions with padding and without. */
    static const int lengths[][2] = {{997, 1},  {667, 8},  {427, 9},   {2021, 3},    {4087, 9},
                                     {4093, 8}, {121, 17}, {11011, 2}, {8 * 1009, 4}};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        worst = fmax(worst, test_line(ctx, lengths[i][0], lengths[i][1], i % 2));
    state ^= seed * 0x9e3779b97f4a7c15ull;
    for (int i = 0; i < (check_thorough() ? 16 : 6); i++) {
        noise();
        worst = fmax(worst, test_line(ctx, 64 + (int)((state >> 20) % 4032), 8 + i % 2, i / 2 % 2));
    }
    printf("fft: any length to 4096: largest error %.3f eps sqrt(log2 N)\n", worst);
    worst = 0;
    static const int large[][2] = {{4099, 1},  {4099, 5},  {2 * 4099, 3},
                                   {65537, 2}, {70001, 2}, {4194301, 1}};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        worst = fmax(worst, test_line(ctx, large[i][0], large[i][1], i % 2));
    printf("fft: large primes: largest error %.3f eps sqrt(log2 N)\n", worst);
    worst = 0;
    static const int shapes[][3] = {{61, 67, 1}, {11, 13, 5},   {640, 427, 1}, {3, 101, 2},
                                    {127, 3, 2}, {2, 70001, 1}, {70001, 2, 2}, {4099, 2, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        worst = fmax(worst, both_ways(ctx, shapes[i][0], shapes[i][1], shapes[i][2], 0));
    printf("fft: any 2D: largest error %.3f eps sqrt(log2 N)\n", worst);
}

/* Round trip on the device, and what is refused. */
static void test_interface(struct imf_context *ctx) {
    struct imf_error err;
    struct imf_fft *fft = NULL;
    float *v;
    struct imf_fft_shape shape = {.nx = 96};
    if (imf_fft_create(&fft, ctx, &shape, &err) != IMF_OK) {
        CHECK(false, "%s", err.text);
        return;
    }
    CHECK(imf_fft_map(fft, &v, &err) == IMF_OK, "map");
    for (int i = 0; i < 192; i++)
        v[i] = (float)(i % 11);
    CHECK(imf_fft_transform(fft, IMF_FFT_FORWARD, &err) == IMF_ERR_ARGUMENT, "mapped");
    CHECK(imf_fft_unmap(fft, &err) == IMF_OK && imf_fft_unmap(fft, &err) == IMF_OK, "unmap");
    CHECK(imf_fft_transform(fft, IMF_FFT_FORWARD, &err) == IMF_OK, "forward");
    CHECK(imf_fft_transform(fft, IMF_FFT_INVERSE, &err) == IMF_OK, "inverse");
    CHECK(imf_fft_map(fft, &v, &err) == IMF_OK, "map again");
    for (int i = 0; i < 192; i++)
        CHECK(fabsf(v[i] / 96 - (float)(i % 11)) < 1e-5f, "value %d: %g", i, v[i] / 96);
    imf_fft_free(&fft);
    imf_fft_free(&fft);
    static const struct imf_fft_shape wrong[] = {
        {11, 1, 1, 4u, {0}}, {0, 1, 1, 0, {0}},  {-8, 1, 1, 0, {0}},  {8, 13, 1, 12u, {0}},
        {8, 1, -1, 0, {0}},  {8, -8, 1, 0, {0}}, {12, 1, 1, 4u, {0}}, {1 << 23, 1, 1, 0, {0}}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fft = (struct imf_fft *)&err;
        CHECK(imf_fft_create(&fft, ctx, &wrong[i], &err) == IMF_ERR_ARGUMENT && !fft, "wrong %zu",
              i);
    }
    struct imf_fft_shape many = {.nx = 1 << 20, .ny = 1 << 12};
    CHECK(imf_fft_create(&fft, ctx, &many, &err) == IMF_ERR_LIMIT && !fft, "too many");
    imf_fft_create(&fft, ctx, &wrong[0], &err);
    CHECK(strstr(err.text, "radices"), "text: %s", err.text);
}

static void test_good_lengths(void) {
    for (int n = 1; n < 5000; n++) {
        int good = imf_fft_good_length(n);
        CHECK(good >= n && good < 2 * n && smooth(good), "%d: %d", n, good);
    }
    CHECK(imf_fft_good_length(1 << 22) == 1 << 22, "the longest");
    CHECK(imf_fft_good_length((1 << 22) + 1) == 0, "none");
    CHECK(imf_fft_good_length(-3) == 1, "negative");
}

int main(void) {
    test_good_lengths();
    struct imf_context *ctx;
    struct imf_error err;
    if (imf_context_create(&ctx, NULL, &err) != IMF_OK) {
        CHECK(false, "%s", err.text);
        return check_done("fft_transform");
    }
    struct imf_fft *fft;
    struct imf_fft_shape shape = {.nx = 8};
    enum imf_status status = imf_fft_create(&fft, ctx, &shape, &err);
    if (status == IMF_ERR_NO_DEVICE) {
        printf("fft: transforms skipped: %s\n", err.text);
    } else {
        CHECK(status == IMF_OK, "%s", err.text);
        imf_fft_free(&fft);
        test_interface(ctx);
        test_planes(ctx);
        test_radices(ctx);
        test_any(ctx);
        test_lengths(ctx);
    }
    imf_context_free(&ctx);
    return check_done("fft_transform");
}
