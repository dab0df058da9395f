/* test_kernel_terms.c - kernels as sums of products of columns and rows */
#include "filter/builtin/table.h"
#include "filter/kernel/taps.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252u;

/* xorshift64 (Marsaglia 2003) */
static double real(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0 * 2 - 1;
}

static struct imf_kernel *make(int width, int height) {
    struct imf_kernel *k;
    if (imf_kernel_create(&k, width, height, NULL) != IMF_OK)
        abort();
    return k;
}

static void add_random(struct imf_kernel *k, int rim) {
    double *row = malloc((size_t)k->width * sizeof *row);
    for (int x = 0; x < k->width; x++)
        row[x] = real();
    for (int y = rim; y < k->height - rim; y++) {
        double factor = real();
        for (int x = rim; x < k->width - rim; x++)
            k->taps[y * k->width + x] += factor * row[x];
    }
    free(row);
}

static void add_gaussian(struct imf_kernel *k, double weight, double sigma, int radius) {
    for (int y = -radius; y <= radius; y++)
        for (int x = -radius; x <= radius; x++)
            k->taps[(y + k->cy) * k->width + x + k->cx] +=
                weight * exp(-(x * x + y * y) / (2 * sigma * sigma)) / (sigma * sigma);
}

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Sum of |kernel - terms|, with the terms only where they say that they have taps. */
static double difference(const struct imf_kernel *k, const struct imf_terms *t) {
    double sum = 0;
    for (int y = 0; y < k->height; y++)
        for (int x = 0; x < k->width; x++) {
            double tap = k->taps[y * k->width + x];
            for (int r = 0; r < t->count; r++) {
                const struct imf_term *term = &t->term[r];
                if (y >= term->top && y < term->top + term->height && x >= term->left &&
                    x < term->left + term->width)
                    tap -= term->column[y] * term->row[x];
            }
            sum += fabs(tap);
        }
    return sum;
}

static void test_random(void) {
    for (int round = 0; round < 3000; round++) {
        int width = 1 + round % 11, height = 1 + round / 11 % 13, rank = 1 + round % 3;
        struct imf_kernel *k = make(width, height);
        for (int r = 0; r < rank; r++)
            add_random(k, 0);
        struct imf_terms t;
        double allowed = 1e-12 * imf_kernel_abs_sum(k);
        bool can = imf_kernel_terms(k, allowed, &t);
        CHECK(can, "rank %d, %dx%d", rank, width, height);
        if (can) {
            CHECK(t.count == least(rank, least(width, height)), "rank %d, not %d, %dx%d", t.count,
                  rank, width, height);
            CHECK(t.residual <= allowed, "residual %g", t.residual);
            CHECK(fabs(difference(k, &t) - t.residual) <= 1e-14 * imf_kernel_abs_sum(k),
                  "residual as measured");
        }
        free(t.store);
        if (width > 3 && height > 3) {
            for (int i = 0; i < width * height; i++)
                k->taps[i] = real();
            CHECK(!imf_kernel_terms(k, 1e-9, &t) && !t.store && !t.count, "full rank, %dx%d", width,
                  height);
        }
        imf_kernel_free(&k);
    }
}

static int taps(const struct imf_terms *t) {
    int n = 0;
    for (int r = 0; r < t->count; r++)
        n += t->term[r].width + t->term[r].height;
    return n;
}

/* The sums that leave taps out are found. */
static void test_sparse(void) {
    struct imf_terms t;
    for (int sigma = 1; sigma <= 5; sigma++) {
        int radius = 4 * sigma, side = 2 * radius + 1;
        struct imf_kernel *k = make(side, side);
        add_gaussian(k, -1, sigma, radius);
        k->taps[(size_t)k->cy * (size_t)side + (size_t)k->cx] += 20;
        double allowed = 1e-12 * imf_kernel_abs_sum(k);
        CHECK(imf_kernel_terms(k, allowed, &t) && t.count == 2 && taps(&t) == 2 * side + 2,
              "unsharp mask of sigma %d: rank %d, %d taps", sigma, t.count, taps(&t));
        free(t.store);
        add_gaussian(k, 3, 0.5 * sigma, radius / 2);
        k->taps[(size_t)k->cy * (size_t)side + (size_t)k->cx] -= 20;
        CHECK(imf_kernel_terms(k, allowed, &t) && t.count == 2 &&
                  taps(&t) == 2 * (side + radius / 2 * 2 + 1),
              "difference of Gaussians, %d: rank %d, %d taps", sigma, t.count, taps(&t));
        free(t.store);
        imf_kernel_free(&k);
    }
}

static void test_cases(void) {
    struct imf_terms t;
    struct imf_kernel *k = make(7, 5);
    CHECK(!imf_kernel_terms(k, 0, &t) && !t.store, "zeros");
    k->taps[3 * 7 + 2] = -0.3;
    CHECK(imf_kernel_terms(k, 1e-15, &t) && t.count == 1 && t.term[0].top == 3 &&
              t.term[0].left == 2 && t.term[0].width == 1 && t.term[0].height == 1,
          "one tap");
    free(t.store);
    k->taps[4 * 7] = 1e-5;
    CHECK(imf_kernel_terms(k, 1e-4, &t) && t.count == 1 && fabs(t.residual - 1e-5) < 1e-15,
          "what is allowed");
    free(t.store);
    for (int i = 0; i < 35; i++)
        k->taps[i] = 1e300 * real() * (i % 7 < 3);
    CHECK(imf_kernel_terms(k, 1e290, &t) && t.count == 3, "three columns, large");
    free(t.store);
    imf_kernel_free(&k);
    const int shapes[][2] = {{1, 127}, {127, 1}, {1, 1}, {2, 127}};
    for (int i = 0; i < 4; i++) {
        k = make(shapes[i][0], shapes[i][1]);
        add_random(k, 0);
        add_random(k, 0);
        CHECK(imf_kernel_terms(k, 1e-10, &t) && t.count == least(2, least(k->width, k->height)),
              "%dx%d", k->width, k->height);
        free(t.store);
        imf_kernel_free(&k);
    }
    k = make(IMF_TERMS_SIDE + 1, 3);
    CHECK(!imf_kernel_terms(k, 1, &t) && !t.store, "too large");
    imf_kernel_free(&k);
}

/* A small tap in the corner makes two terms of few taps, both millions of times the kernel. */
static void test_growth(void) {
    static const double taps[] = {1e-6, 1e-6, 1, 1e-6, 1e-6, 1, 1, 1, 0.5};
    struct imf_kernel *k = make(3, 3);
    struct imf_terms t;
    memcpy(k->taps, taps, sizeof taps);
    CHECK(imf_kernel_terms(k, 1e-6, &t) && t.count == 2, "a sum of two products");
    double size = 0;
    for (int r = 0; r < t.count; r++) {
        double row = 0, column = 0;
        for (int i = 0; i < 3; i++) {
            row += fabs(t.term[r].row[i]);
            column += fabs(t.term[r].column[i]);
        }
        size += row * column;
    }
    CHECK(size <= 16 * imf_kernel_abs_sum(k), "terms of %g cancel to %g", size,
          imf_kernel_abs_sum(k));
    free(t.store);
    imf_kernel_free(&k);
}

/* ---- a product within another ------------------------------------------------------------------ */

static struct imf_kernel *gaussian_of(double sigma) {
    struct imf_kernel *k = NULL;
    if (imf_design_gaussian(&k, &sigma, NULL))
        abort();
    return k;
}

/* Of `part` times `weight`, around its middle. */
static double tap_of(const struct imf_kernel *part, double weight, int y, int x) {
    bool within = abs(y) <= part->cy && abs(x) <= part->cx;
    return within ? weight * part->taps[(part->cy + y) * part->width + part->cx + x] : 0;
}

static double off_by(const struct imf_kernel *k, const struct imf_kernel *part, double weight) {
    double worst = 0;
    for (int y = 0; y < k->height; y++)
        for (int x = 0; x < k->width; x++)
            worst = fmax(worst, fabs(k->taps[y * k->width + x] -
                                     tap_of(part, weight, y - k->cy, x - k->cx)));
    return worst;
}

/* k is w1 times `large` and w2 times `small`. */
static void check_split(const struct imf_kernel *k, const struct imf_kernel *large, double w1,
                        const struct imf_kernel *small, double w2, const char *what) {
    struct imf_kernel *outer, *inner;
    CHECK(imf_kernel_split(k, &outer, &inner), "%s", what);
    if (!outer)
        return;
    CHECK(inner->width == small->width && inner->height == small->height, "%s: inner is %dx%d",
          what, inner->width, inner->height);
    CHECK(outer->scale == k->scale && inner->scale == k->scale && outer->width == k->width,
          "%s: scale or size", what);
    CHECK(off_by(outer, large, w1) < 1e-13 && off_by(inner, small, w2) < 1e-13,
          "%s: taps off by %g and %g", what, off_by(outer, large, w1), off_by(inner, small, w2));
    imf_kernel_free(&outer);
    imf_kernel_free(&inner);
}

/* A Laplacian of a Gaussian is of rank 2, too. */
static void check_log(double sigma) {
    struct imf_kernel *k = NULL, *outer, *inner;
    double worst = 0;
    if (imf_design_log(&k, &sigma, NULL))
        abort();
    CHECK(imf_kernel_split(k, &outer, &inner), "log:%g", sigma);
    for (int i = 0; outer && i < k->width * k->height; i++) {
        int y = i / k->width - k->cy, x = i % k->width - k->cx;
        worst = fmax(worst, fabs(outer->taps[i] + tap_of(inner, 1, y, x) - k->taps[i]));
    }
    CHECK(worst < 1e-15, "log:%g: taps off by %g", sigma, worst);
    imf_kernel_free(&outer);
    imf_kernel_free(&inner);
    imf_kernel_free(&k);
}

static void check_whole(const struct imf_kernel *k, const char *what) {
    struct imf_kernel *outer, *inner;
    CHECK(!imf_kernel_split(k, &outer, &inner) && !outer && !inner, "%s", what);
}

static void test_split(void) {
    static const double sigmas[] = {0.5, 1, 1.5, 3, 20, 50};
    struct imf_kernel *one = make(1, 1);
    one->taps[0] = 1;
    for (size_t i = 0; i < sizeof sigmas / sizeof *sigmas; i++) {
        struct imf_kernel *sharp = NULL, *dog = NULL;
        struct imf_kernel *large = gaussian_of(sigmas[i]), *small = gaussian_of(sigmas[i] / 2);
        double values[] = {sigmas[i], 0.25 + (double)i, 0}, pair[] = {sigmas[i] / 2, sigmas[i]};
        if (imf_design_unsharp(&sharp, values, NULL) || imf_design_dog(&dog, pair, NULL))
            abort();
        check_split(sharp, large, -values[1], one, 1 + values[1], "unsharp");
        check_split(dog, large, -1, small, 1, "dog");
        check_whole(large, "a Gaussian is one product");
        sharp->taps[sharp->cy * sharp->width] *= 1.1;
        check_whole(sharp, "unsharp with a wrong tap");
        imf_kernel_free(&sharp);
        imf_kernel_free(&dog);
        imf_kernel_free(&large);
        imf_kernel_free(&small);
    }
    struct imf_kernel *k = make(7, 5), *hill = make(7, 5);
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 7; x++)
            k->taps[y * 7 + x] = hill->taps[y * 7 + x] = (4 - abs(x - 3)) * (3 - abs(y - 2));
    k->taps[2 * 7 + 3] += 5;
    k->scale = 3;
    check_split(k, hill, 1, one, 5, "integers");
    k->cx--;
    check_whole(k, "not centred");
    k->cx++;
    for (int y = 0; y < 5; y++)
        k->taps[y * 7] = 0;
    check_whole(k, "not symmetric");
    imf_kernel_free(&k);
    imf_kernel_free(&hill);
    imf_kernel_free(&one);
    check_log(2);
    check_log(14);
    k = make(3, 3);
    memcpy(k->taps, (double[]){0, -1, 0, -1, 5, -1, 0, -1, 0}, 9 * sizeof(double));
    check_whole(k, "no product");
    imf_kernel_free(&k);
    k = make(1, 9);
    k->taps[0] = k->taps[8] = 1;
    check_whole(k, "a column");
    imf_kernel_free(&k);
}

int main(void) {
    test_split();
    test_growth();
    test_random();
    test_sparse();
    test_cases();
    return check_done("test_kernel_terms");
}
