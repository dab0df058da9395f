/*
 * wiener.c - a run of deconvolution: each colour by itself, all by the same operator; and least squares
 *
 * What plane.c completed is restored by one product in the frequency domain.
 */
#include "solver/restore/plane.h"

#include <stdlib.h>

static void restore_columns(void *user, int block, struct imf_fft_batch *points,
                            struct imf_fft_batch *scratch) {
    const struct imf_deblur_plane *d = user;
    imf_fft_host_forward(d->plane.along_y, points, scratch);
    imf_deblur_restored(d, block, points, 1 / ((double)d->run->nx * d->run->ny));
    imf_fft_host_backward(d->plane.along_y, points, scratch);
}

static void store_row(void *user, int y, imf_real *row) {
    imf_deblur_result_row(user, y, row);
}

static enum imf_status wiener(struct imf_deblur_plane *d, struct imf_error *err) {
    struct imf_pool *pool = d->run->pool;
    int iterations = d->run->iterations > 0 ? d->run->iterations : IMF_DEBLUR_STEPS;
    enum imf_status status = imf_deblur_plane_complete(d, iterations, err);
    if (status == IMF_OK)
        status = imf_half_plane_load(&d->plane, d->run->ny, imf_deblur_blurred_row, d, pool, err);
    if (status == IMF_OK)
        status = imf_half_plane_each(&d->plane, restore_columns, d, pool, err);
    if (status == IMF_OK)
        status = imf_half_plane_store(&d->plane, d->run->in->height, store_row, d, pool, err);
    return status;
}

static void sum_row(void *data, int y) {
    struct imf_deblur_plane *d = data;
    const struct imf_surface *in = d->run->in;
    double sum = 0;
    for (int x = 0; x < in->width; x++)
        sum += imf_sample_get(imf_surface_row(in, y), in->sample,
                              (ptrdiff_t)x * in->channels + d->channel);
    d->sums[y] = sum;
}

static void find_mean(struct imf_deblur_plane *d) {
    int height = d->run->in->height;
    double sum = 0;
    imf_parallel(d->run->pool, height, sum_row, d);
    for (int y = 0; y < height; y++)
        sum += d->sums[y];
    d->mean = sum / ((double)d->run->in->width * height);
}

enum imf_status imf_deblur_do(const struct imf_deblur_run *run, struct imf_error *err) {
    struct imf_deblur_plane d;
    enum imf_status status = imf_deblur_plane_open(&d, run, err);
    if (status != IMF_OK)
        return status;
    for (; d.channel < run->p->colors && status == IMF_OK; d.channel++) {
        find_mean(&d);
        switch (run->p->deblur->method) {
        case IMF_DEBLUR_WIENER:
            status = wiener(&d, err);
            break;
        case IMF_DEBLUR_TV:
            status = imf_deblur_tv(&d, err);
            break;
        case IMF_DEBLUR_RL:
            status = imf_deblur_rl(&d, err);
            break;
        }
    }
    imf_deblur_plane_close(&d);
    return status;
}
