/*
 * xmp.h - XMP packets: removing parts, and joining and splitting those of several JPEG segments
 *
 * Packets are edited as text and not parsed: a prefix is assumed to mean the same namespace in all
 * of a packet, and RDF's to be "rdf", as every writer has it.
 */
#ifndef IMF_CODEC_METADATA_XMP_H
#define IMF_CODEC_METADATA_XMP_H

#include "codec/metadata/items.h"

enum imf_xmp_part {
    IMF_XMP_TRAILER_REFS = 1,   /* references to what follows the first image of a JPEG */
    IMF_XMP_EXTENSION_NOTE = 2, /* that there is an extension */
    IMF_XMP_PICTURES = 4        /* thumbnails, the image before an effect, and other copies */
};

/* A copy without these parts. NULL: not XML, or no memory (*out_of_memory tells). Freed with
 * free(). */
unsigned char *imf_xmp_remove(const unsigned char *xmp, size_t size, unsigned parts,
                              size_t *out_size, bool *out_of_memory);

/* A copy with every orientation 1. NULL: no memory. Freed with free(). */
unsigned char *imf_xmp_upright(const struct imf_meta_item *xmp);

/* The packet with the content of its extension (IMF_META_XMP_EXTENSION items); NULL when they
 * do not fit together, or without memory (*out_of_memory tells). Freed
 * with free(). */
unsigned char *imf_xmp_join(const struct imf_metadata *m, const unsigned char *xmp, size_t size,
                            size_t *out_size, bool *out_of_memory);

/* A packet too long for one segment as a short packet and an extension, which is a part of xmp. */
struct imf_xmp_split {
    char packet[600];
    char guid[33]; /* MD5 of the extension, in hexadecimal digits */
    const unsigned char *extension;
    size_t size;
};
void imf_xmp_split(struct imf_xmp_split *out, const unsigned char *xmp, size_t size);

#endif
