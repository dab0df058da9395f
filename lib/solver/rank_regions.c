/*
 * rank_regions.c - ranks of any samples in any element, region by region
 *
 * A region is some pixels with all that their windows reach. Its samples are sorted, and each is
 * replaced by the 256th of them that it is in. What histograms find then is the part in which a
 * window's rank lies, and how many of the part's samples in the window come before it: those are
 * few, and are gone through in order. Bytes need not be sorted: they are such parts themselves.
 *
 * Parts in rectangles are counted by columns (rank_histogram.h). In any other element they are counted
 * by edges (Huang, Yang, Tang 1979): from a window to the next each run loses one sample and gains
 * one, and the rank is looked for from where it was.
 */
#include "solver/rank_regions.h"

#include "base/clones.h"
#include "device/tuning.h"
#include "solver/rank_histogram.h"

#include <string.h>

#define PARTS 256
#define LEAST 64 /* pixels of a region's side, without what windows reach: twice a window's, */
#define MOST 512 /* within these */
#define ALIGN 64 /* bytes */
#define DIGIT 11 /* bits */
#define DIGITS 3
#define SOME 16 /* samples of a part that are looked at together */

/* A sample, as an integer of its order, and where it is. */
struct item {
    uint32_t key;
    uint16_t x, y;
};

struct region {
    const struct imf_regions *r;
    const struct imf_piece *strip;
    int across, down, columns, lines; /* outputs, and with what windows reach */
    struct item *items, *spare;
    uint16_t *x, *y;       /* of the sorted items */
    uint8_t *plane, *part; /* of all samples; of a row of outputs */
    uint32_t *left;        /* likewise: samples of the part that come before */
    void *histograms;
    char *results; /* rows of outputs, as long as the strip's */
    size_t pitch;  /* of the plane */
};

static int side(int window) {
    return imf_min(imf_max(2 * window, LEAST), MOST);
}

int imf_regions_strip(const struct imf_regions *r) {
    return side(r->width);
}

int imf_regions_rows(int height) {
    return side(height);
}

double imf_regions_price(const struct imf_regions *r, int pixels) {
    const struct imf_vector_rates *rates = &imf_vector_rates;
    double across = imf_min(side(r->width), pixels), down = side(r->height);
    double samples = (across + r->width - 1) * (down + r->height - 1),
           twice = samples / (across * down);
    double ns = r->box ? rates->histogram + rates->histogram_column * twice
                       : rates->edge * (2 * r->run_count + r->count / across);
    if (r->sample == IMF_U8)
        return ns;
    return ns + rates->sorted * (double)imf_sample_size(r->sample) * twice +
           rates->sorted_look * samples / PARTS;
}

static size_t take(size_t *used, size_t bytes) {
    size_t at = *used;
    *used += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return at;
}

/* The parts of what is worked in, from store on; returns the bytes. */
static size_t lay(struct region *g, const struct imf_regions *r, int channels, int pixels,
                  char *store) {
    size_t columns = (size_t)(pixels + r->width - 1), down = (size_t)side(r->height);
    size_t samples = columns * (down + (size_t)r->height - 1), used = 0;
    bool sorts = r->sample != IMF_U8;
    *g = (struct region){.r = r, .across = pixels, .columns = (int)columns, .pitch = columns};
    g->items = (void *)(store + take(&used, sorts ? samples * sizeof(struct item) : 0));
    g->spare = (void *)(store + take(&used, sorts ? samples * sizeof(struct item) : 0));
    g->x = (void *)(store + take(&used, sorts ? (samples + SOME) * sizeof *g->x : 0));
    g->y = (void *)(store + take(&used, sorts ? (samples + SOME) * sizeof *g->y : 0));
    g->plane = (void *)(store + take(&used, samples));
    g->part = (void *)(store + take(&used, (size_t)pixels));
    g->left = (void *)(store + take(&used, (size_t)pixels * sizeof *g->left));
    g->histograms =
        store +
        take(&used,
             r->box ? columns * imf_histogram_bytes(imf_histogram_wide(r->width, r->height)) : 0);
    g->results =
        store + take(&used, down * (size_t)pixels * (size_t)channels * imf_sample_size(r->sample));
    return used;
}

size_t imf_regions_bytes(const struct imf_regions *r, int channels, int pixels) {
    struct region g;
    char none[1]; /* not read nor written */
    return lay(&g, r, channels, pixels, none);
}

/* ---- order ----------------------------------------------------------------------------------- */

static uint32_t key_of(enum imf_sample sample, const void *row, int i) {
    uint32_t v;
    if (sample == IMF_U16)
        return ((const uint16_t *)row)[i];
    memcpy(&v, (const float *)row + i, sizeof v);
    return v >> 31 ? ~v : v | 0x80000000u;
}

static void put_key(enum imf_sample sample, void *row, int i, uint32_t key) {
    if (sample == IMF_U8)
        ((uint8_t *)row)[i] = (uint8_t)key;
    else if (sample == IMF_U16)
        ((uint16_t *)row)[i] = (uint16_t)key;
    else {
        uint32_t v = key >> 31 ? key & 0x7fffffffu : ~key;
        memcpy((float *)row + i, &v, sizeof v);
    }
}

/* By keys, digit by digit from the lowest; equal ones stay as they are. */
static void sort(struct region *g, int count) {
    int digits = g->r->sample == IMF_U16 ? 2 : DIGITS;
    for (int d = 0; d < digits; d++) {
        uint32_t first[1 << DIGIT] = {0}, sum = 0;
        for (int i = 0; i < count; i++)
            first[g->items[i].key >> (d * DIGIT) & ((1 << DIGIT) - 1)]++;
        for (int k = 0; k < 1 << DIGIT; k++) {
            uint32_t n = first[k];
            first[k] = sum;
            sum += n;
        }
        for (int i = 0; i < count; i++)
            g->spare[first[g->items[i].key >> (d * DIGIT) & ((1 << DIGIT) - 1)]++] = g->items[i];
        struct item *turn = g->items;
        g->items = g->spare;
        g->spare = turn;
    }
}

/* Samples of a part; each but the last has as many. */
static int share(const struct region *g) {
    return (g->columns * g->lines - 1) / PARTS + 1;
}

static void load(struct region *g, int y, int channel) {
    const struct imf_piece *s = g->strip;
    int channels = s->p->channels, count = 0;
    bool bytes = g->r->sample == IMF_U8;
    for (int line = 0; line < g->lines; line++) {
        const void *row = imf_strip_input(s, y + s->top + line);
        for (int x = 0; x < g->columns; x++)
            if (bytes)
                g->plane[count++] = ((const uint8_t *)row)[x * channels + channel];
            else
                g->items[count++] = (struct item){key_of(g->r->sample, row, x * channels + channel),
                                                  (uint16_t)x, (uint16_t)line};
    }
    if (bytes)
        return;
    sort(g, count);
    for (int i = 0, part = 0; i < count; part++)
        for (int end = imf_min(i + share(g), count); i < end; i++) {
            g->x[i] = g->items[i].x;
            g->y[i] = g->items[i].y;
            g->plane[g->y[i] * g->pitch + g->x[i]] = (uint8_t)part;
        }
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void count_columns(struct region *g, int line) {
    const struct imf_regions *r = g->r;
    bool wide = imf_histogram_wide(r->width, r->height);
    const uint8_t *top = g->plane + (size_t)line * g->pitch;
    if (line > 0)
        imf_histogram_move(g->histograms, wide, top - g->pitch,
                           top + (size_t)(r->height - 1) * g->pitch, g->columns);
    else {
        memset(g->histograms, 0, (size_t)g->columns * imf_histogram_bytes(wide));
        for (int i = 0; i < r->height; i++)
            imf_histogram_add(g->histograms, wide, top + (size_t)i * g->pitch, g->columns);
    }
    imf_histogram_rank(g->part, g->left, g->histograms, wide, r->width, 1, r->rank, g->across);
}

static void count_edges(struct region *g, int line, int left) {
    const struct imf_regions *r = g->r;
    uint32_t counts[PARTS] = {0}, below = 0, rank = (uint32_t)r->rank;
    unsigned at = 0;
    const uint8_t *origin = g->plane + (size_t)line * g->pitch;
    int top = r->runs[0].dy;
    for (int x = 0; x < g->across; x++) {
        for (int i = 0; i < r->run_count; i++) {
            const struct imf_run *run = &r->runs[i];
            const uint8_t *row = origin + (size_t)(run->dy - top) * g->pitch + x - left;
            if (x == 0) {
                for (int k = run->from; k < run->to; k++)
                    counts[row[k]]++;
                continue;
            }
            unsigned old = row[run->from - 1], fresh = row[run->to - 1];
            counts[old]--;
            counts[fresh]++;
            below += (uint32_t)(fresh < at) - (uint32_t)(old < at);
        }
        while (below > rank)
            below -= counts[--at];
        while (below + counts[at] <= rank)
            below += counts[at++];
        g->part[x] = (uint8_t)at;
        g->left[x] = rank - below;
    }
}

/* ---- in a part ------------------------------------------------------------------------------- */

static bool holds(const struct imf_regions *r, unsigned x, unsigned y, int left) {
    if (x >= (unsigned)r->width || y >= (unsigned)r->height)
        return false;
    int dx = (int)x + left, dy = (int)y + r->runs[0].dy;
    int first = 0; /* of the row's runs, which are in order */
    for (int end = r->run_count; first < end;) {
        int middle = (first + end) / 2;
        if (r->runs[middle].dy < dy || (r->runs[middle].dy == dy && r->runs[middle].to <= dx))
            first = middle + 1;
        else
            end = middle;
    }
    return first < r->run_count && r->runs[first].dy == dy && r->runs[first].from <= dx;
}

typedef uint16_t words __attribute__((vector_size(2 * SOME), aligned(2), may_alias));
typedef int8_t marks __attribute__((vector_size(SOME)));

#define INLINE static inline __attribute__((always_inline))
#define ONES 0x0101010101010101u /* a byte each */

/* The first byte lowest. */
INLINE uint64_t little(uint64_t bytes) {
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(bytes);
#else
    return bytes;
#endif
}

/* Of SOME, those in the rectangle at x, y: a byte each is 1. */
INLINE void mark(uint64_t in[SOME / 8], const uint16_t *xs, const uint16_t *ys, uint16_t x,
                 uint16_t y, uint16_t width, uint16_t height) {
    marks m = __builtin_convertvector(
        ((*(const words *)xs - x) < width) & ((*(const words *)ys - y) < height), marks);
    memcpy(in, &m, sizeof m);
    for (int k = 0; k < SOME / 8; k++)
        in[k] = little(in[k]) & ONES;
}

/* How many marks precede the one before which so many come. */
INLINE int place(const uint64_t in[SOME / 8], int before) {
    int half = __builtin_popcountll(in[0]), at = before < half ? 0 : 8;
    uint64_t sums = (before < half ? in[0] : in[1]) * ONES; /* of each byte and those below */
    before -= before < half ? 0 : half;
    return at + __builtin_popcountll(((uint64_t)(before | 0x80) * ONES - sums) & (0x80 * ONES));
}

/* Places of the samples of a row's windows before which so many of the part come; into left[]. */
IMF_CLONES_32 static void look_in_boxes(const struct region *g, int line) {
    const uint16_t width = (uint16_t)g->r->width, height = (uint16_t)g->r->height;
    const int each = share(g);
    for (int i = 0; i < g->across; i++) {
        int at = g->part[i] * each, before = (int)g->left[i];
        for (;; at += SOME) {
            uint64_t in[SOME / 8];
            mark(in, g->x + at, g->y + at, (uint16_t)i, (uint16_t)line, width, height);
            int n = __builtin_popcountll(in[0]) + __builtin_popcountll(in[1]);
            if (n > before) {
                at += place(in, before);
                break;
            }
            before -= n;
        }
        g->left[i] = (uint32_t)at;
    }
}

static void look_in_runs(const struct region *g, int line) {
    for (int x = 0; x < g->across; x++) {
        uint32_t at = (uint32_t)(g->part[x] * share(g)), before = g->left[x];
        for (;; at++)
            if (holds(g->r, (unsigned)(g->x[at] - x), (unsigned)(g->y[at] - line),
                      g->strip->left) &&
                before-- == 0)
                break;
        g->left[x] = at;
    }
}

static void run_channel(struct region *g, int y, int channel) {
    const struct imf_regions *r = g->r;
    int channels = g->strip->p->channels, left = g->strip->left;
    size_t row_bytes = (size_t)g->across * (size_t)channels * imf_sample_size(r->sample);
    load(g, y, channel);
    for (int line = 0; line < g->down; line++) {
        void *to = g->results + (size_t)line * row_bytes;
        if (r->box)
            count_columns(g, line);
        else
            count_edges(g, line, left);
        if (r->sample != IMF_U8)
            (r->box ? look_in_boxes : look_in_runs)(g, line);
        for (int x = 0; x < g->across; x++)
            put_key(r->sample, to, x * channels + channel,
                    r->sample == IMF_U8 ? g->part[x] : g->items[g->left[x]].key);
    }
}

void imf_regions_run(const struct imf_regions *r, const struct imf_piece *strip, void *store) {
    struct region g;
    int channels = strip->p->channels, pixels = strip->at.n / channels;
    size_t row_bytes = (size_t)strip->at.n * imf_sample_size(r->sample);
    for (int y = strip->at.y; y < strip->at.end; y += g.down) {
        lay(&g, r, channels, pixels, store);
        g.strip = strip;
        g.down = imf_min(side(r->height), strip->at.end - y);
        g.lines = g.down + r->height - 1;
        for (int channel = 0; channel < channels; channel++)
            run_channel(&g, y, channel);
        for (int i = 0; i < g.down; i++) {
            memcpy(imf_strip_target(strip, y + i), g.results + (size_t)i * row_bytes, row_bytes);
            imf_strip_end(strip, y + i);
        }
    }
}
