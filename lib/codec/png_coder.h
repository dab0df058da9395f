/* png_coder.h - which ways of deflating are tried on a block, by level */
#ifndef IMF_CODEC_PNG_CODER_H
#define IMF_CODEC_PNG_CODER_H

#include "codec/deflate.h"

/* For blocks of at most `block` bytes; NULL: no memory. `few` and `pixel` as in png_idat.h. */
struct imf_png_coder *imf_png_coder_new(int level, bool few, size_t pixel, size_t block);
void imf_png_coder_free(struct imf_png_coder **coder);
/* Bytes that one takes. */
size_t imf_png_coder_bytes(int level, size_t block);
/* As imf_deflate_block(); at most imf_deflate_bound(size) bytes. */
size_t imf_png_coder_block(struct imf_png_coder *coder, const unsigned char *data, size_t before,
                           size_t size, bool last, unsigned char *to);

#endif
