/* decoder.c - what decoders call */
#include "codec/decoder.h"

#include "base/image/surface.h"
#include "imfilter_program.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum imf_status imf_limits_check(const struct imf_limits *limits, uint64_t width, uint64_t height,
                                 struct imf_error *err) {
    uint64_t limit = limits->max_pixels, count;
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
    enum imf_status status = imf_limits_check(&r->limits, width, height, err);
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

enum imf_status imf_reader_buffer(struct imf_reader *r, uint64_t bytes, const char *what,
                                  struct imf_error *err) {
    r->memory = bytes;
    r->buffered = true;
    return imf_memory_fits(r->limits.max_memory, bytes, what, err);
}

void imf_reader_lose(struct imf_reader *r, const char *name, const char *why) {
    struct imf_account_entry *e = imf_account_find(&r->account, r->at);
    if (e && name)
        snprintf(e->part.name, sizeof e->part.name, "%s", name);
    if (e && why)
        e->part.why = why;
}

struct imf_meta_item *imf_reader_add_metadata(struct imf_reader *r, enum imf_meta_kind kind,
                                              unsigned strip, const void *data, size_t size) {
    struct imf_metadata *m = &r->metadata;
    struct imf_meta_item *item = imf_metadata_add(m, kind, strip, data, size);
    struct imf_meta_item *first = !item && kind <= IMF_META_ICC ? m->of[kind] : NULL;
    if (item)
        imf_account_claim(&r->account, r->at, item);
    else if (first && first->size == size && memcmp(first->data, data, size) == 0)
        imf_account_claim(&r->account, r->at, first); /* a copy */
    else
        imf_reader_lose(r, NULL, first ? "the first of its kind counts" : "too large");
    return item;
}

void imf_reader_add_exif(struct imf_reader *r, const void *data, size_t size) {
    bool prefixed = size >= sizeof IMF_EXIF_PREFIX && memcmp(data, IMF_EXIF_PREFIX, 5) == 0;
    size_t skip = prefixed ? sizeof IMF_EXIF_PREFIX : 0;
    imf_reader_add_metadata(r, IMF_META_EXIF, IMF_STRIP_EXIF, (const unsigned char *)data + skip,
                            size - skip);
}

enum imf_status imf_reader_read_all(struct imf_reader *r, size_t most, const char *what,
                                    unsigned char **data, size_t *size, struct imf_error *err) {
    struct imf_source *s = &r->source;
    *data = NULL;
    *size = 0;
    for (size_t capacity = 2 * IMF_SOURCE_SIZE; *size < most; capacity *= 2) {
        capacity = capacity < most ? capacity : most;
        enum imf_status status = imf_memory_fits(r->limits.max_memory, capacity, what, err);
        unsigned char *larger = status ? NULL : realloc(*data, capacity);
        if (!larger) {
            free(*data);
            *data = NULL;
            return status ? status : imf_fail_memory(err, capacity);
        }
        *data = larger;
        *size += imf_source_read(s, larger + *size, capacity - *size);
        if (*size < capacity)
            break;
    }
    return s->error ? imf_fail_io(err, s->error) : IMF_OK;
}

void imf_reader_add_trailer(struct imf_reader *r) {
    struct imf_source *s = &r->source;
    bool listed = r->metadata.needs_trailer;
    unsigned char *data;
    size_t size;
    r->at = r->metadata.trailer_at = imf_source_position(s);
    if (!listed && !imf_reader_seeks(r)) /* a pipe may have no end */
        return;
    if (s->at == s->end && !imf_source_fill(s))
        return;
    enum imf_status status =
        imf_reader_read_all(r, IMF_METADATA_MAX + 1, "what follows the image", &data, &size, NULL);
    r->metadata.out_of_memory |= status == IMF_ERR_MEMORY;
    if (!status && size > 0 && size <= IMF_METADATA_MAX &&
        (listed || (size >= 8 && imf_account_behind(data, data + size - 4))))
        imf_reader_add_metadata(r, listed ? IMF_META_JPEG_TRAILER : IMF_META_TRAILER,
                                IMF_STRIP_OTHER | IMF_STRIP_EXIF, data, size);
    free(data);
}

void imf_reader_warn(struct imf_reader *r, const char *format, ...) {
    if (r->warning[0])
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(r->warning, sizeof r->warning, format, args);
    va_end(args);
}

bool imf_reader_drop_blocks(struct imf_reader *r) {
    if (!r->blocks)
        return false;
    r->blocks = 0;
    r->metadata.jpeg.original = NULL;
    imf_reader_warn(
        r,
        "blocks that do not change are encoded anew: their coefficients exceed the limit of "
        "memory (raise it with --max-memory)");
    return true;
}

bool imf_reader_seeks(const struct imf_reader *r) {
    return !imf_source_bytes(&r->source).data;
}

void imf_reader_close_account(struct imf_reader *r) {
    struct imf_bytes file = imf_source_bytes(&r->source);
    imf_account_close(&r->account, &file);
    r->metadata.out_of_memory |= r->account.out_of_memory;
}

enum imf_status imf_reader_damaged(const struct imf_reader *r, int done, const char *what,
                                   struct imf_error *err) {
    if (r->source.error)
        return imf_fail_io(err, r->source.error);
    char page[32] = "", channel[32] = "";
    if (r->pages > 1)
        snprintf(page, sizeof page, " of page %d", imf_max(r->page, 1));
    if (r->info.spectral)
        snprintf(channel, sizeof channel, " of channel %d", r->channel + 1);
    return imf_fail(err, IMF_ERR_DAMAGED, "%s after row %d of %d%s%s", what, r->row + done,
                    r->info.height, channel, page);
}
