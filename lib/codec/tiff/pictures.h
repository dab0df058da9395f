/* pictures.h - which picture of a TIFF is the one to read */
#ifndef IMF_CODEC_TIFF_PICTURES_H
#define IMF_CODEC_TIFF_PICTURES_H

#include "codec/tiff/directory.h"

struct imf_tiff_picture {
    uint64_t at, width, height; /* at: of its directory; 0: none has the full resolution */
    bool raw;                   /* the file is a camera raw: its pictures are previews */
};

/* The first picture, or the largest of full resolution that hangs below it; where the first is marked
 * as a smaller copy, the largest of all. */
struct imf_tiff_picture imf_tiff_find_picture(struct imf_tiff_input *in, uint64_t first,
                                              bool *out_of_memory);

#endif
