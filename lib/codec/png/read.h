/* read.h - PNG's decoder, and the format's description */
#ifndef IMF_CODEC_PNG_READ_H
#define IMF_CODEC_PNG_READ_H

#include "codec/codec.h"

extern const struct imf_codec imf_png_codec;

#endif
