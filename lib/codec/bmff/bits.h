/* bits.h - bits of a coded picture's header, the highest of a byte first */
#ifndef IMF_CODEC_BMFF_BITS_H
#define IMF_CODEC_BMFF_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct imf_bits {
    const unsigned char *data; /* borrowed */
    size_t bytes, at;          /* at: bits */
    bool cut;                  /* more was taken than there is; that is 0 */
};

/* A number of so many bits, 32 at most. */
static inline uint32_t imf_bits_take(struct imf_bits *b, int count) {
    uint32_t value = 0;
    for (; count > 0; count--, b->at++) {
        bool there = b->at / 8 < b->bytes;
        b->cut |= !there;
        value = value << 1 | (there ? b->data[b->at / 8] >> (7 - b->at % 8) & 1u : 0);
    }
    return value;
}

/* A number below 2^32 - 1 in Exp-Golomb's code: HEVC's ue(v), AV1's uvlc(). */
static inline uint32_t imf_bits_golomb(struct imf_bits *b) {
    int zeros = 0;
    while (zeros < 32 && !b->cut && !imf_bits_take(b, 1))
        zeros++;
    b->cut |= zeros == 32;
    return b->cut ? 0 : ((uint32_t)1 << zeros) - 1 + imf_bits_take(b, zeros);
}

#endif
