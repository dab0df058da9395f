/* md5.c - MD5, which is a name here and no protection (RFC 1321) */
#include "codec/metadata/md5.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 64, LENGTH_BYTES = 8 };

static uint32_t rotate(uint32_t x, int by) {
    return x << by | x >> (32 - by);
}

static uint32_t word_at(const unsigned char *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Four rounds of 16 steps; each step mixes one word of the block into one of the four sums. */
static void add_block(uint32_t sum[4], const unsigned char *block) {
    static const int shift[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    static const struct { unsigned step, start; } word[4] = {{1, 0}, {5, 1}, {3, 5}, {7, 0}};
    uint32_t a = sum[0], b = sum[1], c = sum[2], d = sum[3];
    for (unsigned i = 0; i < 64; i++) {
        unsigned round = i / 16;
        uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                         : round == 1 ? (d & b) | (~d & c)
                         : round == 2 ? b ^ c ^ d
                                      : c ^ (b | ~d);
        uint32_t constant = (uint32_t)floor(fabs(sin(i + 1.0)) * 4294967296.0);
        unsigned index = (i * word[round].step + word[round].start) % 16;
        uint32_t next =
            b + rotate(a + mixed + word_at(block + 4 * index) + constant, shift[round][i % 4]);
        a = d;
        d = c;
        c = b;
        b = next;
    }
    sum[0] += a;
    sum[1] += b;
    sum[2] += c;
    sum[3] += d;
}

void imf_md5_hex(char out[33], const unsigned char *data, size_t size) {
    uint32_t sum[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    unsigned char last[2 * BLOCK] = {0};
    size_t whole = size / BLOCK * BLOCK, rest = size - whole;
    size_t padded = rest + 1 + LENGTH_BYTES <= BLOCK ? BLOCK : 2 * BLOCK;
    for (size_t i = 0; i < whole; i += BLOCK)
        add_block(sum, data + i);
    if (rest)
        memcpy(last, data + whole, rest);
    last[rest] = 0x80;
    for (size_t i = 0; i < LENGTH_BYTES; i++)
        last[padded - LENGTH_BYTES + i] = (unsigned char)((uint64_t)size * 8 >> 8 * i);
    for (size_t i = 0; i < padded; i += BLOCK)
        add_block(sum, last + i);
    for (size_t i = 0; i < 16; i++)
        snprintf(out + 2 * i, 3, "%02X", sum[i / 4] >> 8 * (i % 4) & 0xff);
}
