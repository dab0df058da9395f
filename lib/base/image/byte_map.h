/* byte_map.h - bytes through a table of 256 */
#ifndef IMF_BASE_IMAGE_BYTE_MAP_H
#define IMF_BASE_IMAGE_BYTE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum imf_byte_way {
    IMF_BYTE_STEP, /* two values: v >= from ? high : low */
    IMF_BYTE_LINE, /* v or its complement, plus a number, clamped to 0..255 */
    IMF_BYTE_ONES, /* looked up in the table one by one */
    IMF_BYTE_PAIRS /* looked up two at once */
};

struct imf_byte_map {
    uint8_t to[256]; /* of each byte */
    enum imf_byte_way way;
    uint8_t from, low, high;  /* of IMF_BYTE_STEP */
    uint8_t flip, more, less; /* of IMF_BYTE_LINE: v ^ flip, + more or - less, saturated */
    uint64_t kept;            /* mask of the bytes in a 64-bit word that stay unchanged: alpha */
    uint16_t pair[256 * 256]; /* what two neighbours become */
};

/* Choose the method for map->to and an image of `bytes` bytes. If `channels` (2 or 4) exceeds
 * `colors`, the last of every `channels` bytes stays unchanged. */
void imf_byte_map_make(struct imf_byte_map *map, int channels, int colors, double bytes);
/* n bytes, a row or a part of one that begins with a pixel; reads and writes up to 7 more. */
void imf_byte_map_row(const struct imf_byte_map *map, uint8_t *restrict to,
                      const uint8_t *restrict from, size_t n);

#endif
