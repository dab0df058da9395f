/*
 * fft_bench.h - what the transform benchmarks share: arguments, data, timing, error
 *
 *   fft NX NY BATCH REPEATS [RADICES]      prints: milliseconds GFLOP/s error
 *
 * One warm-up, then the median of REPEATS complex forward transforms of the whole batch, in place
 * on the device, data in memory before and after. The error is the relative L2 error of the first
 * and the last transform of the batch after the first run, in units of eps sqrt(log2 N).
 */
#ifndef FFT_BENCH_H
#define FFT_BENCH_H

#include "base/clock.h"
#include "device/runtime.h"
#include "fourier/host.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct bench {
    int nx, ny, batch, repeats;
    unsigned radices;
    size_t size, bytes; /* values of one transform, bytes of all */
};

static _Noreturn void bench_die(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static struct bench bench_arguments(int argc, char **argv) {
    struct bench b = {.repeats = 5};
    if (argc < 5)
        bench_die("usage: fft NX NY BATCH REPEATS [RADICES]");
    b.nx = atoi(argv[1]);
    b.ny = atoi(argv[2]);
    b.batch = atoi(argv[3]);
    b.repeats = atoi(argv[4]);
    b.radices = argc > 5 ? (unsigned)strtoul(argv[5], NULL, 0) : 0;
    if (b.nx < 1 || b.ny < 1 || b.batch < 1 || b.repeats < 1)
        bench_die("usage: fft NX NY BATCH REPEATS [RADICES]");
    b.size = (size_t)b.nx * (size_t)b.ny;
    b.bytes = b.size * (size_t)b.batch * 2 * sizeof(float);
    return b;
}

/* Value number i of the input: noise in -1..1. */
static float bench_value(uint64_t i) {
    i = (i + 1) * 0x9e3779b97f4a7c15u;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
    i = (i ^ i >> 27) * 0x94d049bb133111ebu;
    return (float)((double)(i >> 40) / (1 << 23) - 1.0);
}

static inline void bench_fill(const struct bench *b, float *data) {
    for (size_t i = 0; i < 2 * b->size * (size_t)b->batch; i++)
        data[i] = bench_value(i);
}

static void bench_sums(const struct bench *b, const float *data, size_t item, double *error,
                       double *norm) {
    size_t n = b->size;
    struct imf_complex *a = malloc(n * sizeof *a), *c = malloc(n * sizeof *c),
                       *line = malloc((size_t)b->ny * sizeof *line);
    struct imf_fft_host *x, *y;
    if (!a || !c || !line || imf_fft_host_create(&x, b->nx, NULL) != IMF_OK ||
        imf_fft_host_create(&y, b->ny, NULL) != IMF_OK)
        bench_die("out of memory");
    for (size_t i = 0; i < n; i++)
        a[i] = (struct imf_complex){bench_value(2 * (item * n + i)),
                                    bench_value(2 * (item * n + i) + 1)};
    for (int r = 0; r < b->ny; r++)
        imf_fft_host_run(x, a + (ptrdiff_t)r * b->nx, 1, c + (ptrdiff_t)r * b->nx, NULL);
    data += 2 * item * n;
    for (int k = 0; k < b->nx; k++) {
        imf_fft_host_run(y, c + k, b->nx, line, NULL);
        for (int r = 0; r < b->ny; r++) {
            const float *got = data + 2 * ((ptrdiff_t)r * b->nx + k);
            double re = got[0] - line[r].re, im = got[1] - line[r].im;
            *error += re * re + im * im;
            *norm += line[r].re * line[r].re + line[r].im * line[r].im;
        }
    }
    imf_fft_host_free(&x);
    imf_fft_host_free(&y);
    free(a);
    free(c);
    free(line);
}

/* Relative L2 error of transformed data, over eps sqrt(log2 N). */
static inline double bench_error(const struct bench *b, const float *data) {
    double error = 0, norm = 0;
    bench_sums(b, data, 0, &error, &norm);
    if (b->batch > 1)
        bench_sums(b, data, (size_t)b->batch - 1, &error, &norm);
    return sqrt(error / norm / log2((double)b->size)) / (FLT_EPSILON / 2);
}

static int bench_ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median milliseconds of run(user). */
static double bench_time(const struct bench *b, void (*run)(void *), void *user) {
    double *ms = malloc((size_t)b->repeats * sizeof *ms);
    if (!ms)
        bench_die("out of memory");
    for (int i = 0; i < b->repeats; i++) {
        double start = imf_now_ms();
        run(user);
        ms[i] = imf_now_ms() - start;
    }
    qsort(ms, (size_t)b->repeats, sizeof *ms, bench_ascending);
    double median = ms[b->repeats / 2];
    free(ms);
    return median;
}

static inline void bench_print(const struct bench *b, double ms, double error) {
    double flops = 5.0 * (double)b->size * log2((double)b->size) * b->batch;
    printf("%.3f %.2f %.3f\n", ms, flops / ms * 1e-6, error);
}

#endif
