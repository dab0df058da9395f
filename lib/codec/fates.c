/* fates.c - what becomes of each kind of part that files of a format may have beside the picture */
#include "codec/table.h"
#include "imfilter_program.h"

#include <stdio.h>
#include <string.h>

/* In a file of a colour picture, with nothing else; items are that small that all formats hold them. */
static bool set_fate(struct imf_part *part, const struct imf_part_kind *kind,
                     enum imf_meta_kind item_kind, const struct imf_codec *to) {
    static const unsigned char icc[132] = {[16] = 'R', 'G', 'B', ' '};
    struct imf_metadata m = {.first = NULL};
    struct imf_writer w = {.codec = to,
                           .info.color = IMF_COLOR_RGB,
                           .metadata = &m,
                           .known = SIZE_MAX,
                           .says_colors = true};
    struct imf_part as = {.why = NULL};
    imf_metadata_add(&m, IMF_META_XMP, IMF_STRIP_XMP, NULL, 0);
    imf_metadata_add(&m, IMF_META_JPEG_TRAILER, IMF_STRIP_OTHER, NULL, 0);
    struct imf_meta_item *item = NULL;
    if (item_kind < IMF_META_KINDS)
        item = item_kind == IMF_META_XMP
                   ? m.first
                   : imf_metadata_add(&m, item_kind, kind->strip, icc, sizeof icc);
    if (item) {
        item->tag = kind->tag;
        item->needs_trailer = kind->needs_trailer;
    }
    imf_part_settle(part, imf_writer_fate(&w, item, &as), &as);
    bool good = !m.out_of_memory;
    imf_metadata_clear(&m);
    return good;
}

/* What may be behind the end of any, by its number among the codec's own. */
static bool behind(size_t i, const struct imf_codec *codec, struct imf_part_kind *kind) {
    struct imf_part_kind own;
    size_t owns = 0;
    while (codec->decoder->part(owns, &own))
        owns++;
    bool file = i == owns;
    *kind = (struct imf_part_kind){
        .items = file && codec->metadata_max[IMF_META_TRAILER] ? 1 << IMF_META_TRAILER : 0};
    snprintf(kind->name, sizeof kind->name, "%s",
             file ? "whole file behind the end" : "bytes behind the end");
    return i <= owns + 1;
}

enum imf_status imf_part_fate(struct imf_part *out, enum imf_format from, size_t i,
                              enum imf_format to) {
    const struct imf_codec *codec = imf_codec_of(from);
    struct imf_part_kind kind = {.name = ""};
    *out = (struct imf_part){.becomes = IMF_LOST};
    if (!codec->decoder->part(i, &kind) && !behind(i, codec, &kind))
        return IMF_ERR_ARGUMENT;
    memcpy(out->name, kind.name, sizeof kind.name);
    if (kind.page && imf_format_holds_pages(to))
        out->becomes = IMF_PIXELS;
    for (unsigned k = 0; k <= IMF_META_KINDS; k++)
        if ((kind.items & 1u << k) &&
            !set_fate(out, &kind, (enum imf_meta_kind)k, imf_codec_of(to)))
            return IMF_ERR_MEMORY;
    if (out->becomes == IMF_LOST && !out->allowed)
        imf_part_explain(out);
    return IMF_OK;
}
