/*
 * byte_map.c - bytes through a table of 256
 *
 * Tables of thresholds, of inversions and of shifts are a comparison or a sum, of which compilers
 * make vectors: the speed of memory. Others are looked up by pairs: half as many loads and stores
 * as one by one, from a table of 128 KB, of which a picture, where neighbours are similar, uses a
 * part that stays in the fastest cache.
 */
#include "base/image/byte_map.h"

#include "base/clones.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define WORD 8
/* Bytes of an image that are worth a table of pairs. */
#define PAIRS_WORTH 524288.0

static bool is_step(struct imf_byte_map *m) {
    int from = 0;
    while (from < 256 && m->to[from] == m->to[0])
        from++;
    for (int v = from; v < 256; v++)
        if (m->to[v] != m->to[255])
            return false;
    m->from = (uint8_t)(from < 256 ? from : 255);
    m->low = m->to[0];
    m->high = m->to[255];
    return true;
}

static bool is_line(struct imf_byte_map *m) {
    for (int flip = 0; flip < 256; flip += 255) {
        int most = flip ? 0 : 255, least = 255 - most; /* 255 and 0 but for the sum */
        int more = m->to[least], less = 255 - m->to[most];
        bool same = true;
        for (int v = 0; v < 256 && same; v++) {
            int sum = (v ^ flip) + more - less;
            same = m->to[v] == (sum < 0 ? 0 : sum > 255 ? 255 : sum) && (more == 0 || less == 0);
        }
        m->flip = (uint8_t)flip;
        m->more = (uint8_t)more;
        m->less = (uint8_t)less;
        if (same)
            return true;
    }
    return false;
}

void imf_byte_map_make(struct imf_byte_map *m, int channels, int colors, double bytes) {
    uint8_t kept[WORD];
    for (int i = 0; i < WORD; i++)
        kept[i] = channels > colors && i % channels == colors ? 255 : 0;
    memcpy(&m->kept, kept, sizeof kept);
    m->way = is_step(m)             ? IMF_BYTE_STEP
             : is_line(m)           ? IMF_BYTE_LINE
             : bytes >= PAIRS_WORTH ? IMF_BYTE_PAIRS
                                    : IMF_BYTE_ONES;
    /* In the order of memory, whatever the processor's is. */
    for (int i = 0; m->way == IMF_BYTE_PAIRS && i < 256 * 256; i++) {
        uint8_t two[2] = {m->to[i >> 8], m->to[i & 255]};
        uint8_t at[2] = {(uint8_t)(i >> 8), (uint8_t)i};
        uint16_t where;
        memcpy(&where, at, sizeof where);
        memcpy(&m->pair[where], two, sizeof two);
    }
}

INLINE void step(const struct imf_byte_map *m, uint8_t *restrict to, const uint8_t *restrict v,
                 size_t n) {
    uint8_t from = m->from, low = m->low, high = m->high;
    for (size_t i = 0; i < n; i++)
        to[i] = v[i] >= from ? high : low;
}

INLINE void line(const struct imf_byte_map *m, uint8_t *restrict to, const uint8_t *restrict v,
                 size_t n) {
    uint8_t flip = m->flip, most = (uint8_t)(255 - m->more), more = m->more, less = m->less;
    for (size_t i = 0; i < n; i++) {
        uint8_t x = v[i] ^ flip;
        x = (uint8_t)((x < most ? x : most) + more);
        to[i] = (uint8_t)((x > less ? x : less) - less);
    }
}

static void pairs(const struct imf_byte_map *m, uint8_t *restrict to, const uint8_t *restrict from,
                  size_t n) {
    const uint16_t *pair = m->pair;
    for (size_t i = 0; i < n; i += WORD) {
        uint64_t w;
        memcpy(&w, from + i, sizeof w);
        w = (uint64_t)pair[w & 65535] | (uint64_t)pair[w >> 16 & 65535] << 16 |
            (uint64_t)pair[w >> 32 & 65535] << 32 | (uint64_t)pair[w >> 48] << 48;
        memcpy(to + i, &w, sizeof w);
    }
}

INLINE void keep(uint8_t *restrict to, const uint8_t *restrict from, size_t n, uint64_t kept) {
    for (size_t i = 0; i < n; i += WORD) {
        uint64_t a, b;
        memcpy(&a, to + i, sizeof a);
        memcpy(&b, from + i, sizeof b);
        a ^= (a ^ b) & kept;
        memcpy(to + i, &a, sizeof a);
    }
}

IMF_CLONES static void imf_byte_map_some(const struct imf_byte_map *m, uint8_t *restrict to,
                                         const uint8_t *restrict from, size_t n) {
    if (m->way == IMF_BYTE_STEP)
        step(m, to, from, n);
    else if (m->way == IMF_BYTE_LINE)
        line(m, to, from, n);
    else if (m->way == IMF_BYTE_PAIRS)
        pairs(m, to, from, n);
    for (size_t i = 0; m->way == IMF_BYTE_ONES && i < n; i++)
        to[i] = m->to[from[i]];
    if (m->kept)
        keep(to, from, n, m->kept);
}

void imf_byte_map_row(const struct imf_byte_map *m, uint8_t *restrict to,
                      const uint8_t *restrict from, size_t n) {
    imf_byte_map_some(m, to, from, n);
}
