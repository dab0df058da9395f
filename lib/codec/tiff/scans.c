/*
 * scans.c - what JPEG strips and tiles are made of, before libtiff has them decoded
 *
 * A progressive one is decoded as a whole, and each of its scans is a pass over all coefficients:
 * libjpeg holds them beside the pixels, and libtiff counts neither. Markers tell: segments are passed
 * over by their lengths, and in the data of a scan 0xff is followed by 0 or a restart marker.
 */
#include "codec/decoder.h"

#ifdef IMF_WITH_TIFF
#include "base/surface.h"
#include "codec/tiff/scans.h"

#include <string.h>

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

enum imf_status imf_tiff_check_scans(struct imf_tiff_stream *s, uint64_t width, uint64_t height,
                                     int samples, uint64_t *held, struct imf_error *err) {
    bool tiled = TIFFIsTiled(s->tif);
    uint32_t count = tiled ? TIFFNumberOfTiles(s->tif) : TIFFNumberOfStrips(s->tif);
    int most = s->reader->limits.max_scans;
    uint16_t compression = 0;
    uint64_t coefficients = 0;
    TIFFGetField(s->tif, TIFFTAG_COMPRESSION, &compression);
    for (uint32_t i = 0; i < count && compression == COMPRESSION_JPEG; i++) {
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
            coefficients = (width + MCU) * (height + MCU) * (unsigned)samples * sizeof(int16_t);
    }
    *held += coefficients;
    return IMF_OK;
}
#endif
