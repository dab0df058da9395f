/* items.c - the list of an image's metadata */
#include "codec/metadata/items.h"

#include "base/error.h"

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
    if (!item) {
        metadata->out_of_memory = true;
        return NULL;
    }
    *item = (struct imf_meta_item){
        .kind = kind, .strip = strip, .size = size, .number = metadata->count++};
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

enum imf_status imf_metadata_complete(bool out_of_memory, struct imf_error *err) {
    return out_of_memory
               ? imf_fail(err, IMF_ERR_MEMORY,
                          "out of memory for what the image carries (EXIF, ICC and the like)")
               : IMF_OK;
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

/* As jpegtran does. */
void imf_jpeg_source_transpose(struct imf_jpeg_source *source) {
    const struct imf_jpeg_source old = *source;
    for (int i = 0; i < 4; i++) {
        source->h[i] = old.v[i];
        source->v[i] = old.h[i];
        for (int k = 0; k < 64; k++)
            source->quant[i][k] = old.quant[i][k % 8 * 8 + k / 8];
    }
}
