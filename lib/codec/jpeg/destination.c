/* destination.c - a JPEG in memory, as libjpeg's destination */
#include "codec/jpeg/destination.h"

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

void imf_jpeg_destination_free(struct imf_jpeg_destination *d) {
    free(d->data);
}
