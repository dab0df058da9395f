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
 * have none of, the colours are taken out again. Other samples become 16-bit values, some of a row at a time,
 * counted in two histograms.
 */
#include "base/image/byte_map.h"
#include "device/tuning.h"
#include "solver/cores.h"
#include "solver/histogram/reference.h"
#include "solver/solver.h"

#include <string.h>

#define SOME 1024 /* samples that become values at a time */
#define WORD 8    /* bytes of a word, and their histograms */

enum { PARTS }; /* the buffer: for each strip its histograms */

struct own {
    uint64_t count[IMF_HISTOGRAM_SIZE];
    double value[IMF_HISTOGRAM_SIZE];
    struct imf_byte_map bytes; /* bytes to bytes */
    union imf_histogram_map map;
};

/* Milliseconds of one core: samples * ns * 1e-6, of bytes or of other samples. */
static double cost(const struct imf_problem *p) {
    const struct imf_vector_rates *r = &imf_vector_rates;
    bool bytes = p->in == IMF_U8 && p->out == IMF_U8;
    return (double)p->width * p->height * p->channels * (bytes ? r->table : r->wide_table) * 1e-6;
}

/* Counts of a strip. */
static size_t part_of(const struct imf_problem *p) {
    return p->in == IMF_U8 ? WORD * 256 : 2 * ((size_t)imf_histogram_op_full(p) + 1);
}

/* Strips of a band: one for each core, or more where a count could overflow its 32 bits. */
static int strips_of(const struct imf_problem *p) {
    double samples = (double)p->width * p->height * p->channels;
    int strips = cost(p) < IMF_ALONE_MS ? 1 : imf_cores();
    return imf_min(imf_max(strips, (int)(samples / UINT32_MAX) + 1), p->height);
}

static struct imf_strips histogram_cut(const struct imf_job *job, int height) {
    int strips = strips_of(&job->p);
    return imf_strips_rows(job->p.width, height, (height - 1) / strips + 1);
}

/* ---- values ---------------------------------------------------------------------------------- */

#define BYTE(v, full) (v)
#define VALUES_OF(type, round)                                                                     \
    for (int i = 0; i < n; i++)                                                                    \
    space[i] = (uint16_t)(int)round(((const type *)row)[first + i], full)

/* Samples first..first + n - 1 of a row as values; `space` holds n. */
static const uint16_t *values(uint16_t *restrict space, const struct imf_surface *in,
                              const void *restrict row, ptrdiff_t first, int n, int whole) {
    const float full = (float)whole; /* 65535 at most */
    if (in->sample == IMF_U16)
        return (const uint16_t *)row + first;
    if (in->sample == IMF_U8)
        VALUES_OF(uint8_t, BYTE);
    else if (in->sample == IMF_F32)
        VALUES_OF(float, imf_sample_round_float);
    else
        VALUES_OF(double, imf_sample_round);
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

/* A strip's rows, into its histograms. */
static void count_strip(void *data, int strip) {
    const struct imf_host_strip *s = data;
    const struct imf_problem *p = &s->job->p;
    const struct imf_strips strips = histogram_cut(s->job, s->in->height);
    uint32_t *bins = (uint32_t *)s->job->memory[PARTS] + (size_t)strip * part_of(p);
    int samples = p->width * p->channels, full = imf_histogram_op_full(p);
    int some = SOME / p->channels * p->channels,
        end = imf_min((strip + 1) * strips.rows, s->in->height);
    if (s->in->row == 0)
        memset(bins, 0, part_of(p) * sizeof *bins);
    for (int y = strip * strips.rows; y < end; y++) {
        const void *row = imf_surface_row(s->in, y);
        if (s->in->sample == IMF_U8) {
            count_bytes(bins, row, (size_t)samples);
            if (p->weigh)
                uncount_bytes(bins, row, samples, p->channels);
            continue;
        }
        for (int x = 0; x < samples; x += some) {
            uint16_t space[SOME];
            int n = imf_min(some, samples - x);
            count_values(bins, (size_t)full + 1, values(space, s->in, row, x, n, full), n,
                         p->channels, p->colors, p->weigh);
        }
    }
}

/* Add up the histograms of colours, and make the map. */
static void make_map(struct imf_job *job) {
    const struct imf_problem *p = &job->p;
    struct own *j = job->own;
    size_t all = (size_t)imf_histogram_op_full(p) + 1, histograms = part_of(p) / all;
    bool alpha = p->colors < p->channels && p->in == IMF_U8, bytes = p->in == IMF_U8;
    memset(j->count, 0, all * sizeof *j->count);
    for (size_t t = 0; t < (size_t)strips_of(p) * histograms; t++) {
        const uint32_t *bins = (const uint32_t *)job->memory[PARTS] + t * all;
        for (size_t v = 0; v < all && !(alpha && t % (size_t)p->channels == (size_t)p->colors); v++)
            j->count[v] += bins[v];
    }
    imf_histogram_op_map(j->value, p, j->count);
    imf_samples_narrow(&j->map, p->out, j->value, all);
    if (!bytes || p->out != IMF_U8)
        return;
    memcpy(j->bytes.to, j->map.u8, sizeof j->bytes.to);
    imf_byte_map_make(&j->bytes, p->channels, p->colors,
                      (double)p->width * p->height * p->channels);
}

static enum imf_status histogram_measure(struct imf_job *job, const struct imf_surface *in,
                                         struct imf_error *err) {
    struct imf_host_strip s = {.job = job, .in = in};
    (void)err;
    imf_parallel(job->pool, strips_of(&job->p), count_strip, &s);
    if (in->row + in->height == job->p.height)
        make_map(job);
    return IMF_OK;
}

/* ---- looking up ------------------------------------------------------------------------------ */

#define LOOK_UP(type, member)                                                                      \
    do {                                                                                           \
        type *at = (type *)to + x;                                                                 \
        for (int i = 0; i < n; i++)                                                                \
            at[i] = j->map.member[v[i]];                                                           \
    } while (0)

static void histogram_strip(const struct imf_host_strip *s) {
    const struct imf_problem *p = &s->job->p;
    const struct own *j = s->job->own;
    int samples = p->width * p->channels, full = imf_histogram_op_full(p);
    for (int y = s->at.y; y < s->at.end; y++) {
        const void *from = imf_surface_row(s->in, y);
        void *to = imf_surface_row(s->out, y);
        if (p->in == IMF_U8 && p->out == IMF_U8) {
            imf_byte_map_row(&j->bytes, to, from, (size_t)samples);
            continue;
        }
        for (int x = 0; x < samples; x += SOME) {
            uint16_t space[SOME];
            int n = imf_min(SOME, samples - x);
            const uint16_t *v = values(space, s->in, from, x, n, full);
            IMF_EACH_SAMPLE(p->out, LOOK_UP);
        }
        for (ptrdiff_t x = p->colors; x < samples && p->colors < p->channels; x += p->channels)
            imf_sample_put(to, p->out, x, imf_sample_get(from, p->in, x));
    }
}

/* ---- the solver ------------------------------------------------------------------------------ */

static bool sizes(const struct imf_problem *p, const void *shape, size_t bytes[]) {
    (void)shape;
    return imf_size_mul((size_t)strips_of(p), part_of(p) * sizeof(uint32_t), &bytes[PARTS]);
}

static void histogram_vector_propose(const struct imf_problem *p, const struct imf_device *d,
                                     struct imf_proposal *out) {
    (void)d;
    if (!imf_proposal_buffers(out, p))
        return;
    out->feasible = true;
    out->error = 0;
    out->bands = IMF_BANDS_TWICE;
    out->ms = imf_cores_ms(cost(p), strips_of(p));
    snprintf(out->description, sizeof out->description, "vector histogram of %d values",
             imf_histogram_op_full(p) + 1);
}

const struct imf_solver imf_solver_histogram_op_vector = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .float64 = true,
    .kinds = 1u << IMF_HISTOGRAM_OP,
    .propose = histogram_vector_propose,
    .own = sizeof(struct own),
    .sizes = sizes,
    .measure = histogram_measure,
    .cut = histogram_cut,
    .strip = histogram_strip,
};
