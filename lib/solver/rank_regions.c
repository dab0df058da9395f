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
#define LEAST 96 /* pixels of a region's side, without what windows reach: twice a window's, */
#define MOST 512 /* within these */
#define ALIGN 64 /* bytes */
#define SOME 64  /* samples of a part that are looked at together */
#define NEAR 255 /* columns and lines whose numbers are bytes */

struct region {
    const struct imf_regions *r;
    const struct imf_piece *strip;
    int across, down, columns, lines; /* outputs, and with what windows reach */
    bool close;                       /* 16 bits, of a region of near columns and lines */
    void *items, *spare;              /* a sample as an integer of its order, and where it is */
    void *x, *y;                      /* of the sorted items: bytes if close, or words */
    uint8_t *plane, *part;            /* of all samples; of a row of outputs */
    uint32_t *left;                   /* likewise: samples of the part that come before */
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
    size_t lines = down + (size_t)r->height - 1, samples = columns * lines, used = 0;
    bool sorts = r->sample != IMF_U8,
         close = r->sample == IMF_U16 && imf_max((int)columns, (int)lines) <= NEAR;
    size_t item = close ? sizeof(uint32_t) : sizeof(uint64_t), number = item / 4;
    *g = (struct region){
        .r = r, .across = pixels, .columns = (int)columns, .close = close, .pitch = columns};
    g->items = store + take(&used, sorts ? samples * item : 0);
    g->spare = store + take(&used, sorts ? samples * item : 0);
    g->x = store + take(&used, sorts ? (samples + SOME) * number : 0);
    g->y = store + take(&used, sorts ? (samples + SOME) * number : 0);
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

typedef uint32_t float_as_bits __attribute__((may_alias));

static inline uint32_t float_key(uint32_t bits) {
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

static inline uint32_t float_bits(uint32_t key) {
    return key >> 31 ? key & 0x7fffffffu : ~key;
}

/* Samples of a part; each but the last has as many. */
static int share(const struct region *g) {
    return (g->columns * g->lines - 1) / PARTS + 1;
}

/*
 * Sort a channel of a region's samples, and spread their parts over the plane. An item is the
 * sample's key, its line and its column, from the highest bits down. Digit by digit from the lowest,
 * equal ones stay as they are.
 */
#define LOAD(name, item, number, sample, key, digit, digits)                                       \
    static void name(struct region *g, int y, int channel) {                                       \
        const struct imf_piece *s = g->strip;                                                      \
        const int channels = s->p->channels, bits = 8 * (int)sizeof(number);                       \
        item *items = g->items, *spare = g->spare;                                                 \
        int count = 0;                                                                             \
        for (int line = 0; line < g->lines; line++) {                                              \
            const sample *row = (const sample *)imf_strip_input(s, y + s->top + line) + channel;   \
            for (int x = 0; x < g->columns; x++)                                                   \
                items[count++] =                                                                   \
                    (item)key(row[x * channels]) << 2 * bits | (item)line << bits | (item)x;       \
        }                                                                                          \
        for (int d = 2 * bits; d < 2 * bits + (digits) * (digit); d += (digit)) {                  \
            uint32_t first[1 << (digit)] = {0}, sum = 0;                                           \
            for (int i = 0; i < count; i++)                                                        \
                first[items[i] >> d & ((1 << (digit)) - 1)]++;                                     \
            for (int k = 0; k < 1 << (digit); k++) {                                               \
                uint32_t n = first[k];                                                             \
                first[k] = sum;                                                                    \
                sum += n;                                                                          \
            }                                                                                      \
            for (int i = 0; i < count; i++)                                                        \
                spare[first[items[i] >> d & ((1 << (digit)) - 1)]++] = items[i];                   \
            item *turn = items;                                                                    \
            items = spare;                                                                         \
            spare = turn;                                                                          \
        }                                                                                          \
        number *xs = g->x, *ys = g->y;                                                             \
        const int each = share(g);                                                                 \
        for (int i = 0, part = 0; i < count; part++)                                               \
            for (int end = imf_min(i + each, count); i < end; i++) {                               \
                xs[i] = (number)items[i];                                                          \
                ys[i] = (number)(items[i] >> bits);                                                \
                g->plane[ys[i] * g->pitch + xs[i]] = (uint8_t)part;                                \
            }                                                                                      \
        g->items = items;                                                                          \
        g->spare = spare;                                                                          \
    }
LOAD(load_close, uint32_t, uint8_t, uint16_t, , 8, 2)
LOAD(load_words, uint64_t, uint16_t, uint16_t, , 8, 2)
LOAD(load_floats, uint64_t, uint16_t, float_as_bits, float_key, 11, 3)

static void load_bytes(struct region *g, int y, int channel) {
    const struct imf_piece *s = g->strip;
    uint8_t *to = g->plane;
    for (int line = 0; line < g->lines; line++) {
        const uint8_t *row = imf_strip_input(s, y + s->top + line);
        for (int x = 0; x < g->columns; x++)
            *to++ = row[x * s->p->channels + channel];
    }
}

static void load(struct region *g, int y, int channel) {
    if (g->r->sample == IMF_U8)
        load_bytes(g, y, channel);
    else if (g->r->sample == IMF_F32)
        load_floats(g, y, channel);
    else
        (g->close ? load_close : load_words)(g, y, channel);
}

/* A row of the samples that were found. */
static void store(const struct region *g, void *row, int channel) {
    const int channels = g->strip->p->channels;
    uint16_t *words = (uint16_t *)row + channel;
    for (int x = 0; x < g->across && g->r->sample == IMF_U8; x++)
        ((uint8_t *)row)[x * channels + channel] = g->part[x];
    for (int x = 0; x < g->across && g->close; x++)
        words[x * channels] = (uint16_t)(((const uint32_t *)g->items)[g->left[x]] >> 16);
    if (g->r->sample == IMF_U8 || g->close)
        return;
    for (int x = 0; x < g->across; x++) {
        uint32_t key = (uint32_t)(((const uint64_t *)g->items)[g->left[x]] >> 32);
        if (g->r->sample == IMF_U16)
            words[x * channels] = (uint16_t)key;
        else
            ((float_as_bits *)row)[x * channels + channel] = float_bits(key);
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

#define INLINE static inline __attribute__((always_inline))
#define ONES 0x0101010101010101u /* a byte each */
#define VECTOR 32                /* bytes */

/* The first byte lowest. */
INLINE uint64_t little(uint64_t bytes) {
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(bytes);
#else
    return bytes;
#endif
}

/* How many of SOME are marked: a byte each is 1. */
INLINE int total(const uint64_t in[SOME / 8]) {
    int sum = 0;
    for (int k = 0; k < SOME / 8; k++)
        sum += __builtin_popcountll(in[k]);
    return sum;
}

/*
 * The place of the mark before which so many come, or SOME: how many sums of the marks up to a place
 * are not above that. All are compared, so that the processor has nothing to guess.
 */
INLINE int place(const uint64_t in[SOME / 8], int before) {
    int at = 0;
    uint64_t sum = 0;
    const uint64_t most = (uint64_t)(before | 0x80) * ONES;
    for (int k = 0; k < SOME / 8; k++) {
        uint64_t sums = (little(in[k]) + sum) * ONES; /* of each byte and those below */
        at += __builtin_popcountll((most - sums) & (0x80 * ONES));
        sum = sums >> 56;
    }
    return at;
}

/* Places of the samples of a row's windows before which so many of the part come; into left[]. */
#define LOOK(name, number)                                                                         \
    IMF_CLONES_32 static void name(const struct region *g, int line) {                             \
        typedef number numbers __attribute__((vector_size(VECTOR), aligned(1), may_alias));        \
        typedef int8_t marks __attribute__((vector_size(VECTOR / sizeof(number))));                \
        const int lanes = VECTOR / (int)sizeof(number), each = share(g);                           \
        const number width = (number)g->r->width, height = (number)g->r->height;                   \
        const number *xs = g->x, *ys = g->y;                                                       \
        for (int i = 0; i < g->across; i++) {                                                      \
            int at = g->part[i] * each, before = (int)g->left[i];                                  \
            uint64_t in[SOME / 8];                                                                 \
            for (;; at += SOME) {                                                                  \
                for (int k = 0; k < SOME; k += lanes) {                                            \
                    numbers x = *(const numbers *)(xs + at + k) - (number)i;                       \
                    numbers y = *(const numbers *)(ys + at + k) - (number)line;                    \
                    marks m = __builtin_convertvector((x < width) & (y < height), marks) & 1;      \
                    memcpy(in + k / 8, &m, sizeof m);                                              \
                }                                                                                  \
                int n = each > SOME ? total(in) : SOME; /* before < each */                        \
                if (n > before)                                                                    \
                    break;                                                                         \
                before -= n;                                                                       \
            }                                                                                      \
            g->left[i] = (uint32_t)(at + place(in, before));                                       \
        }                                                                                          \
    }
LOOK(look_near, uint8_t)
LOOK(look_far, uint16_t)

static int number_of(const struct region *g, const void *numbers, uint32_t at) {
    return g->close ? ((const uint8_t *)numbers)[at] : ((const uint16_t *)numbers)[at];
}

static void look_in_runs(const struct region *g, int line) {
    for (int x = 0; x < g->across; x++) {
        uint32_t at = (uint32_t)(g->part[x] * share(g)), before = g->left[x];
        for (;; at++)
            if (holds(g->r, (unsigned)(number_of(g, g->x, at) - x),
                      (unsigned)(number_of(g, g->y, at) - line), g->strip->left) &&
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
            (r->box ? g->close ? look_near : look_far : look_in_runs)(g, line);
        store(g, to, channel);
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
