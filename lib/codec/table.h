/* table.h - the formats */
#ifndef IMF_CODEC_TABLE_H
#define IMF_CODEC_TABLE_H

#include "base/error.h"
#include "codec/codec.h"

/* Those that need a library are there where it was found. */
extern const struct imf_codec imf_png_codec, imf_jpeg_codec, imf_pnm_codec, imf_tiff_codec,
    imf_webp_codec, imf_heif_codec, imf_avif_codec;
extern const struct imf_encoder imf_png_encoder, imf_jpeg_encoder, imf_pnm_encoder,
    imf_tiff_encoder, imf_webp_encoder, imf_avif_encoder;
/* Of the formats that users can choose only PBM has few bits. */
void imf_pnm_adapt(struct imf_info *info, const struct imf_encode *encode);

/* NULL: there is no such format. */
const struct imf_codec *imf_codec_of(enum imf_format format);
/* The format of a file that begins with these bytes, or IMF_FORMAT_NONE. */
enum imf_format imf_codec_recognise(const unsigned char *head, size_t size);
/* IMF_ERR_FORMAT, with what the format cannot store of such an image and which formats can. */
enum imf_status imf_codec_fits(const struct imf_codec *codec, const struct imf_info *info,
                               struct imf_error *err);
/* "PNG, JPEG or PNM". */
#define IMF_FORMATS_TEXT 128
void imf_codec_titles(char text[IMF_FORMATS_TEXT]);

#endif
