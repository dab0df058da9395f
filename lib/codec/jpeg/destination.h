/*
 * destination.h - a JPEG in memory, as libjpeg's destination
 *
 * Where more images follow the first one in a file, the list of them stands in the first one's
 * header and says how long that is, and whether they are there is known only when the source was
 * read to its end. Of a PNG, EXIF may stand there, too. So the first image is kept in memory until it
 * is complete.
 */
#ifndef IMF_CODEC_JPEG_DESTINATION_H
#define IMF_CODEC_JPEG_DESTINATION_H

#include "codec/encoder.h"

#include <jpeglib.h>

struct imf_jpeg_destination {
    struct jpeg_destination_mgr manager; /* first: libjpeg's c->dest is the whole */
    unsigned char *data;
    size_t capacity;
    uint64_t max; /* bytes; 0: no limit */
    bool too_large;
    size_t refs_at, refs_end; /* segments that refer to the trailer, behind EXIF */
    size_t mpf_at, mpf_size;  /* of the list's stream in them; 0: none */
};

/* Write to memory; before jpeg_start_compress(). A failed allocation is libjpeg's error. */
void imf_jpeg_destination_open(struct jpeg_compress_struct *c, struct imf_jpeg_destination *d,
                               uint64_t max);
/* Bytes written so far. */
size_t imf_jpeg_destination_size(const struct imf_jpeg_destination *d);
void imf_jpeg_destination_free(struct imf_jpeg_destination *d);

#endif
