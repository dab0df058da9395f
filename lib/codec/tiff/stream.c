/*
 * stream.c - a reader's stream, and libtiff on it
 *
 * The directory may be anywhere in a file, which is read by pread(); another stream is read into
 * memory first. libtiff finds a directory by its number or walks all of them to number one, which is quadratic in a stack:
 * it gets a header that names the one which is read. Its messages come to handlers of this stream alone, and it allocates little more
 * at once than the file has bytes, or a strip that the limits allow.
 */
#include "codec/decoder.h"

#ifdef IMF_WITH_TIFF
#include "base/image/surface.h"
#include "codec/tiff/stream.h"

#include <string.h>

#define SPARE ((uint64_t)64 << 20)

/* ---- bytes ----------------------------------------------------------------------------------- */

enum imf_status imf_tiff_open_bytes(struct imf_tiff_stream *s, struct imf_error *err) {
    size_t size;
    s->in.bytes = imf_source_bytes(&s->reader->source);
    if (!s->in.bytes.data)
        return IMF_OK;
    enum imf_status status =
        imf_reader_read_all(s->reader, SIZE_MAX, "a TIFF from a pipe", &s->bytes, &size, err);
    s->in.bytes = (struct imf_bytes){.data = s->bytes, .size = size};
    return status;
}

static tmsize_t read_bytes(thandle_t handle, void *dst, tmsize_t size) {
    struct imf_tiff_stream *s = handle;
    unsigned char header[16];
    size_t end = imf_tiff_make_header(header, s->in.big_endian, s->in.wide, s->at);
    size_t got = imf_bytes_read(&s->in.bytes, s->position, dst, (size_t)size);
    for (size_t i = 0; i < got && s->position + i < end; i++)
        ((unsigned char *)dst)[i] = header[s->position + i];
    s->position += got;
    return s->in.bytes.error ? -1 : (tmsize_t)got;
}

static tmsize_t write_bytes(thandle_t handle, void *src, tmsize_t size) {
    (void)handle, (void)src, (void)size;
    return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    struct imf_tiff_stream *s = handle;
    uint64_t from[] = {[SEEK_SET] = 0, [SEEK_CUR] = s->position, [SEEK_END] = s->in.bytes.size};
    return s->position = from[whence] + offset;
}

static toff_t size_of(thandle_t handle) {
    return ((struct imf_tiff_stream *)handle)->in.bytes.size;
}

static int close_nothing(thandle_t handle) {
    (void)handle;
    return 0;
}

/* ---- messages -------------------------------------------------------------------------------- */

static int on_error(TIFF *tif, void *data, const char *module, const char *format, va_list args) {
    struct imf_tiff_stream *s = data;
    (void)tif, (void)module;
    if (!s->message[0])
        vsnprintf(s->message, sizeof s->message, format, args);
    return 1;
}

/* Of damage in data of fax machines and JPEG libtiff warns, too, and guesses what is missing. */
static int on_warning(TIFF *tif, void *data, const char *module, const char *format, va_list args) {
    static const char *const harmless[] = {"Old-style LZW",
                                           "The JPEG strip/tile is encoded with progressive mode"};
    struct imf_tiff_stream *s = data;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strncmp(format, harmless[i], strlen(harmless[i])) == 0)
            return 1;
    if (!s->decoding)
        return 1;
    s->guessed = true;
    return on_error(tif, data, module, format, args);
}

bool imf_tiff_open_library(struct imf_tiff_stream *s, uint64_t at) {
    struct imf_tiff_directory directory;
    s->at = at;
    imf_tiff_load(&directory, &s->in, at, &s->reader->metadata.out_of_memory);
    uint64_t strip = imf_tiff_strip_bytes(&s->in, &directory);
    imf_tiff_unload(&directory);
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options)
        return false;
    uint64_t limit = s->reader->limits.max_memory,
             most = s->in.bytes.size > strip ? s->in.bytes.size : strip;
    most = limit && most > limit && s->in.bytes.size <= limit ? limit : most;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)(most + SPARE));
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, s);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, s);
    /* O: of the strips' offsets only those that are asked for are read. */
    s->tif = TIFFClientOpenExt("", "rO", s, read_bytes, write_bytes, seek, close_nothing, size_of,
                               NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return s->tif != NULL;
}

enum imf_status imf_tiff_failure(struct imf_tiff_stream *s, int done, struct imf_error *err) {
    char what[sizeof s->message + 16];
    const char *text = s->message + (strncmp(s->message, ": ", 2) == 0 ? 2 : 0);
    bool ends = !*text || strncmp(text, "Read error", 10) == 0;
    snprintf(what, sizeof what, ends ? "truncated" : "damaged (%s)", text);
    if (s->in.bytes.error)
        s->reader->source.error = s->in.bytes.error;
    if (done >= 0 || s->in.bytes.error)
        return imf_reader_damaged(s->reader, imf_max(done, 0), what, err);
    return imf_fail(err, IMF_ERR_DAMAGED, "%s in the header", what);
}
#endif
