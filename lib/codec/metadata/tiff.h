/*
 * tiff.h - the TIFF streams in which EXIF and MPF keep their tags (TIFF 6.0)
 *
 * Byte order, 42, offset of the first directory. A directory is a count, entries of 12 bytes (tag,
 * type, count, value or its offset), and the next one's offset.
 */
#ifndef IMF_CODEC_METADATA_TIFF_H
#define IMF_CODEC_METADATA_TIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IMF_TIFF_HEADER = 8, IMF_TIFF_ENTRY = 12 };

/* A number of so many bytes. */
static inline uint64_t imf_tiff_get(const unsigned char *from, int bytes, bool big_endian) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | from[big_endian ? i : bytes - 1 - i];
    return value;
}

static inline void imf_tiff_put(unsigned char *to, int bytes, uint64_t value, bool big_endian) {
    for (int i = 0; i < bytes; i++)
        to[big_endian ? bytes - 1 - i : i] = (unsigned char)(value >> 8 * i);
}

/* Is this the byte order and the 42 of a TIFF stream? */
bool imf_tiff_begins(const unsigned char *data, size_t size);
/* Offset of the first directory, 0: this is no TIFF stream. */
size_t imf_tiff_first(const unsigned char *tiff, size_t size, bool *big);
/* Offset of the entry with that tag, or 0; of the end of the entries for tag 0. */
size_t imf_tiff_find(const unsigned char *tiff, size_t size, bool big, size_t directory,
                     uint32_t tag);

#endif
