/* bench.c - time an executor's steps over and over: upload, compute and download each time */
#include "run/bench.h"

#include "base/clock.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, size_t n) {
    qsort(v, n, sizeof *v, by_value);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

enum imf_status imf_bench(struct imf_exec *x, unsigned n, struct imf_report *r,
                          struct imf_error *err) {
    double *t = calloc(3 * (size_t)n, sizeof *t);
    if (!t)
        return imf_fail_memory(err, 3 * (size_t)n * sizeof *t);
    enum imf_status st = IMF_OK;
    for (unsigned i = 0; i < n && !st; i++) {
        if (!imf_exec_map_input(x, err)) {
            st = IMF_ERR_DEVICE;
            break;
        }
        double begin = imf_now_ms();
        st = imf_exec_unmap_input(x, err);
        double uploaded = imf_now_ms();
        if (!st)
            st = imf_exec_run(x, err);
        double computed = imf_now_ms();
        if (!st && !imf_exec_map_output(x, err))
            st = IMF_ERR_DEVICE;
        double downloaded = imf_now_ms();
        if (!st)
            st = imf_exec_unmap_output(x, err);
        t[i] = uploaded - begin;
        t[n + i] = computed - uploaded;
        t[2 * n + i] = downloaded - computed;
    }
    if (!st) {
        r->upload_median_ms = median(t, n);
        r->compute_median_ms = median(t + n, n);
        r->compute_min_ms = t[n]; /* sorted by median() */
        r->download_median_ms = median(t + 2 * n, n);
    }
    free(t);
    return st;
}
