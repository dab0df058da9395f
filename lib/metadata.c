/* metadata.c - the list of metadata items, and the little that is read inside them */
#include "metadata.h"

#include <stdlib.h>
#include <string.h>

struct imf_meta_item *imf_metadata_add(struct imf_metadata *metadata, enum imf_meta_kind kind,
                                       unsigned strip, const void *data, size_t size) {
    struct imf_meta_item *item;
    if (kind <= IMF_META_ICC && metadata->of[kind])
        return NULL;
    if (size > IMF_METADATA_MAX || sizeof *item + size > IMF_METADATA_MAX - metadata->total)
        return NULL;
    item = malloc(sizeof *item + size);
    if (!item)
        return NULL;
    *item = (struct imf_meta_item){.kind = kind, .strip = strip, .size = size};
    if (size)
        memcpy(item->data, data, size);
    metadata->total += sizeof *item + size;
    if (!metadata->of[kind])
        metadata->of[kind] = item;
    if (metadata->last)
        metadata->last->next = item;
    else
        metadata->first = item;
    metadata->last = item;
    return item;
}

const struct imf_meta_item *imf_metadata_find(const struct imf_metadata *metadata,
                                              enum imf_meta_kind kind) {
    return metadata ? metadata->of[kind] : NULL;
}

void imf_metadata_clear(struct imf_metadata *metadata) {
    for (struct imf_meta_item *item = metadata->first, *next; item; item = next) {
        next = item->next;
        free(item);
    }
    *metadata = (struct imf_metadata){0};
}

static uint32_t get16(const unsigned char *p, bool big) {
    return big ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

static uint32_t get32(const unsigned char *p, bool big) {
    return big ? get16(p, big) << 16 | get16(p + 2, big) : get16(p + 2, big) << 16 | get16(p, big);
}

/* TIFF 6.0: byte order, 42, offset of the first directory; a directory is a count and entries of
 * 12 bytes: tag, type, count, value. */
size_t imf_exif_orientation_at(const unsigned char *exif, size_t size, bool *big) {
    enum { HEADER = 8, ENTRY = 12, TAG_ORIENTATION = 0x112, TYPE_SHORT = 3 };
    if (size < HEADER + 2 || exif[0] != exif[1] || (exif[0] != 'I' && exif[0] != 'M'))
        return 0;
    *big = exif[0] == 'M';
    size_t at = get32(exif + 4, *big);
    if (get16(exif + 2, *big) != 42 || at < HEADER || at > size - 2)
        return 0;
    size_t entries = get16(exif + at, *big);
    at += 2;
    for (; entries > 0 && size - at >= ENTRY; entries--, at += ENTRY)
        if (get16(exif + at, *big) == TAG_ORIENTATION)
            return get16(exif + at + 2, *big) == TYPE_SHORT && get32(exif + at + 4, *big) == 1
                       ? at + 8
                       : 0;
    return 0;
}

int imf_metadata_orientation(const struct imf_metadata *metadata) {
    bool big = false;
    const struct imf_meta_item *exif = imf_metadata_find(metadata, IMF_META_EXIF);
    size_t at = exif ? imf_exif_orientation_at(exif->data, exif->size, &big) : 0;
    uint32_t value = at ? get16(exif->data + at, big) : 1;
    return value >= 1 && value <= 8 ? (int)value : 1;
}

unsigned char *imf_exif_upright(const struct imf_meta_item *exif) {
    bool big = false;
    unsigned char *copy = malloc(exif->size + 1);
    if (!copy)
        return NULL;
    memcpy(copy, exif->data, exif->size);
    size_t at = imf_exif_orientation_at(copy, exif->size, &big);
    if (at) {
        copy[at] = big ? 0 : 1;
        copy[at + 1] = big ? 1 : 0;
    }
    return copy;
}

/* ICC.1: the signature of the device's colour space stands at byte 16 of the 128-byte header. */
bool imf_icc_fits(const struct imf_meta_item *icc, enum imf_color color) {
    static const char signature[][5] = {
        [IMF_COLOR_GRAY] = "GRAY", [IMF_COLOR_RGB] = "RGB ", [IMF_COLOR_CMYK] = "CMYK"};
    return icc->size >= 128 && memcmp(icc->data + 16, signature[color], 4) == 0;
}

struct imf_density imf_density_convert(struct imf_density from, enum imf_density_unit unit) {
    static const double per_metre[] = {
        [IMF_DENSITY_INCH] = 1 / 0.0254, [IMF_DENSITY_CM] = 100, [IMF_DENSITY_METRE] = 1};
    if (from.unit == unit || from.unit <= IMF_DENSITY_ASPECT)
        return from;
    double factor = per_metre[from.unit] / per_metre[unit];
    double x = from.x * factor + 0.5, y = from.y * factor + 0.5;
    return (struct imf_density){unit, x < INT32_MAX ? (uint32_t)x : 0,
                                y < INT32_MAX ? (uint32_t)y : 0};
}
