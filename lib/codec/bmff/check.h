/* check.h - what a HEIF or an AVIF makes a decoder make room for is what the limits were asked about */
#ifndef IMF_CODEC_BMFF_CHECK_H
#define IMF_CODEC_BMFF_CHECK_H

#include "codec/bmff/items.h"
#include "codec/decoder.h"

/* Types of pictures that are made of others. */
#define IMF_BMFF_GRID IMF_BOX('g', 'r', 'i', 'd')
#define IMF_BMFF_OVERLAY IMF_BOX('i', 'o', 'v', 'l')
#define IMF_BMFF_IDENTITY IMF_BOX('i', 'd', 'e', 'n')

struct imf_bmff_most {
    uint32_t side;   /* the longest that any item has */
    uint64_t pixels; /* of the largest that is decoded, from 1 on */
};

/* The picture is within the limits, and its tiles and alpha are.
 * IMF_ERR_DAMAGED: its bytes are not all there. */
enum imf_status imf_bmff_check(struct imf_reader *r, const struct imf_bmff *b,
                               struct imf_bmff_most *most, struct imf_error *err);
/* A grid or an overlay says in its own bytes how large it is: as large as its property does. */
enum imf_status imf_bmff_check_derived(const struct imf_bmff *b, const struct imf_bmff_item *item,
                                       uint32_t width, uint32_t height, struct imf_error *err);
/* Parts are decoded as often as the picture, of so many pixels, refers to them: tiles cover it once, and overlays a few
 * times. IMF_ERR_FORMAT: much more often. */
enum imf_status imf_bmff_check_parts(const struct imf_bmff *b, uint64_t pixels,
                                     struct imf_error *err);

#endif
