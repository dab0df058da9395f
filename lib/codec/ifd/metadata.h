/* metadata.h - what a TIFF carries besides pixels */
#ifndef IMF_CODEC_IFD_METADATA_H
#define IMF_CODEC_IFD_METADATA_H

#include "codec/decoder.h"
#include "codec/encoder.h"
#include "codec/ifd/directory.h"

/* Add the metadata of the picture at `at`, and of the file's first one, to the reader, and what of the
 * file is not read. */
void imf_tiff_read_metadata(struct imf_reader *r, struct imf_tiff_input *in, uint64_t first,
                            uint64_t at);
/* Add the writer's metadata to the directory. */
void imf_tiff_add_metadata(struct imf_writer *w, struct imf_tiff_directory *directory,
                           struct imf_tiff_output *out);

/* ---- codec/ifd/parts.c ---- */

/* Enter all that the first directory leads to; the picture at `at` is read. A value's key is its entry's
 * offset. */
void imf_tiff_enter(struct imf_reader *r, struct imf_tiff_input *in, uint64_t first, uint64_t at);

/* Of struct imf_decoder. */
bool imf_tiff_part(size_t i, struct imf_part_kind *kind);

#endif
