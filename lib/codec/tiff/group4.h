/* group4.h - rows of bits by CCITT Group 4 */
#ifndef IMF_CODEC_TIFF_GROUP4_H
#define IMF_CODEC_TIFF_GROUP4_H

#include <stddef.h>
#include <stdint.h>

enum { IMF_GROUP4_BEHIND = 7 }; /* bytes that are read behind a row's last, of any value */

/* Encode `count` rows of `width` bits, 1 being black, `stride` bytes apart. white: a row of zeros. Returns the bytes put to
 * `to`, at most imf_group4_bound(). */
size_t imf_group4(const unsigned char *rows, size_t stride, int width, int count,
                  const unsigned char *white, unsigned char *to);
/* No pixel takes more than 7 bits, and the ends of a row at most 21. */
static inline size_t imf_group4_bound(size_t row_bytes, size_t count) {
    return (7 * row_bytes + 4) * count + 4;
}

#endif
