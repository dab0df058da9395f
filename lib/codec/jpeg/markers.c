/*
 * markers.c - the segments of a JPEG's header as metadata
 *
 * libjpeg's own handler keeps segments in a list that it searches for each new one, which takes
 * quadratic time in a file of many comments. So they are read here.
 */
#include "codec/jpeg/state.h"
#include "codec/metadata/xmp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ICC_PREFIX                                                                                 \
    "ICC_PROFILE" /* ICC.1, annex B.4: then the part's number, and how many there are */

/* False where the file ends after the header: the source suspends. */
static bool read_bytes(j_decompress_ptr c, unsigned char *to, size_t size) {
    while (size > 0) {
        if (c->src->bytes_in_buffer == 0 && !c->src->fill_input_buffer(c))
            return false;
        size_t n = size < c->src->bytes_in_buffer ? size : c->src->bytes_in_buffer;
        memcpy(to, c->src->next_input_byte, n);
        c->src->next_input_byte += n;
        c->src->bytes_in_buffer -= n;
        to += n;
        size -= n;
    }
    return true;
}

/* ---- kinds of segments -------------------------------------------------------------------- */

struct segment {
    int marker;
    const char *prefix;
    size_t skip; /* bytes of the prefix that are not kept */
    size_t size; /* bytes of the prefix */
    enum imf_meta_kind kind;
    unsigned strip;
    void (*add)(struct imf_jpeg *j, const struct segment *s, const unsigned char *data,
                size_t size); /* NULL: it is lost */
    const char *name;         /* NULL: unknown */
};

static struct imf_meta_item *add(struct imf_jpeg *j, const struct segment *s,
                                 const unsigned char *data, size_t size) {
    struct imf_meta_item *item = imf_reader_add_metadata(j->reader, s->kind, s->strip, data, size);
    if (item)
        item->tag = (uint32_t)j->c.unread_marker;
    return item;
}

static void add_item(struct imf_jpeg *j, const struct segment *s, const unsigned char *data,
                     size_t size) {
    add(j, s, data, size);
}

static void add_reference(struct imf_jpeg *j, const struct segment *s, const unsigned char *data,
                          size_t size) {
    struct imf_metadata *m = &j->reader->metadata;
    bool list = s->kind == IMF_META_JPEG_MPF;
    struct imf_meta_item *item = list && m->of[s->kind] ? NULL : add(j, s, data, size);
    if (!item)
        return;
    item->needs_trailer = m->needs_trailer = true;
    if (list)
        m->mpf_at = imf_jpeg_position(j) - size;
}

static void add_xmp(struct imf_jpeg *j, const struct segment *s, const unsigned char *data,
                    size_t size) {
    struct imf_metadata *m = &j->reader->metadata;
    struct imf_meta_item *item = add(j, s, data, size);
    size_t left = size;
    if (item)
        free(imf_xmp_remove(data, size, IMF_XMP_TRAILER_REFS, &left, &m->out_of_memory));
    if (left > 0 && left < size)
        item->needs_trailer = m->needs_trailer = true;
}

/* In the room that its number gives it. */
static void add_icc(struct imf_jpeg *j, const struct segment *s, const unsigned char *data,
                    size_t size) {
    (void)s;
    unsigned number = size >= 2 ? data[0] : 0, count = size >= 2 ? data[1] : 0;
    j->bad_icc = j->bad_icc || number == 0 || number > count || j->icc[number].at ||
                 (j->icc_count && j->icc_count != count);
    if (!j->bad_icc && !j->profile) {
        j->icc_count = count;
        j->profile = malloc(count * IMF_ICC_PIECE);
        j->reader->metadata.out_of_memory |= !j->profile;
    }
    if (j->bad_icc || !j->profile)
        return;
    j->icc[number].size = size - 2;
    j->icc[number].at = j->reader->at;
    memcpy(j->profile + (number - 1) * IMF_ICC_PIECE, data + 2, size - 2);
}

#define ANY (-1)
#define APP(n) (JPEG_APP0 + (n))
static const struct segment segments[] = {
#define PREFIX(text) text, sizeof text, sizeof text
#define KEPT(text) text, 0, sizeof text
#define BEGINS(text) text, 0, sizeof text - 1
#define SEGMENT IMF_META_JPEG_SEGMENT, IMF_STRIP_OTHER
    {JPEG_COM, "", 0, 0, IMF_META_COMMENT, IMF_STRIP_OTHER, add_item, "comment"},
    {APP(0), BEGINS("JFXX"), SEGMENT, NULL, "thumbnail"},
    {APP(1), PREFIX(IMF_EXIF_PREFIX), IMF_META_EXIF, IMF_STRIP_EXIF, add_item, "EXIF"},
    {APP(1), PREFIX(IMF_XMP_PREFIX), IMF_META_XMP, IMF_STRIP_XMP, add_xmp, "XMP"},
    {APP(1), KEPT(IMF_XMP_EXTENSION_PREFIX), IMF_META_XMP_EXTENSION, IMF_STRIP_XMP, add_item,
     "extension of the XMP"},
    {APP(1), BEGINS("FLIR"), SEGMENT, add_item, "FLIR thermal data"},
    {APP(2), PREFIX(IMF_MPF_PREFIX), IMF_META_JPEG_MPF, IMF_STRIP_OTHER, add_reference,
     "list of further pictures (MPF)"},
    {APP(2), KEPT(IMF_GAIN_MAP_PREFIX), SEGMENT, add_reference, "mark of a gain map"},
    {APP(2), PREFIX(ICC_PREFIX), IMF_META_ICC, IMF_STRIP_ICC, add_icc, "ICC profile"},
    {APP(3), BEGINS("_JPSJPS_"), SEGMENT, add_item, "stereo layout (JPS)"},
    {APP(11), BEGINS("JP"), SEGMENT, NULL, "signature or other box (JUMBF)"},
    {APP(11), BEGINS("HDR_RI"), SEGMENT, NULL, "HDR picture (JPEG-HDR)"},
    {APP(12), BEGINS("Ducky"), SEGMENT, add_item, "notes of the encoder (Ducky)"},
    {APP(13), PREFIX(IMF_IRB_PREFIX), IMF_META_IRB, IMF_STRIP_OTHER, add_item,
     "image resources (IPTC)"},
};
#define SEGMENTS (sizeof segments / sizeof segments[0])

/* The segment's row; of another APPn that of all. `size` bytes of the data are there. */
static const struct segment *segment_of(int marker, const unsigned char *data, size_t size) {
    static const struct segment other = {ANY, "", 0, 0, SEGMENT, add_item, NULL};
    for (size_t i = 0; i < SEGMENTS; i++)
        if (segments[i].marker == marker && size >= segments[i].size &&
            (!segments[i].size ||
             (data && memcmp(data, segments[i].prefix, segments[i].size) == 0)))
            return &segments[i];
    return &other;
}

void imf_jpeg_enter_segment(struct imf_jpeg *j, size_t head, uint64_t bytes) {
    enum { SOS = 0xda, LENGTH = 2 };
    const struct imf_jpeg_walk *w = &j->walk;
    struct imf_account *a = &j->reader->account;
    const unsigned char *data = w->head + LENGTH;
    bool app = w->marker >= APP(0) && w->marker <= APP(15);
    bool jfif = w->marker == APP(0) && head >= 5 && memcmp(data, "JFIF", 5) == 0;
    bool adobe = w->marker == APP(14) && head >= 5 && memcmp(data, "Adobe", 5) == 0;
    if (jfif || adobe || !(app || w->marker == JPEG_COM)) {
        bool pixels = w->marker == SOS;
        imf_account_add(a, w->start, bytes, pixels ? IMF_PIXELS : IMF_STRUCTURE, 0,
                        pixels ? "pixels" : "headers and tables");
        return;
    }
    const struct segment *s = segment_of(w->marker, data, head);
    char text[40];
    snprintf(text, sizeof text, "unknown APP%d segment", w->marker - APP(0));
    struct imf_account_entry *e =
        imf_account_add(a, w->start, bytes, IMF_LOST, s->strip, s->name ? s->name : text);
    if (e) {
        e->key = w->key;
    }
}

static boolean on_marker(j_decompress_ptr c) {
    struct imf_jpeg *j = c->client_data;
    unsigned char length[2];
    j->reader->at = imf_jpeg_position(j);
    if (!read_bytes(c, length, sizeof length))
        return FALSE;
    size_t size = (size_t)length[0] << 8 | length[1];
    if (size < sizeof length)
        ERREXIT(c, JERR_BAD_LENGTH);
    size -= sizeof length;
    if (!j->in_header) {
        c->src->skip_input_data(c, (long)size);
        return TRUE;
    }
    (void)read_bytes(c, j->segment, size); /* a header is never suspended */
    const struct segment *s = segment_of(c->unread_marker, j->segment, size);
    if (s->add)
        s->add(j, s, j->segment + s->skip, size - s->skip);
    return TRUE;
}

void imf_jpeg_handle_markers(struct imf_jpeg *j) {
    jpeg_set_marker_processor(&j->c, JPEG_COM, on_marker);
    for (int n = 1; n <= 15; n++)
        if (n != 14) /* Adobe's, which libjpeg needs itself, as it does APP0 */
            jpeg_set_marker_processor(&j->c, APP(n), on_marker);
}

void imf_jpeg_finish_markers(struct imf_jpeg *j) {
    size_t total = 0;
    for (unsigned i = 1; j->profile && i <= j->icc_count; i++) {
        j->bad_icc = j->bad_icc || !j->icc[i].at;
        memmove(j->profile + total, j->profile + (i - 1) * IMF_ICC_PIECE, j->icc[i].size);
        total += j->icc[i].size;
    }
    j->reader->at = j->icc[1].at;
    struct imf_meta_item *item =
        total > 0 && !j->bad_icc
            ? imf_reader_add_metadata(j->reader, IMF_META_ICC, IMF_STRIP_ICC, j->profile, total)
            : NULL;
    for (unsigned i = 2; item && i <= j->icc_count; i++)
        imf_account_claim(&j->reader->account, j->icc[i].at, item);
}

bool imf_jpeg_part(size_t i, struct imf_part_kind *out) {
    const struct segment *s = i < SEGMENTS ? &segments[i] : segment_of(ANY, NULL, 0);
    bool listed = i == SEGMENTS + 1;
    snprintf(out->name, sizeof out->name, "%s",
             listed    ? "pictures that a segment lists"
             : s->name ? s->name
                       : "unknown APPn segment");
    out->items = listed ? 1u << IMF_META_JPEG_TRAILER : s->add ? 1u << s->kind : 0;
    out->tag = (uint32_t)s->marker;
    out->strip = s->strip;
    out->needs_trailer = s->add == add_reference;
    return i <= SEGMENTS + 1;
}
