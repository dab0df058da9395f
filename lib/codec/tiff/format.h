/* format.h - the format TIFF, and its encoder */
#ifndef IMF_CODEC_TIFF_FORMAT_H
#define IMF_CODEC_TIFF_FORMAT_H

#include "codec/codec.h"

extern const struct imf_codec imf_tiff_codec; /* where the library is built with libtiff */
extern const struct imf_encoder imf_tiff_encoder;

#endif
