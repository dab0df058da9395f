/* read.h - JPEG's decoder, and the format's description */
#ifndef IMF_CODEC_JPEG_READ_H
#define IMF_CODEC_JPEG_READ_H

#include "codec/codec.h"

extern const struct imf_codec imf_jpeg_codec;

#endif
