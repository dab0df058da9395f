/* reader.c - all that readers have in common */
#include "base/surface.h"
#include "codec/codec.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum imf_status imf_fail_io(struct imf_error *err, int number) {
    return imf_fail(err, IMF_ERR_IO, "%s", number ? strerror(number) : "input/output error");
}

/* ---- reading ------------------------------------------------------------------------------ */

static size_t source_fread(struct imf_source *s, void *dst, size_t size) {
    if (s->ended)
        return 0;
    errno = 0;
    size_t got = fread(dst, 1, size, s->stream);
    if (got < size) {
        s->ended = true;
        if (ferror(s->stream))
            s->error = errno ? errno : EIO;
    }
    return got;
}

bool imf_source_fill(struct imf_source *s) {
    s->at = 0;
    s->end = source_fread(s, s->buffer, sizeof s->buffer);
    return s->end > 0;
}

size_t imf_source_read(struct imf_source *s, void *dst, size_t size) {
    unsigned char *to = dst;
    size_t done = 0;
    while (done < size) {
        size_t left = size - done, held = s->end - s->at;
        if (held == 0 && left >= sizeof s->buffer)
            return done + source_fread(s, to + done, left);
        if (held == 0 && !imf_source_fill(s))
            break;
        held = s->end - s->at;
        size_t n = left < held ? left : held;
        memcpy(to + done, s->buffer + s->at, n);
        s->at += n;
        done += n;
    }
    return done;
}

static enum imf_status check_pixels(const struct imf_reader *r, uint64_t width, uint64_t height,
                                    struct imf_error *err) {
    uint64_t limit = r->limits.max_pixels, count;
    if (__builtin_mul_overflow(width, height, &count))
        count = UINT64_MAX;
    if (limit == 0 || count <= limit)
        return IMF_OK;
    uint64_t unit = limit >= 1000000 && count / 1000000 > limit / 1000000 ? 1000000 : 1;
    const char *name = unit > 1 ? "Mpixel" : "pixels";
    return imf_fail(err, IMF_ERR_LIMIT,
                    "%" PRIu64 " %s is over the limit of %" PRIu64
                    " %s (raise it with --max-pixels)",
                    count / unit, name, limit / unit, name);
}

enum imf_status imf_reader_shape(struct imf_reader *r, uint64_t width, uint64_t height,
                                 enum imf_color color, bool alpha, int depth,
                                 struct imf_error *err) {
    static const int channels[] = {[IMF_COLOR_GRAY] = 1, [IMF_COLOR_RGB] = 3, [IMF_COLOR_CMYK] = 4};
    if (width < 1 || height < 1 || width > INT_MAX || height > INT_MAX)
        return imf_fail(err, IMF_ERR_DAMAGED, "damaged header (%" PRIu64 " x %" PRIu64 " pixels)",
                        width, height);
    enum imf_status status = check_pixels(r, width, height, err);
    if (status)
        return status;
    int n = channels[color] + alpha;
    if (!imf_size_mul((size_t)width, (size_t)(n * depth / 8), &r->row_bytes))
        return imf_fail(err, IMF_ERR_LIMIT, "%" PRIu64 " pixels in a row are too many", width);
    r->info = (struct imf_info){.width = (int)width,
                                .height = (int)height,
                                .channels = n,
                                .depth = depth,
                                .color = color,
                                .alpha = alpha,
                                .format = r->info.format};
    r->memory = r->row_bytes;
    return imf_memory_fits(r->limits.max_memory, r->memory, "a row of this image", err);
}

enum imf_status imf_reader_hold(struct imf_reader *r, uint64_t bytes, const char *what,
                                struct imf_error *err) {
    r->memory = bytes;
    r->whole = true;
    return imf_memory_fits(r->limits.max_memory, bytes, what, err);
}

bool imf_reader_in_order(const struct imf_reader *r) {
    return !r->whole;
}

enum imf_status imf_writer_memory(struct imf_writer *w, uint64_t bytes, const char *what,
                                  struct imf_error *err) {
    w->memory = bytes;
    return imf_memory_fits(w->encode.max_memory, bytes, what, err);
}

uint64_t imf_reader_held(const struct imf_reader *reader) {
    return reader->memory;
}

uint64_t imf_writer_held(const struct imf_writer *writer) {
    return writer->memory;
}

enum imf_status imf_memory_fits(uint64_t limit, uint64_t bytes, const char *what,
                                struct imf_error *err) {
    char need[IMF_BYTES_TEXT], most[IMF_BYTES_TEXT];
    if (limit == 0 || bytes <= limit)
        return IMF_OK;
    return imf_fail(err, IMF_ERR_LIMIT,
                    "%s needs %s, over the limit of %s (raise it with --max-memory)", what,
                    imf_bytes_text(need, (double)bytes), imf_bytes_text(most, (double)limit));
}

void imf_reader_warn(struct imf_reader *r, const char *format, ...) {
    if (r->warning[0])
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(r->warning, sizeof r->warning, format, args);
    va_end(args);
}

enum imf_status imf_reader_damaged(const struct imf_reader *r, int done, const char *what,
                                   struct imf_error *err) {
    if (r->source.error)
        return imf_fail_io(err, r->source.error);
    return imf_fail(err, IMF_ERR_DAMAGED, "%s after row %d of %d", what, r->row + done,
                    r->info.height);
}

static enum imf_status open_recognised(struct imf_reader *r, struct imf_error *err) {
    struct imf_source *s = &r->source;
    if (!imf_source_fill(s))
        return s->error ? imf_fail_io(err, s->error) : imf_fail(err, IMF_ERR_FORMAT, "empty file");
    r->info.format = imf_codec_recognise(s->buffer, s->end);
    r->codec = imf_codec_of(r->info.format);
    if (r->codec)
        return r->codec->decoder->open(r, err);
    char all[IMF_FORMATS_TEXT];
    imf_codec_titles(all, IMF_META_KINDS);
    return s->error ? imf_fail_io(err, s->error)
                    : imf_fail(err, IMF_ERR_FORMAT, "not a %s image", all);
}

enum imf_status imf_reader_open(struct imf_reader **out, FILE *stream,
                                const struct imf_limits *limits, struct imf_error *err) {
    *out = NULL;
    struct imf_reader *r = calloc(1, sizeof *r);
    if (!r)
        return imf_fail_memory(err, sizeof *r);
    r->source.stream = stream;
    r->source.start = ftello(stream);
    r->limits = limits ? *limits
                       : (struct imf_limits){.max_pixels = IMF_DEFAULT_MAX_PIXELS,
                                             .max_scans = IMF_DEFAULT_MAX_SCANS};
    enum imf_status status = open_recognised(r, err);
    if (status == IMF_OK)
        status = imf_carried(r->metadata.starved, err);
    if (status)
        imf_reader_close(&r);
    else
        r->info.orientation = imf_metadata_orientation(&r->metadata);
    *out = r;
    return status;
}

void imf_reader_close(struct imf_reader **reader) {
    if (!*reader)
        return;
    if ((*reader)->codec)
        (*reader)->codec->decoder->close(*reader);
    imf_metadata_clear(&(*reader)->metadata);
    free((*reader)->palette);
    free(*reader);
    *reader = NULL;
}

const struct imf_info *imf_reader_info(const struct imf_reader *reader) {
    return &reader->info;
}

const struct imf_metadata *imf_reader_metadata(const struct imf_reader *reader) {
    return &reader->metadata;
}

const char *imf_reader_warning(const struct imf_reader *reader) {
    return reader->warning[0] ? reader->warning : NULL;
}

/* Damage outranks the harmless warnings that may have come before it. */
static void survive(struct imf_reader *r, const struct imf_error *why) {
    int missing = r->info.height - r->row;
    r->broken = true;
    if (missing > 0)
        snprintf(r->warning, sizeof r->warning, "%.200s: the last %d row%s missing", why->text,
                 missing, missing > 1 ? "s are" : " is");
    else
        snprintf(r->warning, sizeof r->warning, "%.200s", why->text);
}

enum imf_status imf_reader_rows(struct imf_reader *r, void *dst, size_t stride, int rows,
                                struct imf_error *err) {
    unsigned char *to = dst;
    if (rows < 0 || rows > r->info.height - r->row || stride < r->row_bytes)
        return imf_fail(err, IMF_ERR_ARGUMENT, "row %d of %d, %d rows: no such rows, or stride",
                        r->row, r->info.height, rows);
    if (r->failed)
        return imf_fail(err, r->failed, "reading went wrong earlier");
    struct imf_error why = {0};
    enum imf_status status = IMF_OK;
    int done = 0;
    if (rows > 0 && !r->broken) {
        status = r->codec->decoder->rows(r, to, stride, rows, &done, &why);
        r->row += done;
        if (status == IMF_OK && r->row == r->info.height)
            status = r->codec->decoder->end(r, &why);
        if (status == IMF_OK)
            status = imf_carried(r->metadata.starved, &why);
    }
    bool damaged = status == IMF_ERR_DAMAGED, lenient = r->limits.lenient;
    bool some = r->row > 0 || (r->recoverable && !lenient);
    if (damaged && lenient && some) {
        survive(r, &why);
        status = IMF_OK;
    }
    if (status) {
        r->failed = status;
        return imf_fail(err, status, "%s%s", why.text,
                        damaged && some ? " (accept the readable part with --lenient)"
                        : damaged       ? ": no row of it can be read"
                                        : "");
    }
    r->row += rows - done;
    if (r->row == r->info.height && imf_metadata_orientation(&r->metadata) != r->info.orientation)
        imf_reader_warn(r,
                        "the EXIF orientation follows the pixels, too late to be applied (give "
                        "the file by its name)");
    for (; done < rows; done++)
        memset(to + (size_t)done * stride, 0, r->row_bytes);
    return IMF_OK;
}

const struct imf_palette *imf_reader_palette(const struct imf_reader *r) {
    return r->palette && r->row == 0 && !r->limits.lenient ? r->palette : NULL;
}

void imf_reader_take_indices(struct imf_reader *r) {
    r->indices = true;
    r->row_bytes = (size_t)r->info.width;
}
