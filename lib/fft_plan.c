/*
 * fft_plan.c - lengths, factors, twiddles and output order of the transforms
 *
 * Radix 4 and 8 do the work of two and three radix-2 stages with fewer passes over memory. The odd
 * radices come first: the last stage needs no twiddle factors, and radix 4 and 8 gain most there.
 */
#include "fft_plan.h"

#include <math.h>

static int strip(int n, int prime) {
    while (n % prime == 0)
        n /= prime;
    return n;
}

int imf_fft_length(int n, int multiple) {
    if (n > IMF_FFT_MAX)
        return 0;
    int length = (n + multiple - 1) / multiple * multiple;
    if (length < multiple)
        length = multiple;
    while (length <= IMF_FFT_MAX && strip(strip(strip(strip(length, 2), 3), 5), 7) != 1)
        length += multiple;
    return length <= IMF_FFT_MAX ? length : 0;
}

bool imf_fft_plan_make(struct imf_fft_plan *plan, int length) {
    static const int odd[] = {7, 5, 3};
    *plan = (struct imf_fft_plan){.length = length};
    if (length < 1 || length > IMF_FFT_MAX)
        return false;
    int rest = length;
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
    int span = length;
    for (int s = 0; s < plan->stages; s++) {
        span /= plan->radix[s];
        plan->twiddles += span * (plan->radix[s] - 1);
    }
    return true;
}

/* cos and sin of -2 pi k / n for 0 <= k < n. Whole quarter turns are taken off first, in integers,
 * so that the angle left is at most an eighth of a turn and each value is accurate. */
static void root(int k, int n, double *re, double *im) {
    const double pi = 3.14159265358979323846;
    static const int quarter_re[] = {1, 0, -1, 0, 1}, quarter_im[] = {0, 1, 0, -1, 0};
    int quarter = (int)(((int64_t)8 * k / n + 1) / 2);
    double angle = pi / 2 * (double)((int64_t)4 * k - (int64_t)quarter * n) / n;
    double c = cos(angle), s = sin(angle);
    int qc = quarter_re[quarter], qs = quarter_im[quarter];
    *re = qc * c - qs * s;
    *im = -(qc * s + qs * c);
}

void imf_fft_twiddles(const struct imf_fft_plan *plan, float *out) {
    int span = plan->length;
    for (int s = 0; s < plan->stages; s++) {
        int radix = plan->radix[s], m = span / radix;
        for (int j = 0; j < m; j++) {
            for (int k = 1; k < radix; k++) {
                double re, im;
                root((int)((int64_t)j * k % span), span, &re, &im);
                *out++ = (float)re;
                *out++ = (float)im;
            }
        }
        span = m;
    }
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

double imf_fft_flops(int length) {
    return length > 1 ? 5.0 * length * log2(length) : 0;
}
