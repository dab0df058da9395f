/* format.h - the format PNM, and its encoder */
#ifndef IMF_CODEC_PNM_FORMAT_H
#define IMF_CODEC_PNM_FORMAT_H

#include "codec/codec.h"

extern const struct imf_codec imf_pnm_codec;
extern const struct imf_encoder imf_pnm_encoder;
/* Of the formats that users can choose only PBM has few bits. */
void imf_pnm_adapt(struct imf_info *info, const struct imf_encode *encode);

#endif
