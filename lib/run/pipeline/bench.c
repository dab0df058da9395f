/* bench.c - time an executor's steps over and over: upload, compute and download each time */
#include "run/pipeline/bench.h"

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

/* Run once; t[0], t[n] and t[2 * n] become the milliseconds of upload, compute and download. */
static enum imf_status run(struct imf_exec *x, size_t n, double *t, struct imf_rows *result,
                           struct imf_error *err) {
    struct imf_report ignored = {0};
    struct imf_rows rows;
    enum imf_status st = imf_exec_unmap_output(x, 0, err);
    if (!st)
        st = imf_exec_map_input(x, 0, &rows, err);
    double begin = imf_now_ms();
    if (!st)
        st = imf_exec_submit_input(x, 0, err);
    if (!st)
        st = imf_exec_finish(x, err);
    double uploaded = imf_now_ms();
    if (!st)
        st = imf_exec_run_band(x, 0, err);
    double computed = imf_now_ms();
    if (!st)
        st = imf_exec_map_output(x, 0, result, err);
    if (!st)
        st = imf_exec_wait(x, 0, &ignored, err);
    t[0] = uploaded - begin;
    t[n] = computed - uploaded;
    t[2 * n] = imf_now_ms() - computed;
    return st;
}

enum imf_status imf_bench(struct imf_exec *x, unsigned n, struct imf_rows *result,
                          struct imf_report *r, struct imf_error *err) {
    double *t = calloc(3 * (size_t)n, sizeof *t);
    if (!t)
        return imf_fail_memory(err, 3 * (size_t)n * sizeof *t);
    enum imf_status st = IMF_OK;
    for (unsigned i = 0; i < n && !st; i++)
        st = run(x, n, t + i, result, err);
    r->upload_median_ms = median(t, n);
    r->compute_median_ms = median(t + n, n);
    r->compute_min_ms = t[n]; /* sorted by now */
    r->download_median_ms = median(t + 2 * (size_t)n, n);
    free(t);
    return st;
}
