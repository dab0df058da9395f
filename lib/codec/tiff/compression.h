/* compression.h - which decoders of libtiff are used, and what they hold */
#ifndef IMF_CODEC_TIFF_COMPRESSION_H
#define IMF_CODEC_TIFF_COMPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* May it be decoded? If not, `text` is what it is. */
bool imf_tiff_decodes(uint16_t compression, char *text, size_t size);
/* The most that its decoder holds for a strip or tile, beside the rows that it is asked for. */
uint64_t imf_tiff_decoder_bytes(uint16_t compression, uint64_t width, uint64_t height,
                                uint64_t row_bytes);

#endif
