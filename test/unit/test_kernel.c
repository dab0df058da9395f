/* test_kernel.c - kernels: sums, peaks, flipping and separability */
#include "filter/kernel/taps.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t state = 88172645463325252u;

/* xorshift64 (Marsaglia 2003) */
static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static int integer(int low, int high) {
    return low + (int)(next() % (uint64_t)(high - low + 1));
}

static double real(void) {
    return (double)(next() >> 11) / 9007199254740992.0 * 2 - 1;
}

static struct imf_kernel *make(int width, int height, const double *taps) {
    struct imf_kernel *k;
    if (imf_kernel_create(&k, width, height, NULL) != IMF_OK)
        abort();
    if (taps)
        memcpy(k->taps, taps, (size_t)width * (size_t)height * sizeof *taps);
    return k;
}

static void test_create(void) {
    struct imf_kernel *k;
    struct imf_error err;
    CHECK(imf_kernel_create(&k, 4, 3, &err) == IMF_OK, "create");
    CHECK(k->cx == 2 && k->cy == 1 && k->scale == 1 && k->bias == 0, "defaults");
    CHECK(imf_kernel_nonzero(k) == 0, "zero taps");
    struct imf_margin m = imf_kernel_margin(k);
    CHECK(m.left == 2 && m.right == 1 && m.top == 1 && m.bottom == 1, "margin");
    imf_kernel_free(&k);
    CHECK(!k, "free sets NULL");
    imf_kernel_free(&k);
    CHECK(imf_kernel_create(&k, 4096, 1, &err) == IMF_ERR_LIMIT && !k, "%s", err.text);
    CHECK(imf_kernel_create(&k, 0, 1, &err) == IMF_ERR_ARGUMENT && !k, "%s", err.text);
}

static void test_sums(void) {
    struct imf_kernel *k = make(2, 2, (double[]){1, -2, 0, 4}), *copy;
    CHECK(imf_kernel_sum(k) == 3 && imf_kernel_abs_sum(k) == 7, "sums");
    CHECK(imf_kernel_nonzero(k) == 3, "nonzero");
    imf_kernel_flip(k);
    CHECK(k->taps[0] == 4 && k->taps[1] == 0 && k->taps[2] == -2 && k->taps[3] == 1, "flipped");
    CHECK(k->cx == 0 && k->cy == 0, "the origin turns too: %d %d", k->cx, k->cy);
    k->scale = 3;
    CHECK(imf_kernel_copy(&copy, k, NULL) == IMF_OK, "copy");
    CHECK(copy->taps != k->taps && copy->cx == 0 && copy->scale == 3 && copy->taps[0] == 4,
          "copied");
    imf_kernel_free(&copy);
    CHECK(imf_kernel_is_integer(k), "integer");
    k->bias = 0.5;
    CHECK(!imf_kernel_is_integer(k), "bias");
    k->bias = 1;
    CHECK(imf_kernel_is_integer(k), "bias 1");
    k->scale = 1.5;
    CHECK(!imf_kernel_is_integer(k), "scale");
    k->scale = 1;
    k->taps[0] = 2147483647;
    k->taps[1] = k->taps[2] = k->taps[3] = 0;
    CHECK(imf_kernel_is_integer(k), "2^31 - 1");
    k->taps[1] = -1;
    CHECK(!imf_kernel_is_integer(k), "2^31");
    k->taps[0] = 0.25;
    CHECK(!imf_kernel_is_integer(k), "fraction");
    imf_kernel_free(&k);
    k = make(3, 1, (double[]){1e16, 1, -1e16});
    CHECK(imf_kernel_sum(k) == 1, "compensated sum %g", imf_kernel_sum(k));
    imf_kernel_free(&k);
}

/* Largest |taps - column row|, relative to the largest tap. */
static double factor_error(const struct imf_kernel *k, const double *column, const double *row) {
    double error = 0, largest = 0;
    for (int y = 0; y < k->height; y++)
        for (int x = 0; x < k->width; x++) {
            double tap = k->taps[y * k->width + x];
            error = fmax(error, fabs(tap - column[y] * row[x]));
            largest = fmax(largest, fabs(tap));
        }
    return largest > 0 ? error / largest : error;
}

static void test_separate_random(void) {
    for (int round = 0; round < 2000; round++) {
        int width = integer(1, 9), height = integer(1, 9);
        bool whole = round % 2 == 0;
        double column[9], row[9], c2[9], r2[9];
        struct imf_kernel *k = make(width, height, NULL);
        double *a = malloc(4 * 9 * sizeof *a);
        for (int i = 0; i < 36; i++)
            a[i] = whole ? integer(-100, 100) : real();
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                k->taps[y * width + x] = a[y] * a[9 + x];
        CHECK(imf_kernel_separate(k, column, row), "rank 1, %dx%d", width, height);
        double error = factor_error(k, column, row);
        CHECK(whole ? error == 0 : error < 1e-14, "factors off by %g", error);
        for (int i = 0; whole && i < width; i++)
            CHECK(row[i] == rint(row[i]), "integer row %g", row[i]);
        for (int i = 0; whole && i < height; i++)
            CHECK(column[i] == rint(column[i]), "integer column %g", column[i]);
        /* A second term of rank 1, made so that the rank is 2 whatever the numbers. */
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                k->taps[y * width + x] = (y + 1) * (x + 1) + (whole ? 1 : 1e-9) * y * x * (y + x);
        if (width > 2 && height > 2)
            CHECK(!imf_kernel_separate(k, c2, r2), "rank 2, %dx%d", width, height);
        for (int y = 0; y < height && !whole; y++)
            for (int x = 0; x < width; x++)
                k->taps[y * width + x] = (y + 1) * (x + 1) / 3.0 + 1e-16 * real();
        if (!whole)
            CHECK(imf_kernel_separate(k, c2, r2), "rank 1 but for rounding");
        free(a);
        imf_kernel_free(&k);
    }
}

static void test_separate_cases(void) {
    double column[4], row[4];
    struct imf_kernel *k = make(3, 3, (double[]){-1, 0, 1, -2, 0, 2, -1, 0, 1});
    CHECK(imf_kernel_separate(k, column, row), "sobel");
    CHECK(row[0] * row[2] == -1 && column[0] * column[0] == 1 && column[1] == 2 * column[0],
          "primitive factors");
    k->taps[0] = -2;
    CHECK(!imf_kernel_separate(k, column, row), "not sobel");
    memset(k->taps, 0, 9 * sizeof(double));
    CHECK(imf_kernel_separate(k, column, row) && row[0] == 0 && column[2] == 0, "zeros");
    imf_kernel_free(&k);
    /* Large integers, where floats could not tell. */
    k = make(2, 2, (double[]){2147483646, 2147483647, 2147483645, 2147483646});
    CHECK(!imf_kernel_separate(k, column, row), "differs from rank 1 by 1 in 2^62");
    imf_kernel_free(&k);
    k = make(2, 2, (double[]){1e300, 2e300, 2e300, 4e300});
    CHECK(imf_kernel_separate(k, column, row), "no overflow");
    CHECK(factor_error(k, column, row) < 1e-14, "no overflow in the factors");
    imf_kernel_free(&k);
    k = make(1, 4, (double[]){0.5, 1.5, -2, 0});
    CHECK(imf_kernel_separate(k, column, row) && factor_error(k, column, row) < 1e-15, "1x4");
    imf_kernel_free(&k);
    k = make(4, 1, (double[]){0, 6, -9, 3});
    CHECK(imf_kernel_separate(k, column, row), "4x1");
    CHECK(fabs(row[1]) == 2 && fabs(column[0]) == 3, "4x1 by its gcd: %g %g", row[1], column[0]);
    imf_kernel_free(&k);
}

static void test_separate_large(void) {
    const int n = 4001;
    struct imf_kernel *k = make(n, n, NULL);
    double *column = malloc((size_t)n * sizeof *column), *row = malloc((size_t)n * sizeof *row);
    for (int i = 0; i < n; i++)
        row[i] = exp(-(i - 2000.0) * (i - 2000.0) / 500000) / 1253;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            k->taps[(size_t)y * (size_t)n + (size_t)x] = row[y] * row[x];
    clock_t start = clock();
    CHECK(imf_kernel_separate(k, column, row), "4001x4001");
    printf("4001x4001 separated in %.0f ms\n", (double)(clock() - start) * 1e3 / CLOCKS_PER_SEC);
    CHECK(memcmp(column, row, (size_t)n * sizeof *row) == 0, "equal factors");
    for (int i = 0; i < n; i++)
        CHECK(row[i] == row[n - 1 - i], "symmetric at %d", i);
    CHECK(factor_error(k, column, row) < 1e-14, "factors");
    free(column);
    free(row);
    imf_kernel_free(&k);
}

/* What is found once is what its definitions give. */
static void test_facts(void) {
    for (int round = 0; round < 200; round++) {
        struct imf_kernel *k = make(integer(1, 12), integer(1, 9), NULL);
        struct imf_kernel_facts f;
        double squares = 0, rounding = 0, column[9], row[12];
        bool positive = true, even = k->width > 1, odd = k->width > 1;
        for (int i = 0; i < k->width * k->height; i++) {
            int mirror = i + k->width - 1 - 2 * (i % k->width);
            k->taps[i] = round % 2 ? integer(round % 3 - 1, 3) : real();
            if (round % 5 == 0 && i > mirror)
                k->taps[i] = round % 10 ? k->taps[mirror] : -k->taps[mirror];
        }
        for (int i = 0; i < k->width * k->height; i++) {
            double tap = k->taps[i], other = k->taps[i + k->width - 1 - 2 * (i % k->width)];
            squares += tap * tap;
            rounding += fabs(tap - (double)(float)tap);
            positive = positive && tap >= 0;
            even = even && tap == other;
            odd = odd && tap == -other;
        }
        imf_kernel_facts_find(&f, k);
        CHECK(f.sum == imf_kernel_sum(k) && f.abs_sum == imf_kernel_abs_sum(k), "sums");
        CHECK(f.squares == squares && f.rounding == rounding, "%g, %g", f.squares, f.rounding);
        CHECK(f.positive == positive && f.mirror == (even ? 1 : odd ? -1 : 0), "round %d", round);
        CHECK(f.integer == imf_kernel_is_integer(k) && f.nonzero == imf_kernel_nonzero(k), "taps");
        CHECK(f.product == imf_kernel_separate(k, column, row), "product");
        imf_kernel_free(&k);
    }
}

/* A normal deviate, nearly. */
static double normal(void) {
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += real();
    return sum / 2;
}

/* The picture of a point of sigma a ninth of its width. */
static struct imf_kernel *point(int size, double peak, double level, double noise, bool integers) {
    struct imf_kernel *k = make(size, size, NULL);
    for (int i = 0; i < size * size; i++) {
        double x = i % size - size / 2, y = i / size - size / 2, s = size / 9.0;
        double v = level + peak * exp(-(x * x + y * y) / (2 * s * s)) + noise * normal();
        k->taps[i] = integers ? rint(fmax(v, 0)) : v;
    }
    return k;
}

/* Level and noise of what a camera gives are found; the point stays, and its surroundings become 0. */
static void test_background(void) {
    static const struct {
        double peak, level, noise;
        bool integers;
    } cases[] = {{200, 20, 0, true},     {200, 20, 1, true},         {240, 3.2, 0.3, true},
                 {200, 20, 4, true},     {20000, 1000, 30, true},    {1, 0.05, 0, false},
                 {1, 0.05, 0.01, false}, {1e6, -20000, 5000, false}, {1, 0, 0.01, false},
                 {250, 0.1, 0.3, true},  {1e-3, 0.01, 1e-5, false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int size = 9; size <= 65; size += 14) {
            double peak = cases[c].peak, level = cases[c].level, noise = cases[c].noise;
            struct imf_kernel *k = point(size, peak, level, noise, cases[c].integers), *before;
            double sum = 0, high = 0;
            CHECK(!imf_kernel_copy(&before, k, NULL), "copy");
            CHECK(!imf_kernel_take_background(k, NAN, NULL), "take");
            double off = cases[c].integers && noise < 0.5 ? 0.1 : 0;
            CHECK(fabs(k->background - level) <= noise + off + 1e-3 * peak, "%zu, %d: %g", c, size,
                  k->background);
            for (int i = 0; i < size * size; i++) {
                sum += k->taps[i];
                high += k->taps[i] != 0;
                CHECK(k->taps[i] == 0 ||
                          (k->taps[i] > 0 && k->taps[i] == before->taps[i] - k->background),
                      "%zu, %d: %g of %g", c, size, k->taps[i], before->taps[i]);
            }
            double s = size / 9.0, want = peak * 6.2832 * s * s;
            CHECK(fabs(sum - want) < 0.1 * want, "%zu, %d: the point is %g of %g", c, size, sum,
                  want);
            CHECK(noise == 0 || high < 0.7 * size * size, "%zu, %d: %g remain", c, size, high);
            imf_kernel_free(&k);
            imf_kernel_free(&before);
        }
}

/* What has no background, or none that could be told from the point's wings, stays to the bit. */
static void test_no_background(void) {
    for (int drawn = 0; drawn < 7; drawn++)
        for (int size = drawn == 6 ? 3 : 7; size <= (drawn == 6 ? 5 : 67); size += 2) {
            struct imf_kernel *k = make(size, size, NULL), *before;
            for (int i = 0; i < size * size; i++) {
                int x = i % size - size / 2, y = i / size - size / 2, r2 = x * x + y * y;
                double shapes[] = {
                    r2 * 16 <= size * size ? 255 : 0, /* a disk */
                    r2 * 4 <= size * size ? 255 : 0,  /* one that fills it */
                    1,                                /* a box */
                    abs(x) == abs(y)            ? 255
                    : abs(abs(x) - abs(y)) == 1 ? 30
                                                : 0,           /* an X */
                    exp(-r2 * 32.0 / (size * size)),           /* to 4 sigma, floats */
                    pow(1 + r2 * 100.0 / (size * size), -1.5), /* wings to the frame */
                    20 + 100 * (r2 == 0)};                     /* too small */
                k->taps[i] = shapes[drawn];
            }
            CHECK(!imf_kernel_copy(&before, k, NULL) && !imf_kernel_take_background(k, NAN, NULL),
                  "take");
            CHECK(!memcmp(k->taps, before->taps, sizeof *k->taps * (size_t)(size * size)) &&
                      k->background == 0,
                  "shape %d of %d lost %g", drawn, size, k->background);
            imf_kernel_free(&k);
            imf_kernel_free(&before);
        }
    /* A level that is given. */
    struct imf_kernel *k = make(3, 3, (double[]){5, 5, 4, 5, 9, 6, 5, 5, 5});
    CHECK(!imf_kernel_take_background(k, 5, NULL) && k->background == 5, "take");
    CHECK(k->taps[4] == 4 && k->taps[2] == 0 && imf_kernel_sum(k) <= 5, "%g", imf_kernel_sum(k));
    CHECK(!imf_kernel_take_background(k, 10, NULL) && imf_kernel_nonzero(k) == 0, "none");
    imf_kernel_free(&k);
    /* As large as they get. */
    k = make(1, 4095, NULL);
    k->taps[2047] = 1;
    CHECK(!imf_kernel_take_background(k, NAN, NULL) && imf_kernel_sum(k) == 1, "a line");
    imf_kernel_free(&k);
}

int main(void) {
    test_background();
    test_no_background();
    test_create();
    test_facts();
    test_sums();
    test_separate_random();
    test_separate_cases();
    test_separate_large();
    return check_done("test_kernel");
}
