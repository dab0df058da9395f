/*
 * tables.c - what every program that transforms on a device is given
 *
 * Tables of prime stages: one description for each stage, then the tables that these point to.
 * Integers lie between the floats with their own bits.
 */
#include "fourier/tables.h"

#include "fourier/host.h"

#include <stdlib.h>
#include <string.h>

#define HEADER (sizeof(struct imf_fft_prime) / sizeof(float))

const char *const *imf_fft_parts(bool primes) {
    static const char *const all[] = {"fft_stages.cl", "fft_primes.cl", "common.cl", NULL};
    static const char *const smooth[] = {"fft_stages.cl", "common.cl", NULL};
    return primes ? all : smooth;
}

void imf_fft_axis_set(struct imf_fft_axis *axis, const struct imf_fft_plan *plan) {
    axis->length = plan->length;
    axis->stages = plan->stages;
    for (int s = 0; s < plan->stages; s++)
        axis->radix[s] = plan->radix[s];
    axis->primes = plan->primes;
}

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
    struct imf_fft_host_prime p;
    size_t count = (size_t)q->radix - 1;
    int length = imf_fft_prime_length(q->radix);
    int *order = malloc((size_t)length * sizeof *order);
    enum imf_status status = imf_fft_host_prime(&p, q->radix, length, err);
    if (status == IMF_OK && !order)
        status = imf_fail_memory(err, (size_t)length * sizeof *order);
    if (status == IMF_OK) {
        imf_fft_plan_make(&plan, length);
        imf_fft_axis_set(&q->axis, &plan);
        q->orders = q->factors;
        q->factors += 2 * (int32_t)count;
        q->axis.twiddles = q->factors + 2 * length;
        memcpy(twiddles + q->orders, p.rader.gather, count * sizeof *p.rader.gather);
        memcpy(twiddles + q->orders + count, p.rader.scatter, count * sizeof *p.rader.scatter);
        imf_fft_order(&plan, order);
        float *to = twiddles + q->factors;
        for (int i = 0; i < length; i++) {
            *to++ = (float)p.rader.kernel[order[i]].re;
            *to++ = (float)p.rader.kernel[order[i]].im;
        }
        imf_fft_twiddles(&plan, twiddles + q->axis.twiddles);
    }
    free(order);
    imf_fft_host_prime_free(&p);
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

enum imf_status imf_fft_twiddle_buffer(struct imf_queue *queue, const struct imf_fft_plan *x,
                                       const struct imf_fft_plan *y, struct imf_fft_axis *axis_x,
                                       struct imf_fft_axis *axis_y, struct imf_buffer **out,
                                       struct imf_error *err) {
    size_t count_x = 2 * (size_t)x->twiddles, count_y = y ? 2 * (size_t)y->twiddles : 0;
    size_t primes_x = imf_fft_prime_floats(x), primes_y = y ? imf_fft_prime_floats(y) : 0;
    size_t bytes = (count_x + count_y + primes_x + primes_y + 1) * sizeof(float); /* never 0 */
    float *tw = calloc(1, bytes);
    *out = NULL;
    if (!tw)
        return imf_fail_memory(err, bytes);
    imf_fft_twiddles(x, tw);
    axis_x->twiddles = 0;
    axis_x->prime_tables = (int32_t)(count_x + count_y);
    enum imf_status status = imf_fft_prime_tables(x, tw, (size_t)axis_x->prime_tables, err);
    if (y && status == IMF_OK) {
        imf_fft_twiddles(y, tw + count_x);
        axis_y->twiddles = (int32_t)count_x;
        axis_y->prime_tables = (int32_t)(count_x + count_y + primes_x);
        status = imf_fft_prime_tables(y, tw, (size_t)axis_y->prime_tables, err);
    }
    if (status == IMF_OK)
        status = imf_buffer_table(out, queue, tw, bytes, err);
    free(tw);
    return status;
}
