/* table.h - the formats */
#ifndef IMF_CODEC_TABLE_H
#define IMF_CODEC_TABLE_H

#include "base/error.h"
#include "codec/codec.h"

/* NULL: there is no such format. */
const struct imf_codec *imf_codec_of(enum imf_format format);
/* The format of a file that begins with these bytes, or IMF_FORMAT_NONE. */
enum imf_format imf_codec_recognise(const unsigned char *head, size_t size);
/* IMF_ERR_FORMAT, with what the format cannot store of such an image and which formats can. */
enum imf_status imf_codec_fits(const struct imf_codec *codec, const struct imf_info *info,
                               struct imf_error *err);
/* "PNG, JPEG or PNM": those that store such metadata; IMF_META_KINDS: all. */
#define IMF_FORMATS_TEXT 128
void imf_codec_titles(char text[IMF_FORMATS_TEXT], enum imf_meta_kind kind);

#endif
