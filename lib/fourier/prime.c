/*
 * prime.c - tables for the prime stages of a transform on a device
 *
 * One description for each stage, then the tables that these point to. Integers lie between the
 * floats as what they are.
 */
#include "fourier/prime.h"

#include "fourier/rader.h"

#include <stdlib.h>
#include <string.h>

#define HEADER (sizeof(struct imf_fft_prime) / sizeof(float))

/* Floats of the tables of one stage. */
static size_t stage_floats(int prime) {
    struct imf_fft_plan plan;
    int length = imf_fft_prime_length(prime);
    if (length == 0)
        return 2 * (size_t)prime;
    imf_fft_plan_make(&plan, length);
    return 2 * ((size_t)prime - 1) + 2 * (size_t)length + 2 * (size_t)plan.twiddles;
}

size_t imf_fft_prime_floats(const struct imf_fft_plan *plan) {
    size_t floats = 0;
    for (int s = 0; s < plan->primes; s++)
        floats += HEADER + stage_floats(plan->radix[s]);
    return floats;
}

int imf_fft_prime_spare(const struct imf_fft_plan *plan) {
    int most = 0;
    for (int s = 0; s < plan->primes; s++) {
        int length = imf_fft_prime_length(plan->radix[s]);
        int need = length > 0 ? length + 1 : plan->radix[s];
        most = need > most ? need : most;
    }
    return most;
}

static void fill_roots(const struct imf_fft_prime *q, float *twiddles) {
    float *to = twiddles + q->factors;
    for (int k = 0; k < q->radix; k++) {
        double re, im;
        imf_fft_root(k, q->radix, &re, &im);
        *to++ = (float)re;
        *to++ = (float)im;
    }
}

/* Orders, the spectrum as the transform leaves it, and the transform's own factors. */
static enum imf_status fill_convolution(struct imf_fft_prime *q, float *twiddles,
                                        struct imf_error *err) {
    struct imf_fft_plan plan;
    struct imf_fft_rader r;
    size_t count = (size_t)q->radix - 1;
    int length = imf_fft_prime_length(q->radix);
    int *order = malloc((size_t)length * sizeof *order);
    enum imf_status status = imf_fft_rader_make(&r, q->radix, length, err);
    if (status == IMF_OK && !order)
        status = imf_fail_memory(err, (size_t)length * sizeof *order);
    if (status == IMF_OK) {
        imf_fft_plan_make(&plan, length);
        imf_fft_axis_set(&q->axis, &plan);
        q->orders = q->factors;
        q->factors += 2 * (int32_t)count;
        q->axis.twiddles = q->factors + 2 * length;
        memcpy(twiddles + q->orders, r.gather, count * sizeof *r.gather);
        memcpy(twiddles + q->orders + count, r.scatter, count * sizeof *r.scatter);
        imf_fft_order(&plan, order);
        float *to = twiddles + q->factors;
        for (int i = 0; i < length; i++) {
            *to++ = (float)r.spectrum[order[i]].re;
            *to++ = (float)r.spectrum[order[i]].im;
        }
        imf_fft_twiddles(&plan, twiddles + q->axis.twiddles);
    }
    free(order);
    imf_fft_rader_free(&r);
    return status;
}

enum imf_status imf_fft_prime_tables(const struct imf_fft_plan *plan, float *twiddles, size_t first,
                                     struct imf_error *err) {
    size_t at = first + HEADER * (size_t)plan->primes;
    enum imf_status status = IMF_OK;
    for (int s = 0; s < plan->primes && status == IMF_OK; s++) {
        struct imf_fft_prime q = {.radix = plan->radix[s], .factors = (int32_t)at};
        at += stage_floats(q.radix);
        if (imf_fft_prime_length(q.radix) > 0)
            status = fill_convolution(&q, twiddles, err);
        else
            fill_roots(&q, twiddles);
        memcpy(twiddles + first + HEADER * (size_t)s, &q, sizeof q);
    }
    return status;
}
