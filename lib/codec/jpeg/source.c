/*
 * source.c - the stream as libjpeg's source, and counting scans in it
 *
 * The standard does not limit the number of an image's scans, and each takes a pass over all
 * coefficients, however few bytes it has. So the compressed data of an image of several scans are read
 * first and their SOS markers counted, at the speed of memchr(): an image over the limits is refused
 * before its first block is decoded.
 */
#include "codec/jpeg/state.h"

#include <stdlib.h>
#include <string.h>

#define PREFETCH_MAX ((size_t)64 << 20) /* a larger image is checked while it is decoded */

static void init_source(j_decompress_ptr c) {
    (void)c;
}

uint64_t imf_jpeg_zeros_before(const struct imf_jpeg *j, const JOCTET *at) {
    const JOCTET *first = at;
    while (first > j->begin && first[-1] == 0)
        first--;
    return (uint64_t)(at - first) + (first == j->begin ? j->zeros : 0);
}

static boolean fill_source(j_decompress_ptr c) {
    static const JOCTET end_of_image[] = {0xff, JPEG_EOI};
    struct imf_jpeg *j = c->client_data;
    struct imf_source *s = &j->reader->source;
    const JOCTET *end = j->source.next_input_byte + j->source.bytes_in_buffer;
    if (j->in_header && j->received > IMF_METADATA_MAX) {
        j->too_much_metadata = true;
        longjmp(j->jump, 1);
    }
    while (end > j->begin && end[-1] == 0xff)
        end--;
    j->zeros = imf_jpeg_zeros_before(j, end);
    if (imf_source_fill(s)) {
        j->source.next_input_byte = j->begin = s->buffer;
        j->source.bytes_in_buffer = s->end;
        j->received += s->end;
        s->at = s->end;
        return TRUE;
    }
    WARNMS(c, JWRN_JPEG_EOF);
    j->source.next_input_byte = j->begin = end_of_image;
    j->source.bytes_in_buffer = sizeof end_of_image;
    return TRUE;
}

static void skip_source(j_decompress_ptr c, long count) {
    struct imf_jpeg *j = c->client_data;
    while (count > (long)j->source.bytes_in_buffer) {
        count -= (long)j->source.bytes_in_buffer;
        fill_source(c);
        if (j->truncated)
            return;
    }
    if (count > 0) {
        j->source.next_input_byte += count;
        j->source.bytes_in_buffer -= (size_t)count;
    }
}

void imf_jpeg_open_source(struct imf_jpeg *j) {
    struct imf_source *s = &j->reader->source;
    j->source = (struct jpeg_source_mgr){.next_input_byte = s->buffer + s->at,
                                         .bytes_in_buffer = s->end - s->at,
                                         .init_source = init_source,
                                         .fill_input_buffer = fill_source,
                                         .skip_input_data = skip_source,
                                         .resync_to_restart = jpeg_resync_to_restart,
                                         .term_source = init_source};
    j->begin = j->source.next_input_byte;
    j->received = s->end - s->at;
    s->at = s->end;
    j->c.src = &j->source;
}

uint64_t imf_jpeg_position(const struct imf_jpeg *j) {
    return j->received - (j->truncated ? 0 : j->source.bytes_in_buffer);
}

unsigned char *imf_jpeg_trailer(struct imf_jpeg *j, size_t max, size_t *size) {
    size_t held = j->source.bytes_in_buffer, capacity = held + IMF_SOURCE_SIZE;
    unsigned char *data = NULL, *larger;
    for (*size = 0; *size <= max; capacity *= 2) {
        larger = realloc(data, capacity);
        j->reader->metadata.out_of_memory |= !larger;
        if (!larger)
            break;
        data = larger;
        if (*size == 0 && held > 0)
            memcpy(data, j->source.next_input_byte, *size = held);
        *size += imf_source_read(&j->reader->source, data + *size, capacity - *size);
        if (*size > 0 && *size < capacity && *size <= max)
            return data;
        if (*size < capacity)
            break;
    }
    free(data);
    return NULL;
}

/* ---- counting scans ----------------------------------------------------------------------- */

/* Position among the markers of the bytes that were read. */
struct scanner {
    const unsigned char *data;
    size_t size, at, marker; /* marker: where the last segment begins */
    int scans;
    uint64_t samples; /* samples of the scans */
    bool over;        /* the image ended, or is malformed */
};

static uint64_t component_samples(const struct imf_jpeg *j, int id) {
    for (int i = 0; i < j->c.num_components; i++) {
        const jpeg_component_info *component = &j->c.comp_info[i];
        if (component->component_id == id)
            return (uint64_t)component->width_in_blocks * component->height_in_blocks * DCTSIZE2;
    }
    return 0;
}

/* Go to the next marker or past one; false when that needs more bytes. */
static bool step(const struct imf_jpeg *j, struct scanner *w) {
    enum { MARKER = 2, LENGTH = 2, TEM = 0x01 };
    const unsigned char *p =
        w->at < w->size ? memchr(w->data + w->at, 0xff, w->size - w->at) : NULL;
    if (!p) {
        w->at = w->size > w->at ? w->size : w->at;
        return false;
    }
    w->at = (size_t)(p - w->data);
    size_t left = w->size - w->at;
    if (left < MARKER)
        return false;
    int code = p[1];
    if (code == 0xff) {
        w->at++;
    } else if (code == 0 || code == TEM || (code >= JPEG_RST0 && code <= JPEG_RST0 + 8)) {
        w->at += MARKER; /* stuffing, a restart, SOI: no length follows */
    } else if (code == JPEG_EOI) {
        w->over = true;
    } else {
        if (left < MARKER + LENGTH)
            return false;
        size_t length = (size_t)p[2] << 8 | p[3];
        if (code ==
            0xda) { /* SOS: length, number of components, an identifier and tables of each */
            if (left < MARKER + length)
                return false;
            w->scans++;
            for (size_t i = 0; length >= LENGTH + 1 + 2 * (i + 1) && i < p[4]; i++)
                w->samples += component_samples(j, p[5 + 2 * i]);
        }
        w->marker = w->at;
        w->at += MARKER + length;
        w->over = length < LENGTH;
    }
    return true;
}

static bool grow(unsigned char **data, size_t *capacity) {
    unsigned char *larger = *capacity >= PREFETCH_MAX ? NULL : realloc(*data, *capacity * 2);
    if (!larger)
        return false;
    *data = larger;
    *capacity *= 2;
    return true;
}

enum imf_status imf_jpeg_count_scans(struct imf_jpeg *j, uint64_t memory, struct imf_error *err) {
    struct imf_source *s = &j->reader->source;
    struct scanner w = {.scans = 1, .size = j->source.bytes_in_buffer};
    size_t capacity = 2 * IMF_SOURCE_SIZE;
    enum imf_status status = IMF_OK;
    for (int i = 0; i < j->c.comps_in_scan; i++)
        w.samples += component_samples(j, j->c.cur_comp_info[i]->component_id);
    unsigned char *data = malloc(capacity);
    if (!data)
        return imf_fail_memory(err, capacity);
    memcpy(data, j->source.next_input_byte, w.size);
    for (;;) {
        w.data = data;
        while (!status && !w.over && step(j, &w))
            status = imf_jpeg_check_scans(j, w.scans, w.samples, err);
        if (status || w.over)
            break;
        if (w.size == capacity && (capacity > memory / 2 || !grow(&data, &capacity)))
            break;
        size_t got = imf_source_read(s, data + w.size, capacity - w.size);
        if (got == 0) { /* drop an incomplete segment, which libjpeg would refuse */
            w.size = w.at > w.size ? w.marker : w.at;
            break;
        }
        w.size += got;
        j->received += got;
    }
    j->prefetched = data;
    j->source.next_input_byte = j->begin = data;
    j->source.bytes_in_buffer = w.size;
    return status;
}
