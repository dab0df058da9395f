/* tiff.c - numbers and directory entries of a TIFF stream */
#include "codec/metadata/tiff.h"

#include <string.h>

bool imf_tiff_begins(const unsigned char *data, size_t size) {
    return size >= 4 && (memcmp(data, "II*\0", 4) == 0 || memcmp(data, "MM\0*", 4) == 0);
}

size_t imf_tiff_first(const unsigned char *tiff, size_t size, bool *big) {
    if (size < IMF_TIFF_HEADER + 2 || tiff[0] != tiff[1] || (tiff[0] != 'I' && tiff[0] != 'M'))
        return 0;
    *big = tiff[0] == 'M';
    return imf_get(tiff + 2, 2, *big) == 42 ? imf_get(tiff + 4, 4, *big) : 0;
}

size_t imf_tiff_find(const unsigned char *tiff, size_t size, bool big, size_t directory,
                     uint32_t tag) {
    if (directory < IMF_TIFF_HEADER || directory > size - 2)
        return 0;
    size_t at = directory + 2;
    for (size_t left = imf_get(tiff + directory, 2, big); left > 0; left--, at += IMF_TIFF_ENTRY) {
        if (size - at < IMF_TIFF_ENTRY)
            return 0;
        if (tag && imf_get(tiff + at, 2, big) == tag)
            return at;
    }
    return tag ? 0 : at;
}

bool imf_tiff_has_note(const unsigned char *tiff, size_t size) {
    enum { EXIF = 34665, NOTE = 37500 };
    bool big = false;
    size_t first = imf_tiff_first(tiff, size, &big);
    size_t pointer = first ? imf_tiff_find(tiff, size, big, first, EXIF) : 0;
    size_t below = pointer ? imf_get(tiff + pointer + 8, 4, big) : 0;
    return below && imf_tiff_find(tiff, size, big, below, NOTE);
}
