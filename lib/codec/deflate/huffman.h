/* huffman.h - the codes of a block of deflate, and writing it */
#ifndef IMF_CODEC_DEFLATE_HUFFMAN_H
#define IMF_CODEC_DEFLATE_HUFFMAN_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { LITERALS = 256, LENGTHS = 29, LITLEN = 286, DISTANCES = 30, MATCH_MAX = 258 };

/* Some literals, then a match; the last sequence has none (length 0). */
struct imf_sequence {
    uint32_t literals;
    uint16_t length, distance;
};

/* Bits are appended from the lowest on; up to 57 fit between two calls of imf_bits_flush(). */
struct imf_bits {
    unsigned char *to;
    uint64_t held;
    int count;
};

static inline void imf_bits_put(struct imf_bits *b, uint64_t value, int count) {
    b->held |= value << b->count;
    b->count += count;
}

/* Writes eight bytes, of which whole ones count. */
static inline void imf_bits_flush(struct imf_bits *b) {
    uint64_t bytes = htole64(b->held);
    memcpy(b->to, &bytes, sizeof bytes);
    b->to += b->count >> 3;
    b->held >>= b->count & 56;
    b->count &= 7;
}

/* The code of a length of 3..258, and the number and value of the extra bits after it. */
struct imf_extra {
    uint8_t code, bits;
    uint16_t value;
};
struct imf_extra imf_length_code(int length);

static inline struct imf_extra imf_distance_code(unsigned distance) {
    unsigned d = distance - 1;
    if (d < 4)
        return (struct imf_extra){(uint8_t)d, 0, 0};
    int top = 31 - __builtin_clz(d);
    return (struct imf_extra){(uint8_t)(2 * top + (int)(d >> (top - 1) & 1)), (uint8_t)(top - 1),
                              (uint16_t)(d & ((1u << (top - 1)) - 1))};
}

/* The frequencies of symbols in a block, and the lengths of the codes made from them. */
struct imf_codes {
    uint32_t litlen_count[LITLEN], distance_count[DISTANCES];
    uint8_t litlen[LITLEN], distance[DISTANCES];
};

void imf_codes_make(struct imf_codes *c);
/* Write data[0..size) as the sequences say, with their own codes or, where that is
 * shorter, as they are. */
void imf_codes_write(const struct imf_codes *c, const unsigned char *data, size_t size,
                     const struct imf_sequence *sequences, size_t count, bool last,
                     struct imf_bits *bits);
/* Write data as they are, in as many blocks as that takes. */
void imf_codes_store(const unsigned char *data, size_t size, bool last, struct imf_bits *bits);

#endif
