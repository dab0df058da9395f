/*
 * plan.c - lengths, factors, twiddles and output order of the transforms
 *
 * Radix 4 and 8 do the work of two and three radix-2 stages with fewer passes over memory. The odd
 * radices come first: the last stage needs no twiddle factors, and radix 4 and 8 gain most there.
 */
#include "fourier/plan.h"

#include "device/tuning.h"

#include <math.h>
#include <stdlib.h>

static int strip(int n, int prime) {
    while (n % prime == 0)
        n /= prime;
    return n;
}

static int smooth_rest(int n) {
    return strip(strip(strip(strip(n, 2), 3), 5), 7);
}

int imf_fft_largest_prime(int n) {
    int largest = 1;
    for (int f = 2; (int64_t)f * f <= n; f++)
        for (; n % f == 0; n /= f)
            largest = f;
    return n > largest ? n : largest;
}

int imf_fft_length(int n, int multiple) {
    if (n > IMF_FFT_SMOOTH_MAX)
        return 0;
    int length = (n + multiple - 1) / multiple * multiple;
    if (length < multiple)
        length = multiple;
    while (length <= IMF_FFT_SMOOTH_MAX && smooth_rest(length) != 1)
        length += multiple;
    return length <= IMF_FFT_SMOOTH_MAX ? length : 0;
}

static void count_twiddles(struct imf_fft_plan *plan) {
    int span = plan->length;
    for (int s = 0; s < plan->stages; s++) {
        span /= plan->radix[s];
        plan->twiddles += span * (plan->radix[s] - 1);
    }
}

/* Stages for the primes above 7, the largest first; returns what is left of the length. */
static int take_primes(struct imf_fft_plan *plan) {
    int rest = plan->length;
    for (int left = smooth_rest(rest); left > 1;) {
        int prime = imf_fft_largest_prime(left);
        left /= prime;
        rest /= prime;
        plan->radix[plan->stages++] = prime;
    }
    plan->primes = plan->stages;
    return rest;
}

/* Stages for `rest`, which a tile's length or what primes leave of a length is. */
static bool take_smooth(struct imf_fft_plan *plan, int rest) {
    static const int odd[] = {7, 5, 3};
    for (int i = 0; i < 3; i++) {
        for (; rest % odd[i] == 0; rest /= odd[i])
            plan->radix[plan->stages++] = odd[i];
    }
    int twos = 0;
    for (; rest % 2 == 0; rest /= 2)
        twos++;
    if (rest != 1)
        return false;
    /* 2^twos as fours, with one eight or two where the exponent is odd. */
    if (twos % 2 == 1) {
        plan->radix[plan->stages++] = twos >= 3 ? 8 : 2;
        twos -= twos >= 3 ? 3 : 1;
    }
    for (; twos > 0; twos -= 2)
        plan->radix[plan->stages++] = 4;
    count_twiddles(plan);
    return true;
}

bool imf_fft_plan_make(struct imf_fft_plan *plan, int length) {
    *plan = (struct imf_fft_plan){.length = length};
    return length >= 1 && length <= IMF_FFT_SMOOTH_MAX && take_smooth(plan, length);
}

/* Add to plan's stages those of `rest`, as few as possible, of radices up to `most`; best is the
 * fewest so far. */
static void fewest_stages(struct imf_fft_plan *plan, int rest, int most,
                          struct imf_fft_plan *best) {
    static const int radices[] = {16, 10, 9, 8, 7, 6, 5, 4, 3, 2};
    if (rest == 1 && (best->stages < 0 || plan->stages < best->stages))
        *best = *plan;
    if (rest == 1 || plan->stages == IMF_FFT_STAGES ||
        (best->stages >= 0 && plan->stages + 1 >= best->stages))
        return;
    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++)
        if (radices[i] <= most && rest % radices[i] == 0) {
            plan->radix[plan->stages++] = radices[i];
            fewest_stages(plan, rest / radices[i], radices[i], best);
            plan->stages--;
        }
}

/* By powers of two, the highest first. */
static int by_twos(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b, twos_x = x & -x, twos_y = y & -y;
    return twos_x != twos_y ? (twos_x < twos_y) - (twos_x > twos_y) : x - y;
}

bool imf_fft_plan_local(struct imf_fft_plan *plan, int length) {
    struct imf_fft_plan none = {.length = length};
    *plan = (struct imf_fft_plan){.length = length, .stages = -1};
    if (length < 1 || smooth_rest(length) != 1)
        return false;
    fewest_stages(&none, length, IMF_FFT_RADIX_MOST, plan);
    if (plan->stages < 0)
        return false;
    qsort(plan->radix, (size_t)plan->stages, sizeof *plan->radix, by_twos);
    count_twiddles(plan);
    return true;
}

bool imf_fft_plan_any(struct imf_fft_plan *plan, int length) {
    *plan = (struct imf_fft_plan){.length = length};
    return length >= 1 && length <= IMF_FFT_MAX && take_smooth(plan, take_primes(plan));
}

/* Primes up to this one are transformed by the definition. */
#define DEFINITION_MAX 61

static double stage_ns(int radix) {
    return IMF_FFT_LINE * imf_fft_stage_ns[radix];
}

int imf_fft_prime_length(int prime) {
    if (prime <= DEFINITION_MAX)
        return 0;
    return smooth_rest(prime - 1) == 1 ? prime - 1 : imf_fft_length(2 * prime - 3, 1);
}

static double prime_ns(int prime) {
    struct imf_fft_plan plan;
    int length = imf_fft_prime_length(prime);
    if (length == 0)
        return prime * IMF_FFT_DEFINITION_NS;
    imf_fft_plan_make(&plan, length);
    return 2 * length * imf_fft_plan_ns(&plan) / prime + 2 * IMF_FFT_MEMORY_NS;
}

double imf_fft_primes_ns(const struct imf_fft_plan *plan) {
    double sum = 0;
    for (int s = 0; s < plan->primes; s++)
        sum += prime_ns(plan->radix[s]);
    return sum;
}

double imf_fft_plan_ns(const struct imf_fft_plan *plan) {
    double sum = imf_fft_primes_ns(plan);
    for (int s = plan->primes; s < plan->stages; s++)
        sum += stage_ns(plan->radix[s]);
    return sum;
}

double imf_fft_plan_doublings(const struct imf_fft_plan *plan) {
    double sum = log2(plan->length);
    for (int s = 0; s < plan->primes; s++) {
        int length = imf_fft_prime_length(plan->radix[s]);
        if (length > 0)
            sum += 2 * log2(length) - log2(plan->radix[s]) + 1;
    }
    return sum;
}

/* The cheapest way to write 2^twos as `radices`, by trying every number of each. */
static bool split_twos(struct imf_fft_plan *plan, int twos, unsigned radices) {
    static const int radix[] = {2, 4, 8, 16};
    int most[4], best[4] = {0};
    double least = INFINITY;
    for (int i = 0; i < 4; i++)
        most[i] = radices >> radix[i] & 1 ? twos / (i + 1) : 0;
    for (int d = 0; d <= most[3]; d++) {
        for (int c = 0; c <= most[2]; c++) {
            for (int b = 0; b <= most[1]; b++) {
                int a = twos - 4 * d - 3 * c - 2 * b;
                double ns = a * stage_ns(2) + b * stage_ns(4) + c * stage_ns(8) + d * stage_ns(16);
                if (a >= 0 && a <= most[0] && ns < least) {
                    least = ns;
                    best[0] = a, best[1] = b, best[2] = c, best[3] = d;
                }
            }
        }
    }
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < best[i]; k++)
            plan->radix[plan->stages++] = radix[i];
    return least < INFINITY;
}

bool imf_fft_plan_best(struct imf_fft_plan *plan, int length, unsigned radices) {
    static const int odd[] = {7, 5, 3};
    *plan = (struct imf_fft_plan){.length = length};
    if (length < 1 || length > IMF_FFT_SMOOTH_MAX)
        return false;
    int rest = radices & IMF_FFT_PRIMES ? take_primes(plan) : length, twos = 0;
    for (int i = 0; i < 3; i++) {
        for (; radices >> odd[i] & 1 && rest % odd[i] == 0; rest /= odd[i])
            plan->radix[plan->stages++] = odd[i];
    }
    for (; rest % 2 == 0; rest /= 2)
        twos++;
    if (rest != 1 || !split_twos(plan, twos, radices))
        return false;
    count_twiddles(plan);
    return true;
}

/* cos and sin of -2 pi k / n for 0 <= k < n. Whole quarter turns are taken off first, in integers,
 * so that the angle left is at most an eighth of a turn and each value is accurate. */
void imf_fft_root(int64_t k, int n, double *re, double *im) {
    const double pi = 3.14159265358979323846;
    static const int quarter_re[] = {1, 0, -1, 0, 1}, quarter_im[] = {0, 1, 0, -1, 0};
    int quarter = (int)((8 * k / n + 1) / 2);
    double angle = pi / 2 * (double)(4 * k - (int64_t)quarter * n) / n;
    double c = cos(angle), s = sin(angle);
    int qc = quarter_re[quarter], qs = quarter_im[quarter];
    *re = qc * c - qs * s;
    *im = -(qc * s + qs * c);
}

static void fill_twiddles(const struct imf_fft_plan *plan, bool across, float *out) {
    int span = plan->length;
    for (int s = 0; s < plan->stages; s++) {
        int radix = plan->radix[s], m = span / radix;
        for (int j = 0; j < m; j++) {
            for (int k = 1; k < radix; k++) {
                double re, im;
                float *at = out + 2 * (across ? (k - 1) * m + j : j * (radix - 1) + k - 1);
                imf_fft_root((int64_t)j * k % span, span, &re, &im);
                at[0] = (float)re;
                at[1] = (float)im;
            }
        }
        out += 2 * m * (radix - 1);
        span = m;
    }
}

void imf_fft_twiddles(const struct imf_fft_plan *plan, float *out) {
    fill_twiddles(plan, false, out);
}

void imf_fft_twiddles_across(const struct imf_fft_plan *plan, float *out) {
    fill_twiddles(plan, true, out);
}

void imf_fft_order(const struct imf_fft_plan *plan, int *order) {
    for (int i = 0; i < plan->length; i++) {
        /* Position i = sum of digit k_s times M_s; frequency = k_0 + r_0 (k_1 + r_1 (...)). */
        int span = plan->length, rest = i, weight = 1, frequency = 0;
        for (int s = 0; s < plan->stages; s++) {
            int m = span / plan->radix[s];
            frequency += rest / m * weight;
            rest %= m;
            weight *= plan->radix[s];
            span = m;
        }
        order[i] = frequency;
    }
}
