/* bytes.h - big-endian numbers, which PNG, JPEG and XMP have */
#ifndef IMF_CODEC_METADATA_BYTES_H
#define IMF_CODEC_METADATA_BYTES_H

#include <stdint.h>

static inline uint32_t imf_get32(const void *from) {
    const unsigned char *p = from;
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void imf_put32(void *to, uint32_t value) {
    unsigned char *p = to;
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(value >> (24 - 8 * i));
}

#endif
