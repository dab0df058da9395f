/*
 * tiff.h - the TIFF streams in which EXIF and MPF keep their tags (TIFF 6.0)
 *
 * Byte order, 42, offset of the first directory. A directory is a count, entries of 12 bytes (tag,
 * type, count, value or its offset), and the next one's offset.
 */
#ifndef IMF_CODEC_METADATA_TIFF_H
#define IMF_CODEC_METADATA_TIFF_H

#include "codec/metadata/bytes.h"

#include <stddef.h>

enum { IMF_TIFF_HEADER = 8, IMF_TIFF_ENTRY = 12 };

/* Is this the byte order and the 42 of a TIFF stream? */
bool imf_tiff_begins(const unsigned char *data, size_t size);
/* Offset of the first directory, 0: this is no TIFF stream. */
size_t imf_tiff_first(const unsigned char *tiff, size_t size, bool *big);
/* Offset of the entry with that tag, or 0; of the end of the entries for tag 0. */
size_t imf_tiff_find(const unsigned char *tiff, size_t size, bool big, size_t directory,
                     uint32_t tag);
/* Does EXIF have a maker's note? */
bool imf_tiff_has_note(const unsigned char *tiff, size_t size);

#endif
