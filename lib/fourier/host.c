/*
 * host.c - mixed-radix transforms in double precision, and real planes
 *
 * The recursion of Cooley and Tukey 1965, decimation in time: a transform of n = r m points is r
 * transforms of every r-th point, and m butterflies of r points that join them. All factors come
 * from one table of the n-th roots of unity, each computed on its own, so that errors do not add
 * up along the table. Radix 4 has a butterfly of its own; other radices are primes, the small ones
 * done by the definition and the large ones as convolutions (fourier/rader.h).
 *
 * A real plane costs half: two real rows ride as one complex row, whose even part is the one's
 * spectrum and whose odd part is i times the other's, and only columns 0..width/2 are transformed.
 */
#include "fourier/host.h"

#include "base/surface.h"
#include "fourier/plan.h"
#include "fourier/rader.h"

#include <math.h>
#include <stdlib.h>

#define MAX_FACTORS 32 /* 2^31 has 31 */
#define COLUMNS 16     /* fetched together: 256 bytes of each row */

/* A butterfly of a large prime. */
struct large {
    struct imf_fft_rader rader;
    struct imf_fft_host *fft; /* of the convolution's length */
    struct imf_complex *in, *out;
};

struct imf_fft_host {
    int length, count;
    int factor[MAX_FACTORS];
    struct large *large[MAX_FACTORS]; /* NULL: by the definition */
    struct imf_complex *root;         /* exp(-2 pi i k / length) */
    struct imf_complex *scratch;      /* one butterfly of the largest factor */
};

static int next_factor(int n) {
    if (n % 4 == 0)
        return 4;
    for (int f = 2; (int64_t)f * f <= n; f++)
        if (n % f == 0)
            return f;
    return n;
}

static void fill_roots(struct imf_complex *root, int n) {
    const double turn = 2 * acos(-1.0) / n;
    for (int k = 0; k < n; k++) {
        /* By the nearest quarter turn, which is exact. */
        int quarter = (int)((4 * (int64_t)k + n / 2) / n);
        double angle = turn * (double)((4 * (int64_t)k - (int64_t)quarter * n)) / 4;
        double c = cos(angle), s = sin(angle);
        const struct imf_complex turned[4] = {{c, -s}, {-s, -c}, {-c, s}, {s, c}};
        root[k] = turned[quarter % 4];
    }
}

static void large_free(struct large *l) {
    if (!l)
        return;
    imf_fft_host_free(&l->fft);
    imf_fft_rader_free(&l->rader);
    free(l->in);
    free(l->out);
    free(l);
}

static enum imf_status large_make(struct large **out, int prime, int length,
                                  struct imf_error *err) {
    struct large *l = *out = calloc(1, sizeof *l);
    if (!l)
        return imf_fail_memory(err, sizeof *l);
    size_t bytes = (size_t)length * sizeof *l->in;
    enum imf_status status = imf_fft_rader_make(&l->rader, prime, length, err);
    if (status == IMF_OK)
        status = imf_fft_host_create(&l->fft, length, err);
    if (status != IMF_OK)
        return status;
    l->in = malloc(bytes);
    l->out = malloc(bytes);
    return l->in && l->out ? IMF_OK : imf_fail_memory(err, 2 * bytes);
}

/* Butterflies for the large primes among the factors; equal factors share one. */
static enum imf_status make_large(struct imf_fft_host *fft, struct imf_error *err) {
    enum imf_status status = IMF_OK;
    for (int i = 0; status == IMF_OK && i < fft->count; i++) {
        int prime = fft->factor[i], length = imf_fft_prime_length(prime);
        if (i > 0 && fft->factor[i - 1] == prime)
            fft->large[i] = fft->large[i - 1];
        else if (length > 0)
            status = large_make(&fft->large[i], prime, length, err);
    }
    return status;
}

enum imf_status imf_fft_host_create(struct imf_fft_host **out, int length, struct imf_error *err) {
    *out = NULL;
    if (length < 1)
        return imf_fail(err, IMF_ERR_ARGUMENT, "no transform has %d points", length);
    struct imf_fft_host *fft = calloc(1, sizeof *fft);
    if (!fft)
        return imf_fail_memory(err, sizeof *fft);
    int largest = 1;
    fft->length = length;
    for (int n = length; n > 1; n /= fft->factor[fft->count++]) {
        fft->factor[fft->count] = next_factor(n);
        if (fft->factor[fft->count] > largest)
            largest = fft->factor[fft->count];
    }
    fft->root = calloc((size_t)length, sizeof *fft->root);
    fft->scratch = calloc((size_t)largest, sizeof *fft->scratch);
    if (!fft->root || !fft->scratch) {
        imf_fft_host_free(&fft);
        return imf_fail_memory(err, (size_t)length * sizeof *fft->root);
    }
    fill_roots(fft->root, length);
    enum imf_status status = make_large(fft, err);
    if (status != IMF_OK)
        imf_fft_host_free(&fft);
    *out = fft;
    return status;
}

void imf_fft_host_free(struct imf_fft_host **fft) {
    if (!*fft)
        return;
    for (int i = 0; i < (*fft)->count; i++)
        if (i == 0 || (*fft)->large[i] != (*fft)->large[i - 1])
            large_free((*fft)->large[i]);
    free((*fft)->root);
    free((*fft)->scratch);
    free(*fft);
    *fft = NULL;
}

static struct imf_complex add(struct imf_complex a, struct imf_complex b) {
    return (struct imf_complex){a.re + b.re, a.im + b.im};
}

static struct imf_complex subtract(struct imf_complex a, struct imf_complex b) {
    return (struct imf_complex){a.re - b.re, a.im - b.im};
}

static struct imf_complex multiply(struct imf_complex a, struct imf_complex b) {
    return (struct imf_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* out[0], out[m], out[2m], ...: the r points of one butterfly, already times their twiddles. */
static void butterfly4(struct imf_complex *out, size_t m) {
    struct imf_complex a = add(out[0], out[2 * m]), b = subtract(out[0], out[2 * m]);
    struct imf_complex c = add(out[m], out[3 * m]), d = subtract(out[m], out[3 * m]);
    struct imf_complex minus_i_d = {d.im, -d.re};
    out[0] = add(a, c);
    out[m] = add(b, minus_i_d);
    out[2 * m] = subtract(a, c);
    out[3 * m] = subtract(b, minus_i_d);
}

static void butterfly(const struct imf_fft_host *fft, struct imf_complex *out, size_t m, int r) {
    struct imf_complex *t = fft->scratch;
    size_t step = (size_t)(fft->length / r);
    for (int k = 0; k < r; k++)
        t[k] = out[(size_t)k * m];
    for (int q = 0; q < r; q++) {
        struct imf_complex sum = t[0];
        for (int k = 1, at = q; k < r; k++) {
            sum = add(sum, multiply(t[k], fft->root[(size_t)at * step]));
            at = at >= r - q ? at - (r - q) : at + q;
        }
        out[(size_t)q * m] = sum;
    }
}

/* out[0], out[m], out[2m], ...: the transform of as many values as l's prime. */
static void butterfly_large(const struct large *l, struct imf_complex *out, size_t m) {
    const struct imf_fft_rader *r = &l->rader;
    struct imf_complex first = out[0];
    size_t count = (size_t)r->prime - 1, length = (size_t)r->length;
    for (size_t q = 0; q < count; q++)
        l->in[q] = out[(size_t)r->gather[q] * m];
    for (size_t q = count; q < length; q++)
        l->in[q] = (struct imf_complex){0, 0};
    imf_fft_host_run(l->fft, l->in, 1, l->out);
    out[0] = add(first, l->out[0]);
    /* Back as the transform of the conjugate, conjugated. */
    for (size_t k = 0; k < length; k++) {
        l->in[k] = multiply(l->out[k], r->spectrum[k]);
        l->in[k].im = -l->in[k].im;
    }
    imf_fft_host_run(l->fft, l->in, 1, l->out);
    for (size_t q = 0; q < count; q++)
        out[(size_t)r->scatter[q] * m] =
            (struct imf_complex){first.re + l->out[q].re, first.im - l->out[q].im};
}

static void transform(const struct imf_fft_host *fft, int level, int n,
                      const struct imf_complex *in, ptrdiff_t stride, struct imf_complex *out) {
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    int r = fft->factor[level];
    size_t m = (size_t)(n / r), step = (size_t)(fft->length / n);
    for (int k = 0; k < r; k++)
        transform(fft, level + 1, (int)m, in + k * stride, stride * r, out + (size_t)k * m);
    for (size_t j = 0; j < m; j++) {
        for (size_t k = 1; j && k < (size_t)r; k++)
            out[k * m + j] = multiply(out[k * m + j], fft->root[j * k * step]);
        if (fft->large[level])
            butterfly_large(fft->large[level], out + j, m);
        else if (r == 4)
            butterfly4(out + j, m);
        else
            butterfly(fft, out + j, m, r);
    }
}

void imf_fft_host_run(struct imf_fft_host *fft, const struct imf_complex *in, ptrdiff_t stride,
                      struct imf_complex *out) {
    transform(fft, 0, fft->length, in, stride, out);
}

/* ---- real planes ---------------------------------------------------------------------------- */

/* Buffers of imf_half_plane_make(). */
struct half_work {
    struct imf_fft_host *rows, *columns;
    struct imf_complex *in, *out;
    double *row;
};

static enum imf_status half_work_make(struct half_work *w, int width, int height,
                                      struct imf_error *err) {
    size_t longest = (size_t)(width > height ? width : height) * COLUMNS;
    enum imf_status status = imf_fft_host_create(&w->rows, width, err);
    if (status == IMF_OK)
        status = imf_fft_host_create(&w->columns, height, err);
    if (status != IMF_OK)
        return status;
    w->in = calloc(longest, sizeof *w->in);
    w->out = calloc(longest, sizeof *w->out);
    w->row = calloc((size_t)width, sizeof *w->row);
    return w->in && w->out && w->row ? IMF_OK : imf_fail_memory(err, longest * sizeof *w->in);
}

static void half_work_free(struct half_work *w) {
    imf_fft_host_free(&w->rows);
    imf_fft_host_free(&w->columns);
    free(w->in);
    free(w->out);
    free(w->row);
}

static void transform_rows(struct imf_half_plane *p, struct half_work *w, imf_row_source *source,
                           void *user) {
    size_t half = (size_t)p->width / 2 + 1, n = (size_t)p->width;
    for (int y = 0; y < p->height; y += 2) {
        bool pair = y + 1 < p->height;
        source(user, y, w->row);
        for (size_t x = 0; x < n; x++)
            w->in[x] = (struct imf_complex){w->row[x], 0};
        if (pair)
            source(user, y + 1, w->row);
        for (size_t x = 0; pair && x < n; x++)
            w->in[x].im = w->row[x];
        imf_fft_host_run(w->rows, w->in, 1, w->out);
        struct imf_complex *first = p->data + (size_t)y * half, *second = first + half;
        for (size_t k = 0; k < half; k++) {
            struct imf_complex a = w->out[k], b = w->out[k ? n - k : 0];
            first[k] = (struct imf_complex){(a.re + b.re) / 2, (a.im - b.im) / 2};
            if (pair)
                second[k] = (struct imf_complex){(a.im + b.im) / 2, (b.re - a.re) / 2};
        }
    }
}

static void transform_columns(struct imf_half_plane *p, struct half_work *w) {
    size_t half = (size_t)p->width / 2 + 1, height = (size_t)p->height;
    for (size_t x = 0; x < half; x += COLUMNS) {
        size_t count = half - x < COLUMNS ? half - x : COLUMNS;
        for (size_t y = 0; y < height; y++)
            for (size_t c = 0; c < count; c++)
                w->in[c * height + y] = p->data[y * half + x + c];
        for (size_t c = 0; c < count; c++)
            imf_fft_host_run(w->columns, w->in + c * height, 1, w->out + c * height);
        for (size_t y = 0; y < height; y++)
            for (size_t c = 0; c < count; c++)
                p->data[y * half + x + c] = w->out[c * height + y];
    }
}

enum imf_status imf_half_plane_make(struct imf_half_plane *out, int width, int height,
                                    imf_row_source *source, void *user, struct imf_error *err) {
    *out = (struct imf_half_plane){width, height, NULL};
    struct half_work work = {0};
    enum imf_status status = half_work_make(&work, width, height, err);
    size_t count = SIZE_MAX, bytes;
    if (status == IMF_OK) {
        if (imf_size_mul((size_t)width / 2 + 1, (size_t)height, &count) &&
            imf_size_mul(count, sizeof *out->data, &bytes))
            out->data = malloc(bytes);
        if (!out->data)
            status = imf_fail_memory(err, count);
    }
    if (status == IMF_OK) {
        transform_rows(out, &work, source, user);
        transform_columns(out, &work);
    }
    half_work_free(&work);
    return status;
}

void imf_half_plane_free(struct imf_half_plane *p) {
    free(p->data);
    p->data = NULL;
}

struct imf_complex imf_half_plane_at(const struct imf_half_plane *p, int kx, int ky) {
    kx = (kx % p->width + p->width) % p->width;
    ky = (ky % p->height + p->height) % p->height;
    size_t half = (size_t)p->width / 2 + 1;
    if ((size_t)kx < half)
        return p->data[(size_t)ky * half + (size_t)kx];
    struct imf_complex z =
        p->data[(size_t)((p->height - ky) % p->height) * half + (size_t)(p->width - kx)];
    return (struct imf_complex){z.re, -z.im};
}
