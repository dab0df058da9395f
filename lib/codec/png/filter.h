/* filter.h - PNG's prediction of bytes from their neighbours (PNG 3rd ed., 9) */
#ifndef IMF_CODEC_PNG_FILTER_H
#define IMF_CODEC_PNG_FILTER_H

#include <stdbool.h>
#include <stddef.h>

enum imf_png_filter { IMF_PNG_NONE, IMF_PNG_SUB, IMF_PNG_UP, IMF_PNG_AVERAGE, IMF_PNG_PAETH };
#define IMF_PNG_FILTERS 5

/* What `filter` leaves of a row of `size` bytes, with pixels of `pixel` bytes, below `above`. */
void imf_png_filter(enum imf_png_filter filter, unsigned char *restrict to,
                    const unsigned char *restrict row, const unsigned char *restrict above,
                    size_t size, size_t pixel);
/* Sum of magnitudes, bytes taken as signed: rows with less of it are deflated to less, as a rule. */
size_t imf_png_magnitude(const unsigned char *row, size_t size);

#endif
