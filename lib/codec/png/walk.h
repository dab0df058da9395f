/* walk.h - chunks enter the account as the file's bytes are read */
#ifndef IMF_CODEC_PNG_WALK_H
#define IMF_CODEC_PNG_WALK_H

#include "codec/decoder.h"

struct imf_png_walk {
    uint64_t at;    /* bytes of the file so far */
    uint64_t chunk; /* where the last chunk begins */
    uint64_t left;  /* of its data and CRC */
    unsigned char head[8];
    size_t have; /* bytes of the next chunk's head */
};

/* These bytes, the last before the reader's position, were read. Those that were before count once. */
void imf_png_walk(struct imf_png_walk *w, struct imf_reader *r, const unsigned char *data,
                  size_t size);

#endif
