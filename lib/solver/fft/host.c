/* host.c - what convolution and transfer functions by transforms on the host share */
#include "solver/fft/host.h"

#include "device/tuning.h"
#include "fourier/plan.h"

#include <math.h>

/* The cost of prime stages in doublings of a length: those of the convolution of length `length`, or of
 * the definition. */
static double doublings(const struct imf_fft_plan *plan) {
    double sum = log2(plan->length);
    for (int s = 0; s < plan->primes; s++) {
        int prime = plan->radix[s], length = imf_fft_prime_length(prime);
        sum += length > 0 ? 1.3 * length / prime * log2(length) : prime / 4.0;
    }
    return sum;
}

/* In the host's nanoseconds: (points * channels * doubling * doublings + samples * values) * 1e-6. */
bool imf_host_transform_propose(struct imf_proposal *out, const struct imf_problem *p) {
    const struct imf_host_lengths *s = (const struct imf_host_lengths *)out->shape.bytes;
    const struct imf_host_rates *r = &imf_host_rates;
    struct imf_fft_plan x, y;
    snprintf(out->description, sizeof out->description, "host fft");
    if (s->nx <= 0 || s->ny <= 0 || !imf_fft_plan_any(&x, s->nx) || !imf_fft_plan_any(&y, s->ny))
        return false;
    double samples = (double)p->width * p->height * p->channels, points = (double)s->nx * s->ny;
    out->feasible = true;
    out->ms = (points * p->channels * r->doubling * (doublings(&x) + doublings(&y)) +
               samples * r->values) *
              1e-6 / imf_cores();
    out->bytes = imf_half_plane_bytes(s->nx, s->ny, 0);
    out->bands = IMF_BANDS_WHOLE;
    snprintf(out->description, sizeof out->description, "host fft %dx%d, float64", s->nx, s->ny);
    return true;
}

static void store_row(void *user, int y, double *row) {
    const struct imf_host_transform *t = user;
    const struct imf_problem *p = &t->job->p;
    /* What is added leaves only multiples of the grid. */
    double round = 0x1.8p52 * t->grid;
    for (int x = 0; x < p->width && t->grid > 0; x++)
        row[x] = row[x] + round - round;
    imf_epilogue_sums(&p->epilogue, row, (size_t)p->width);
    imf_channel_narrow(imf_surface_row(t->out, y), t->out->sample, t->channel, p->channels, row,
                       (size_t)p->width);
}

enum imf_status imf_host_transform_run(struct imf_host_transform *t, int rows,
                                       imf_half_plane_row *load, imf_half_plane_columns *filter,
                                       struct imf_error *err) {
    struct imf_pool *pool = t->job->pool;
    enum imf_status st = IMF_OK;
    for (; !st && t->channel < t->job->p.channels; t->channel++) {
        st = imf_half_plane_load(&t->plane, rows, load, t, pool, err);
        if (!st)
            st = imf_half_plane_each(&t->plane, filter, t, pool, err);
        if (!st)
            st = imf_half_plane_store(&t->plane, t->out->height, store_row, t, pool, err);
    }
    return st;
}
