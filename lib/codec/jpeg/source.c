/*
 * source.c - the stream as libjpeg's source
 *
 * Where the file ends within a segment between two scans, the source suspends: libjpeg would refuse an
 * incomplete segment, but without it the scans before are an image.
 */
#include "codec/jpeg/state.h"

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
        imf_fail(&j->limit_error, IMF_ERR_LIMIT, "more than %zu MiB of metadata",
                 IMF_METADATA_MAX >> 20);
        longjmp(j->jump, 1);
    }
    while (end > j->begin && end[-1] == 0xff)
        end--;
    j->zeros = imf_jpeg_zeros_before(j, end);
    if (imf_source_fill(s)) {
        j->source.next_input_byte = j->begin = s->buffer;
        j->source.bytes_in_buffer = s->end;
        j->received += s->end;
        imf_jpeg_enter(j, s->buffer, s->end);
        s->at = s->end;
        return TRUE;
    }
    if (c->unread_marker && !j->in_header) { /* its segment is being read */
        j->truncated = true;
        return FALSE;
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
        bool suspended = !fill_source(c);
        if (suspended)
            j->source.bytes_in_buffer = 0;
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
    imf_jpeg_enter(j, j->begin, j->source.bytes_in_buffer);
    s->at = s->end;
    j->c.src = &j->source;
}
