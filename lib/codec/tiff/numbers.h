/*
 * numbers.h - numbers that are not unsigned of 8 or 16 bits, as a TIFF packs them, and rows of floats
 *
 * Floats have 16, 24, 32 or 64 bits, integers 1 to 32. Rows are float32 where that has every value of the type,
 * else float64. Numbers of 8, 16, 24, 32 and 64 bits are bytes, others follow each other from the upper bit of
 * a row's first byte on.
 */
#ifndef IMF_CODEC_TIFF_NUMBERS_H
#define IMF_CODEC_TIFF_NUMBERS_H

#include "base/image/info.h"

#include <stddef.h>

struct imf_tiff_numbers {
    enum imf_type type; /* IMF_TYPE_ROWS: floats of 32 or 64 bits */
    int bits;           /* of a number in the file */
    int depth;          /* of rows: 32 or 64; 0: rows of 8 or 16 bits, which need no type */
};

/* Of numbers of so many bits; depth 0: none of the types here. */
struct imf_tiff_numbers imf_tiff_numbers_of(enum imf_type type, int bits);
/* What rows of that shape become in the file. */
struct imf_tiff_numbers imf_tiff_numbers_of_info(const struct imf_info *info);

/* Convert `count` numbers of a row, in the host's order of bytes: number first, first + step and so on, to floats
 * that are to_step from each other. */
void imf_tiff_numbers_read(const struct imf_tiff_numbers *t, unsigned char *to, size_t to_step,
                           const unsigned char *row, size_t first, size_t step, size_t count);
/* The inverse, for all of a row's floats. Integers are rounded, ties to even, and limited; NaN becomes 0. A float that
 * is too large becomes the type's largest: it stays finite. */
void imf_tiff_numbers_write(const struct imf_tiff_numbers *t, unsigned char *to,
                            const unsigned char *row, size_t count);

/* Of a pixel's straight colours from those that are multiplied by alpha, the last of its channels; the largest alpha is
 * `full`. Those of integers are rounded, and limited to full. */
void imf_tiff_numbers_divide(const struct imf_tiff_numbers *t, unsigned char *row, size_t count,
                             int channels);
/* Exchange black and white of `count` numbers that are `step` from each other. */
void imf_tiff_numbers_invert(const struct imf_tiff_numbers *t, unsigned char *row, size_t count,
                             size_t step);

/* Predictor 2 (differences of integers from `pixel` numbers to the left) in place, where pixel is not 0; and bytes in
 * the file's order. */
void imf_tiff_numbers_order(const struct imf_tiff_numbers *t, unsigned char *row, size_t count,
                            size_t pixel, bool big_endian);
/* Predictor 3: the upper bytes of all floats, then the next ones, each less that of the pixel to its left. */
void imf_tiff_numbers_split(const struct imf_tiff_numbers *t, unsigned char *restrict to,
                            const unsigned char *restrict row, size_t count, size_t pixel);

#endif
