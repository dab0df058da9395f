/*
 * host.c - mixed-radix transforms in double precision or floats (real.h)
 *
 * The recursion of Cooley and Tukey 1965: decimation in frequency forward and in time backward, in
 * place, so that frequencies stand in scrambled order in between and a convolution never reorders
 * anything. All factors come from one table of the n-th roots of unity, each computed on its own, so
 * that errors do not add up along the table. The lines of a batch lie side by side and every operation is one
 * on vectors (host_stages.c). Stages go depth first until a part lies in the first-level cache.
 *
 * Radices are 4, 2, 3, 5 and 7, and other primes: small ones by the definition, large ones as
 * convolutions (fourier/rader.h).
 */
#include "fourier/host.h"

#include "fourier/host_stages.h"
#include "fourier/plan.h"
#include "fourier/rader.h"

#include <math.h>
#include <stdlib.h>

#define MAX_FACTORS 32 /* 2^31 has 31 */
#define CACHED 128     /* points that lie in the first-level cache: 16 KiB */

struct imf_fft_host {
    int length, count;
    int factor[MAX_FACTORS];
    struct imf_fft_host_prime *prime[MAX_FACTORS]; /* NULL: by the definition */
    struct imf_fft_root *root;                     /* exp(-2 pi i k / length) */
    int *position;
    size_t work;
};

static int next_factor(int n) {
    if (n % 4 == 0)
        return 4;
    for (int f = 2; (int64_t)f * f <= n; f++)
        if (n % f == 0)
            return f;
    return n;
}

static void fill_roots(struct imf_fft_root *root, int n) {
    const double turn = 2 * acos(-1.0) / n;
    for (int k = 0; k < n; k++) {
        /* By the nearest quarter turn, which is exact. */
        int quarter = (int)((4 * (int64_t)k + n / 2) / n);
        double angle = turn * (double)((4 * (int64_t)k - (int64_t)quarter * n)) / 4;
        double c = cos(angle), s = sin(angle);
        const struct imf_complex turned[4] = {{c, -s}, {-s, -c}, {-c, s}, {s, c}};
        struct imf_complex value = turned[quarter % 4];
        root[k] = (struct imf_fft_root){(imf_real)value.re, (imf_real)value.im};
    }
}

/* Digits of k, the first factor's first: those of its position in the opposite order. */
static void fill_positions(struct imf_fft_host *fft) {
    for (int k = 0; k < fft->length; k++) {
        int position = 0, span = fft->length, rest = k;
        for (int i = 0; i < fft->count; i++) {
            span /= fft->factor[i];
            position += rest % fft->factor[i] * span;
            rest /= fft->factor[i];
        }
        fft->position[k] = position;
    }
}

enum imf_status imf_fft_host_prime(struct imf_fft_host_prime *out, int prime, int length,
                                   struct imf_error *err) {
    *out = (struct imf_fft_host_prime){.fft = NULL};
    enum imf_status status = imf_fft_rader_make(&out->rader, prime, length, err);
    if (!status)
        status = imf_fft_host_create(&out->fft, length, err);
    struct imf_complex *kernel = out->rader.kernel;
    return status ? status : imf_fft_host_run(out->fft, kernel, 1, kernel, err);
}

void imf_fft_host_prime_free(struct imf_fft_host_prime *p) {
    imf_fft_host_free(&p->fft);
    imf_fft_rader_free(&p->rader);
}

/* Butterflies for the primes above 7 among the factors; equal factors share one. */
static enum imf_status make_primes(struct imf_fft_host *fft, struct imf_error *err) {
    enum imf_status status = IMF_OK;
    for (int i = 0; status == IMF_OK && i < fft->count; i++) {
        int prime = fft->factor[i], length = imf_fft_prime_length(prime);
        size_t work = length > 0 ? (size_t)length : prime > 7 ? 2 * (size_t)prime : 0;
        if (work > fft->work)
            fft->work = work;
        if (i > 0 && fft->factor[i - 1] == prime)
            fft->prime[i] = fft->prime[i - 1];
        else if (length > 0)
            status = (fft->prime[i] = calloc(1, sizeof *fft->prime[i]))
                         ? imf_fft_host_prime(fft->prime[i], prime, length, err)
                         : imf_fail_memory(err, sizeof *fft->prime[i]);
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
    fft->length = length;
    for (int n = length; n > 1; n /= fft->factor[fft->count++])
        fft->factor[fft->count] = next_factor(n);
    fft->root = calloc((size_t)length, sizeof *fft->root);
    fft->position = calloc((size_t)length, sizeof *fft->position);
    if (!fft->root || !fft->position) {
        imf_fft_host_free(&fft);
        return imf_fail_memory(err, (size_t)length * sizeof *fft->root);
    }
    fill_roots(fft->root, length);
    fill_positions(fft);
    enum imf_status status = make_primes(fft, err);
    if (status != IMF_OK)
        imf_fft_host_free(&fft);
    *out = fft;
    return status;
}

static void free_prime(struct imf_fft_host_prime *p) {
    if (p)
        imf_fft_host_prime_free(p);
    free(p);
}

void imf_fft_host_free(struct imf_fft_host **fft) {
    if (!*fft)
        return;
    for (int i = 0; i < (*fft)->count; i++)
        if (i == 0 || (*fft)->prime[i] != (*fft)->prime[i - 1])
            free_prime((*fft)->prime[i]);
    free((*fft)->root);
    free((*fft)->position);
    free(*fft);
    *fft = NULL;
}

size_t imf_fft_host_work(const struct imf_fft_host *fft) {
    return fft->work;
}

const int *imf_fft_host_positions(const struct imf_fft_host *fft) {
    return fft->position;
}

static struct imf_fft_batch exchanged(const struct imf_fft_batch *x) {
    struct imf_fft_batch y;
    for (size_t l = 0; l < IMF_FFT_BATCH; l++) {
        y.re[l] = x->im[l];
        y.im[l] = x->re[l];
    }
    return y;
}

/* The butterfly of a large prime, of the points x[0], x[step], ... The convolution's length is a
 * product of 2, 3, 5 and 7, so that its transform needs no work. */
static void butterfly_prime(const struct imf_fft_host_prime *p, struct imf_fft_batch *x,
                            size_t step, bool backward, struct imf_fft_batch *work) {
    const struct imf_fft_rader *r = &p->rader;
    const int *position = p->fft->position;
    struct imf_fft_batch first = backward ? exchanged(&x[0]) : x[0], sum = first;
    size_t count = (size_t)r->prime - 1, length = (size_t)r->length;
    for (size_t q = 0; q < count; q++) {
        const struct imf_fft_batch *from = &x[(size_t)r->gather[q] * step];
        work[q] = backward ? exchanged(from) : *from;
    }
    for (size_t q = count; q < length; q++)
        work[q] = (struct imf_fft_batch){{0}, {0}};
    imf_fft_host_forward(p->fft, work, NULL);
    for (size_t i = 0; i < IMF_FFT_BATCH; i++) {
        sum.re[i] += work[0].re[i];
        sum.im[i] += work[0].im[i];
    }
    for (size_t k = 0; k < length; k++) {
        struct imf_fft_batch *z = &work[position[k]];
        struct imf_complex b = r->kernel[k];
        for (size_t i = 0; i < IMF_FFT_BATCH; i++) {
            double re = (double)z->re[i], im = (double)z->im[i];
            z->re[i] = (imf_real)(re * b.re - im * b.im);
            z->im[i] = (imf_real)(re * b.im + im * b.re);
        }
    }
    imf_fft_host_backward(p->fft, work, NULL);
    x[0] = backward ? exchanged(&sum) : sum;
    for (size_t q = 0; q < count; q++) {
        for (size_t i = 0; i < IMF_FFT_BATCH; i++) {
            work[q].re[i] += first.re[i];
            work[q].im[i] += first.im[i];
        }
        x[(size_t)r->scatter[q] * step] = backward ? exchanged(&work[q]) : work[q];
    }
}

static void run_stage(const struct imf_fft_host *fft, int level, int span, int blocks,
                      bool backward, struct imf_fft_batch *x, struct imf_fft_batch *work) {
    struct imf_fft_stage s = {fft->factor[level], span, blocks, fft->root, fft->length, backward};
    if (s.radix <= 7) {
        imf_fft_host_stage(&s, x);
        return;
    }
    size_t m = (size_t)(span / s.radix);
    for (size_t b = 0; b < (size_t)blocks; b++)
        for (size_t j = 0; j < m; j++) {
            struct imf_fft_batch *at = x + b * (size_t)span + j;
            if (backward && j > 0)
                imf_fft_host_twiddle(&s, at, m, j);
            if (fft->prime[level])
                butterfly_prime(fft->prime[level], at, m, backward, work);
            else
                imf_fft_host_definition(&s, at, m, work);
            if (!backward && j > 0)
                imf_fft_host_twiddle(&s, at, m, j);
        }
}

/* `span` points from a level on. Parts of what the cache holds are done stage by stage. */
static void forward(const struct imf_fft_host *fft, int level, int span, struct imf_fft_batch *x,
                    struct imf_fft_batch *work) {
    int blocks = 1;
    for (; level < fft->count; level++) {
        int part = span / fft->factor[level];
        run_stage(fft, level, span, blocks, false, x, work);
        if (span > CACHED) {
            for (int q = 0; q < fft->factor[level] && part > 1; q++)
                forward(fft, level + 1, part, x + (size_t)q * (size_t)part, work);
            return;
        }
        blocks *= fft->factor[level];
        span = part;
    }
}

static void backward(const struct imf_fft_host *fft, int level, int span, struct imf_fft_batch *x,
                     struct imf_fft_batch *work) {
    int part = span;
    if (span > CACHED) {
        part = span / fft->factor[level];
        for (int q = 0; q < fft->factor[level] && part > 1; q++)
            backward(fft, level + 1, part, x + (size_t)q * (size_t)part, work);
        run_stage(fft, level, span, 1, true, x, work);
        return;
    }
    part = 1;
    for (int i = fft->count - 1; i >= level; i--) {
        part *= fft->factor[i];
        run_stage(fft, i, part, span / part, true, x, work);
    }
}

void imf_fft_host_forward(const struct imf_fft_host *fft, struct imf_fft_batch *x,
                          struct imf_fft_batch *work) {
    forward(fft, 0, fft->length, x, work);
}

void imf_fft_host_backward(const struct imf_fft_host *fft, struct imf_fft_batch *x,
                           struct imf_fft_batch *work) {
    backward(fft, 0, fft->length, x, work);
}

enum imf_status imf_fft_host_run(const struct imf_fft_host *fft, const struct imf_complex *in,
                                 ptrdiff_t stride, struct imf_complex *out, struct imf_error *err) {
    size_t n = (size_t)fft->length;
    struct imf_fft_batch *x = calloc(n + fft->work, sizeof *x);
    if (!x)
        return imf_fail_memory(err, (n + fft->work) * sizeof *x);
    for (size_t j = 0; j < n; j++) {
        x[j].re[0] = (imf_real)in[(ptrdiff_t)j * stride].re;
        x[j].im[0] = (imf_real)in[(ptrdiff_t)j * stride].im;
    }
    imf_fft_host_forward(fft, x, x + n);
    for (size_t k = 0; k < n; k++) {
        const struct imf_fft_batch *at = &x[fft->position[k]];
        out[k] = (struct imf_complex){(double)at->re[0], (double)at->im[0]};
    }
    free(x);
    return IMF_OK;
}
