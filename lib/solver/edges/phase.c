/*
 * phase.c - directions of gradients on the host's cores, in loops that compilers vectorise
 *
 * convolution/reference.c has the definition. The gradient's two sums are of integers that floats hold exactly; other
 * gradients are left to float64 there, because an error near 0 could give any direction.
 *
 * The direction is computed as a fraction of 2 pi. In the octant beside an axis it is the arc tangent
 * of z, the lesser component of the gradient over the greater, in 0..1/8; a polynomial of seven odd
 * powers of z is within 6e-8 (least squares, with weights raised where the error was largest) and 0 for
 * 0. The other octants are reflections: subtracted from 1/4, 1/2 or 1.
 */
#include "base/clones.h"
#include "base/image/rounding.h"
#include "device/tuning.h"
#include "solver/common/float_row.h"
#include "solver/solver.h"

#include <math.h>

#define TURN_ERROR 1.2e-7 /* of full scale: the polynomial, and the rounding of reflections */
#define STRIP 2048        /* shorter strips wait for memory at each row */
#define LEAST_ROWS 16
#define INLINE static inline __attribute__((always_inline))

#define ADD(type, member)                                                                          \
    do {                                                                                           \
        const type *at = row;                                                                      \
        for (int i = 0; i < n; i++)                                                                \
            sum[i] += tap * (float)at[i];                                                          \
    } while (0)

INLINE void add(float *restrict sum, enum imf_sample sample, const void *row, float tap, int n) {
    IMF_EACH_NARROW(sample, ADD);
}

/* The same for bytes whose sums fit 16 bits: twice as many at once. */
INLINE void sum_bytes(const struct imf_host_strip *s, const struct imf_kernel *k, int y, int first,
                      int n, float *restrict to) {
    int16_t part[STRIP];
    for (int i = 0; i < n; i++)
        part[i] = 0;
    for (int t = 0; t < k->width * k->height; t++) {
        int row = y + t / k->width - k->cy, sample = (t % k->width - k->cx) * s->job->p.channels;
        const uint8_t *at = imf_sample_at(s->in, row, first + sample);
        int16_t tap = (int16_t)k->taps[t];
        for (int i = 0; i < n && tap; i++)
            part[i] = (int16_t)(part[i] + tap * at[i]);
    }
    for (int i = 0; i < n; i++)
        to[i] = part[i];
}

/* x = the counter-clockwise direction of gradient (x, y), in 0..full; y grows downwards. */
INLINE void direction(float *restrict x, const float *restrict y, int n, float full) {
    for (int i = 0; i < n; i++) {
        float a = fabsf(x[i]), b = fabsf(y[i]);
        float most = a > b ? a : b, least = a > b ? b : a;
        float z = least / (most > 0 ? most : 1), zz = z * z;
        float t = 0.00108413f;
        t = t * zz - 0.00534827635f;
        t = t * zz + 0.0126724998f;
        t = t * zz - 0.0210615192f;
        t = t * zz + 0.0315251151f;
        t = t * zz - 0.0530262366f;
        t = (t * zz + 0.159154326f) * z;
        t = b > a ? 0.25f - t : t;
        t = x[i] < 0 ? 0.5f - t : t;
        t = y[i] > 0 ? 1 - t : t;
        t *= full;
        x[i] = t < full ? t : 0;
    }
}

INLINE void sum(const struct imf_host_strip *s, const struct imf_kernel *k, int y, int first, int n,
                float *to) {
    for (int i = 0; i < n; i++)
        to[i] = 0;
    for (int t = 0; t < k->width * k->height; t++) {
        int row = y + t / k->width - k->cy, sample = (t % k->width - k->cx) * s->job->p.channels;
        if (k->taps[t] != 0)
            add(to, s->in->sample, imf_sample_at(s->in, row, first + sample), (float)k->taps[t], n);
    }
}

IMF_CLONES static void directions(const struct imf_host_strip *s, int y, int first, int n,
                                  void *row) {
    const struct imf_problem *p = &s->job->p;
    float gx[STRIP], gy[STRIP];
    double most = imf_largest_sum(p);
    bool bytes = s->in->sample == IMF_U8 && most <= INT16_MAX;
    if (bytes) {
        sum_bytes(s, p->kernel[0], y, first, n, gx);
        sum_bytes(s, p->kernel[1], y, first, n, gy);
    } else {
        sum(s, p->kernel[0], y, first, n, gx);
        sum(s, p->kernel[1], y, first, n, gy);
    }
    direction(gx, gy, n, (float)p->epilogue.full);
    imf_float_row_store(row, s->out->sample, gx, n, &p->epilogue);
}

static struct imf_strips phase_cut(const struct imf_job *job, int height) {
    return imf_strips_cut(job->p.width * job->p.channels, height, STRIP, LEAST_ROWS);
}

static void phase_strip(const struct imf_host_strip *s) {
    for (int y = s->at.y; y < s->at.end; y++)
        directions(s, y, s->at.x, s->at.n, imf_sample_at(s->out, y, s->at.x));
}

/* Milliseconds of one core: samples * phase * 1e-6. */
static void phase_propose(const struct imf_problem *p, const struct imf_device *d,
                          struct imf_proposal *out) {
    (void)d;
    double sum = imf_largest_sum(p);
    double each = imf_vector_rates.phase * (p->in == IMF_U8 ? 1 : 1.5);
    out->error = p->epilogue.full * TURN_ERROR * fabs(p->epilogue.multiply) +
                 imf_float_ulp(p->epilogue.full + fabs(p->epilogue.offset));
    if (!p->facts[0].integer || !p->facts[1].integer || sum > IMF_WHOLE_FLOATS ||
        out->error > p->tolerance) {
        imf_proposal_refuse(out, "directions like these need more than float32");
        return;
    }
    imf_proposal_strips(out, p, (double)p->width * p->height * p->channels * each * 1e-6, STRIP);
    snprintf(out->description, sizeof out->description, "vector directions %dx%d",
             p->kernel[0]->width, p->kernel[0]->height);
}

const struct imf_solver imf_solver_phase = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_PHASE,
    .propose = phase_propose,
    .cut = phase_cut,
    .strip = phase_strip,
};
