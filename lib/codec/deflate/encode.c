/*
 * encode.c - deflate (RFC 1951) for what remains of pixels after prediction
 *
 * What remains of a photograph is noise with a narrow spread, in which a string that was there
 * before costs more bits (13 to 30 for its length and distance) than its few bytes do as literals,
 * though searching for it takes most of the time. So matches are looked for at two distances only,
 * one byte and one pixel: runs. Each byte has a price, the bits that it would take, and a match is
 * used where it is cheaper than the bytes that it stands for. A block ends where the frequencies of
 * bytes change.
 *
 * Prices come from the frequencies of the bytes, before there are codes.
 */
#include "codec/deflate/encode.h"
#include "codec/deflate/huffman.h"

#include <stdlib.h>
#include <string.h>

#define PIECE 32768          // the smallest part that gets codes of its own
#define PART_MAX (4 * PIECE) // and the largest
#define SPLIT_BYTES 90       // of the tables that a further part takes
#define SHORTEST 4           // match
#define SUMMED 48            // literals whose price is added up; more are never cheaper
#define BIT 16               // prices are in 1/BIT bit
#define LENGTH_PRICE (6 * BIT)
#define DISTANCE_PRICE (5 * BIT)
#define UNKNOWN_PRICE (12 * BIT) // of what had no code
#define LOG_STEPS 256

struct prices {
    uint16_t literal[LITERALS], length[MATCH_MAX + 1], distance[DISTANCES];
};

struct imf_deflate {
    uint16_t log_fraction[LOG_STEPS]; /* 256 * log2(1 + i / LOG_STEPS) */
    struct prices prices;
    struct imf_codes codes;
    size_t count;
    struct imf_sequence sequence[PART_MAX / SHORTEST + 2];
};

const size_t imf_deflate_bytes = sizeof(struct imf_deflate);

/* What is matched: places are distances from the start of the window. */
struct text {
    const unsigned char *base;
    int end;
    int pixel;
};

struct imf_deflate *imf_deflate_new(void) {
    struct imf_deflate *d = malloc(sizeof *d);
    if (!d)
        return NULL;
    /* log2 by squaring, exact enough and the same everywhere */
    for (int i = 0; i < LOG_STEPS; i++) {
        uint64_t x = ((uint64_t)LOG_STEPS + (uint64_t)i) << 23; /* 1..2 at bit 31 */
        unsigned bits = 0;
        for (int k = 0; k < 8; k++) {
            x = x * x >> 31;
            bits = bits << 1 | (unsigned)(x >> 32);
            x >>= x >> 32;
        }
        d->log_fraction[i] = (uint16_t)bits;
    }
    return d;
}

void imf_deflate_free(struct imf_deflate *d) {
    free(d);
}

/* 256 * log2(n), n > 0 */
static unsigned log_of(const struct imf_deflate *d, uint32_t n) {
    int top = 31 - __builtin_clz(n);
    return 256 * (unsigned)top + d->log_fraction[(n << (31 - top)) >> 23 & (LOG_STEPS - 1)];
}

static inline uint32_t load4(const unsigned char *p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t load8(const unsigned char *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* ---- frequencies ----------------------------------------------------------------------------- */

/* Four tables, so that equal bytes in a row need not wait for each other. */
static void count_bytes(const unsigned char *data, size_t size, uint32_t count[LITERALS]) {
    uint32_t table[4][LITERALS] = {{0}};
    size_t i = 0;
    for (; i + 4 <= size; i += 4)
        for (int k = 0; k < 4; k++)
            table[k][data[i + (size_t)k]]++;
    for (; i < size; i++)
        table[0][data[i]]++;
    for (int v = 0; v < LITERALS; v++)
        count[v] = table[0][v] + table[1][v] + table[2][v] + table[3][v];
}

/* Bits, in 1/256, that bytes of such frequencies take. */
static uint64_t information(const struct imf_deflate *d, const uint32_t count[LITERALS]) {
    uint32_t sum = 0;
    uint64_t bits = 0;
    for (int v = 0; v < LITERALS; v++) {
        sum += count[v];
        bits -= count[v] ? (uint64_t)count[v] * log_of(d, count[v]) : 0;
    }
    return bits + (sum ? (uint64_t)sum * log_of(d, sum) : 0);
}

/* How far a part goes that begins at data; *count: its bytes. */
static size_t choose_part(const struct imf_deflate *d, const unsigned char *data, size_t size,
                          uint32_t count[LITERALS]) {
    size_t end = size < PIECE ? size : PIECE;
    count_bytes(data, end, count);
    uint64_t bits = information(d, count);
    while (end < size && end < PART_MAX) {
        uint32_t more[LITERALS], both[LITERALS];
        size_t step = size - end < PIECE ? size - end : PIECE;
        count_bytes(data + end, step, more);
        for (int v = 0; v < LITERALS; v++)
            both[v] = count[v] + more[v];
        uint64_t together = information(d, both);
        if (together > bits + information(d, more) + SPLIT_BYTES * 8 * 256)
            break;
        memcpy(count, both, sizeof both);
        bits = together;
        end += step;
    }
    return end;
}

/* ---- prices ---------------------------------------------------------------------------------- */

static void set_prices(struct imf_deflate *d, const uint32_t count[LITERALS]) {
    uint32_t sum = 0;
    for (int v = 0; v < LITERALS; v++)
        sum += count[v];
    unsigned all = log_of(d, sum);
    for (int v = 0; v < LITERALS; v++) {
        unsigned price = count[v] ? (all - log_of(d, count[v])) * BIT / 256 : UNKNOWN_PRICE;
        d->prices.literal[v] = (uint16_t)(price < BIT ? BIT : price > 14 * BIT ? 14 * BIT : price);
    }
    for (int n = SHORTEST; n <= MATCH_MAX; n++)
        d->prices.length[n] = (uint16_t)(LENGTH_PRICE + BIT * imf_length_code(n).bits);
    for (int k = 0; k < DISTANCES; k++)
        d->prices.distance[k] = (uint16_t)(DISTANCE_PRICE + (k < 4 ? 0 : BIT * (k / 2 - 1)));
}

/* ---- matches --------------------------------------------------------------------------------- */

struct match {
    int length, distance;
    unsigned gain; /* what it saves, in prices */
};

/* Equal bytes from SHORTEST on, of which that many are known. */
static inline int match_length(const unsigned char *a, const unsigned char *b, int most) {
    int n = SHORTEST;
    for (; n + 8 <= most; n += 8)
        if (load8(a + n) != load8(b + n))
            break;
    while (n < most && a[n] == b[n])
        n++;
    return n;
}

/* Take a match of at least SHORTEST bytes if it saves more than the best. */
static __attribute__((noinline)) void weigh(const struct prices *prices, const struct text *t,
                                            int at, int from, struct match *best) {
    const unsigned char *p = t->base + at, *q = t->base + from;
    int most = t->end - at < MATCH_MAX ? t->end - at : MATCH_MAX;
    if (best->length && best->length < most && p[best->length] != q[best->length])
        return;
    int length = match_length(p, q, most);
    if (length <= best->length)
        return;
    unsigned saved = 0, distance = (unsigned)(at - from);
    if (length < SUMMED)
        for (int k = 0; k < length; k++)
            saved += prices->literal[p[k]];
    else
        saved = BIT * (unsigned)length;
    unsigned cost = prices->length[length] + prices->distance[imf_distance_code(distance).code];
    if (saved > cost + best->gain)
        *best = (struct match){length, (int)distance, saved - cost};
}

/* Most places differ, which has to be quick. */
static inline void try_match(const struct prices *prices, const struct text *t, int at, int from,
                             struct match *best) {
    if (load4(t->base + at) == load4(t->base + from))
        weigh(prices, t, at, from, best);
}

static inline struct match look(const struct imf_deflate *d, const struct text *t, int at) {
    struct match best = {0, 0, 0};
    if (at >= 1)
        try_match(&d->prices, t, at, at - 1, &best);
    if (at >= t->pixel && t->pixel > 1)
        try_match(&d->prices, t, at, at - t->pixel, &best);
    return best;
}

/* Whether one of the two places has the same bytes, which is rare. */
static inline bool may_match(const struct text *t, int at) {
    const unsigned char *p = t->base + at;
    uint32_t bytes = load4(p);
    return at < t->pixel || at < 1 || bytes == load4(p - 1) || bytes == load4(p - t->pixel);
}

/* Cut base[at..end) into sequences. Where nothing was found for long the steps widen, to 16 bytes. */
static void parse(struct imf_deflate *d, const struct text *t, int at, int end) {
    const struct text part = {t->base, end, t->pixel};
    int start = at;
    unsigned missed = 0;
    d->count = 0;
    while (at + 16 < end) {
        struct match m = {0, 0, 0};
        if (may_match(t, at))
            m = look(d, &part, at);
        if (!m.length) {
            at += 1 + (int)(missed < 1024 ? missed++ : missed) / 64;
            continue;
        }
        d->sequence[d->count++] =
            (struct imf_sequence){(uint32_t)(at - start), (uint16_t)m.length, (uint16_t)m.distance};
        at = start = at + m.length;
        missed = 0;
    }
    d->sequence[d->count++] = (struct imf_sequence){(uint32_t)(end - start), 0, 0};
}

static struct text make_text(const unsigned char *data, size_t before, size_t size, size_t pixel) {
    size_t window = before < IMF_DEFLATE_WINDOW ? before : IMF_DEFLATE_WINDOW;
    return (struct text){data - window, (int)(window + size), (int)pixel};
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Count what the sequences consist of; the literals' count is that of all bytes at first. */
static void count_symbols(struct imf_deflate *d, const unsigned char *data,
                          const uint32_t bytes[LITERALS]) {
    struct imf_codes *c = &d->codes;
    memset(c, 0, sizeof *c);
    memcpy(c->litlen_count, bytes, LITERALS * sizeof *bytes);
    for (size_t i = 0; i < d->count; i++) {
        const struct imf_sequence *s = &d->sequence[i];
        data += s->literals;
        if (!s->length)
            break;
        for (int k = 0; k < s->length; k++)
            c->litlen_count[*data++]--;
        c->litlen_count[LITERALS + 1 + imf_length_code(s->length).code]++;
        c->distance_count[imf_distance_code(s->distance).code]++;
    }
}

size_t imf_deflate_stored(const unsigned char *data, size_t size, bool last, unsigned char *to) {
    struct imf_bits bits = {.to = to};
    imf_codes_store(data, size, last, &bits);
    return (size_t)(bits.to - to);
}

size_t imf_deflate_block(struct imf_deflate *d, const unsigned char *data, size_t before,
                         size_t size, size_t pixel, bool last, unsigned char *to) {
    struct imf_bits bits = {.to = to};
    const struct text t = make_text(data, before, size, pixel);
    int at = t.end - (int)size;
    do {
        uint32_t count[LITERALS];
        const unsigned char *from = t.base + at;
        int end = at + (int)choose_part(d, from, (size_t)(t.end - at), count);
        if (end > at)
            set_prices(d, count);
        parse(d, &t, at, end);
        count_symbols(d, from, count);
        imf_codes_make(&d->codes);
        imf_codes_write(&d->codes, from, (size_t)(end - at), d->sequence, d->count,
                        last && end == t.end, &bits);
        at = end;
    } while (at < t.end);
    imf_bits_put(&bits, 0, last ? 0 : 3); /* an empty stored block ends at a byte */
    bits.count += -bits.count & 7;
    imf_bits_flush(&bits);
    imf_bits_put(&bits, 0xffff0000u, last ? 0 : 32);
    imf_bits_flush(&bits);
    return (size_t)(bits.to - to);
}
