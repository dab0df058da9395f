/* filter.c - PNG's filters, in loops that compilers vectorise */
#include "codec/png/filter.h"

#include <stdint.h>
#include <string.h>

/* A second version for processors with AVX2, chosen when the program is loaded, which is too early for
 * sanitizers. */
#if defined __x86_64__ && defined __ELF__ && defined __GLIBC__ && defined __OPTIMIZE__ &&          \
    !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ && !defined __clang__
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

WIDE static void sub(unsigned char *restrict to, const unsigned char *restrict row, size_t size,
                     size_t pixel) {
    for (size_t i = 0; i + pixel < size; i++)
        to[i + pixel] = (unsigned char)(row[i + pixel] - row[i]);
}

WIDE static void up(unsigned char *restrict to, const unsigned char *restrict row,
                    const unsigned char *restrict above, size_t size) {
    for (size_t i = 0; i < size; i++)
        to[i] = (unsigned char)(row[i] - above[i]);
}

WIDE static void average(unsigned char *restrict to, const unsigned char *restrict row,
                         const unsigned char *restrict above, size_t size, size_t pixel) {
    for (size_t i = 0; i + pixel < size; i++)
        to[i + pixel] = (unsigned char)(row[i + pixel] - (row[i] + above[i + pixel]) / 2);
}

/* The prediction is the neighbour nearest to left + above - corner; of equal ones the first of left,
 * above, corner. */
WIDE static void paeth(unsigned char *restrict to, const unsigned char *restrict row,
                       const unsigned char *restrict above, size_t size, size_t pixel) {
    for (size_t i = 0; i + pixel < size; i++) {
        int16_t left = row[i], top = above[i + pixel], corner = above[i];
        int16_t to_left = (int16_t)(top - corner), to_top = (int16_t)(left - corner);
        int16_t to_corner = (int16_t)(to_left + to_top);
        to_left = (int16_t)(to_left < 0 ? -to_left : to_left);
        to_top = (int16_t)(to_top < 0 ? -to_top : to_top);
        to_corner = (int16_t)(to_corner < 0 ? -to_corner : to_corner);
        int16_t guess = to_top <= to_corner ? top : corner;
        guess = to_left <= to_top && to_left <= to_corner ? left : guess;
        to[i + pixel] = (unsigned char)(row[i + pixel] - guess);
    }
}

void imf_png_filter(enum imf_png_filter filter, unsigned char *restrict to,
                    const unsigned char *restrict row, const unsigned char *restrict above,
                    size_t size, size_t pixel) {
    size_t first = pixel < size ? pixel : size; /* bytes that have no left neighbour */
    for (size_t i = 0; i < first; i++)
        to[i] =
            (unsigned char)(row[i] - (filter == IMF_PNG_AVERAGE ? above[i] / 2
                                      : filter == IMF_PNG_UP || filter == IMF_PNG_PAETH ? above[i]
                                                                                        : 0));
    switch (filter) {
    case IMF_PNG_NONE:
        memcpy(to, row, size);
        break;
    case IMF_PNG_SUB:
        sub(to, row, size, pixel);
        break;
    case IMF_PNG_UP:
        up(to, row, above, size);
        break;
    case IMF_PNG_AVERAGE:
        average(to, row, above, size, pixel);
        break;
    case IMF_PNG_PAETH:
        paeth(to, row, above, size, pixel);
        break;
    }
}

/* 256 magnitudes fit in 16 bits each. */
WIDE static size_t magnitude(const unsigned char *row, size_t size) {
    size_t sum = 0;
    for (size_t begin = 0; begin < size; begin += 256) {
        size_t end = size - begin < 256 ? size : begin + 256;
        uint16_t part = 0;
        for (size_t i = begin; i < end; i++) {
            uint8_t v = row[i], w = (uint8_t)-v;
            part = (uint16_t)(part + (v < w ? v : w));
        }
        sum += part;
    }
    return sum;
}

/* Functions of several versions are static: the compiler would export them, whatever their
 * visibility. */
size_t imf_png_magnitude(const unsigned char *row, size_t size) {
    return magnitude(row, size);
}
