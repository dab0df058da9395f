/* idat.h - the pixels of a PNG as IDAT chunks, deflated on several cores */
#ifndef IMF_CODEC_PNG_IDAT_H
#define IMF_CODEC_PNG_IDAT_H

#include "codec/encoder.h"

struct imf_idat_shape {
    size_t row_bytes; /* as PNG packs them */
    size_t pixel;     /* bytes of one, at least 1 */
    bool few;         /* indices, or samples of fewer than 8 bits: they are not filtered */
};

/* Bytes of memory that encoding the writer's image takes. */
uint64_t imf_idat_memory(const struct imf_idat_shape *shape, const struct imf_writer *w);
/* Chunks go to the writer on the caller's thread. NULL: no memory. imf_idat_close() joins the threads,
 * however many rows were written. */
struct imf_idat *imf_idat_open(const struct imf_idat_shape *shape, struct imf_writer *writer);
/* The next row. The last one writes what is left. */
void imf_idat_row(struct imf_idat *idat, const unsigned char *row);
void imf_idat_close(struct imf_idat **idat);

#endif
