/* write.h - PNG's encoder */
#ifndef IMF_CODEC_PNG_WRITE_H
#define IMF_CODEC_PNG_WRITE_H

#include "codec/encoder.h"

extern const struct imf_encoder imf_png_encoder;

#endif
