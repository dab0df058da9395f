/*
 * exif.c - what of EXIF depends on orientation, and the pictures in it
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
    return at && imf_get(exif + at + 2, 2, *big) == TYPE_SHORT &&
                   imf_get(exif + at + 4, 4, *big) == 1
               ? at + 8
               : 0;
}

int imf_metadata_orientation(const struct imf_metadata *metadata) {
    bool big = false;
    const struct imf_meta_item *exif = imf_metadata_find(metadata, IMF_META_EXIF);
    size_t at = exif ? imf_exif_orientation_at(exif->data, exif->size, &big) : 0;
    uint32_t value = at ? imf_get(exif->data + at, 2, big) : 1;
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
    size_t second = end && size - end >= 4 ? imf_get(exif + end, 4, big) : 0;
    size_t length = second ? imf_tiff_find(exif, size, big, second, TAG_THUMBNAIL_SIZE) : 0;
    return length ? imf_get(exif + length + 8, 4, big) : 0;
}

static void turn(unsigned char *exif, size_t size, bool swap) {
    bool big = false;
    size_t first = imf_tiff_first(exif, size, &big);
    size_t at = imf_exif_orientation_at(exif, size, &big);
    if (at) {
        exif[at] = big ? 0 : 1;
        exif[at + 1] = big ? 1 : 0;
    }
    if (first && swap) {
        exchange(exif, size, big, first, TAG_WIDTH, TAG_HEIGHT);
        exchange(exif, size, big, first, TAG_X_RESOLUTION, TAG_Y_RESOLUTION);
        size_t pointer = imf_tiff_find(exif, size, big, first, TAG_EXIF);
        if (pointer)
            exchange(exif, size, big, imf_get(exif + pointer + 8, 4, big), TAG_X_DIMENSION,
                     TAG_Y_DIMENSION);
    }
}

/* ---- pictures ----------------------------------------------------------------------------- */

/* The i-th number of an entry of SHORTs or LONGs, or 0. */
static size_t number(const unsigned char *exif, size_t size, bool big, size_t entry, size_t i) {
    if (!entry)
        return 0;
    size_t unit = imf_get(exif + entry + 2, 2, big) == TYPE_SHORT ? 2 : 4;
    size_t count = imf_get(exif + entry + 4, 4, big);
    size_t at = count <= 4 / unit ? entry + 8 : imf_get(exif + entry + 8, 4, big);
    if (i >= count || at > size || (i + 1) * unit > size - at)
        return 0;
    at += i * unit;
    return unit == 2 ? imf_get(exif + at, 2, big) : imf_get(exif + at, 4, big);
}

/* Clear what an entry of offsets and one of sizes point to. */
static void clear_data(unsigned char *exif, size_t size, bool big, size_t offsets, size_t sizes) {
    for (size_t i = 0, at; (at = number(exif, size, big, offsets, i)) != 0; i++) {
        size_t length = number(exif, size, big, sizes, i);
        if (at >= HEADER && at < size)
            memset(exif + at, 0, length < size - at ? length : size - at);
    }
}

static void clear_thumbnail(unsigned char *exif, size_t size) {
    static const uint32_t data[][2] = {{0x201, 0x202}, {0x111, 0x117}, {0x144, 0x145}};
    bool big = false;
    size_t first = imf_tiff_first(exif, size, &big);
    size_t end = first ? imf_tiff_find(exif, size, big, first, 0) : 0;
    /* Each directory is cleared, so that a circle of them ends. */
    while (end && size - end >= 4 && imf_get(exif + end, 4, big)) {
        size_t next = imf_get(exif + end, 4, big);
        memset(exif + end, 0, 4);
        end = next == first ? 0 : imf_tiff_find(exif, size, big, next, 0);
        for (size_t i = 0; end && i < sizeof data / sizeof data[0]; i++)
            clear_data(exif, size, big, imf_tiff_find(exif, size, big, next, data[i][0]),
                       imf_tiff_find(exif, size, big, next, data[i][1]));
        if (end)
            memset(exif + next, 0, end - next);
    }
}

static void clear_jpegs(unsigned char *exif, size_t size) {
    static const unsigned char begin[] = {0xff, 0xd8, 0xff}, end[] = {0xff, 0xd9};
    for (unsigned char *at = exif, *stop = exif + size;
         (at = memmem(at, (size_t)(stop - at), begin, sizeof begin)) != NULL;) {
        unsigned char *last = memmem(at, (size_t)(stop - at), end, sizeof end);
        size_t length = last ? (size_t)(last - at) + sizeof end : (size_t)(stop - at);
        memset(at, 0, length);
    }
}

/* ---- the whole ---------------------------------------------------------------------------- */

unsigned char *imf_exif_edit(const struct imf_meta_item *exif, bool upright, bool swap,
                             bool hides) {
    unsigned char *copy = malloc(exif->size + 1);
    if (!copy)
        return NULL;
    memcpy(copy, exif->data, exif->size);
    clear_thumbnail(copy, exif->size);
    if (hides)
        clear_jpegs(copy, exif->size);
    if (upright)
        turn(copy, exif->size, swap);
    return copy;
}
