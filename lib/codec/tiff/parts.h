/* parts.h - a TIFF's directories, values and pictures in the account of its file */
#ifndef IMF_CODEC_TIFF_PARTS_H
#define IMF_CODEC_TIFF_PARTS_H

#include "codec/decoder.h"
#include "codec/tiff/directory.h"

/* Enter all that the first directory leads to; the picture at `at` is read. A value's key is its entry's
 * offset. */
void imf_tiff_enter(struct imf_reader *r, struct imf_tiff_input *in, uint64_t first, uint64_t at);

/* Of struct imf_decoder. */
bool imf_tiff_part(size_t i, struct imf_part_kind *kind);

#endif
