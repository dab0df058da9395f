/* pnm.h - what PNM's reader and writer agree on */
#ifndef IMF_CODEC_PNM_H
#define IMF_CODEC_PNM_H

#include "codec/codec.h"

extern const struct imf_codec imf_pnm_codec;
extern const struct imf_encoder imf_pnm_encoder;
/* Of the formats that may be asked for PBM alone has few bits. */
void imf_pnm_adapt(struct imf_info *info, const struct imf_encode *encode);

#endif
