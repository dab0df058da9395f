/* icc.h - ICC profiles */
#ifndef IMF_CODEC_METADATA_ICC_H
#define IMF_CODEC_METADATA_ICC_H

#include "codec/metadata/list.h"

/* Does the profile describe pixels of this colour model? */
bool imf_icc_fits(const struct imf_meta_item *icc, enum imf_color color);

#endif
