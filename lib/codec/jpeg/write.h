/* write.h - JPEG's encoder */
#ifndef IMF_CODEC_JPEG_WRITE_H
#define IMF_CODEC_JPEG_WRITE_H

#include "codec/encoder.h"

extern const struct imf_encoder imf_jpeg_encoder;

#endif
