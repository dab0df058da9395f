/*
 * chirp.c - transforms along an axis with a large prime factor
 *
 * As j k = (j^2 + k^2 - (k - j)^2) / 2, the transform of n values is
 *
 *     X(k) = c(k) sum over j of (x(j) c(j)) conj c(k - j),   c(j) = exp(-pi i j^2 / n)
 *
 * a convolution, done by two transforms of a product of 2, 3, 5 and 7 from 2 n - 1 on. (L. I.
 * Bluestein, "A linear filtering approach to the computation of discrete Fourier transform", 1970.)
 * Prime stages (cl/parts/fft_primes.cl) are quicker while what they work in stays in cache; this is
 * for lines that are longer, or too few to fill a vector. The inverse is the forward transform
 * with real and imaginary parts exchanged.
 */
#include "fourier/chirp.h"

#include "fourier/pass_run.h"

#include <stdlib.h>

/* Lengths with many factors of 2 are the quickest and most accurate. */
#define PADDED_MULTIPLE 64

struct imf_fft_chirp {
    struct imf_queue *queue;
    struct imf_fft_lines lines;
    int padded;
    struct imf_fft_pass_run inner; /* one padded line */
    struct imf_program *program;
    struct imf_buffer *chirp, *spectrum;
};

void imf_fft_chirp_free(struct imf_fft_chirp **chirp) {
    struct imf_fft_chirp *c = *chirp;
    if (!c)
        return;
    imf_fft_pass_run_free(&c->inner);
    imf_buffer_free(&c->chirp);
    imf_buffer_free(&c->spectrum);
    imf_program_free(&c->program);
    free(c);
    *chirp = NULL;
}

static enum imf_status launch(const struct imf_fft_chirp *c, struct imf_buffer *in,
                              struct imf_buffer *out, struct imf_buffer *factors,
                              const struct imf_fft_product *p, struct imf_error *err) {
    const struct imf_arg args[] = {imf_arg_buffer(in), imf_arg_buffer(out), imf_arg_buffer(factors),
                                   imf_arg_block(p, sizeof *p)};
    const struct imf_device *d = imf_queue_device(c->queue);
    const struct imf_grid grid = {4 * (d->compute_units > 0 ? d->compute_units : 1), 1, 1};
    return imf_program_launch(c->queue, c->program, grid, args, err);
}

/* The chirp's conjugate, which repeats itself before 0, as a spectrum. */
static enum imf_status make_spectrum(struct imf_fft_chirp *c, const float *chirp,
                                     struct imf_error *err) {
    size_t n = (size_t)c->lines.length, m = (size_t)c->padded;
    float *b = calloc(m, 2 * sizeof *b);
    if (!b)
        return imf_fail_memory(err, 2 * m * sizeof *b);
    for (size_t i = 0; i < n; i++) {
        size_t at[] = {i, i ? m - i : 0};
        for (int k = 0; k < 2; k++) {
            b[2 * at[k]] = (float)(chirp[2 * i] / (double)m);
            b[2 * at[k] + 1] = (float)(-chirp[2 * i + 1] / (double)m);
        }
    }
    struct imf_buffer *data = c->inner.data;
    enum imf_status status = imf_buffer_upload(c->queue, data, 0, b, c->inner.bytes, err);
    if (status == IMF_OK)
        status = imf_fft_pass_run(&c->inner, false, err);
    if (status == IMF_OK)
        status = imf_buffer_download(c->queue, data, 0, b, c->inner.bytes, err);
    if (status == IMF_OK)
        status = imf_buffer_table(&c->spectrum, c->queue, b, c->inner.bytes, err);
    free(b);
    return status;
}

static enum imf_status make_tables(struct imf_fft_chirp *c, struct imf_error *err) {
    size_t n = (size_t)c->lines.length, bytes = 2 * n * sizeof(float);
    float *chirp = malloc(bytes);
    if (!chirp)
        return imf_fail_memory(err, bytes);
    for (size_t i = 0; i < n; i++) {
        /* pi i^2 / n is 2 pi (i^2 mod 2n) / 2n. */
        double re, im;
        imf_fft_root((int64_t)((uint64_t)i * i % (2 * n)), (int)(2 * n), &re, &im);
        chirp[2 * i] = (float)re;
        chirp[2 * i + 1] = (float)im;
    }
    enum imf_status status = make_spectrum(c, chirp, err);
    if (status == IMF_OK)
        status = imf_buffer_table(&c->chirp, c->queue, chirp, bytes, err);
    free(chirp);
    return status;
}

enum imf_status imf_fft_chirp_make(struct imf_fft_chirp **out, struct imf_queue *queue,
                                   const struct imf_fft_lines *lines, struct imf_error *err) {
    struct imf_fft_chirp *c = *out = calloc(1, sizeof *c);
    if (!c)
        return imf_fail_memory(err, sizeof *c);
    c->queue = queue;
    c->lines = *lines;
    c->padded = imf_fft_length(2 * lines->length - 1, PADDED_MULTIPLE);
    const struct imf_fft_shape_passes padded = {
        .nx = c->padded, .ny = 1, .batch = 1, .radices = IMF_FFT_RADICES};
    static const struct imf_program_source source = {.file = "fft_chirp.cl"};
    enum imf_status status = imf_program_make(&c->program, queue, &source, "fft_chirp", err);
    if (status == IMF_OK)
        status = imf_fft_pass_run_make(&c->inner, queue, &padded, true, err);
    if (status == IMF_OK)
        status = make_tables(c, err);
    if (status != IMF_OK)
        imf_fft_chirp_free(out);
    return status;
}

static enum imf_status run_line(struct imf_fft_chirp *c, struct imf_buffer *data, int64_t at,
                                bool backwards, struct imf_error *err) {
    int n = c->lines.length, m = c->padded;
    int64_t step = c->lines.element;
    struct imf_buffer *wide = c->inner.data;
    const struct imf_fft_product in = {at, step, 0, 1, n, m, backwards, 0},
                                 by = {0, 1, 0, 1, m, m, 0, 0},
                                 out = {0, 1, at, step, n, n, 0, backwards};
    enum imf_status status = launch(c, data, wide, c->chirp, &in, err);
    if (status == IMF_OK)
        status = imf_fft_pass_run(&c->inner, false, err);
    if (status == IMF_OK)
        status = launch(c, wide, wide, c->spectrum, &by, err);
    if (status == IMF_OK)
        status = imf_fft_pass_run(&c->inner, true, err);
    return status == IMF_OK ? launch(c, wide, data, c->chirp, &out, err) : status;
}

enum imf_status imf_fft_chirp_run(struct imf_fft_chirp *c, struct imf_buffer *data, bool backwards,
                                  struct imf_error *err) {
    const struct imf_fft_lines *l = &c->lines;
    enum imf_status status = IMF_OK;
    for (int s = 0; s < l->sets; s++)
        for (int i = 0; i < l->lines && status == IMF_OK; i++)
            status = run_line(c, data, s * l->set + i * l->line, backwards, err);
    return status;
}
