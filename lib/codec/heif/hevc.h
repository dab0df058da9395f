/* hevc.h - how large the pictures of an HEVC stream are (ITU-T H.265), before a decoder is entered */
#ifndef IMF_CODEC_HEIF_HEVC_H
#define IMF_CODEC_HEIF_HEVC_H

#include "codec/bmff/items.h"

struct imf_hevc_form {
    int chroma; /* chroma_format_idc: 0 is gray */
    int depth;  /* bits of luma */
};

/* What an item's configuration says, and its sets of parameters: IMF_ERR_DAMAGED where one of these has larger
 * pictures than width x height, or cannot be read, or stands among the item's data. */
enum imf_status imf_hevc_check(const struct imf_bmff *b, const struct imf_bmff_item *item,
                               uint32_t width, uint32_t height, struct imf_hevc_form *form,
                               struct imf_error *err);

#endif
