/*
 * compression.c - which decoders of libtiff are used, and what they hold
 *
 * Many of them hand a strip to another library. One that ends the process where memory is short is not
 * used: libjbig calls abort(), and libLerc's C++ exceptions pass through C. It is a list of what is
 * allowed, so that a newer libtiff brings no decoder that nobody has looked at.
 */
#include "codec/decoder.h"

#ifdef IMF_WITH_TIFF
#include "base/image/surface.h"
#include "codec/tiff/compression.h"

#include <stdio.h>
#include <string.h>
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
    {.compression = COMPRESSION_SGILOG, .refused = "LogLuv compression"},
    {.compression = COMPRESSION_SGILOG24, .refused = "LogLuv compression"},
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

static uint64_t decoder_bytes(const struct imf_tiff_cell *c) {
    const struct row *row = find(c->compression);
    if (!row)
        return 0;
    uint64_t strip = times(row->strips, times(c->row_bytes, c->height));
    return times(row->of_width, c->width) + times(row->of_pixel, times(c->width, c->height)) +
           (row->most && strip > row->most ? row->most : strip);
}

/* ---- scans of JPEG ------------------------------------------------------------------------------ */

/* A progressive JPEG is decoded as a whole, and each of its scans is a pass over all coefficients: libjpeg
 * holds them beside the pixels, and libtiff counts neither. Markers tell: segments are passed over by
 * their lengths, and in the data of a scan 0xff is followed by 0 or a restart marker. */
enum { WINDOW = 16384, MCU = 32 };

/* The bytes from..end - 1 of a file. */
struct bytes {
    struct imf_tiff_input *in;
    uint64_t at, end, first; /* first: of the window */
    size_t held;
    unsigned char window[WINDOW];
};

/* The next byte; -1 at the end. */
static int next(struct bytes *b) {
    if (b->at >= b->end)
        return -1;
    if (b->at < b->first || b->at >= b->first + b->held) {
        b->held = b->end - b->at < WINDOW ? (size_t)(b->end - b->at) : WINDOW;
        b->first = b->at;
        if (!imf_bytes_get(&b->in->bytes, b->at, b->window, b->held)) {
            b->held = 0;
            return -1;
        }
    }
    return b->window[b->at++ - b->first];
}

/* The next marker, which follows 0xff, restart markers aside; -1: there is none. */
static int next_marker(struct bytes *b) {
    for (int c; (c = next(b)) >= 0;) {
        while (c == 0xff)
            if ((c = next(b)) > 0 && c != 0xff && (c < 0xd0 || c > 0xd7))
                return c;
    }
    return -1;
}

/* The number of scans of a progressive JPEG, or one more than `most` if that is not 0; 0: it is not
 * progressive. */
static int count_scans(struct bytes *b, int most) {
    bool progressive = false;
    int scans = 0;
    for (int marker; (marker = next_marker(b)) >= 0 && marker != 0xd9;) {
        if (marker == 0xd8 || marker == 0x01)
            continue;
        bool frame = (marker & 0xf0) == 0xc0 && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
        if (frame && (marker & 3) == 2)
            progressive = true;
        else if (frame)
            return 0;
        int high = next(b), low = next(b), size = high * 256 + low;
        if (high < 0 || low < 0 || size < 2)
            break;
        b->at += (uint64_t)size - 2;
        scans += marker == 0xda;
        if (most > 0 && scans > most)
            break;
    }
    return progressive ? scans : 0;
}

enum imf_status imf_tiff_check_decoder(struct imf_tiff_stream *s, const struct imf_tiff_cell *cell,
                                       uint64_t *held, struct imf_error *err) {
    bool tiled = TIFFIsTiled(s->tif);
    uint32_t count = tiled ? TIFFNumberOfTiles(s->tif) : TIFFNumberOfStrips(s->tif);
    int most = s->reader->limits.max_scans;
    uint64_t coefficients = 0;
    for (uint32_t i = 0; i < count && cell->compression == COMPRESSION_JPEG; i++) {
        int failed = 0;
        struct bytes b = {.in = &s->in};
        b.at = TIFFGetStrileOffsetWithErr(s->tif, i, &failed);
        uint64_t size = failed ? 0 : TIFFGetStrileByteCountWithErr(s->tif, i, &failed);
        if (failed || b.at > s->in.bytes.size)
            break; /* as decoding will find */
        b.end = size < s->in.bytes.size - b.at ? b.at + size : s->in.bytes.size;
        int scans = count_scans(&b, most);
        if (most > 0 && scans > most)
            return imf_fail(err, IMF_ERR_LIMIT,
                            "more than %d progressive scans (raise it with --max-scans)", most);
        if (scans > 0)
            coefficients = (cell->width + MCU) * (cell->height + MCU) * (unsigned)cell->samples *
                           sizeof(int16_t);
    }
    *held = decoder_bytes(cell) + coefficients;
    return IMF_OK;
}
#endif
