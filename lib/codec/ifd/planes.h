/* planes.h - several pictures that one directory of a TIFF describes */
#ifndef IMF_CODEC_IFD_PLANES_H
#define IMF_CODEC_IFD_PLANES_H

#include "codec/ifd/directory.h"

struct imf_tiff_planes {
    int count;             /* 1: it is an ordinary picture */
    uint64_t first, bytes; /* where the first one's pixels begin, and how many bytes each has */
};

/* Of the directory at `at`: planes that stand behind each other, as ImageJ ("images=N" in the description) and MetaMorph (as many
 * as UIC2 has values) write them. One if not all of them are there. */
struct imf_tiff_planes imf_tiff_find_planes(struct imf_tiff_input *in, uint64_t at,
                                            bool *out_of_memory);

#endif
