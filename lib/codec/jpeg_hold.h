/*
 * jpeg_hold.h - a JPEG that more images follow
 *
 * The list of them stands in the first image's header and tells the first one's size, and whether
 * they are there is known only when the source was read to its end. So the first image is held in
 * memory until it is complete.
 */
#ifndef IMF_CODEC_JPEG_HOLD_H
#define IMF_CODEC_JPEG_HOLD_H

#include "codec/jpeg.h"

struct imf_jpeg_hold {
    struct jpeg_destination_mgr dest; /* first: libjpeg's c->dest is the whole */
    unsigned char *data;
    size_t room;
    uint64_t max; /* bytes; 0: no limit */
    bool too_large;
    size_t claims_at, claims_end; /* segments that tell of the other images */
    size_t mpf_at, mpf_size;      /* of the list's stream in them; 0: none */
    unsigned char *xmp;           /* the packet without claims */
};

/* Write to memory; before jpeg_start_compress(). A failed allocation is libjpeg's error. */
void imf_jpeg_hold(struct jpeg_compress_struct *c, struct imf_jpeg_hold *hold, uint64_t max);
/* Bytes written so far. */
size_t imf_jpeg_held_bytes(const struct imf_jpeg_hold *hold);
/* The image is finished: write it and what stands behind it, or without both that and the claims,
 * and warn. False: the stream's error. */
bool imf_jpeg_release(struct imf_jpeg_hold *hold, struct imf_writer *w);
void imf_jpeg_free_hold(struct imf_jpeg_hold *hold);

#endif
