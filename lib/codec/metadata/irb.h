/*
 * irb.h - Photoshop's image resources, of which one holds IPTC's record
 *
 * A resource is "8BIM", a number of two bytes, a name (its length, its bytes), the data's length in
 * four bytes, and the data; name and data are padded to even lengths. Numbers are big-endian.
 */
#ifndef IMF_CODEC_METADATA_IRB_H
#define IMF_CODEC_METADATA_IRB_H

#include <stddef.h>

#define IMF_IRB_SIGNATURE "8BIM"

/* A copy whose thumbnails, which show the image as it was, are cleared. Freed with free(). NULL: no
 * memory. */
unsigned char *imf_irb_edit(const unsigned char *irb, size_t size);
/* IPTC's record in the resources, and its size; NULL: there is none. */
const unsigned char *imf_irb_iptc(const unsigned char *irb, size_t size, size_t *iptc_size);
/* The resources with this record of IPTC instead of theirs; either may be NULL, of size 0. Freed
 * with free(). NULL: no memory. */
unsigned char *imf_irb_with_iptc(const unsigned char *irb, size_t irb_size,
                                 const unsigned char *iptc, size_t iptc_size, size_t *size);

#endif
