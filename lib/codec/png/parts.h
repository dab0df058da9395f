/* parts.h - a PNG's chunks in the account of its file */
#ifndef IMF_CODEC_PNG_PARTS_H
#define IMF_CODEC_PNG_PARTS_H

#include "codec/png/chunks.h"

/* How far the chunks were followed. */
struct imf_png_walk {
    uint64_t at;    /* bytes so far */
    uint64_t chunk; /* where the last chunk begins */
    uint64_t left;  /* of its data and CRC */
    unsigned char head[8];
    size_t have; /* bytes of the next chunk's head */
};

/* The file's next bytes. */
void imf_png_enter(struct imf_reader *r, struct imf_png_walk *walk, const unsigned char *data,
                   size_t size);

#endif
