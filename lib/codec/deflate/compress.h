/* compress.h - deflating a block by the method that suits it, by level */
#ifndef IMF_CODEC_DEFLATE_COMPRESS_H
#define IMF_CODEC_DEFLATE_COMPRESS_H

#include "codec/deflate/encode.h"

/* For blocks of at most `block` bytes; NULL: no memory. `few`: indices, or samples of fewer than 8
 * bits, which repeat in strings. `pixel`: bytes of one. */
struct imf_compressor *imf_compressor_new(int level, bool few, size_t pixel, size_t block);
void imf_compressor_free(struct imf_compressor **closed);
/* Bytes of memory that one takes. */
size_t imf_compressor_bytes(int level, size_t block);
/* As imf_deflate_block(); at most imf_deflate_bound(size) bytes. */
size_t imf_compress(struct imf_compressor *c, const unsigned char *data, size_t before, size_t size,
                    bool last, unsigned char *to);

#endif
