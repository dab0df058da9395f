/*
 * vector.c - operations that map each sample value by the whole image's histogram, on the host's
 * cores
 *
 * The bytes are those of reference.c, which makes the map. Each thread counts a band of rows into its own
 * histograms, which are added up at the end.
 *
 * Bytes are read eight at a time and counted in eight histograms, one for each position in the word:
 * two increments of one counter wait for each other, and on a blank page all values are equal. The
 * histograms that hold only alpha, the last of two or four channels, are not added; of hidden pixels, which most pictures
 * have none of, the colours are taken out again. Other samples become 16-bit values, a strip of a row at a time, counted in two histograms.
 */
#include "base/byte_map.h"
#include "device/tuning.h"
#include "solver/cores.h"
#include "solver/histogram/reference.h"
#include "solver/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Threads take about 0.02 ms to start. */
#define STRIP 1024
#define WORD 8 /* bytes of a word, and their histograms */

struct vector_job {
    struct imf_problem p;
    struct imf_pool *pool; /* borrowed, or NULL */
    int items;             /* bands of rows, each with its histograms */
    uint32_t *parts;       /* items times `part` counts */
    size_t part;
    uint64_t count[IMF_HISTOGRAM_SIZE];
    double value[IMF_HISTOGRAM_SIZE];
    struct imf_byte_map bytes; /* bytes to bytes */
    union {
        uint8_t u8[IMF_HISTOGRAM_SIZE];
        uint16_t u16[IMF_HISTOGRAM_SIZE];
        float f32[IMF_HISTOGRAM_SIZE];
        double f64[IMF_HISTOGRAM_SIZE];
    } map; /* `value` as output samples */
};

struct pass {
    struct vector_job *job;
    const struct imf_surface *in, *out;
};

static void rows_of(const struct pass *pass, int item, int *first, int *end) {
    int64_t height = pass->in->height, items = pass->job->items;
    *first = (int)(height * item / items);
    *end = (int)(height * (item + 1) / items);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The nearest integers, ties to even: floats from 1.5 * 2^23 on, and doubles from 1.5 * 2^52 on, have
 * no fraction. */
#define ROUND(name, type, whole)                                                                   \
    static void name(uint16_t *restrict to, const type *restrict from, int n, type full) {         \
        for (int i = 0; i < n; i++) {                                                              \
            type v = from[i] > 0 ? from[i] : 0;                                                    \
            v = v < full ? v : full;                                                               \
            to[i] = (uint16_t)(int)(v + whole - whole);                                            \
        }                                                                                          \
    }

ROUND(round_floats, float, 0x1.8p23f)
ROUND(round_doubles, double, 0x1.8p52)

/* Samples first..first + n - 1 of a row as values; `space` holds n. */
static const uint16_t *values(uint16_t *space, const struct imf_surface *in, const void *row,
                              ptrdiff_t first, int n, int full) {
    if (in->sample == IMF_U16)
        return (const uint16_t *)row + first;
    const uint8_t *bytes = (const uint8_t *)row + first;
    if (in->sample == IMF_F32)
        round_floats(space, (const float *)row + first, n, (float)full);
    if (in->sample == IMF_F64)
        round_doubles(space, (const double *)row + first, n, full);
    for (int i = 0; i < n && in->sample == IMF_U8; i++)
        space[i] = bytes[i];
    return space;
}

/* ---- counting -------------------------------------------------------------------------------- */

static void count_bytes(uint32_t *bins, const uint8_t *row, size_t n) {
    uint32_t(*t)[256] = (uint32_t(*)[256])bins;
    size_t i = 0;
    for (; i + WORD <= n; i += WORD) {
        uint64_t w;
        memcpy(&w, row + i, sizeof w);
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        w = __builtin_bswap64(w);
#endif
        t[0][w & 255]++;
        t[1][w >> 8 & 255]++;
        t[2][w >> 16 & 255]++;
        t[3][w >> 24 & 255]++;
        t[4][w >> 32 & 255]++;
        t[5][w >> 40 & 255]++;
        t[6][w >> 48 & 255]++;
        t[7][w >> 56]++;
    }
    for (; i < n; i++)
        t[i % WORD][row[i]]++;
}

/* Take the colours of hidden pixels out of what count_bytes() has counted. */
static void uncount_bytes(uint32_t *bins, const uint8_t *row, int n, int channels) {
    uint32_t(*t)[256] = (uint32_t(*)[256])bins;
    int hidden = 0;
    for (int i = channels - 1; i < n; i += channels)
        hidden |= row[i] == 0;
    for (int i = 0; i < n && hidden; i++)
        t[i % WORD][row[i]] -= row[i - i % channels + channels - 1] == 0;
}

static void count_values(uint32_t *bins, size_t values, const uint16_t *v, int n, int channels,
                         int colors, bool weigh) {
    uint32_t *even = bins, *odd = bins + values;
    if (channels == colors) {
        for (int i = 0; i + 1 < n; i += 2) {
            even[v[i]]++;
            odd[v[i + 1]]++;
        }
        if (n % 2)
            even[v[n - 1]]++;
        return;
    }
    for (int i = 0; i < n; i += channels)
        for (int c = 0; c < colors && !(weigh && v[i + colors] == 0); c++)
            (c % 2 ? odd : even)[v[i + c]]++;
}

static void count_item(void *data, int item) {
    const struct pass *pass = data;
    struct vector_job *j = pass->job;
    const struct imf_problem *p = &j->p;
    uint32_t *bins = j->parts + (size_t)item * j->part;
    int samples = p->width * p->channels, full = imf_histogram_op_full(p), first, end;
    int strip = STRIP / p->channels * p->channels;
    if (pass->in->row == 0)
        memset(bins, 0, j->part * sizeof *bins);
    rows_of(pass, item, &first, &end);
    for (int y = first; y < end; y++) {
        const void *row = imf_surface_row(pass->in, y);
        if (pass->in->sample == IMF_U8) {
            count_bytes(bins, row, (size_t)samples);
            if (p->weigh)
                uncount_bytes(bins, row, samples, p->channels);
            continue;
        }
        for (int x = 0; x < samples; x += strip) {
            uint16_t space[STRIP];
            int n = imf_min(strip, samples - x);
            count_values(bins, (size_t)full + 1, values(space, pass->in, row, x, n, full), n,
                         p->channels, p->colors, p->weigh);
        }
    }
}

/* Add up the histograms of colours. */
static void add_counts(struct vector_job *j, enum imf_sample sample) {
    size_t values = (size_t)imf_histogram_op_full(&j->p) + 1, histograms = j->part / values;
    bool alpha = j->p.colors < j->p.channels && sample == IMF_U8;
    memset(j->count, 0, values * sizeof *j->count);
    for (size_t t = 0; t < (size_t)j->items * histograms; t++) {
        const uint32_t *bins = j->parts + t * values;
        if (alpha && t % (size_t)j->p.channels == (size_t)j->p.colors)
            continue;
        for (size_t v = 0; v < values; v++)
            j->count[v] += bins[v];
    }
}

/* ---- looking up ------------------------------------------------------------------------------ */

static void fill_map(struct vector_job *j, enum imf_sample in, enum imf_sample out) {
    int full = imf_histogram_op_full(&j->p);
    imf_histogram_op_map(j->value, &j->p, j->count);
    imf_samples_narrow(&j->map, out, j->value, (size_t)full + 1);
    if (in != IMF_U8 || out != IMF_U8)
        return;
    memcpy(j->bytes.to, j->map.u8, sizeof j->bytes.to);
    imf_byte_map_make(&j->bytes, j->p.channels, j->p.colors,
                      (double)j->p.width * j->p.height * j->p.channels);
}

#define LOOK_UP(type, member)                                                                      \
    do {                                                                                           \
        type *at = (type *)to + first;                                                             \
        for (int i = 0; i < n; i++)                                                                \
            at[i] = j->map.member[v[i]];                                                           \
    } while (0)

static void look_up(const struct vector_job *j, const struct imf_surface *in,
                    const struct imf_surface *out, const void *from, void *to, ptrdiff_t first,
                    int n) {
    uint16_t space[STRIP];
    const uint16_t *v = values(space, in, from, first, n, imf_histogram_op_full(&j->p));
    if (out->sample == IMF_U8)
        LOOK_UP(uint8_t, u8);
    else if (out->sample == IMF_U16)
        LOOK_UP(uint16_t, u16);
    else if (out->sample == IMF_F32)
        LOOK_UP(float, f32);
    else
        LOOK_UP(double, f64);
}

static void look_up_item(void *data, int item) {
    const struct pass *pass = data;
    const struct vector_job *j = pass->job;
    const struct imf_problem *p = &j->p;
    int samples = p->width * p->channels, first, end;
    rows_of(pass, item, &first, &end);
    for (int y = first; y < end; y++) {
        const void *from = imf_surface_row(pass->in, y);
        void *to = imf_surface_row(pass->out, y);
        if (pass->in->sample == IMF_U8 && pass->out->sample == IMF_U8) {
            imf_byte_map_row(&j->bytes, to, from, (size_t)samples);
            continue;
        }
        for (int x = 0; x < samples; x += STRIP)
            look_up(j, pass->in, pass->out, from, to, x, imf_min(STRIP, samples - x));
        for (ptrdiff_t x = p->colors; x < samples && p->colors < p->channels; x += p->channels)
            imf_sample_put(to, pass->out->sample, x, imf_sample_get(from, pass->in->sample, x));
    }
}

/* ---- the solver ------------------------------------------------------------------------------ */

/* Milliseconds of one core: samples * ns * 1e-6, of bytes or of other samples. */
static double cost(const struct imf_problem *p) {
    const struct imf_vector_rates *r = &imf_vector_rates;
    bool bytes = p->in == IMF_U8 && p->out == IMF_U8;
    return (double)p->width * p->height * p->channels * (bytes ? r->table : r->wide_table) * 1e-6;
}

static size_t part_of(const struct imf_problem *p) {
    return p->in == IMF_U8 ? WORD * 256 : 2 * ((size_t)imf_histogram_op_full(p) + 1);
}

/* One for each core, or more where a count could overflow its 32 bits. */
static int items_of(const struct imf_problem *p) {
    double samples = (double)p->width * p->height * p->channels;
    int items = cost(p) < IMF_ALONE_MS ? 1 : imf_cores();
    return imf_min(imf_max(items, (int)(samples / UINT32_MAX) + 1), p->height);
}

static void histogram_vector_propose(const struct imf_problem *p, const struct imf_device *d,
                                     struct imf_proposal *out) {
    (void)d;
    if ((double)p->width * p->channels > INT32_MAX - 4096) {
        imf_proposal_refuse(out, "rows are too long");
        return;
    }
    int items = items_of(p);
    out->feasible = true;
    out->error = 0;
    out->bands = IMF_BANDS_TWICE;
    out->ms = imf_cores_ms(cost(p), items);
    out->bytes = sizeof(struct vector_job) + (double)items * (double)part_of(p) * sizeof(uint32_t);
    snprintf(out->description, sizeof out->description, "vector histogram of %d values",
             imf_histogram_op_full(p) + 1);
}

static void histogram_vector_destroy(void **job) {
    struct vector_job *j = *job;
    if (j)
        free(j->parts);
    free(j);
    *job = NULL;
}

static enum imf_status histogram_vector_make(void **job, const struct imf_problem *p,
                                             const struct imf_proposal *proposal,
                                             struct imf_queue *queue, struct imf_error *err) {
    (void)proposal, (void)queue;
    struct vector_job *j = *job = calloc(1, sizeof *j);
    if (!j)
        return imf_fail_memory(err, sizeof *j);
    j->p = *p;
    j->items = items_of(p);
    j->part = part_of(p);
    size_t bytes = (size_t)j->items * j->part * sizeof *j->parts;
    j->parts = malloc(bytes);
    if (j->parts)
        return IMF_OK;
    histogram_vector_destroy(job);
    return imf_fail_memory(err, bytes);
}

static enum imf_status histogram_vector_measure(void *job, const struct imf_surface *in,
                                                struct imf_error *err) {
    struct vector_job *j = job;
    struct pass pass = {j, in, NULL};
    (void)err;
    imf_parallel(j->pool, j->items, count_item, &pass);
    if (in->row + in->height < j->p.height)
        return IMF_OK;
    add_counts(j, in->sample);
    fill_map(j, in->sample, j->p.out);
    return IMF_OK;
}

static enum imf_status histogram_vector_run(void *job, const struct imf_surface *in,
                                            const struct imf_surface *out, struct imf_error *err) {
    struct vector_job *j = job;
    struct pass pass = {j, in, out};
    if (in->height == j->p.height)
        histogram_vector_measure(job, in, err);
    imf_parallel(j->pool, j->items, look_up_item, &pass);
    return IMF_OK;
}

static void histogram_vector_use_pool(void *job, struct imf_pool *pool) {
    ((struct vector_job *)job)->pool = pool;
}

const struct imf_solver imf_solver_histogram_op_vector = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .float64 = true,
    .kinds = 1u << IMF_HISTOGRAM_OP,
    .propose = histogram_vector_propose,
    .old_make = histogram_vector_make,
    .old_measure = histogram_vector_measure,
    .old_run = histogram_vector_run,
    .old_destroy = histogram_vector_destroy,
    .old_use_pool = histogram_vector_use_pool,
};
