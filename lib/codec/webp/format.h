/* format.h - the format WebP, and its encoder */
#ifndef IMF_CODEC_WEBP_FORMAT_H
#define IMF_CODEC_WEBP_FORMAT_H

#include "codec/codec.h"

extern const struct imf_codec imf_webp_codec; /* where the library is built with libwebp */
extern const struct imf_encoder imf_webp_encoder;

#endif
