/* surface.c - pixel surfaces with margins, and checked sizes */
#include "base/image/surface.h"

#include "base/pages.h"

#include <stdlib.h>
#include <string.h>

bool imf_size_mul(size_t a, size_t b, size_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}

bool imf_size_add(size_t a, size_t b, size_t *out) {
    return !__builtin_add_overflow(a, b, out);
}

static bool round_up(size_t n, size_t *out) {
    if (!imf_size_add(n, IMF_SLACK - 1, out))
        return false;
    *out -= *out % IMF_SLACK;
    return true;
}

enum imf_status imf_surface_layout(struct imf_surface *s, enum imf_sample sample, int width,
                                   int height, int channels, struct imf_margin margin,
                                   struct imf_error *err) {
    size_t c = (size_t)channels, left, body, pitch, rows, size, bytes;
    *s = (struct imf_surface){
        .sample = sample, .width = width, .height = height, .channels = channels, .margin = margin};
    rows = (size_t)margin.top + (size_t)height + (size_t)margin.bottom;
    /* The slack behind a row is the next row's left margin or pitch padding; the last row's is
     * added to the size. */
    bool fits = imf_size_mul((size_t)margin.left, c, &left) && round_up(left, &left) &&
                imf_size_mul((size_t)width + (size_t)margin.right, c, &body) &&
                imf_size_add(left, body, &pitch) && imf_size_add(pitch, IMF_SLACK, &pitch) &&
                round_up(pitch, &pitch) && imf_size_mul(pitch, rows, &size) &&
                imf_size_add(size, IMF_SLACK, &size) &&
                imf_size_mul(size, imf_sample_size(sample), &bytes);
    if (!fits)
        return imf_fail(err, IMF_ERR_LIMIT, "%dx%d pixels with their margins are too many", width,
                        height);
    s->pitch = pitch;
    s->origin = (size_t)margin.top * pitch + left;
    s->size = size;
    return IMF_OK;
}

size_t imf_surface_bytes(const struct imf_surface *s) {
    return s->size * imf_sample_size(s->sample);
}

enum imf_status imf_surface_alloc(struct imf_surface *s, struct imf_error *err) {
    const size_t page = 4096;
    size_t bytes = imf_surface_bytes(s), whole;
    if (!imf_size_add(bytes, page - 1, &whole) ||
        !(s->host = aligned_alloc(page, whole / page * page)))
        return imf_fail_memory(err, bytes);
    imf_use_large_pages(s->host, bytes);
    return IMF_OK;
}

void imf_surface_free(struct imf_surface *s) {
    free(s->host);
    s->host = NULL;
}

void *imf_surface_row(const struct imf_surface *s, int y) {
    ptrdiff_t at = (ptrdiff_t)s->origin + (ptrdiff_t)y * (ptrdiff_t)s->pitch;
    return (char *)s->host + at * (ptrdiff_t)imf_sample_size(s->sample);
}

void imf_surface_copy(const struct imf_surface *to, const struct imf_surface *from) {
    size_t row = (size_t)to->width * (size_t)to->channels * imf_sample_size(to->sample);
    for (int y = 0; y < to->height; y++)
        memcpy(imf_surface_row(to, y), imf_surface_row(from, y), row);
}
