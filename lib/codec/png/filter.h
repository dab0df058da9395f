/* filter.h - PNG's filters, which predict bytes from their neighbours (PNG 3rd ed., 9) */
#ifndef IMF_CODEC_PNG_FILTER_H
#define IMF_CODEC_PNG_FILTER_H

#include <stdbool.h>
#include <stddef.h>

enum imf_png_filter { IMF_PNG_NONE, IMF_PNG_SUB, IMF_PNG_UP, IMF_PNG_AVERAGE, IMF_PNG_PAETH };

/* Filter a row of `size` bytes with pixels of `pixel` bytes; `above` is the row before it. */
void imf_png_filter(enum imf_png_filter filter, unsigned char *restrict to,
                    const unsigned char *restrict row, const unsigned char *restrict above,
                    size_t size, size_t pixel);
/* Sum of the magnitudes of a row's bytes as signed numbers: rows of a smaller sum usually deflate to
 * less. */
size_t imf_png_magnitude(const unsigned char *row, size_t size);

#endif
