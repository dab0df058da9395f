/* idat.h - the pixels of a PNG as IDAT chunks, deflated on several cores */
#ifndef IMF_CODEC_PNG_IDAT_H
#define IMF_CODEC_PNG_IDAT_H

#include "codec/encoder.h"

struct imf_idat_shape {
    size_t row_bytes; /* as PNG packs them */
    int rows;
    size_t pixel;        /* bytes of one, at least 1 */
    bool few;            /* indices, or samples of fewer than 8 bits: they are not filtered */
    int level;           /* 0 (stored), 1 (fastest) to 9 (smallest) */
    int threads;         /* at most, 0: as many as cores */
    uint64_t max_memory; /* of the process, 0: any; threads take a small part of it */
};

/* Bytes of memory that encoding an image takes. */
uint64_t imf_idat_memory(const struct imf_idat_shape *shape);

/* Chunks go to the writer on the caller's thread. NULL: no memory. imf_idat_close() joins the threads, however many rows were written. */
struct imf_idat *imf_idat_open(const struct imf_idat_shape *shape, struct imf_writer *writer);
/* The next row. The last one writes what is left. */
void imf_idat_row(struct imf_idat *idat, const unsigned char *row);
void imf_idat_close(struct imf_idat **idat);

#endif
