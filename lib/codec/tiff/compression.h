/* compression.h - which decoders of libtiff are used, and what they hold */
#ifndef IMF_CODEC_TIFF_COMPRESSION_H
#define IMF_CODEC_TIFF_COMPRESSION_H

#include "codec/tiff/stream.h"

/* May it be decoded? If not, `text` is what it is. */
bool imf_tiff_decodes(uint16_t compression, char *text, size_t size);
/* A strip or tile. */
struct imf_tiff_cell {
    uint16_t compression;
    uint64_t width, height, row_bytes;
    int samples; /* of a pixel */
};

/* The most that a cell's decoder holds beside the rows that it is asked for. Of JPEG all strips or tiles of the file
 * are gone through. IMF_ERR_LIMIT: one has more scans than the reader's limits allow. */
enum imf_status imf_tiff_check_decoder(struct imf_tiff_stream *s, const struct imf_tiff_cell *cell,
                                       uint64_t *held, struct imf_error *err);

#endif
