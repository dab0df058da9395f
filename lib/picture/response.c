/*
 * response.c - frequency responses of the linear parts of a filter, on one grid
 *
 * On a grid of n x n frequencies k / n a kernel of any size has the transform of its taps folded
 * modulo n: exp(-2 pi i k x / n) does not tell x from x + n. So the samples are exact, and one
 * transform of n x n serves a 3x3 and a 4095x4095.
 */
#include "picture/response.h"

#include "fourier/half_plane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N IMF_RESPONSE

/* Taps folded around (0, 0); n x n. */
static void folded_row(void *user, int y, double *row) {
    const double *grid = user;
    memcpy(row, grid + (size_t)y * N, N * sizeof *row);
}

enum imf_status imf_response_kernel(double *gain, const struct imf_kernel *k,
                                    struct imf_error *err) {
    struct imf_half_plane plane;
    double *grid = calloc(IMF_RESPONSE_SIZE, sizeof *grid);
    if (!grid)
        return imf_fail_memory(err, IMF_RESPONSE_SIZE * sizeof *grid);
    for (int i = 0; i < k->height; i++) {
        size_t row = (size_t)((i - k->cy) & (N - 1)) * N;
        for (int j = 0; j < k->width; j++)
            grid[row + (size_t)((j - k->cx) & (N - 1))] +=
                k->taps[(size_t)i * (size_t)k->width + (size_t)j] / k->scale;
    }
    enum imf_status status = imf_half_plane_make(&plane, N, N, folded_row, grid, NULL, err);
    for (int v = 0; status == IMF_OK && v < N; v++)
        for (int u = 0; u < N; u++) {
            struct imf_complex z = imf_half_plane_at(&plane, u - N / 2, v - N / 2);
            gain[(size_t)v * N + (size_t)u] = hypot(z.re, z.im);
        }
    imf_half_plane_free(&plane);
    free(grid);
    return status;
}

void imf_response_transfer(double *gain, const struct imf_transfer *t) {
    for (int v = 0; v < N; v++)
        for (int u = 0; u < N; u++)
            gain[(size_t)v * N + (size_t)u] =
                fabs(imf_transfer_gain(t, (double)(u - N / 2) / N, (double)(v - N / 2) / N));
}

enum imf_status imf_response_unsharp(struct imf_kernel **out, const struct imf_stage *s,
                                     struct imf_error *err) {
    const struct imf_kernel *blur = s->kernel[0];
    enum imf_status status = imf_kernel_create(out, blur->width, blur->height, err);
    if (status != IMF_OK)
        return status;
    struct imf_kernel *k = *out;
    k->cx = blur->cx;
    k->cy = blur->cy;
    for (size_t i = 0, n = (size_t)k->width * (size_t)k->height; i < n; i++)
        k->taps[i] = -s->amount * blur->taps[i] / blur->scale;
    k->taps[(size_t)k->cy * (size_t)k->width + (size_t)k->cx] += 1 + s->amount;
    return IMF_OK;
}

/* In flat parts bilateral has the weights of its Gaussian, and guided is a mean of means: two boxes
 * convolve to a tent. */
enum imf_status imf_response_flat(struct imf_kernel **out, const struct imf_stage *s,
                                  struct imf_error *err) {
    const struct imf_window_op *window = &s->window_op;
    bool bilateral = window->kind == IMF_BILATERAL;
    int reach = window->cx;
    *out = NULL;
    if (!bilateral && window->kind != IMF_GUIDED)
        return IMF_OK;
    enum imf_status status = imf_kernel_create(out, window->width, window->height, err);
    if (status != IMF_OK)
        return status;
    double *tap = (*out)->taps;
    for (int y = -reach; y <= reach; y++)
        for (int x = -reach; x <= reach; x++) {
            double square = (double)x * x + (double)y * y;
            if (!bilateral)
                *tap++ = (double)(reach + 1 - abs(x)) * (reach + 1 - abs(y));
            else
                *tap++ = square > (double)reach * reach
                             ? 0
                             : exp(-square / (2 * window->value * window->value));
        }
    (*out)->scale = imf_kernel_sum(*out);
    return IMF_OK;
}

/* The gain is real and even, so its forward transform is its inverse times N^2. */
static void gain_row(void *user, int y, double *row) {
    for (int x = 0; x < N; x++)
        row[x] = imf_transfer_gain(user, (double)(x < N / 2 ? x : x - N) / N,
                                   (double)(y < N / 2 ? y : y - N) / N);
}

enum imf_status imf_response_impulse(struct imf_kernel **out, const struct imf_transfer *t,
                                     int size, struct imf_error *err) {
    struct imf_half_plane plane;
    struct imf_transfer copy = *t;
    enum imf_status status = imf_kernel_create(out, size, size, err);
    if (status != IMF_OK)
        return status;
    status = imf_half_plane_make(&plane, N, N, gain_row, &copy, NULL, err);
    for (int y = 0; status == IMF_OK && y < size; y++)
        for (int x = 0; x < size; x++)
            (*out)->taps[(size_t)y * (size_t)size + (size_t)x] =
                imf_half_plane_at(&plane, x - size / 2, y - size / 2).re / (N * N);
    imf_half_plane_free(&plane);
    if (status != IMF_OK)
        imf_kernel_free(out);
    return status;
}

/* ---- words ---------------------------------------------------------------------------------- */

const char *imf_stage_spec(char buffer[IMF_STAGE_SPEC], const struct imf_filter *f, size_t index) {
    static const char bar[] = " | ";
    const char *at = f->text;
    for (size_t i = 0; i < index && at; i++) {
        at = strstr(at, bar);
        at = at ? at + strlen(bar) : NULL;
    }
    at = at ? at : "";
    const char *end = strstr(at, bar);
    size_t length = end ? (size_t)(end - at) : strlen(at);
    bool cut = length > IMF_STAGE_SPEC - 1;
    snprintf(buffer, IMF_STAGE_SPEC, "%.*s%s", cut ? IMF_STAGE_SPEC - 4 : (int)length, at,
             cut ? "..." : "");
    return buffer;
}

static const char *transfer_words(char buffer[IMF_STAGE_WORDS], const struct imf_transfer *t) {
    static const char *const kinds[] = {"lowpass", "highpass", "bandpass", "bandstop", "notch"};
    static const char *const types[] = {"gaussian", "butterworth", "ideal"};
    char type[48], where[80];
    snprintf(type, sizeof type, "%s", types[t->type]);
    if (t->type == IMF_BUTTERWORTH)
        snprintf(type, sizeof type, "%s of order %d", types[t->type], t->order);
    if (t->kind == IMF_NOTCH)
        snprintf(where, sizeof where, "centre +-(%g, %g), radius %g", t->u, t->v, t->radius);
    else if (t->kind == IMF_BANDPASS || t->kind == IMF_BANDSTOP)
        snprintf(where, sizeof where, "cutoffs %g and %g", t->low, t->high);
    else
        snprintf(where, sizeof where, "cutoff %g", t->low);
    snprintf(buffer, IMF_STAGE_WORDS, "%s, %s, %s cycles a pixel%s", kinds[t->kind], type, where,
             t->keeps_mean ? ", and the mean" : "");
    return buffer;
}

static const char *denoise_words(char buffer[IMF_STAGE_WORDS], const struct imf_denoise *d) {
    char sigma[32] = "as measured";
    if (d->sigma >= 0)
        snprintf(sigma, sizeof sigma, "%g", d->sigma);
    snprintf(buffer, IMF_STAGE_WORDS, "noise of sigma %s removed from cosine transforms of %s",
             sigma, d->groups ? "blocks that are alike" : "8x8 blocks");
    return buffer;
}

static const char *deblur_method(const struct imf_deblur *d) {
    static const char *const methods[] = {"least squares", "total variation", "Richardson-Lucy"};
    return methods[d->method];
}

static const char *histogram_words(char buffer[IMF_STAGE_WORDS], const struct imf_stage *s) {
    snprintf(buffer, IMF_STAGE_WORDS,
             "point operation: ((x - b) / (w - b)) ^ (1 / %g), %g of all samples below b, %g "
             "above w",
             s->gamma, s->black, s->white);
    return s->histogram_op == IMF_HISTOGRAM_LEVELS ? buffer
           : s->histogram_op == IMF_HISTOGRAM_OTSU
               ? "point operation: full scale above Otsu's threshold, 0 elsewhere"
               : "point operation: the share of samples that are not above x";
}

const char *imf_stage_words(char buffer[IMF_STAGE_WORDS], const struct imf_stage *s) {
    char more[IMF_STAGE_WORDS];
    switch (s->op) {
#define WORDS(name, holds, ...)                                                                    \
    case IMF_OP_##name:                                                                            \
        snprintf(buffer, IMF_STAGE_WORDS, __VA_ARGS__);                                            \
        break;
        IMF_STAGES(WORDS)
    }
    return buffer;
}
