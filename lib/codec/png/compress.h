/* compress.h - deflating a block by the method that suits it, by level */
#ifndef IMF_CODEC_PNG_COMPRESS_H
#define IMF_CODEC_PNG_COMPRESS_H

#include "codec/deflate/encode.h"

/* For blocks of at most `block` bytes; NULL: no memory. `few` and `pixel` as in png/idat.h. */
struct imf_png_compressor *imf_png_compressor_new(int level, bool few, size_t pixel, size_t block);
void imf_png_compressor_free(struct imf_png_compressor **closed);
/* Bytes of memory that one takes. */
size_t imf_png_compressor_bytes(int level, size_t block);
/* As imf_deflate_block(); at most imf_deflate_bound(size) bytes. */
size_t imf_png_compress(struct imf_png_compressor *c, const unsigned char *data, size_t before,
                        size_t size, bool last, unsigned char *to);

#endif
