/*
 * sorted_regions.c - ranks of any samples in any element on the host's cores, region by region
 *
 * A region is some pixels with all that their windows reach. Its samples are sorted, so that small
 * integers stand for them, whatever their type.
 *
 * In rectangles each sample is replaced by the 256th of the sorted ones that it is in. Histograms of
 * columns (histogram.h) find the part in which a window's rank lies, and how many of the part's
 * samples in the window precede it. The part has few samples, which are searched in order.
 *
 * In any other element each sample is replaced by its ordinal, its index among the sorted ones. From
 * a window to the next each run loses one sample and gains one (Huang, Yang, Tang 1979). A window is
 * a set of ordinals, a bit each. The number of bits in each word is kept, and the search for the rank
 * starts at the word of the last result.
 *
 * 16-bit samples in 31x31 take 41 ns each on one core (AMD EPYC, AVX-512), by the next best algorithm 87;
 * in a disk of 25 210 and 545.
 */
#include "base/clones.h"
#include "device/tuning.h"
#include "solver/common/window.h"
#include "solver/rank/histogram.h"

#include <string.h>

#define PARTS 256
#define LEAST 96         /* pixels of a region's side, without the halo: twice a window's side, */
#define MOST 512         /* within these */
#define ALIGN 64         /* bytes */
#define SOME 64          /* samples of a part that are looked at together */
#define BITS 64          /* of a word */
#define LONGEST_DIGIT 11 /* bits, of a radix sort */

struct region {
    const struct imf_host_strip *strip;
    const struct imf_problem *p;
    const struct imf_window_facts *w;
    int across, down, columns, lines; /* outputs; with the halo */
    uint64_t *items, *spare;          /* a sample as an integer of its order, and where it is */
    uint16_t *x, *y;                  /* of the sorted items */
    uint8_t *plane, *part;            /* parts of all samples; of a row of outputs */
    uint32_t *ordinals;               /* of all samples */
    uint64_t *bits;                   /* of ordinals in the window, */
    uint8_t *counts;                  /* how many in each word */
    uint32_t *left;                   /* of a row of outputs: samples of the part that come before,
                                         then ordinals */
    void *histograms;
    char *results; /* rows of outputs, as long as the strip's */
    size_t row_bytes;
    size_t pitch; /* of the planes */
};

static int side(int window) {
    return imf_min(imf_max(2 * window, LEAST), MOST);
}

/* Digits of a radix sort. */
static int digits(enum imf_sample sample) {
    return sample == IMF_U8 ? 1 : sample == IMF_U16 ? 2 : sample == IMF_F32 ? 3 : 6;
}

static bool is_wide(const struct imf_window_facts *w) {
    return imf_histogram_wide(w->width, w->height);
}

static size_t take(size_t *used, size_t bytes) {
    size_t at = *used;
    *used += (bytes + ALIGN - 1) / ALIGN * ALIGN;
    return at;
}

/* Lays out the working memory of a strip of n samples from store on; returns its bytes. */
static size_t lay(struct region *g, const struct imf_problem *p, const struct imf_window_facts *w,
                  int n, char *store) {
    size_t pixels = ((size_t)n - 1) / (size_t)p->channels + 1;
    size_t columns = pixels + (size_t)w->width - 1, down = (size_t)side(w->height);
    size_t samples = columns * (down + (size_t)w->height - 1), used = 0;
    size_t words = samples / BITS + 1;
    *g = (struct region){
        .p = p, .w = w, .across = (int)pixels, .columns = (int)columns, .pitch = columns};
    g->items = (void *)(store + take(&used, samples * sizeof *g->items));
    g->spare = (void *)(store + take(&used, samples * sizeof *g->spare));
    g->left = (void *)(store + take(&used, pixels * sizeof *g->left));
    g->results = store + take(&used, down * (size_t)n * imf_sample_size(p->in));
    if (w->box) {
        g->x = (void *)(store + take(&used, (samples + SOME) * sizeof *g->x));
        g->y = (void *)(store + take(&used, (samples + SOME) * sizeof *g->y));
        g->plane = (void *)(store + take(&used, samples));
        g->part = (void *)(store + take(&used, pixels));
        g->histograms = store + take(&used, columns * imf_histogram_bytes(is_wide(w)));
    } else {
        g->ordinals = (void *)(store + take(&used, samples * sizeof *g->ordinals));
        g->bits = (void *)(store + take(&used, words * sizeof *g->bits));
        g->counts = (void *)(store + take(&used, words));
    }
    return used;
}

/* ---- order ----------------------------------------------------------------------------------- */

typedef uint32_t float_as_bits __attribute__((may_alias));

static inline uint32_t float_key(uint32_t bits) {
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

static inline uint32_t float_bits(uint32_t key) {
    return key >> 31 ? key & 0x7fffffffu : ~key;
}

typedef uint64_t double_as_bits __attribute__((may_alias));

static inline uint64_t double_key(uint64_t bits) {
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static inline uint32_t double_low(uint64_t bits) {
    return (uint32_t)double_key(bits);
}

/* Samples of a part; each but the last has as many. */
static int share(const struct region *g) {
    return (g->columns * g->lines - 1) / PARTS + 1;
}

/*
 * Radix sort of a channel of a region's samples. An item is the sample's key, its line and its column,
 * from the highest bits down. Each pass over a digit, from the lowest on, is stable.
 */
#define WHERE 16 /* bits of a line, and of a column */

static uint64_t item_of(uint32_t key, int line, int x) {
    return (uint64_t)key << 2 * WHERE | (uint64_t)line << WHERE | (uint64_t)x;
}

static inline __attribute__((always_inline)) void sort_items(struct region *g, int digit,
                                                             int digits) {
    const int count = g->columns * g->lines, values = 1 << digit;
    uint64_t *items = g->items, *spare = g->spare;
    for (int d = 2 * WHERE; d < 2 * WHERE + digits * digit; d += digit) {
        uint32_t first[1 << LONGEST_DIGIT] = {0}, sum = 0;
        for (int i = 0; i < count; i++)
            first[items[i] >> d & (uint64_t)(values - 1)]++;
        for (int k = 0; k < values; k++) {
            uint32_t n = first[k];
            first[k] = sum;
            sum += n;
        }
        for (int i = 0; i < count; i++)
            spare[first[items[i] >> d & (uint64_t)(values - 1)]++] = items[i];
        uint64_t *turn = items;
        items = spare;
        spare = turn;
    }
    g->items = items;
    g->spare = spare;
}

static const void *line_of(const struct region *g, int y, int line) {
    return imf_strip_input(g->strip, y + line);
}

#define SORT(name, sample, key, digit, digits)                                                     \
    static void name(struct region *g, int y, int channel) {                                       \
        const int channels = g->p->channels;                                                       \
        uint64_t *item = g->items;                                                                 \
        for (int line = 0; line < g->lines; line++) {                                              \
            const sample *row = (const sample *)line_of(g, y, line) + channel;                     \
            for (int x = 0; x < g->columns; x++)                                                   \
                *item++ = item_of(key(row[x * channels]), line, x);                                \
        }                                                                                          \
        sort_items(g, digit, digits);                                                              \
    }
SORT(sort_bytes, uint8_t, , 8, 1)
SORT(sort_words, uint16_t, , 8, 2)
SORT(sort_floats, float_as_bits, float_key, 11, 3)
SORT(sort_low_halves, double_as_bits, double_low, 11, 3)

/* By the low halves of the keys first; the high ones leave those that are equal in this order. */
static void sort_doubles(struct region *g, int y, int channel) {
    const int count = g->columns * g->lines, channels = g->p->channels;
    sort_low_halves(g, y, channel);
    for (int i = 0; i < count; i++) {
        int x = (uint16_t)g->items[i], line = (uint16_t)(g->items[i] >> WHERE);
        const double_as_bits *row = (const double_as_bits *)line_of(g, y, line) + channel;
        g->items[i] = item_of((uint32_t)(double_key(row[x * channels]) >> 32), line, x);
    }
    sort_items(g, 11, 3);
}

/* Parts of the sorted samples over the plane. */
static void spread_parts(struct region *g) {
    const int count = g->columns * g->lines, each = share(g);
    for (int i = 0, part = 0; i < count; part++)
        for (int end = imf_min(i + each, count); i < end; i++) {
            g->x[i] = (uint16_t)g->items[i];
            g->y[i] = (uint16_t)(g->items[i] >> WHERE);
            g->plane[g->y[i] * g->pitch + g->x[i]] = (uint8_t)part;
        }
}

static void spread_ordinals(struct region *g) {
    const uint32_t count = (uint32_t)(g->columns * g->lines);
    for (uint32_t i = 0; i < count; i++)
        g->ordinals[(uint16_t)(g->items[i] >> WHERE) * g->pitch + (uint16_t)g->items[i]] = i;
}

static void load(struct region *g, int y, int channel) {
    enum imf_sample sample = g->p->in;
    (sample == IMF_U8    ? sort_bytes
     : sample == IMF_U16 ? sort_words
     : sample == IMF_F32 ? sort_floats
                         : sort_doubles)(g, y, channel);
    (g->w->box ? spread_parts : spread_ordinals)(g);
}

/* A row of the samples that were found. */
static void store(const struct region *g, int y, void *row, int channel) {
    const int channels = g->p->channels;
    for (int x = 0, i = channel; x < g->across; x++, i += channels) {
        const uint64_t item = g->items[g->left[x]];
        uint32_t key = (uint32_t)(item >> 2 * WHERE);
        if (g->p->in == IMF_U8)
            ((uint8_t *)row)[i] = (uint8_t)key;
        else if (g->p->in == IMF_U16)
            ((uint16_t *)row)[i] = (uint16_t)key;
        else if (g->p->in == IMF_F32)
            ((float_as_bits *)row)[i] = float_bits(key);
        else
            ((double *)row)[i] = ((const double *)line_of(
                g, y, (uint16_t)(item >> WHERE)))[(uint16_t)item * channels + channel];
    }
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void count_columns(struct region *g, int line) {
    const struct imf_window_facts *w = g->w;
    bool wide = is_wide(w);
    const uint8_t *top = g->plane + (size_t)line * g->pitch;
    if (line > 0)
        imf_histogram_move(g->histograms, wide, top - g->pitch,
                           top + (size_t)(w->height - 1) * g->pitch, g->columns);
    else {
        memset(g->histograms, 0, (size_t)g->columns * imf_histogram_bytes(wide));
        for (int i = 0; i < w->height; i++)
            imf_histogram_add(g->histograms, wide, top + (size_t)i * g->pitch, g->columns);
    }
    imf_histogram_rank(g->part, g->left, g->histograms, wide, w->width, 1, w->rank, g->across);
}

/* ---- in a part ------------------------------------------------------------------------------- */

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
 * The index of the mark that so many marks precede, or SOME: the number of prefix sums of the marks
 * that do not exceed that. All are compared: no branch depends on the data.
 */
INLINE int nth_mark(const uint64_t in[SOME / 8], int before) {
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

/* Turns left[], the samples of the part that precede a window's result, into the result's ordinal. */
IMF_CLONES_32 static void look(const struct region *g, int line) {
    typedef uint16_t numbers __attribute__((vector_size(VECTOR), aligned(1), may_alias));
    typedef int8_t marks __attribute__((vector_size(VECTOR / sizeof(uint16_t))));
    const int lanes = VECTOR / (int)sizeof(uint16_t), each = share(g);
    const uint16_t width = (uint16_t)g->w->width, height = (uint16_t)g->w->height;
    for (int i = 0; i < g->across; i++) {
        int at = g->part[i] * each, before = (int)g->left[i];
        uint64_t in[SOME / 8];
        for (;; at += SOME) {
            for (int k = 0; k < SOME; k += lanes) {
                numbers x = *(const numbers *)(g->x + at + k) - (uint16_t)i;
                numbers y = *(const numbers *)(g->y + at + k) - (uint16_t)line;
                marks m = __builtin_convertvector((x < width) & (y < height), marks) & 1;
                memcpy(in + k / 8, &m, sizeof m);
            }
            int n = each > SOME ? total(in) : SOME; /* before < each */
            if (n > before)
                break;
            before -= n;
        }
        g->left[i] = (uint32_t)(at + nth_mark(in, before));
    }
}

/* ---- ordinals -------------------------------------------------------------------------------- */

/* The index of the set bit that so many set bits precede. */
INLINE uint32_t select_bit(uint64_t word, uint32_t before) {
    uint64_t sums = word - (word >> 1 & 0x5555555555555555u);
    sums = (sums & 0x3333333333333333u) + (sums >> 2 & 0x3333333333333333u);
    sums = ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0fu) * ONES; /* of each byte and those below */
    uint64_t not_above = ((before | 0x80) * ONES - sums) & (0x80 * ONES);
    int shift = 8 * __builtin_popcountll(not_above);
    before -= (uint32_t)((sums << 8) >> shift & 0xff);
    uint32_t byte = (uint32_t)(word >> shift & 0xff);
    for (; before > 0; before--)
        byte &= byte - 1;
    return (uint32_t)(shift + __builtin_ctz(byte));
}

IMF_CLONES_32 static void find_ordinals(struct region *g, int line) {
    const struct imf_window_facts *w = g->w;
    const struct imf_run *runs = imf_window_kept(g->strip->job);
    const uint32_t *origin = g->ordinals + (size_t)line * g->pitch;
    const uint32_t rank = (uint32_t)w->rank;
    const size_t words = (size_t)(g->columns * g->lines) / BITS + 1;
    uint64_t *bits = g->bits;
    uint8_t *counts = g->counts;
    uint32_t below = 0, at = 0; /* ordinals before the word, in the window */
    memset(bits, 0, words * sizeof *bits);
    memset(counts, 0, words);
    for (int x = 0; x < g->across; x++) {
        for (int i = 0; i < w->run_count; i++) {
            const struct imf_run *run = &runs[i];
            const uint32_t *row = origin + (size_t)(run->line - w->top) * g->pitch + x - w->left;
            if (x == 0) {
                for (int k = run->from; k < run->to; k++) {
                    bits[row[k] / BITS] |= (uint64_t)1 << row[k] % BITS;
                    counts[row[k] / BITS]++;
                }
                continue;
            }
            uint32_t old = row[run->from - 1], fresh = row[run->to - 1];
            bits[old / BITS] ^= (uint64_t)1 << old % BITS;
            bits[fresh / BITS] ^= (uint64_t)1 << fresh % BITS;
            counts[old / BITS]--;
            counts[fresh / BITS]++;
            below += (uint32_t)(fresh / BITS < at) - (uint32_t)(old / BITS < at);
        }
        while (below > rank)
            below -= counts[--at];
        while (below + counts[at] <= rank)
            below += counts[at++];
        g->left[x] = at * BITS + select_bit(bits[at], rank - below);
    }
}

static void run_channel(struct region *g, int y, int channel) {
    load(g, y, channel);
    for (int line = 0; line < g->down; line++) {
        if (g->w->box) {
            count_columns(g, line);
            look(g, line);
        } else
            find_ordinals(g, line);
        store(g, y, g->results + (size_t)line * g->row_bytes, channel);
    }
}

/* ---- the solver ------------------------------------------------------------------------------ */

static size_t scratch_bytes(const struct imf_problem *p, const void *shape, int n) {
    struct region g;
    char none[1]; /* not read nor written */
    return imf_window_pitch(p, shape, n) + lay(&g, p, shape, n, none);
}

static void regions_strip(const struct imf_host_strip *s) {
    const struct imf_window_facts *w = imf_window_of(s->job);
    struct region g;
    for (int y = s->at.y; y < s->at.end; y += g.down) {
        lay(&g, &s->job->p, w, s->at.n, imf_strip_scratch(s));
        g.strip = s;
        g.row_bytes = (size_t)s->at.n * imf_sample_size(g.p->in);
        g.down = imf_min(side(w->height), s->at.end - y);
        g.lines = g.down + w->height - 1;
        for (int channel = 0; channel < g.p->channels; channel++)
            run_channel(&g, y, channel);
        for (int i = 0; i < g.down; i++)
            imf_strip_end(s, y + i, g.results + (size_t)i * g.row_bytes);
    }
}

static double price(const struct imf_problem *p, const struct imf_window_facts *w) {
    const struct imf_vector_rates *rates = &imf_vector_rates;
    double across = imf_min(side(w->width), p->width), down = side(w->height);
    double samples = (across + w->width - 1) * (down + w->height - 1),
           twice = samples / (across * down);
    double sort = rates->sorted * digits(p->in) * twice;
    if (!w->box)
        return sort + rates->edge * (2 * w->run_count + w->count / across) + rates->sorted_ordinal;
    return p->in == IMF_U8 ? 0
                           : sort + rates->histogram + rates->histogram_column * twice +
                                 rates->sorted_look * samples / PARTS;
}

static void regions_propose(const struct imf_problem *p, const struct imf_device *d,
                            struct imf_proposal *out) {
    const struct imf_window_facts *w = imf_window_propose(out, p);
    (void)d;
    imf_window_strips(out, p, price(p, w), side(w->width) * p->channels, "sorted regions");
}

static struct imf_strips regions_cut(const struct imf_job *job, int height) {
    const struct imf_window_facts *w = imf_window_of(job);
    int channels = job->p.channels;
    return imf_strips_cut_by(channels, job->p.width * channels, height, side(w->width) * channels,
                             side(w->height));
}

const struct imf_solver imf_solver_sorted_regions = {
    .name = "vector",
    .backend = IMF_BACKEND_VECTOR,
    .kinds = 1u << IMF_RANK,
    .float64 = true,
    .propose = regions_propose,
    IMF_WINDOW_RUNS,
    .cut = regions_cut,
    .scratch_bytes = scratch_bytes,
    .strip = regions_strip,
};
