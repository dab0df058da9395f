/*
 * shrink.c - a picture at smaller sizes, by the mean of what each pixel covers
 *
 * Each axis is cut into units, of which a pixel and one of its source have a whole number: a row adds to one or two
 * rows of sums by how many units they share, and columns are added once such a row is complete. Where the pixels of a
 * larger size are whole in those of a smaller one, its sums stand for the picture's, so that halves of halves cost
 * little.
 * Sums of integers are exact below 2^53; they are divided once.
 */
#include "codec/tiff/shrink.h"

#include "base/clones.h"
#include "base/error.h"
#include "base/image/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES, WEIGHTS };

/* ---- rows of sums ---------------------------------------------------------------------------- */

IMF_CLONES static void add_to_sums(double *restrict to, const double *restrict row, double weight,
                                   size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] += weight * row[i];
}

IMF_CLONES static void weigh_floats(double *restrict row, double *restrict weights, size_t n) {
    for (size_t i = 0; i < n; i++) {
        weights[i] = isnan(row[i]) ? 0 : 1;
        row[i] = isnan(row[i]) ? 0 : row[i];
    }
}

/* Colours by their alpha, the last of n channels. */
static inline void weigh_pixels(double *restrict row, double *restrict weights, size_t pixels,
                                size_t n) {
    for (; pixels > 0; pixels--, row += n, weights += n) {
        double alpha = row[n - 1] > 0 ? row[n - 1] : 0;
        for (size_t c = 0; c < n; c++) {
            double weight = isnan(row[c]) ? 0 : c < n - 1 ? alpha : 1;
            row[c] = weight > 0 ? row[c] * weight : 0;
            weights[c] = weight;
        }
    }
}

IMF_CLONES static void weigh_colors(double *row, double *weights, size_t pixels, size_t n) {
    if (n == 4) /* so that the compiler knows it */
        weigh_pixels(row, weights, pixels, 4);
    else
        weigh_pixels(row, weights, pixels, n);
}

/* Columns of a row of sums, of n channels. */
static inline void add_pixels(const struct imf_shrunk *x, double *restrict to,
                              const double *restrict sums, size_t n) {
    uint64_t at = 0, next = x->across[1]; /* units; where the source's next column begins */
    for (int i = 0; i < x->width; i++, to += n) {
        uint64_t end = at + x->across[0];
        for (size_t c = 0; c < n; c++)
            to[c] = 0;
        while (at < end) {
            uint64_t upto = next < end ? next : end;
            double weight = (double)(upto - at);
            for (size_t c = 0; c < n; c++)
                to[c] += weight * sums[c];
            at = upto;
            if (at == next) {
                next += x->across[1];
                sums += n;
            }
        }
    }
}

IMF_CLONES static void add_columns(const struct imf_shrunk *x, double *to, const double *sums,
                                   size_t n) {
    switch (n) { /* so that the compiler knows it */
    case 1:
        add_pixels(x, to, sums, 1);
        break;
    case 3:
        add_pixels(x, to, sums, 3);
        break;
    case 4:
        add_pixels(x, to, sums, 4);
        break;
    default:
        add_pixels(x, to, sums, n);
    }
}

/* ---- rows of samples ------------------------------------------------------------------------- */

/* What no sample counted for: NaN, unless it is an integer, or a colour that alpha hides. */
static double hole(const struct imf_shrink *b, const struct imf_shrunk *x, size_t i) {
    size_t n = (size_t)b->info.channels, alpha = i - i % n + n - 1;
    bool hidden = b->info.alpha && i != alpha && x->means[WEIGHTS][alpha] > 0 &&
                  !(x->means[SAMPLES][alpha] > 0);
    return b->info.depth < 32 || hidden ? 0 : (double)NAN;
}

/* Sums become samples, still as doubles. */
IMF_CLONES static void divide(double *restrict to, const double *restrict sums,
                              const double *restrict weights, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] = sums[i] / weights[i];
}

IMF_CLONES static void divide_all(double *restrict to, const double *restrict sums, double weight,
                                  size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] = sums[i] / weight;
}

/* Samples of fewer bits than rows have. */
static void round_to_bits(double *v, double full, int bits, size_t n) {
    double most = (1 << bits) - 1;
    for (size_t i = 0; i < n; i++)
        v[i] = rint(v[i] * most / full) * (full / most);
}

static void put_row(const struct imf_shrink *b, const struct imf_shrunk *x) {
    size_t samples = (size_t)b->info.channels * (size_t)x->width;
    enum imf_sample sample = imf_info_sample(&b->info);
    double *v = x->samples, full = imf_sample_max(sample);
    if (b->weighted)
        divide(v, x->means[SAMPLES], x->means[WEIGHTS], samples);
    else
        divide_all(v, x->means[SAMPLES], x->whole, samples);
    for (size_t i = 0; b->weighted && i < samples; i++)
        if (!(x->means[WEIGHTS][i] > 0))
            v[i] = hole(b, x, i);
    if (b->info.bits)
        round_to_bits(v, full, b->info.bits, samples);
    imf_samples_narrow(x->row, sample, v, samples);
}

/* A row of sums of source `from` for all that are made of it. */
static enum imf_status give(struct imf_shrink *b, int from, double *const *row,
                            struct imf_error *err);

static enum imf_status finish_row(struct imf_shrink *b, int k, struct imf_error *err) {
    struct imf_shrunk *x = &b->smaller[k];
    size_t n = (size_t)b->info.channels, samples = n * (size_t)x->source_width;
    for (int i = 0; i <= b->weighted; i++) {
        add_columns(x, x->means[i], x->sums[i], n);
        memset(x->sums[i], 0, samples * sizeof *x->sums[i]);
    }
    put_row(b, x);
    enum imf_status status = x->take(x->data, x->row, err);
    return status ? status : give(b, k, x->means, err);
}

static enum imf_status give(struct imf_shrink *b, int from, double *const *row,
                            struct imf_error *err) {
    enum imf_status status = IMF_OK;
    for (int k = 0; k < b->count; k++) {
        struct imf_shrunk *x = &b->smaller[k];
        if (x->from != from)
            continue;
        size_t samples = (size_t)b->info.channels * (size_t)x->source_width;
        for (uint64_t left = x->down[1]; left > 0 && !status;) {
            uint64_t room = x->down[0] - x->at % x->down[0], part = left < room ? left : room;
            for (int i = 0; i <= b->weighted; i++)
                add_to_sums(x->sums[i], row[i], (double)part, samples);
            x->at += part;
            left -= part;
            if (part == room)
                status = finish_row(b, k, err);
        }
    }
    return status;
}

enum imf_status imf_shrink_row(struct imf_shrink *b, const unsigned char *row,
                               struct imf_error *err) {
    size_t n = (size_t)b->info.channels, pixels = (size_t)b->info.width;
    imf_samples_widen(b->row[SAMPLES], row, imf_info_sample(&b->info), 0, n * pixels);
    if (b->info.alpha)
        weigh_colors(b->row[SAMPLES], b->row[WEIGHTS], pixels, n);
    else if (b->weighted)
        weigh_floats(b->row[SAMPLES], b->row[WEIGHTS], n * pixels);
    return give(b, -1, b->row, err);
}

/* ---- open and close -------------------------------------------------------------------------- */

static void set_axis(uint64_t axis[2], int source, int size) {
    int a = source, b = size;
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    axis[0] = (uint64_t)(source / a);
    axis[1] = (uint64_t)(size / a);
}

/* The smallest one whose pixels are whole parts of its own. */
static void choose_source(struct imf_shrink *b, int k) {
    struct imf_shrunk *x = &b->smaller[k];
    int width = b->info.width, height = b->info.height;
    x->from = -1;
    for (int i = 0; i < b->count; i++) {
        const struct imf_shrunk *s = &b->smaller[i];
        bool parts = s->width % x->width == 0 && s->height % x->height == 0;
        if (parts && s->width <= width && s->height <= height && s->width > x->width &&
            s->height > x->height) {
            x->from = i;
            width = s->width;
            height = s->height;
        }
    }
    x->source_width = width;
    set_axis(x->across, width, x->width);
    set_axis(x->down, height, x->height);
}

static double whole(const struct imf_shrink *b, const struct imf_shrunk *x) {
    double all = 1;
    for (; x; x = x->from < 0 ? NULL : &b->smaller[x->from])
        all *= (double)x->across[0] * (double)x->down[0];
    return all;
}

static bool allocate(struct imf_shrink *b, void *list, size_t count, size_t size) {
    void **to = list;
    b->memory += (uint64_t)count * size;
    return (*to = calloc(count, size)) != NULL;
}

enum imf_status imf_shrink_open(struct imf_shrink *b, const struct imf_info *info,
                                struct imf_error *err) {
    size_t n = (size_t)info->channels, each = sizeof(double);
    bool good = true;
    b->info = *info;
    b->weighted = info->alpha || info->depth >= 32;
    b->memory = 0;
    for (int i = 0; i <= b->weighted; i++)
        good = good && allocate(b, &b->row[i], n * (size_t)info->width, each);
    for (int k = 0; k < b->count; k++)
        choose_source(b, k);
    for (int k = 0; k < b->count && good; k++) {
        struct imf_shrunk *x = &b->smaller[k];
        x->whole = whole(b, x);
        for (int i = 0; i <= b->weighted; i++)
            good = good && allocate(b, &x->sums[i], n * (size_t)x->source_width, each) &&
                   allocate(b, &x->means[i], n * (size_t)x->width, each);
        good = good && allocate(b, &x->samples, n * (size_t)x->width, each);
        good = good && allocate(b, &x->row, n * (size_t)x->width, (size_t)info->depth / 8);
    }
    return good ? IMF_OK : imf_fail(err, IMF_ERR_MEMORY, "out of memory");
}

void imf_shrink_close(struct imf_shrink *b) {
    for (int k = 0; k < b->count; k++) {
        struct imf_shrunk *x = &b->smaller[k];
        for (int i = 0; i < 2; i++) {
            free(x->sums[i]);
            free(x->means[i]);
        }
        free(x->samples);
        free(x->row);
    }
    free(b->row[0]);
    free(b->row[1]);
}
