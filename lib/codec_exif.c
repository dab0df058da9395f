/*
 * codec_exif.c - orientation, and what depends on it, inside of EXIF and XMP
 *
 * EXIF is a TIFF stream (TIFF 6.0): byte order, 42, offset of the first directory. A directory is a
 * count, entries of 12 bytes (tag, type, count, value or its offset), and the next one's offset.
 * Exif 2.32 puts the image's tags into the first directory and into one that it points to; the
 * second holds the thumbnail.
 */
#include "metadata.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 8, ENTRY = 12, TYPE_SHORT = 3 };
enum {
    TAG_WIDTH = 0x100,
    TAG_HEIGHT = 0x101,
    TAG_ORIENTATION = 0x112,
    TAG_X_RESOLUTION = 0x11a,
    TAG_Y_RESOLUTION = 0x11b,
    TAG_EXIF = 0x8769,
    TAG_X_DIMENSION = 0xa002,
    TAG_Y_DIMENSION = 0xa003
};

static uint32_t get16(const unsigned char *p, bool big) {
    return big ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

static uint32_t get32(const unsigned char *p, bool big) {
    return big ? get16(p, big) << 16 | get16(p + 2, big) : get16(p + 2, big) << 16 | get16(p, big);
}

/* Offset of the first directory, 0: this is no TIFF stream. */
static size_t first_directory(const unsigned char *exif, size_t size, bool *big) {
    if (size < HEADER + 2 || exif[0] != exif[1] || (exif[0] != 'I' && exif[0] != 'M'))
        return 0;
    *big = exif[0] == 'M';
    return get16(exif + 2, *big) == 42 ? get32(exif + 4, *big) : 0;
}

/* Offset of the entry with that tag, or 0; of the end of the entries for tag 0. */
static size_t find_entry(const unsigned char *exif, size_t size, bool big, size_t directory,
                         uint32_t tag) {
    if (directory < HEADER || directory > size - 2)
        return 0;
    size_t at = directory + 2;
    for (size_t left = get16(exif + directory, big); left > 0; left--, at += ENTRY) {
        if (size - at < ENTRY)
            return 0;
        if (tag && get16(exif + at, big) == tag)
            return at;
    }
    return tag ? 0 : at;
}

size_t imf_exif_orientation_at(const unsigned char *exif, size_t size, bool *big) {
    size_t directory = first_directory(exif, size, big);
    size_t at = directory ? find_entry(exif, size, *big, directory, TAG_ORIENTATION) : 0;
    return at && get16(exif + at + 2, *big) == TYPE_SHORT && get32(exif + at + 4, *big) == 1
               ? at + 8
               : 0;
}

int imf_metadata_orientation(const struct imf_metadata *metadata) {
    bool big = false;
    const struct imf_meta_item *exif = imf_metadata_find(metadata, IMF_META_EXIF);
    size_t at = exif ? imf_exif_orientation_at(exif->data, exif->size, &big) : 0;
    uint32_t value = at ? get16(exif->data + at, big) : 1;
    return value >= 1 && value <= 8 ? (int)value : 1;
}

/* Exchange type, count and value of two entries, if both are there. */
static void exchange(unsigned char *exif, size_t size, bool big, size_t directory, uint32_t tag_a,
                     uint32_t tag_b) {
    unsigned char old[ENTRY - 2];
    size_t a = find_entry(exif, size, big, directory, tag_a);
    size_t b = find_entry(exif, size, big, directory, tag_b);
    if (!a || !b)
        return;
    memcpy(old, exif + a + 2, sizeof old);
    memcpy(exif + a + 2, exif + b + 2, sizeof old);
    memcpy(exif + b + 2, old, sizeof old);
}

unsigned char *imf_exif_upright(const struct imf_meta_item *exif, bool swap) {
    bool big = false;
    size_t size = exif->size;
    unsigned char *copy = malloc(size + 1);
    if (!copy)
        return NULL;
    memcpy(copy, exif->data, size);
    size_t first = first_directory(copy, size, &big);
    if (!first)
        return copy;
    size_t at = imf_exif_orientation_at(copy, size, &big);
    if (at) {
        copy[at] = big ? 0 : 1;
        copy[at + 1] = big ? 1 : 0;
    }
    size_t end = find_entry(copy, size, big, first, 0);
    if (end && size - end >= 4)
        memset(copy + end, 0, 4);
    if (swap) {
        exchange(copy, size, big, first, TAG_WIDTH, TAG_HEIGHT);
        exchange(copy, size, big, first, TAG_X_RESOLUTION, TAG_Y_RESOLUTION);
        size_t pointer = find_entry(copy, size, big, first, TAG_EXIF);
        if (pointer)
            exchange(copy, size, big, get32(copy + pointer + 8, big), TAG_X_DIMENSION,
                     TAG_Y_DIMENSION);
    }
    return copy;
}

/* The property is an attribute or an element: tiff:Orientation="6", <tiff:Orientation>6</... */
unsigned char *imf_xmp_upright(const struct imf_meta_item *xmp) {
    static const char name[] = "tiff:Orientation";
    const size_t length = sizeof name - 1;
    unsigned char *copy = malloc(xmp->size + 1);
    if (!copy)
        return NULL;
    memcpy(copy, xmp->data, xmp->size);
    copy[xmp->size] = 0; /* ends every search below */
    for (unsigned char *at = copy, *end = copy + xmp->size;
         (at = memmem(at, (size_t)(end - at), name, length));) {
        at += length;
        at += strspn((const char *)at, " \t\r\n=\"'>");
        if (*at >= '2' && *at <= '8' && (at[1] < '0' || at[1] > '9'))
            *at = '1';
    }
    return copy;
}
