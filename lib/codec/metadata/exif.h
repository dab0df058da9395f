/* exif.h - what of EXIF depends on orientation */
#ifndef IMF_CODEC_METADATA_EXIF_H
#define IMF_CODEC_METADATA_EXIF_H

#include "codec/metadata/list.h"

/* EXIF's orientation, 1..8; 1 if there is none. metadata may be NULL. */
int imf_metadata_orientation(const struct imf_metadata *metadata);
/* Offset of the two bytes of EXIF orientation's value, 0 when there is none; *big: their order. */
size_t imf_exif_orientation_at(const unsigned char *exif, size_t size, bool *big);
/* A copy of an EXIF item for pixels that were turned upright: orientation 1; no thumbnail, which
 * would lie on its side; width and height, also of resolutions, exchanged if `swap`. NULL: no
 * memory. */
unsigned char *imf_exif_upright(const struct imf_meta_item *exif, bool swap);

#endif
