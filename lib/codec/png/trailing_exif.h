/* trailing_exif.h - EXIF after the pixels */
#ifndef IMF_CODEC_PNG_TRAILING_EXIF_H
#define IMF_CODEC_PNG_TRAILING_EXIF_H

#include "codec/decoder.h"

/* Read EXIF that follows the pixels, if there is no eXIf before and the stream is a file; then
 * imf_png_use_exif_text(). */
void imf_png_find_trailing_exif(struct imf_reader *r);

#endif
