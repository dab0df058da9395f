/* bytes.h - numbers in bytes, of either order */
#ifndef IMF_CODEC_METADATA_BYTES_H
#define IMF_CODEC_METADATA_BYTES_H

#include <stdbool.h>
#include <stdint.h>

/* A number of so many bytes. */
static inline uint64_t imf_get(const unsigned char *from, int bytes, bool big_endian) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | from[big_endian ? i : bytes - 1 - i];
    return value;
}

static inline void imf_put(unsigned char *to, int bytes, uint64_t value, bool big_endian) {
    for (int i = 0; i < bytes; i++)
        to[big_endian ? bytes - 1 - i : i] = (unsigned char)(value >> 8 * i);
}

/* Big-endian ones of four bytes. */
static inline uint32_t imf_get32(const void *from) {
    return (uint32_t)imf_get(from, 4, true);
}

static inline void imf_put32(void *to, uint32_t value) {
    imf_put(to, 4, value, true);
}

#endif
