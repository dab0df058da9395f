/*
 * box.c - a picture at smaller sizes, by the mean of what each pixel covers
 *
 * Each axis is cut into units, of which a pixel and one of its source have a whole number: a row adds to one or two
 * rows of sums by how many units they share, and columns are added once such a row is complete. Where pixels of a larger one of the
 * sizes are not cut by pixels of a smaller one, its sums stand for the picture's, so that halves of halves cost little.
 * Sums of integers are exact below 2^53; they are divided once.
 */
#include "codec/tiff/box.h"

#include "base/clones.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES, WEIGHTS };

/* ---- rows of sums ---------------------------------------------------------------------------- */

IMF_CLONES static void widen_8(double *restrict to, const unsigned char *restrict row, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] = row[i];
}

IMF_CLONES static void widen_16(double *restrict to, const unsigned char *restrict row, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint16_t v;
        memcpy(&v, row + 2 * i, sizeof v);
        to[i] = v;
    }
}

IMF_CLONES static void widen_32(double *restrict to, const unsigned char *restrict row, size_t n) {
    for (size_t i = 0; i < n; i++) {
        float v;
        memcpy(&v, row + 4 * i, sizeof v);
        to[i] = (double)v;
    }
}

IMF_CLONES static void weigh_floats(double *restrict row, double *restrict weights, size_t n) {
    for (size_t i = 0; i < n; i++) {
        weights[i] = isnan(row[i]) ? 0 : 1;
        row[i] = isnan(row[i]) ? 0 : row[i];
    }
}

/* Colours by their alpha, the last of n channels. */
static void weigh_colors(double *row, double *weights, size_t pixels, size_t n) {
    for (; pixels > 0; pixels--, row += n, weights += n) {
        double alpha = row[n - 1] > 0 ? row[n - 1] : 0;
        for (size_t c = 0; c < n; c++) {
            double weight = isnan(row[c]) ? 0 : c < n - 1 ? alpha : 1;
            row[c] = weight > 0 ? row[c] * weight : 0;
            weights[c] = weight;
        }
    }
}

static void take_row(const struct imf_boxes *b, const unsigned char *row) {
    size_t n = (size_t)b->info.channels, pixels = (size_t)b->info.width;
    switch (b->info.depth) {
    case 8:
        widen_8(b->row[SAMPLES], row, n * pixels);
        break;
    case 16:
        widen_16(b->row[SAMPLES], row, n * pixels);
        break;
    case 32:
        widen_32(b->row[SAMPLES], row, n * pixels);
        break;
    default:
        memcpy(b->row[SAMPLES], row, n * pixels * sizeof(double));
    }
    if (b->info.alpha)
        weigh_colors(b->row[SAMPLES], b->row[WEIGHTS], pixels, n);
    else if (b->weighted)
        weigh_floats(b->row[SAMPLES], b->row[WEIGHTS], n * pixels);
}

IMF_CLONES static void add_to_sums(double *restrict to, const double *restrict row, double weight,
                                   size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] += weight * row[i];
}

/* Columns of a row of sums. */
static void add_columns(const struct imf_box *x, double *to, const double *sums, size_t n) {
    uint64_t at = 0, source = 0; /* units; a column */
    for (int i = 0; i < x->width; i++, to += n) {
        uint64_t end = at + x->across[0];
        memset(to, 0, n * sizeof *to);
        while (at < end) {
            uint64_t next = (source + 1) * x->across[1], upto = next < end ? next : end;
            for (size_t c = 0; c < n; c++)
                to[c] += (double)(upto - at) * sums[source * n + c];
            at = upto;
            source += at == next;
        }
    }
}

/* ---- rows of samples ------------------------------------------------------------------------- */

/* What no sample counted for: under alpha 0 all colours look alike. */
static double hole(const struct imf_boxes *b, const struct imf_box *x, size_t i) {
    size_t n = (size_t)b->info.channels, alpha = i - i % n + n - 1;
    bool missing = !b->info.alpha || i == alpha || !(x->means[WEIGHTS][alpha] > 0);
    return b->info.depth >= 32 && missing ? (double)NAN : 0;
}

static void put_row(const struct imf_boxes *b, const struct imf_box *x) {
    size_t samples = (size_t)b->info.channels * (size_t)x->width;
    int depth = b->info.depth, bits = b->info.bits ? b->info.bits : depth;
    double full = depth == 16 ? 65535 : 255, most = depth <= 16 ? (1 << bits) - 1 : 1;
    for (size_t i = 0; i < samples; i++) {
        double weight = b->weighted ? x->means[WEIGHTS][i] : x->whole;
        double v = weight > 0 ? x->means[SAMPLES][i] / weight : hole(b, x, i);
        if (depth == 64) {
            memcpy(x->row + 8 * i, &v, sizeof v);
        } else if (depth == 32) {
            float f = (float)v;
            memcpy(x->row + 4 * i, &f, sizeof f);
        } else {
            unsigned u = (unsigned)(rint(v * most / full) * (full / most));
            uint16_t wide = (uint16_t)u;
            if (depth == 16)
                memcpy(x->row + 2 * i, &wide, sizeof wide);
            else
                x->row[i] = (unsigned char)u;
        }
    }
}

/* A row of sums of source `from` for all that are made of it. */
static enum imf_status give(struct imf_boxes *b, int from, double *const row[2],
                            struct imf_error *err);

static enum imf_status finish_row(struct imf_boxes *b, int k, struct imf_error *err) {
    struct imf_box *x = &b->box[k];
    size_t n = (size_t)b->info.channels, samples = n * (size_t)x->source_width;
    for (int i = 0; i <= b->weighted; i++) {
        add_columns(x, x->means[i], x->sums[i], n);
        memset(x->sums[i], 0, samples * sizeof *x->sums[i]);
    }
    put_row(b, x);
    enum imf_status status = x->take(x->data, x->row, err);
    return status ? status : give(b, k, x->means, err);
}

static enum imf_status give(struct imf_boxes *b, int from, double *const row[2],
                            struct imf_error *err) {
    enum imf_status status = IMF_OK;
    for (int k = 0; k < b->count; k++) {
        struct imf_box *x = &b->box[k];
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

enum imf_status imf_boxes_row(struct imf_boxes *b, const unsigned char *row,
                              struct imf_error *err) {
    take_row(b, row);
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
static void choose_source(struct imf_boxes *b, int k) {
    struct imf_box *x = &b->box[k];
    int width = b->info.width, height = b->info.height;
    x->from = -1;
    for (int i = 0; i < b->count; i++) {
        const struct imf_box *s = &b->box[i];
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

static double whole(const struct imf_boxes *b, const struct imf_box *x) {
    double all = 1;
    for (; x; x = x->from < 0 ? NULL : &b->box[x->from])
        all *= (double)x->across[0] * (double)x->down[0];
    return all;
}

static bool allocate(struct imf_boxes *b, void *list, size_t count, size_t size) {
    void **to = list;
    b->memory += (uint64_t)count * size;
    return (*to = calloc(count, size)) != NULL;
}

enum imf_status imf_boxes_open(struct imf_boxes *b, const struct imf_info *info,
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
        struct imf_box *x = &b->box[k];
        x->whole = whole(b, x);
        for (int i = 0; i <= b->weighted; i++)
            good = good && allocate(b, &x->sums[i], n * (size_t)x->source_width, each) &&
                   allocate(b, &x->means[i], n * (size_t)x->width, each);
        good = good && allocate(b, &x->row, n * (size_t)x->width, (size_t)info->depth / 8);
    }
    return good ? IMF_OK : imf_fail(err, IMF_ERR_MEMORY, "out of memory");
}

void imf_boxes_close(struct imf_boxes *b) {
    for (int k = 0; k < b->count; k++) {
        struct imf_box *x = &b->box[k];
        for (int i = 0; i < 2; i++) {
            free(x->sums[i]);
            free(x->means[i]);
        }
        free(x->row);
    }
    free(b->row[0]);
    free(b->row[1]);
}
