/* profile.h - ICC profiles that say what other metadata say, made by Little CMS */
#ifndef IMF_CODEC_METADATA_PROFILE_H
#define IMF_CODEC_METADATA_PROFILE_H

#include "codec/metadata/items.h"

/* A profile for gray or RGB pixels of the same curve as the other's, which is for the other of the two;
 * freed with free(). IMF_ERR_FORMAT or IMF_ERR_DAMAGED: there is none. */
enum imf_status imf_profile_convert(struct imf_meta_item **out, const struct imf_meta_item *icc,
                                    enum imf_color color, struct imf_error *err);
/* A profile of what a PNG's cICP, sRGB, gAMA and cHRM say, where that is not sRGB: then *out is NULL. */
enum imf_status imf_profile_of_chunks(struct imf_meta_item **out, const struct imf_metadata *m,
                                      enum imf_color color, struct imf_error *err);

#endif
