/*
 * parts.c - a JPEG's segments and scans in the account of its file
 *
 * A segment is 0xff, its marker, and a length, or two bytes alone; behind a scan's header data follow, in
 * which 0xff stands before 0, a restart marker or the next segment (ITU T.81, B.1.1).
 */
#include "codec/jpeg/state.h"

#include <string.h>

enum { SOI = 0xd8, EOI = 0xd9, SOS = 0xda, RST0 = 0xd0, RST7 = 0xd7, TEM = 1, LENGTH = 2 };

static void begin(struct imf_jpeg_walk *w, int marker) {
    w->marker = marker;
    w->key = w->at;
    w->have = 0;
    bool bare =
        marker == SOI || marker == EOI || marker == TEM || (marker >= RST0 && marker <= RST7);
    w->state = marker == EOI ? IMF_WALK_ENDED : bare ? IMF_WALK_BETWEEN : IMF_WALK_HEAD;
}

static void end_segment(struct imf_jpeg_walk *w) {
    w->state = w->marker == SOS ? IMF_WALK_SCAN : IMF_WALK_BETWEEN;
    w->scanned = w->at;
}

/* The head is complete, or all of the segment. */
static void enter(struct imf_jpeg *j, struct imf_jpeg_walk *w, size_t length) {
    w->left = length > w->have ? length - w->have : 0;
    imf_jpeg_enter_segment(j, w->have - LENGTH, w->at - w->start + w->left);
    w->state = IMF_WALK_DATA;
    if (w->left == 0)
        end_segment(w);
}

/* The scan's data up to `end`. */
static void enter_scan(struct imf_jpeg *j, uint64_t end) {
    uint64_t from = j->walk.scanned;
    j->walk.scanned = end;
    imf_account_add(&j->reader->account, from, end - from, IMF_PIXELS, 0, "pixels");
}

static void in_head(struct imf_jpeg *j, struct imf_jpeg_walk *w, unsigned char byte) {
    w->head[w->have++] = byte;
    w->at++;
    size_t length = (size_t)w->head[0] << 8 | w->head[1];
    if (w->have >= LENGTH && (w->have == sizeof w->head || w->have >= length))
        enter(j, w, length);
}

/* A byte that may begin a marker, or be one. */
static void between(struct imf_jpeg *j, struct imf_jpeg_walk *w, unsigned char byte) {
    bool scan = w->state == IMF_WALK_SCAN, after = w->after_ff;
    w->after_ff = byte == 0xff;
    w->start = w->after_ff && !after ? w->at : w->start;
    w->at++;
    if (w->after_ff || !after || byte == 0 || (scan && byte >= RST0 && byte <= RST7))
        return;
    if (scan)
        enter_scan(j, w->start);
    begin(w, byte);
    if (w->state != IMF_WALK_HEAD)
        imf_jpeg_enter_segment(j, 0, w->at - w->start);
}

void imf_jpeg_enter(struct imf_jpeg *j, const unsigned char *data, size_t size) {
    struct imf_jpeg_walk *w = &j->walk;
    const unsigned char *end = data + size;
    while (data < end && w->state != IMF_WALK_ENDED) {
        size_t left = (size_t)(end - data);
        if (w->state == IMF_WALK_DATA) {
            size_t n = left < w->left ? left : w->left;
            data += n;
            w->at += n;
            w->left -= n;
            if (w->left == 0)
                end_segment(w);
        } else if (w->state == IMF_WALK_SCAN && !w->after_ff) {
            const unsigned char *next = memchr(data, 0xff, left);
            size_t n = next ? (size_t)(next - data) : left;
            data += n;
            w->at += n;
            if (next)
                between(j, w, *data++);
        } else if (w->state == IMF_WALK_HEAD) {
            in_head(j, w, *data++);
        } else {
            between(j, w, *data++);
        }
    }
    if (w->state == IMF_WALK_SCAN)
        enter_scan(j, w->after_ff ? w->start : w->at);
}
