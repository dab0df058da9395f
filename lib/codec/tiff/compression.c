/*
 * compression.c - which decoders of libtiff are used, and what they hold
 *
 * Many of them hand a strip to another library. One that ends the process where memory is short is not
 * used: libjbig calls abort(), and libLerc's C++ exceptions pass through C. It is a list of what is
 * allowed, so that a newer libtiff brings no decoder that nobody has looked at.
 */
#include "codec/tiff/compression.h"

#ifdef IMF_WITH_TIFF
#include <stdio.h>
#include <tiffio.h>

#define MIB ((uint64_t)1 << 20)
#define ENDS ", whose library can end the program,"

static const struct row {
    uint16_t compression;
    const char *refused; /* what it is called, or NULL */
    /* Bytes for each pixel of a row, and for each of a strip; the strip's own so many times, but not
     * more than `most`, if that is not 0. */
    unsigned of_width, of_pixel, strips;
    uint64_t most;
} rows[] = {
    {.compression = COMPRESSION_NONE},
    {.compression = COMPRESSION_LZW},
    {.compression = COMPRESSION_PACKBITS},
    {.compression = COMPRESSION_NEXT},
    {.compression = COMPRESSION_THUNDERSCAN},
    {.compression = COMPRESSION_ADOBE_DEFLATE},
    {.compression = COMPRESSION_DEFLATE},
    {.compression = COMPRESSION_JPEG},
    /* Runs of two rows, in words. */
    {.compression = COMPRESSION_CCITTRLE, .of_width = 16},
    {.compression = COMPRESSION_CCITTRLEW, .of_width = 16},
    {.compression = COMPRESSION_CCITTFAX3, .of_width = 16},
    {.compression = COMPRESSION_CCITTFAX4, .of_width = 16},
    /* A strip of words. */
    {.compression = COMPRESSION_PIXARLOG, .strips = 2},
    /* Dictionaries and windows are as large as a strip says, but filled as it is decoded. */
    {.compression = COMPRESSION_LZMA, .strips = 1, .most = 4096 * MIB},
    {.compression = COMPRESSION_ZSTD, .strips = 1, .most = 128 * MIB},
    /* A strip, and of a lossless one as many pixels in words. */
    {.compression = COMPRESSION_WEBP, .of_pixel = 4, .strips = 1},
    {.compression = COMPRESSION_OJPEG, .refused = "old-style JPEG compression"},
    {.compression = COMPRESSION_JBIG, .refused = "JBIG compression" ENDS},
    {.compression = COMPRESSION_LERC, .refused = "LERC compression" ENDS},
};

static const struct row *find(uint16_t compression) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].compression == compression)
            return &rows[i];
    return NULL;
}

bool imf_tiff_decodes(uint16_t compression, char *text, size_t size) {
    const struct row *row = find(compression);
    if (row && row->refused)
        snprintf(text, size, "%s", row->refused);
    else
        snprintf(text, size, "compression %u", compression);
    return row && !row->refused && TIFFIsCODECConfigured(compression);
}

/* What no limit has seen may overflow. */
static uint64_t times(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) || product > UINT64_MAX / 8 ? UINT64_MAX / 8
                                                                              : product;
}

uint64_t imf_tiff_decoder_bytes(uint16_t compression, uint64_t width, uint64_t height,
                                uint64_t row_bytes) {
    const struct row *row = find(compression);
    if (!row)
        return 0;
    uint64_t strip = times(row->strips, times(row_bytes, height));
    return times(row->of_width, width) + times(row->of_pixel, times(width, height)) +
           (row->most && strip > row->most ? row->most : strip);
}
#endif
