/* formats.h - the formats, of which table.c lists those that the library is built with */
#ifndef IMF_CODEC_FORMATS_H
#define IMF_CODEC_FORMATS_H

#include "codec/codec.h"

extern const struct imf_codec imf_png_codec, imf_jpeg_codec, imf_pnm_codec, imf_tiff_codec,
    imf_webp_codec;
extern const struct imf_encoder imf_png_encoder, imf_jpeg_encoder, imf_pnm_encoder,
    imf_tiff_encoder, imf_webp_encoder;
/* Of the formats that users can choose only PBM has few bits. */
void imf_pnm_adapt(struct imf_info *info, const struct imf_encode *encode);

#endif
