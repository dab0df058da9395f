/* taps.c - convolution kernels: making, copying, flipping and sums */
#include "filter/kernel/taps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t tap_count(const struct imf_kernel *k) {
    return (size_t)k->width * (size_t)k->height;
}

enum imf_status imf_kernel_create(struct imf_kernel **out, int width, int height,
                                  struct imf_error *err) {
    size_t count;
    *out = NULL;
    if (width < 1 || height < 1)
        return imf_fail(err, IMF_ERR_ARGUMENT, "a %dx%d kernel has no coefficients", width, height);
    if (width > IMF_KERNEL_MAX || height > IMF_KERNEL_MAX)
        return imf_fail(err, IMF_ERR_LIMIT, "a %dx%d kernel is over the limit of %dx%d", width,
                        height, IMF_KERNEL_MAX, IMF_KERNEL_MAX);
    struct imf_kernel *k = malloc(sizeof *k);
    if (!k)
        return imf_fail_memory(err, sizeof *k);
    *k = (struct imf_kernel){
        .width = width, .height = height, .cx = width / 2, .cy = height / 2, .scale = 1};
    if (!imf_size_mul((size_t)width, (size_t)height, &count) ||
        !(k->taps = calloc(count, sizeof *k->taps))) {
        free(k);
        return imf_fail_memory(err, count * sizeof(double));
    }
    *out = k;
    return IMF_OK;
}

enum imf_status imf_kernel_copy(struct imf_kernel **out, const struct imf_kernel *k,
                                struct imf_error *err) {
    enum imf_status status = imf_kernel_create(out, k->width, k->height, err);
    if (status != IMF_OK)
        return status;
    double *taps = (*out)->taps;
    **out = *k;
    (*out)->taps = memcpy(taps, k->taps, tap_count(k) * sizeof *taps);
    return IMF_OK;
}

void imf_kernel_free(struct imf_kernel **k) {
    if (*k)
        free((*k)->taps);
    free(*k);
    *k = NULL;
}

void imf_kernel_flip(struct imf_kernel *k) {
    size_t count = tap_count(k);
    for (size_t a = 0, b = count - 1; a < b; a++, b--) {
        double tap = k->taps[a];
        k->taps[a] = k->taps[b];
        k->taps[b] = tap;
    }
    k->cx = k->width - 1 - k->cx;
    k->cy = k->height - 1 - k->cy;
}

/* Additions that do not wait for each other. */
#define LANES 4

/* Neumaier's compensated sum: zero-sum kernels of decimal fractions should come out near 0. */
static void compensate(double *sum, double *lost, double v) {
    double next = *sum + v;
    *lost += fabs(*sum) >= fabs(v) ? (*sum - next) + v : (v - next) + *sum;
    *sum = next;
}

double imf_kernel_sum(const struct imf_kernel *k) {
    double sum[LANES] = {0}, lost[LANES] = {0};
    size_t count = tap_count(k), i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            compensate(&sum[lane], &lost[lane], k->taps[i + lane]);
    for (; i < count; i++)
        compensate(&sum[0], &lost[0], k->taps[i]);
    for (size_t lane = 1; lane < LANES; lane++) {
        compensate(&sum[0], &lost[0], sum[lane]);
        lost[0] += lost[lane];
    }
    return sum[0] + lost[0];
}

double imf_kernel_abs_sum(const struct imf_kernel *k) {
    double sum[LANES] = {0};
    size_t count = tap_count(k), i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++)
            sum[lane] += fabs(k->taps[i + lane]);
    for (; i < count; i++)
        sum[0] += fabs(k->taps[i]);
    for (size_t lane = 1; lane < LANES; lane++)
        sum[0] += sum[lane];
    return sum[0];
}

size_t imf_kernel_nonzero(const struct imf_kernel *k) {
    size_t nonzero = 0;
    for (size_t i = 0, count = tap_count(k); i < count; i++)
        nonzero += k->taps[i] != 0;
    return nonzero;
}

bool imf_kernel_is_integer(const struct imf_kernel *k) {
    const double limit = 2147483648.0; /* 2^31, for scale and bias too: all fit an int */
    if (k->scale != rint(k->scale) || !(fabs(k->scale) < limit) || k->bias != rint(k->bias) ||
        !(fabs(k->bias) < limit))
        return false;
    for (size_t i = 0, count = tap_count(k); i < count; i++)
        if (k->taps[i] != rint(k->taps[i]))
            return false;
    return imf_kernel_abs_sum(k) < limit;
}

struct imf_margin imf_kernel_margin(const struct imf_kernel *k) {
    return (struct imf_margin){.left = k->cx,
                               .right = k->width - 1 - k->cx,
                               .top = k->cy,
                               .bottom = k->height - 1 - k->cy};
}
