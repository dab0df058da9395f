/*
 * huffman.c - Huffman codes and blocks of deflate (RFC 1951, 3.2)
 *
 * Code lengths come from Huffman's algorithm on sorted frequencies with two queues: leaves, and sums,
 * which arise in rising order. Lengths over the limit are cut, and the longest of the shorter codes are
 * lengthened until the code is a prefix code again.
 */
#include "codec/deflate/huffman.h"

#include <stdlib.h>

#define CODE_MAX 14 /* bits: four literals fit between two flushes, with 7 bits left over */
#define HEADER_CODES 19
#define HEADER_CODE_MAX 7
#define STORED_MAX 65535
#define END_OF_BLOCK 256

struct imf_extra imf_length_code(int length) {
    int n = length - 3;
    if (length == MATCH_MAX)
        return (struct imf_extra){LENGTHS - 1, 0, 0};
    if (n < 8)
        return (struct imf_extra){(uint8_t)n, 0, 0};
    int bits = 29 - __builtin_clz((unsigned)n);
    return (struct imf_extra){(uint8_t)(4 * bits + (n >> bits)), (uint8_t)bits,
                              (uint16_t)(n & ((1 << bits) - 1))};
}

static int rising(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Code lengths for symbols of these frequencies; 0: the symbol has no code. There are two codes at
 * least, which some readers require. */
static void make_lengths(const uint32_t *frequency, int symbols, int longest, uint8_t *length) {
    uint32_t leaf[LITLEN], weight[2 * LITLEN];
    int parent[2 * LITLEN], depth[2 * LITLEN], of_length[CODE_MAX + 1] = {0};
    int used = 0;
    for (int i = 0; i < symbols; i++) {
        length[i] = 0;
        if (frequency[i])
            leaf[used++] = frequency[i] << 9 | (uint32_t)i;
    }
    if (used < 2) {
        int other = used ? (int)(leaf[0] & 511) : 1;
        length[other] = 1;
        length[other ? 0 : 1] = 1;
        return;
    }
    qsort(leaf, (size_t)used, sizeof *leaf, rising);
    for (int i = 0; i < used; i++)
        weight[i] = leaf[i] >> 9;
    int next_leaf = 0, next_sum = used, sums = used;
    for (; sums < 2 * used - 1; sums++) {
        weight[sums] = 0;
        for (int k = 0; k < 2; k++) {
            bool is_leaf =
                next_leaf < used && (next_sum == sums || weight[next_leaf] <= weight[next_sum]);
            int child = is_leaf ? next_leaf++ : next_sum++;
            weight[sums] += weight[child];
            parent[child] = sums;
        }
    }
    depth[sums - 1] = 0;
    for (int i = sums - 2; i >= 0; i--) {
        depth[i] = depth[parent[i]] + 1;
        if (i < used)
            of_length[depth[i] < longest ? depth[i] : longest]++;
    }
    long used_space = 0; /* Kraft's sum, in units of 2^-longest */
    for (int n = 1; n <= longest; n++)
        used_space += (long)of_length[n] << (longest - n);
    for (; used_space > 1L << longest; used_space--) {
        int n = longest - 1;
        while (!of_length[n])
            n--;
        of_length[longest]--;
        of_length[n]--;
        of_length[n + 1] += 2;
    }
    for (int n = longest, i = 0; n > 0; n--)
        for (int k = of_length[n]; k > 0; k--)
            length[leaf[i++] & 511] = (uint8_t)n;
}

/* Canonical codes; the first bit is the lowest. */
static void make_codes(const uint8_t *length, int symbols, uint16_t *code) {
    unsigned next[CODE_MAX + 2] = {0}, of_length[CODE_MAX + 2] = {0};
    for (int i = 0; i < symbols; i++)
        of_length[length[i]]++;
    of_length[0] = 0;
    for (int n = 1; n <= CODE_MAX + 1; n++)
        next[n] = (next[n - 1] + of_length[n - 1]) << 1;
    for (int i = 0; i < symbols; i++) {
        unsigned forward = length[i] ? next[length[i]]++ : 0, back = 0;
        for (int k = 0; k < length[i]; k++)
            back |= (forward >> k & 1) << (length[i] - 1 - k);
        code[i] = (uint16_t)back;
    }
}

void imf_codes_make(struct imf_codes *c) {
    c->litlen_count[END_OF_BLOCK] = 1;
    make_lengths(c->litlen_count, LITLEN, CODE_MAX, c->litlen);
    make_lengths(c->distance_count, DISTANCES, CODE_MAX, c->distance);
}

/* ---- the table at the start of a block --------------------------------------------------- */

/* The code lengths as runs of equal ones, with a code for those. */
struct header {
    int litlens, distances, runs;
    uint8_t run[LITLEN + DISTANCES], more[LITLEN + DISTANCES];
    uint32_t count[HEADER_CODES];
    uint8_t length[HEADER_CODES];
    int lengths;
};

static const uint8_t header_order[HEADER_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                   11, 4,  12, 3, 13, 2, 14, 1, 15};
static const uint8_t header_more[HEADER_CODES] = {[16] = 2, [17] = 3, [18] = 7};

static void add_run(struct header *h, int symbol, int more) {
    h->run[h->runs] = (uint8_t)symbol;
    h->more[h->runs++] = (uint8_t)more;
    h->count[symbol]++;
}

static struct header make_header(const struct imf_codes *c) {
    struct header h = {.litlens = LITLEN, .distances = DISTANCES, .lengths = HEADER_CODES};
    uint8_t all[LITLEN + DISTANCES];
    while (h.litlens > 257 && !c->litlen[h.litlens - 1])
        h.litlens--;
    while (h.distances > 1 && !c->distance[h.distances - 1])
        h.distances--;
    memcpy(all, c->litlen, (size_t)h.litlens);
    memcpy(all + h.litlens, c->distance, (size_t)h.distances);
    int end = h.litlens + h.distances;
    for (int i = 0, same; i < end; i += same) {
        for (same = 1; i + same < end && all[i + same] == all[i];)
            same++;
        int left = same;
        if (all[i]) {
            add_run(&h, all[i], 0);
            left--;
        }
        while (left >= 3) {
            int most = all[i] ? 6 : 138, n = left < most ? left : most;
            if (all[i])
                add_run(&h, 16, n - 3);
            else
                add_run(&h, n > 10 ? 18 : 17, n - (n > 10 ? 11 : 3));
            left -= n;
        }
        while (left-- > 0)
            add_run(&h, all[i], 0);
    }
    make_lengths(h.count, HEADER_CODES, HEADER_CODE_MAX, h.length);
    while (h.lengths > 4 && !h.length[header_order[h.lengths - 1]])
        h.lengths--;
    return h;
}

static uint64_t header_bits(const struct header *h) {
    uint64_t bits = 14 + 3 * (uint64_t)h->lengths;
    for (int i = 0; i < HEADER_CODES; i++)
        bits += (uint64_t)h->count[i] * (uint64_t)(h->length[i] + header_more[i]);
    return bits;
}

static void write_header(const struct header *h, struct imf_bits *bits) {
    uint16_t code[HEADER_CODES];
    make_codes(h->length, HEADER_CODES, code);
    imf_bits_put(bits, (uint64_t)h->litlens - 257, 5);
    imf_bits_put(bits, (uint64_t)h->distances - 1, 5);
    imf_bits_put(bits, (uint64_t)h->lengths - 4, 4);
    for (int i = 0; i < h->lengths; i++) {
        imf_bits_put(bits, h->length[header_order[i]], 3);
        imf_bits_flush(bits);
    }
    for (int i = 0; i < h->runs; i++) {
        imf_bits_put(bits, code[h->run[i]], h->length[h->run[i]]);
        imf_bits_put(bits, h->more[i], header_more[h->run[i]]);
        imf_bits_flush(bits);
    }
}

/* ---- blocks -------------------------------------------------------------------------------- */

static uint64_t coded_bits(const struct imf_codes *c) {
    uint64_t bits = 0;
    for (int i = 0; i < LITLEN; i++)
        bits += (uint64_t)c->litlen_count[i] * c->litlen[i];
    for (int i = 0; i < DISTANCES; i++)
        bits += (uint64_t)c->distance_count[i] * c->distance[i];
    return bits;
}

void imf_codes_store(const unsigned char *data, size_t size, bool last, struct imf_bits *bits) {
    do {
        size_t part = size < STORED_MAX ? size : STORED_MAX;
        imf_bits_put(bits, last && part == size, 3);
        imf_bits_put(bits, 0, -bits->count & 7);
        imf_bits_flush(bits);
        imf_bits_put(bits, part | (part ^ STORED_MAX) << 16, 32);
        imf_bits_flush(bits);
        memcpy(bits->to, data, part);
        bits->to += part;
        data += part;
        size -= part;
    } while (size);
}

/* Of each symbol the code, and in the lowest 8 bits its length. */
struct pack {
    uint32_t litlen[LITLEN], distance[DISTANCES];
};

static void pack(const uint8_t *length, int symbols, uint32_t *packed) {
    uint16_t code[LITLEN];
    make_codes(length, symbols, code);
    for (int i = 0; i < symbols; i++)
        packed[i] = (uint32_t)code[i] << 8 | length[i];
}

static inline void put_code(struct imf_bits *bits, uint32_t packed) {
    imf_bits_put(bits, packed >> 8, (int)(packed & 0xff));
}

static void write_sequences(const struct pack *p, const unsigned char *data,
                            const struct imf_sequence *s, size_t count, struct imf_bits *to) {
    struct imf_bits bits = *to; /* in registers */
    for (const struct imf_sequence *end = s + count; s < end; s++) {
        uint32_t left = s->literals;
        for (; left >= 4; left -= 4, data += 4) {
            for (int k = 0; k < 4; k++)
                put_code(&bits, p->litlen[data[k]]);
            imf_bits_flush(&bits);
        }
        for (; left; left--)
            put_code(&bits, p->litlen[*data++]);
        imf_bits_flush(&bits);
        if (!s->length)
            continue;
        struct imf_extra length = imf_length_code(s->length);
        struct imf_extra distance = imf_distance_code(s->distance);
        put_code(&bits, p->litlen[END_OF_BLOCK + 1 + length.code]);
        imf_bits_put(&bits, length.value, length.bits);
        put_code(&bits, p->distance[distance.code]);
        imf_bits_put(&bits, distance.value, distance.bits);
        imf_bits_flush(&bits);
        data += s->length;
    }
    put_code(&bits, p->litlen[END_OF_BLOCK]);
    imf_bits_flush(&bits);
    *to = bits;
}

void imf_codes_write(const struct imf_codes *c, const unsigned char *data, size_t size,
                     const struct imf_sequence *sequences, size_t count, bool last,
                     struct imf_bits *bits) {
    struct pack packed;
    struct header header = make_header(c);
    uint64_t extra = 0;
    for (size_t i = 0; i < count; i++)
        if (sequences[i].length)
            extra += imf_length_code(sequences[i].length).bits +
                     (uint64_t)imf_distance_code(sequences[i].distance).bits;
    uint64_t stored = 8 * ((uint64_t)size + 5 * (size / STORED_MAX + 1));
    if (stored <= header_bits(&header) + coded_bits(c) + extra) {
        imf_codes_store(data, size, last, bits);
        return;
    }
    imf_bits_put(bits, (uint64_t)last | 4, 3);
    write_header(&header, bits);
    pack(c->litlen, LITLEN, packed.litlen);
    pack(c->distance, DISTANCES, packed.distance);
    write_sequences(&packed, data, sequences, count, bits);
}
