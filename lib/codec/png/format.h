/* format.h - the format PNG, and its encoder */
#ifndef IMF_CODEC_PNG_FORMAT_H
#define IMF_CODEC_PNG_FORMAT_H

#include "codec/codec.h"

extern const struct imf_codec imf_png_codec;
extern const struct imf_encoder imf_png_encoder;

#endif
