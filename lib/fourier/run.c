/* run.c - what every program that transforms on a device needs: its text, axes and twiddles */
#include "fourier/run.h"

#include "fourier/prime.h"

#include <stdlib.h>

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
