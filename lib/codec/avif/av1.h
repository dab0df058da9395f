/* av1.h - how large the pictures of an AV1 stream are, before a decoder is entered */
#ifndef IMF_CODEC_AVIF_AV1_H
#define IMF_CODEC_AVIF_AV1_H

#include "codec/bmff/items.h"

struct imf_av1_form {
    int depth; /* bits */
    bool gray; /* it has luma alone */
};

/* An item's sequence headers say no more columns and rows than so many, and all the same form, and it has no more frames
 * than layers of one picture may have. IMF_ERR_FORMAT, IMF_ERR_DAMAGED: it is not so. */
enum imf_status imf_av1_check(const struct imf_bmff *b, const struct imf_bmff_item *item,
                              uint32_t width, uint32_t height, struct imf_av1_form *form,
                              struct imf_error *err);

#endif
