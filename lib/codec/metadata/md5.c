/* md5.c - RFC 1321, of data in memory */
#include "codec/metadata/md5.h"

#include "codec/metadata/bytes.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK = 64, LENGTH_AT = 56 };

static uint32_t rotate(uint32_t x, int by) {
    return x << by | x >> (32 - by);
}

/* The constants are the integer parts of 2^32 |sin(1..64)|. */
static void add_block(uint32_t state[4], const unsigned char *block, const uint32_t sines[64]) {
    static const unsigned char shifts[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t word[16], a = state[0], b = state[1], c = state[2], d = state[3];
    for (int i = 0; i < 16; i++, block += 4)
        word[i] = (uint32_t)imf_get(block, 4, false);
    for (int i = 0; i < 64; i++) {
        int round = i / 16;
        uint32_t f = round == 0   ? (b & c) | (~b & d)
                     : round == 1 ? (d & b) | (~d & c)
                     : round == 2 ? b ^ c ^ d
                                  : c ^ (b | ~d);
        int k = round == 0 ? i : round == 1 ? 5 * i + 1 : round == 2 ? 3 * i + 5 : 7 * i;
        f += a + sines[i] + word[k % 16];
        a = d;
        d = c;
        c = b;
        b += rotate(f, shifts[round][i % 4]);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

void imf_md5(unsigned char digest[16], const void *data, size_t size) {
    uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}, sines[64];
    const unsigned char *at = data;
    unsigned char last[2 * BLOCK] = {0};
    size_t rest = size % BLOCK, end = rest < LENGTH_AT ? BLOCK : 2 * BLOCK;
    for (int i = 0; i < 64; i++)
        sines[i] = (uint32_t)(fabs(sin(i + 1)) * 4294967296.0);
    for (size_t i = 0; i < size - rest; i += BLOCK)
        add_block(state, at + i, sines);
    if (rest > 0)
        memcpy(last, at + size - rest, rest);
    last[rest] = 0x80;
    imf_put(last + end - 8, 8, (uint64_t)size * 8, false);
    for (size_t i = 0; i < end; i += BLOCK)
        add_block(state, last + i, sines);
    for (int i = 0; i < 4; i++)
        imf_put(digest + 4 * i, 4, state[i], false);
}
