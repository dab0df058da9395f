/* destination.c - a JPEG in memory, as libjpeg's destination */
#include "codec/jpeg/destination.h"

#include "codec/codec.h"
#include "codec/jpeg/mpf.h"
#include "codec/metadata/xmp.h"

#include <jerror.h>
#include <stdlib.h>

#define FIRST_CAPACITY ((size_t)1 << 20)

static void init(j_compress_ptr c) {
    (void)c;
}

static boolean grow(j_compress_ptr c) {
    struct imf_jpeg_destination *d = (struct imf_jpeg_destination *)c->dest;
    size_t capacity = d->capacity ? 2 * d->capacity : FIRST_CAPACITY;
    d->too_large = d->max && capacity > d->max && d->capacity > 0;
    unsigned char *data = d->too_large ? NULL : realloc(d->data, capacity);
    if (!data)
        ERREXIT1(c, JERR_OUT_OF_MEMORY, 0);
    d->data = data;
    d->manager.next_output_byte = data + d->capacity;
    d->manager.free_in_buffer = capacity - d->capacity;
    d->capacity = capacity;
    return TRUE;
}

void imf_jpeg_destination_open(struct jpeg_compress_struct *c, struct imf_jpeg_destination *d,
                               uint64_t max) {
    d->max = max;
    d->manager.init_destination = init;
    d->manager.empty_output_buffer = grow;
    d->manager.term_destination = init;
    c->dest = &d->manager;
    grow(c);
}

size_t imf_jpeg_destination_size(const struct imf_jpeg_destination *d) {
    return d->capacity - d->manager.free_in_buffer;
}

/* ---- the end ------------------------------------------------------------------------------ */

static bool put(const struct imf_writer *w, const void *data, size_t size) {
    return size == 0 || fwrite(data, 1, size, w->stream) == size;
}

/* The XMP segment without references to the trailer, if there is XMP. */
static bool put_xmp(struct imf_jpeg_destination *d, struct imf_writer *w) {
    const struct imf_meta_item *xmp = imf_metadata_find(w->metadata, IMF_META_XMP);
    size_t size = 0, prefix = sizeof IMF_XMP_PREFIX;
    const unsigned char *data =
        xmp && xmp->needs_trailer && imf_writer_wants(w, xmp) ? imf_writer_data(w, xmp) : NULL;
    if (data)
        d->xmp = imf_xmp_remove(data, xmp->size, IMF_XMP_TRAILER_REFS, &size, &w->out_of_memory);
    if (!d->xmp)
        return true;
    size_t length = 2 + prefix + size;
    const unsigned char head[] = {0xff, JPEG_APP0 + 1, (unsigned char)(length >> 8),
                                  (unsigned char)length};
    return put(w, head, sizeof head) && put(w, IMF_XMP_PREFIX, prefix) && put(w, d->xmp, size);
}

bool imf_jpeg_destination_write(struct imf_jpeg_destination *d, struct imf_writer *w) {
    const struct imf_metadata *m = w->metadata;
    const struct imf_meta_item *trailer = imf_metadata_find(m, IMF_META_JPEG_TRAILER);
    size_t size = imf_jpeg_destination_size(d);
    const struct imf_mpf_position from = {m->mpf_at, m->trailer_at}, to = {d->mpf_at, size};
    if (trailer && !w->no_trailer &&
        (d->mpf_size == 0 ||
         imf_mpf_move(d->data + d->mpf_at, d->mpf_size, &from, &to, trailer->size)))
        return put(w, d->data, size) && put(w, trailer->data, trailer->size);
    if (!w->no_trailer)
        w->no_trailer = "they are not where the file says";
    return put(w, d->data, d->refs_at) && put_xmp(d, w) &&
           put(w, d->data + d->refs_end, size - d->refs_end);
}

void imf_jpeg_destination_free(struct imf_jpeg_destination *d) {
    free(d->data);
    free(d->xmp);
}
