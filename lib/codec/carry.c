/*
 * carry.c - keeping what an image carries beside its pixels, or saying that it was not kept
 */
#include "codec/codec.h"

struct imf_meta_item *imf_reader_keep(struct imf_reader *r, enum imf_meta_kind kind, unsigned strip,
                                      const void *data, size_t size) {
    struct imf_metadata *m = &r->metadata;
    bool second = kind <= IMF_META_ICC && imf_metadata_find(m, kind);
    struct imf_meta_item *item = imf_metadata_add(m, kind, strip, data, size);
    if (!item && !second && !m->starved)
        imf_reader_warn(r, "metadata of %zu bytes does not fit and was left out", size);
    return item;
}

enum imf_status imf_carried(bool starved, struct imf_error *err) {
    return starved ? imf_fail(err, IMF_ERR_MEMORY,
                              "out of memory for what the image carries (EXIF, ICC and the like)")
                   : IMF_OK;
}
