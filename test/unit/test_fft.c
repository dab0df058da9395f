/*
 * test_fft.c - lengths, factors and twiddles; then the transforms' properties on a device
 *
 * The device runs every length up to 4096 that is a product of 2, 3, 5 and 7: forward and inverse,
 * of noise and of an impulse, against a transform in long double. The relative L2 error must stay
 * within 0.9 eps sqrt(log2 N), eps = 2^-24. Then every prime below 200 and some more lengths,
 * against the definition; all is float32 here, so that convolutions count twice
 * (imf_fft_plan_doublings).
 */
#include "check.h"
#include "fourier/run.h"
#include "solver/fft_error.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONGEST 4096

static unsigned long long state = 88172645463325252ull;

static float noise(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (float)((double)(state >> 40) / (1 << 23) - 1.0);
}

/* ---- plans -------------------------------------------------------------------------------- */

static bool smooth(int n) {
    static const int primes[] = {2, 3, 5, 7};
    for (int i = 0; i < 4; i++)
        while (n % primes[i] == 0)
            n /= primes[i];
    return n == 1;
}

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

/* ---- transforms --------------------------------------------------------------------------- */

/* Recursive decimation in time by the smallest prime factor, in long double. sign: -1 forward. */
static void reference(const long double *in, int stride, long double *out, int n, int sign,
                      const long double *root, int full) {
    if (n == 1) {
        out[0] = in[0];
        out[1] = in[1];
        return;
    }
    int p = 2;
    while (n % p != 0)
        p++;
    int m = n / p;
    for (int a = 0; a < p; a++)
        reference(in + 2 * (ptrdiff_t)a * stride, stride * p, out + 2 * (ptrdiff_t)a * m, m, sign,
                  root, full);
    for (int k = 0; k < m; k++) {
        long double part[2 * 7], sum[2 * 7];
        for (int a = 0; a < p; a++) {
            part[2 * a] = out[2 * (a * m + k)];
            part[2 * a + 1] = out[2 * (a * m + k) + 1];
        }
        for (int b = 0; b < p; b++) {
            sum[2 * b] = sum[2 * b + 1] = 0;
            for (int a = 0; a < p; a++) {
                long turn = (long)a * (k + b * m) % n * (full / n);
                long double c = root[2 * turn], s = sign * root[2 * turn + 1];
                sum[2 * b] += part[2 * a] * c - part[2 * a + 1] * s;
                sum[2 * b + 1] += part[2 * a] * s + part[2 * a + 1] * c;
            }
        }
        for (int b = 0; b < p; b++) {
            out[2 * (b * m + k)] = sum[2 * b];
            out[2 * (b * m + k) + 1] = sum[2 * b + 1];
        }
    }
}

static void reference_line(const float *re, const float *im, long double *out, int n, int sign) {
    static long double in[2 * LONGEST], root[2 * LONGEST];
    for (int i = 0; i < n; i++) {
        long double turn = 2 * acosl(-1) * i / n;
        in[2 * i] = re[i];
        in[2 * i + 1] = im[i];
        root[2 * i] = cosl(turn);
        root[2 * i + 1] = sinl(turn);
    }
    reference(in, 1, out, n, sign, root, n);
}

static double relative_error(const float *re, const float *im, const long double *exact, int n) {
    long double error = 0, norm = 0;
    for (int i = 0; i < n; i++) {
        long double a = re[i] - exact[2 * i], b = im[i] - exact[2 * i + 1];
        error += a * a + b * b;
        norm += exact[2 * i] * exact[2 * i] + exact[2 * i + 1] * exact[2 * i + 1];
    }
    return (double)sqrtl(error / norm);
}

enum { NOISE, NOISE2, IMPULSE, SUM, SHIFTED, LINES };

static void fill_lines(float *re, float *im, int n, int at) {
    memset(re, 0, sizeof *re * LINES * (size_t)n);
    memset(im, 0, sizeof *im * LINES * (size_t)n);
    for (int i = 0; i < n; i++) {
        for (int l = NOISE; l <= NOISE2; l++) {
            re[l * n + i] = noise();
            im[l * n + i] = noise();
        }
        re[SUM * n + i] = re[NOISE * n + i] - 0.5f * re[NOISE2 * n + i];
        im[SUM * n + i] = im[NOISE * n + i] - 0.5f * im[NOISE2 * n + i];
    }
    for (int i = 0; i < n; i++) {
        re[SHIFTED * n + (i + at) % n] = re[NOISE * n + i];
        im[SHIFTED * n + (i + at) % n] = im[NOISE * n + i];
    }
    re[IMPULSE * n + at] = 1;
}

/* Largest error of a length, in units of eps sqrt(log2 N). */
static double test_length(struct imf_queue *queue, int n, bool backwards) {
    static float re[LINES * LONGEST], im[LINES * LONGEST], re0[LINES * LONGEST],
        im0[LINES * LONGEST];
    static long double exact[2 * LONGEST];
    struct imf_error err;
    int at = n / 3;
    size_t bytes = sizeof *re * LINES * (size_t)n;
    fill_lines(re, im, n, at);
    memcpy(re0, re, bytes);
    memcpy(im0, im, bytes);
    double unit = FLT_EPSILON / 2 * sqrt(n > 1 ? log2(n) : 1), worst = 0;
    if (imf_fft_lines(queue, re, im, n, LINES, backwards, &err) != IMF_OK) {
        CHECK(false, "length %d: %s", n, err.text);
        return 0;
    }
    for (int l = 0; l < LINES; l++) {
        reference_line(re0 + l * n, im0 + l * n, exact, n, backwards ? 1 : -1);
        double error = relative_error(re + l * n, im + l * n, exact, n) / unit;
        CHECK(error <= 0.9, "length %d line %d backwards %d: error %.3f", n, l, backwards, error);
        worst = fmax(worst, error);
    }
    /* Linearity: the transform of a - b / 2. */
    for (int i = 0; i < n; i++) {
        exact[2 * i] = re[NOISE * n + i] - 0.5L * re[NOISE2 * n + i];
        exact[2 * i + 1] = im[NOISE * n + i] - 0.5L * im[NOISE2 * n + i];
    }
    double error = relative_error(re + SUM * n, im + SUM * n, exact, n) / unit;
    CHECK(error <= 2.5, "length %d: linearity %.3f", n, error);
    /* A shift multiplies by the transform of the shifted impulse. */
    for (int i = 0; i < n; i++) {
        long double a = re[NOISE * n + i], b = im[NOISE * n + i];
        long double c = re[IMPULSE * n + i], s = im[IMPULSE * n + i];
        exact[2 * i] = a * c - b * s;
        exact[2 * i + 1] = a * s + b * c;
    }
    error = relative_error(re + SHIFTED * n, im + SHIFTED * n, exact, n) / unit;
    CHECK(error <= 2.5, "length %d: shift %.3f", n, error);
    /* Round trip. */
    if (!backwards && imf_fft_lines(queue, re, im, n, LINES, true, &err) == IMF_OK) {
        for (int i = 0; i < n; i++) {
            exact[2 * i] = (long double)n * re0[i];
            exact[2 * i + 1] = (long double)n * im0[i];
        }
        error = relative_error(re, im, exact, n) / unit;
        CHECK(error <= 1.8, "length %d: round trip %.3f", n, error);
    }
    return worst;
}

/* The definition: out(k) = sum of in(j) exp(sign 2 pi i j k / n). */
static void definition(const float *re, const float *im, long double *out, int n, int sign) {
    static long double root[2 * LONGEST];
    for (int i = 0; i < n; i++) {
        root[2 * i] = cosl(2 * acosl(-1) * i / n);
        root[2 * i + 1] = sign * sinl(2 * acosl(-1) * i / n);
    }
    for (int k = 0; k < n; k++) {
        long double a = 0, b = 0;
        for (int j = 0, at = 0; j < n; j++, at = at + k < n ? at + k : at + k - n) {
            a += re[j] * root[2 * at] - im[j] * root[2 * at + 1];
            b += re[j] * root[2 * at + 1] + im[j] * root[2 * at];
        }
        out[2 * k] = a;
        out[2 * k + 1] = b;
    }
}

/* Noise and an impulse of any length, as many lines as fill the lanes and one more. */
static double test_any(struct imf_queue *queue, int n, bool backwards) {
    enum { COUNT = 9 };
    static float re[COUNT * LONGEST], im[COUNT * LONGEST], re0[COUNT * LONGEST],
        im0[COUNT * LONGEST];
    static long double exact[2 * LONGEST];
    struct imf_fft_plan plan;
    struct imf_error err;
    double worst = 0;
    for (int i = 0; i < COUNT * n; i++) {
        re[i] = i / n == 1 ? (float)(i % n == n / 3) : noise();
        im[i] = i / n == 1 ? 0 : noise();
    }
    memcpy(re0, re, sizeof re);
    memcpy(im0, im, sizeof im);
    if (!imf_fft_plan_any(&plan, n) ||
        imf_fft_lines(queue, re, im, n, COUNT, backwards, &err) != IMF_OK) {
        CHECK(false, "length %d: %s", n, err.text);
        return 0;
    }
    double unit = FLT_EPSILON / 2 * sqrt(imf_fft_plan_doublings(&plan));
    for (int l = 0; l < COUNT; l += l == 1 ? COUNT - 2 : 1) {
        definition(re0 + l * n, im0 + l * n, exact, n, backwards ? 1 : -1);
        double error = relative_error(re + l * n, im + l * n, exact, n) / unit;
        CHECK(error <= 0.9, "length %d line %d backwards %d: error %.3f", n, l, backwards, error);
        worst = fmax(worst, error);
    }
    return worst;
}

static void test_any_length(struct imf_queue *queue) {
    double worst = 0;
    unsigned long long seed = (unsigned long long)time(NULL);
    for (int n = 2; n < 200; n++)
        if (imf_fft_largest_prime(n) == n)
            worst = fmax(worst, test_any(queue, n, n % 4 == 1));
    /* Stages of both kinds, twice the same prime, powers behind primes, convolutions with and
     * without padding. */
    static const int lengths[] = {22, 121, 169, 427, 667, 1331, 2021, 4087, 67 * 61, 101 * 32};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        worst = fmax(worst,
                     fmax(test_any(queue, lengths[i], false), test_any(queue, lengths[i], true)));
    state ^= seed * 0x9e3779b97f4a7c15ull;
    printf("fft: lengths drawn with seed %llu\n", seed);
    for (int i = 0; i < 12; i++) {
        noise();
        worst = fmax(worst, test_any(queue, 1 + (int)((state >> 20) % LONGEST), i % 2));
    }
    printf("fft: any length: largest error %.3f eps sqrt(doublings)\n", worst);
}

/* ---- bounds of convolutions ---------------------------------------------------------------- */

/* What the bound adds for a kernel's norm is six to twelve standard deviations of the error of
 * black and white noise there and back; without a peak, that is all there is of it. */
static void test_bound(struct imf_queue *queue) {
    enum { N = 4096, COUNT = 8 };
    static float re[COUNT * N], im[COUNT * N], re0[COUNT * N], im0[COUNT * N];
    struct imf_fft_bound bound = {.size = 1, .norm = 1};
    struct imf_error err;
    for (int i = 0; i < COUNT * N; i++) {
        re0[i] = re[i] = noise() < 0 ? -1 : 1;
        im0[i] = im[i] = noise() < 0 ? -1 : 1;
    }
    if (imf_fft_lines(queue, re, im, N, COUNT, false, &err) != IMF_OK ||
        imf_fft_lines(queue, re, im, N, COUNT, true, &err) != IMF_OK) {
        CHECK(false, "%s", err.text);
        return;
    }
    double sum = 0;
    for (int i = 0; i < COUNT * N; i++)
        sum += pow((double)re[i] / N - re0[i], 2) + pow((double)im[i] / N - im0[i], 2);
    double deviations = imf_fft_error(&bound, N) / sqrt(sum / (2 * COUNT * N));
    CHECK(deviations >= 6 && deviations <= 12, "%.2f standard deviations", deviations);
    printf("fft: the bound is %.2f standard deviations of the error\n", deviations);
    /* A flat picture's mean, which comes through at the peak, adds twice that, whatever the length.
     */
    struct imf_fft_bound peak = {.size = 1, .peak = 1};
    CHECK(fabs(imf_fft_error(&peak, N) * sqrt(log2(N)) - 2 * imf_fft_error(&bound, N)) < 1e-12,
          "the peak's share");
}

int main(void) {
    test_plans();
    test_twiddles();
    struct imf_context_options options = {.device = IMF_DEVICE_AUTO};
    struct imf_runtime *rt;
    struct imf_queue *queue;
    struct imf_error err;
    if (imf_runtime_open(&rt, &options, NULL, &err) || imf_queue_open(&queue, rt, &err)) {
        printf("fft: transforms skipped: %s\n", err.text);
        return check_done("fft");
    }
    double worst = 0;
    for (int n = 1; n <= LONGEST; n++) {
        if (smooth(n)) {
            worst = fmax(worst, test_length(queue, n, false));
            worst = fmax(worst, test_length(queue, n, true));
        }
    }
    printf("fft: largest error %.3f eps sqrt(log2 N)\n", worst);
    test_any_length(queue);
    test_bound(queue);
    imf_queue_close(&queue);
    imf_runtime_close(&rt);
    return check_done("fft");
}
