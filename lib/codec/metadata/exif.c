/*
 * exif.c - what of EXIF depends on orientation
 *
 * EXIF is a TIFF stream. Exif 2.32 puts the image's tags into the first directory and into one that
 * it points to; the second holds the thumbnail.
 */
#include "codec/metadata/items.h"
#include "codec/metadata/tiff.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = IMF_TIFF_HEADER, ENTRY = IMF_TIFF_ENTRY, TYPE_SHORT = 3 };
enum {
    TAG_WIDTH = 0x100,
    TAG_HEIGHT = 0x101,
    TAG_ORIENTATION = 0x112,
    TAG_X_RESOLUTION = 0x11a,
    TAG_Y_RESOLUTION = 0x11b,
    TAG_THUMBNAIL_SIZE = 0x202,
    TAG_EXIF = 0x8769,
    TAG_X_DIMENSION = 0xa002,
    TAG_Y_DIMENSION = 0xa003
};

size_t imf_exif_orientation_at(const unsigned char *exif, size_t size, bool *big) {
    size_t directory = imf_tiff_first(exif, size, big);
    size_t at = directory ? imf_tiff_find(exif, size, *big, directory, TAG_ORIENTATION) : 0;
    return at && imf_tiff_get16(exif + at + 2, *big) == TYPE_SHORT &&
                   imf_tiff_get32(exif + at + 4, *big) == 1
               ? at + 8
               : 0;
}

int imf_metadata_orientation(const struct imf_metadata *metadata) {
    bool big = false;
    const struct imf_meta_item *exif = imf_metadata_find(metadata, IMF_META_EXIF);
    size_t at = exif ? imf_exif_orientation_at(exif->data, exif->size, &big) : 0;
    uint32_t value = at ? imf_tiff_get16(exif->data + at, big) : 1;
    return value >= 1 && value <= 8 ? (int)value : 1;
}

/* Exchange type, count and value of two entries, if both exist. */
static void exchange(unsigned char *exif, size_t size, bool big, size_t directory, uint32_t tag_a,
                     uint32_t tag_b) {
    unsigned char old[ENTRY - 2];
    size_t a = imf_tiff_find(exif, size, big, directory, tag_a);
    size_t b = imf_tiff_find(exif, size, big, directory, tag_b);
    if (!a || !b)
        return;
    memcpy(old, exif + a + 2, sizeof old);
    memcpy(exif + a + 2, exif + b + 2, sizeof old);
    memcpy(exif + b + 2, old, sizeof old);
}

size_t imf_exif_thumbnail(const unsigned char *exif, size_t size) {
    bool big = false;
    size_t first = imf_tiff_first(exif, size, &big);
    size_t end = first ? imf_tiff_find(exif, size, big, first, 0) : 0;
    size_t second = end && size - end >= 4 ? imf_tiff_get32(exif + end, big) : 0;
    size_t length = second ? imf_tiff_find(exif, size, big, second, TAG_THUMBNAIL_SIZE) : 0;
    return length ? imf_tiff_get32(exif + length + 8, big) : 0;
}

unsigned char *imf_exif_upright(const struct imf_meta_item *exif, bool swap) {
    bool big = false;
    size_t size = exif->size;
    unsigned char *copy = malloc(size + 1);
    if (!copy)
        return NULL;
    memcpy(copy, exif->data, size);
    size_t first = imf_tiff_first(copy, size, &big);
    if (!first)
        return copy;
    size_t at = imf_exif_orientation_at(copy, size, &big);
    if (at) {
        copy[at] = big ? 0 : 1;
        copy[at + 1] = big ? 1 : 0;
    }
    size_t end = imf_tiff_find(copy, size, big, first, 0);
    if (end && size - end >= 4)
        memset(copy + end, 0, 4);
    if (swap) {
        exchange(copy, size, big, first, TAG_WIDTH, TAG_HEIGHT);
        exchange(copy, size, big, first, TAG_X_RESOLUTION, TAG_Y_RESOLUTION);
        size_t pointer = imf_tiff_find(copy, size, big, first, TAG_EXIF);
        if (pointer)
            exchange(copy, size, big, imf_tiff_get32(copy + pointer + 8, big), TAG_X_DIMENSION,
                     TAG_Y_DIMENSION);
    }
    return copy;
}
