/* encode.h - the library's own deflate (RFC 1951), for filtered rows of pixels */
#ifndef IMF_CODEC_DEFLATE_ENCODE_H
#define IMF_CODEC_DEFLATE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMF_DEFLATE_WINDOW 32768

struct
    imf_deflate; /* working memory of one thread, for any number of blocks; of any contents before */
extern const size_t imf_deflate_bytes; /* of one */

/* Bytes that `size` bytes deflate to, at most. */
static inline size_t imf_deflate_bound(size_t size) {
    return size + (size >> 12) + 64;
}

/*
 * Deflate data[0..size), which may refer to the `before` bytes that stand before data (at most
 * IMF_DEFLATE_WINDOW are used), to whole bytes at `to`. `pixel`: the distance of values
 * of the same channel. The stream continues after the block unless this is its last. Returns the
 * bytes written. The same arguments give the same bytes.
 */
size_t imf_deflate_block(struct imf_deflate *d, const unsigned char *data, size_t before,
                         size_t size, size_t pixel, bool last, unsigned char *to);

/* Store the data as they are. */
size_t imf_deflate_stored(const unsigned char *data, size_t size, bool last, unsigned char *to);

#endif
