/* write.h - PNM's encoder */
#ifndef IMF_CODEC_PNM_WRITE_H
#define IMF_CODEC_PNM_WRITE_H

#include "codec/encoder.h"

extern const struct imf_encoder imf_pnm_encoder;
/* Of the formats that users can choose only PBM has few bits. */
void imf_pnm_adapt(struct imf_info *info, const struct imf_encode *encode);

#endif
