/* format.h - the format JPEG, and its encoder */
#ifndef IMF_CODEC_JPEG_FORMAT_H
#define IMF_CODEC_JPEG_FORMAT_H

#include "codec/codec.h"

extern const struct imf_codec imf_jpeg_codec;
extern const struct imf_encoder imf_jpeg_encoder;

#endif
