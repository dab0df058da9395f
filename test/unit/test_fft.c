/*
 * test_fft.c - lengths, factors and twiddles; then the transforms' properties on a device
 *
 * Linearity, shifts, the way there and back, and how far the solvers' bound lies above the error.
 * test_fft_transform.c holds the transforms themselves against their definition.
 */
#include "check.h"
#include "device/open/context.h"
#include "fft_util.h"
#include "fourier/plan.h"
#include "solver/fft/error.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 4096

/* ---- plans -------------------------------------------------------------------------------- */

static void test_plans(void) {
    static int order[LONGEST];
    static bool seen[LONGEST];
    for (int n = 1; n <= LONGEST; n++) {
        struct imf_fft_plan plan;
        bool made = imf_fft_plan_make(&plan, n);
        CHECK(made == smooth(n), "length %d", n);
        if (!made)
            continue;
        int product = 1;
        for (int s = 0; s < plan.stages; s++)
            product *= plan.radix[s];
        CHECK(product == n, "length %d", n);
        imf_fft_order(&plan, order);
        memset(seen, 0, sizeof seen);
        bool once = true;
        for (int i = 0; i < n; i++) {
            once = once && order[i] >= 0 && order[i] < n && !seen[order[i] % n];
            seen[order[i] % n] = true;
        }
        CHECK(once, "the order for %d is no permutation", n);
    }
    for (int n = 1; n <= LONGEST; n++) {
        struct imf_fft_plan any;
        int product = 1;
        CHECK(imf_fft_plan_any(&any, n) && (any.primes == 0) == smooth(n), "length %d", n);
        for (int s = 0; s < any.stages; s++) {
            product *= any.radix[s];
            CHECK(s >= any.primes || imf_fft_largest_prime(any.radix[s]) == any.radix[s],
                  "length %d: stage %d", n, s);
        }
        CHECK(product == n, "length %d", n);
    }
    struct imf_fft_plan plan;
    CHECK(!imf_fft_plan_any(&plan, 0) && !imf_fft_plan_any(&plan, IMF_FFT_MAX + 1), "too long");
    CHECK(!imf_fft_plan_make(&plan, 0) && !imf_fft_plan_make(&plan, -8), "no such lengths");
    CHECK(imf_fft_length(1, 1) == 1 && imf_fft_length(11, 1) == 12, "lengths");
    CHECK(imf_fft_length(121, 8) == 128 && imf_fft_length(0, 8) == 8, "multiples of 8");
    CHECK(imf_fft_length(IMF_FFT_SMOOTH_MAX + 1, 1) == 0, "over the limit");
}

/* Lines in a GPU's local memory: few stages, the highest powers of two first. */
static void test_local_plans(void) {
    static const struct {
        int length, stages, radix[3];
    } known[] = {{1, 0, {0}}, {50, 2, {10, 5}}, {63, 2, {7, 9}}, {2048, 3, {16, 16, 8}}};
    struct imf_fft_plan plan;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool same = imf_fft_plan_local(&plan, known[i].length) && plan.stages == known[i].stages;
        for (int s = 0; same && s < plan.stages; s++)
            same = plan.radix[s] == known[i].radix[s];
        CHECK(same, "%d has %d stages", known[i].length, plan.stages);
    }
    for (int n = 1; n <= LONGEST; n++) {
        bool able = imf_fft_plan_local(&plan, n);
        CHECK(able == (imf_fft_largest_prime(n) <= 7), "%d", n);
        int product = 1, factors = 0;
        for (int s = 0; able && s < plan.stages; s++) {
            product *= plan.radix[s];
            factors += product < n ? n / product * (plan.radix[s] - 1) : plan.radix[s] - 1;
            CHECK(s == 0 ||
                      (plan.radix[s - 1] & -plan.radix[s - 1]) >= (plan.radix[s] & -plan.radix[s]),
                  "%d: stage %d has radix %d", n, s, plan.radix[s]);
        }
        CHECK(!able || (product == n && plan.twiddles == factors), "%d: %d", n, product);
    }
    CHECK(!imf_fft_plan_local(&plan, 0) && !imf_fft_plan_local(&plan, 22), "no lengths for it");
}

/* Both orders of the factors hold the same ones. */
static void test_across(void) {
    struct imf_fft_plan plan;
    float a[2 * 210], b[2 * 210];
    imf_fft_plan_local(&plan, 90); /* 10 and 9 */
    imf_fft_twiddles(&plan, a);
    imf_fft_twiddles_across(&plan, b);
    for (int j = 0; j < 9; j++)
        for (int k = 0; k < 9; k++)
            CHECK(a[2 * (9 * j + k)] == b[2 * (9 * k + j)] &&
                      a[2 * (9 * j + k) + 1] == b[2 * (9 * k + j) + 1],
                  "factor %d of element %d", k, j);
    CHECK(memcmp(a + 162, b + 162, 2 * 8 * sizeof *a) == 0, "the last stage's");
}

static void test_twiddles(void) {
    static const int lengths[] = {3, 7, 8, 60, 343, 1000, 2187, 4096};
    static float tw[2 * LONGEST];
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct imf_fft_plan plan;
        imf_fft_plan_make(&plan, lengths[i]);
        imf_fft_twiddles(&plan, tw);
        int span = plan.length, at = 0, wrong = 0;
        for (int s = 0; s < plan.stages; s++) {
            int m = span / plan.radix[s];
            for (int j = 0; j < m; j++) {
                for (int k = 1; k < plan.radix[s]; k++, at += 2) {
                    long double turn = 2 * acosl(-1) * (long double)((long)j * k % span) / span;
                    wrong += fabsl(tw[at] - cosl(turn)) > 0x1.02p-25L;
                    wrong += fabsl(tw[at + 1] + sinl(turn)) > 0x1.02p-25L;
                }
            }
            span = m;
        }
        CHECK(at == 2 * plan.twiddles, "length %d", lengths[i]);
        CHECK(wrong == 0, "length %d: %d twiddles are not rounded right", lengths[i], wrong);
    }
}

/* ---- properties --------------------------------------------------------------------------- */

/* In place: `count` lines of n values, each a real and an imaginary part. */
static bool transform(struct imf_context *ctx, float *values, int n, int count,
                      enum imf_fft_direction direction) {
    struct imf_fft_shape shape = {.nx = n, .batch = count};
    struct imf_error err = {.text = ""};
    struct imf_fft *fft;
    bool ok = imf_fft_create(&fft, ctx, &shape, &err) == IMF_OK &&
              imf_fft_run(fft, values, values, direction, &err) == IMF_OK;
    CHECK(ok, "length %d: %s", n, err.text);
    imf_fft_free(&fft);
    return ok;
}

static double relative_error(const float *got, const double *want, int n) {
    double error = 0, norm = 0;
    for (int i = 0; i < 2 * n; i++) {
        error += (got[i] - want[i]) * (got[i] - want[i]);
        norm += want[i] * want[i];
    }
    return sqrt(error / norm);
}

enum { NOISE, NOISE2, IMPULSE, SUM, SHIFTED, LINES };

/* SUM is a - b / 2 of the two noises, SHIFTED the first one shifted by `at`, where IMPULSE is. */
static void fill_lines(float *v, int n, int at) {
    memset(v, 0, sizeof *v * 2 * LINES * (size_t)n);
    for (int i = 0; i < 2 * n; i++) {
        v[2 * NOISE * n + i] = noise();
        v[2 * NOISE2 * n + i] = noise();
        v[2 * SUM * n + i] = v[2 * NOISE * n + i] - 0.5f * v[2 * NOISE2 * n + i];
    }
    for (int i = 0; i < n; i++)
        memcpy(v + 2 * (SHIFTED * n + (i + at) % n), v + 2 * (NOISE * n + i), 2 * sizeof *v);
    v[2 * (IMPULSE * n + at)] = 1;
}

static void test_properties(struct imf_context *ctx, int n, enum imf_fft_direction direction) {
    static float v[2 * LINES * LONGEST], before[2 * LINES * LONGEST];
    static double want[2 * LONGEST];
    const float *a = v + 2 * NOISE * n, *b = v + 2 * NOISE2 * n, *impulse = v + 2 * IMPULSE * n;
    double unit = FLT_EPSILON / 2 * sqrt(n > 1 ? log2(n) : 1);
    fill_lines(v, n, n / 3);
    memcpy(before, v, sizeof *v * 2 * LINES * (size_t)n);
    if (!transform(ctx, v, n, LINES, direction))
        return;
    for (int i = 0; i < 2 * n; i++)
        want[i] = a[i] - 0.5 * b[i];
    double error = relative_error(v + 2 * SUM * n, want, n) / unit;
    CHECK(error <= 2.5, "length %d: linearity %.3f", n, error);
    /* A shift multiplies by the transform of the shifted impulse. */
    for (int i = 0; i < n; i++) {
        want[2 * i] = (double)a[2 * i] * impulse[2 * i] - (double)a[2 * i + 1] * impulse[2 * i + 1];
        want[2 * i + 1] =
            (double)a[2 * i] * impulse[2 * i + 1] + (double)a[2 * i + 1] * impulse[2 * i];
    }
    error = relative_error(v + 2 * SHIFTED * n, want, n) / unit;
    CHECK(error <= 2.5, "length %d: shift %.3f", n, error);
    if (!transform(ctx, v, n, LINES,
                   direction == IMF_FFT_FORWARD ? IMF_FFT_INVERSE : IMF_FFT_FORWARD))
        return;
    for (int i = 0; i < 2 * n; i++)
        want[i] = (double)n * before[2 * NOISE * n + i];
    error = relative_error(a, want, n) / unit;
    CHECK(error <= 1.8, "length %d: round trip %.3f", n, error);
}

/* ---- bounds of convolutions ---------------------------------------------------------------- */

/* The bound of a kernel of one tap is ten standard deviations or more of the error of black and white
 * noise there and back. */
static void test_bound(struct imf_context *ctx) {
    enum { N = 4096, COUNT = 8 };
    static float v[2 * COUNT * N], before[2 * COUNT * N];
    struct imf_fft_bound bound = {.size = 1, .abs_sum = 1, .norm = 1, .largest = 1};
    for (int i = 0; i < 2 * COUNT * N; i++)
        before[i] = v[i] = noise() < 0 ? -1 : 1;
    if (!transform(ctx, v, N, COUNT, IMF_FFT_FORWARD) ||
        !transform(ctx, v, N, COUNT, IMF_FFT_INVERSE))
        return;
    double sum = 0;
    for (int i = 0; i < 2 * COUNT * N; i++)
        sum += pow((double)v[i] / N - before[i], 2);
    double deviations = imf_fft_error(&bound, N) / sqrt(sum / (2 * COUNT * N));
    CHECK(deviations >= 10 && deviations <= 25, "%.2f standard deviations", deviations);
    printf("fft: the bound is %.2f standard deviations of the error\n", deviations);
}

int main(void) {
    static const int lengths[] = {1, 2, 3, 8, 61, 96, 343, 427, 1000, 2187, 4096};
    test_plans();
    test_local_plans();
    test_across();
    test_twiddles();
    struct imf_context *ctx;
    struct imf_runtime *rt;
    struct imf_error err;
    if (imf_context_create(&ctx, NULL, &err) || imf_context_runtime(ctx, &rt, &err)) {
        printf("fft: transforms skipped: %s\n", err.text);
        imf_context_free(&ctx);
        return check_done("fft");
    }
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        test_properties(ctx, lengths[i], i % 2 ? IMF_FFT_INVERSE : IMF_FFT_FORWARD);
    test_bound(ctx);
    imf_context_free(&ctx);
    return check_done("fft");
}
