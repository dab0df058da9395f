/*
 * av1.c - how large the pictures of an AV1 stream are, before a decoder is entered
 *
 * A decoder makes room for what a sequence's header says, whatever the file says around it, and decodes as many frames as
 * the stream has before one that is shown. A stream is units ("OBUs"), each with its type and length.
 */
#include "codec/avif/av1.h"

#include "codec/bmff/bits.h"

#include <string.h>

enum { SEQUENCE = 1, FRAME_HEADER = 3, FRAME = 6, REDUNDANT = 7, TILE_LIST = 8 };
enum { FRAMES_MAX = 8, ENOUGH = 128 }; /* layers of a picture are at most 4; bytes of a header */

/* ---- a sequence's header (5.5) --------------------------------------------------------------- */

/* When pictures of a film are shown, and its operating points. */
static void skip_timing(struct imf_bits *b) {
    int delay_bits = 0;
    bool model = false;
    if (imf_bits_take(b, 1)) {
        imf_bits_take(b, 32), imf_bits_take(b, 32);
        if (imf_bits_take(b, 1))
            imf_bits_golomb(b);
        model = imf_bits_take(b, 1);
        if (model) {
            delay_bits = (int)imf_bits_take(b, 5) + 1;
            imf_bits_take(b, 32), imf_bits_take(b, 5), imf_bits_take(b, 5);
        }
    }
    bool initial = imf_bits_take(b, 1);
    for (int points = (int)imf_bits_take(b, 5) + 1; points > 0; points--) {
        imf_bits_take(b, 12);
        if (imf_bits_take(b, 5) > 7)
            imf_bits_take(b, 1);
        if (model && imf_bits_take(b, 1))
            imf_bits_take(b, delay_bits), imf_bits_take(b, delay_bits), imf_bits_take(b, 1);
        if (initial && imf_bits_take(b, 1))
            imf_bits_take(b, 4);
    }
}

static void skip_tools(struct imf_bits *b, bool reduced) {
    enum { SELECT = 2 };
    if (!reduced && imf_bits_take(b, 1)) /* frames have numbers */
        imf_bits_take(b, 7);
    imf_bits_take(b, 3);
    if (!reduced) {
        imf_bits_take(b, 4);
        bool order = imf_bits_take(b, 1);
        if (order)
            imf_bits_take(b, 2);
        uint32_t screen = imf_bits_take(b, 1) ? SELECT : imf_bits_take(b, 1);
        if (screen > 0 && !imf_bits_take(b, 1))
            imf_bits_take(b, 1);
        if (order)
            imf_bits_take(b, 3);
    }
    imf_bits_take(b, 3);
}

static enum imf_status check_sequence(struct imf_bits b, uint32_t width, uint32_t height,
                                      struct imf_av1_form *form, struct imf_error *err) {
    uint32_t profile = imf_bits_take(&b, 3);
    imf_bits_take(&b, 1);
    bool reduced = imf_bits_take(&b, 1);
    if (reduced)
        imf_bits_take(&b, 5);
    else
        skip_timing(&b);
    int width_bits = (int)imf_bits_take(&b, 4) + 1, height_bits = (int)imf_bits_take(&b, 4) + 1;
    uint32_t w = imf_bits_take(&b, width_bits) + 1, h = imf_bits_take(&b, height_bits) + 1;
    skip_tools(&b, reduced);
    bool high = imf_bits_take(&b, 1), twelve = profile == 2 && high && imf_bits_take(&b, 1);
    bool gray = profile != 1 && imf_bits_take(&b, 1);
    if (b.cut)
        return imf_bmff_damaged(err, "a sequence");
    if (w > width || h > height)
        return imf_bmff_damaged(err, "its pictures are larger than it says");
    const struct imf_av1_form own = {.depth = twelve ? 12 : high ? 10 : 8, .gray = gray};
    if (form->depth && (form->depth != own.depth || form->gray != own.gray))
        return imf_bmff_damaged(err, "its pictures are not as it says");
    *form = own;
    return IMF_OK;
}

/* ---- units (5.3) ----------------------------------------------------------------------------- */

/* Bytes of an item, which extents have one behind the other; or of a box. */
struct stream {
    const struct imf_bmff *b;
    const struct imf_bmff_item *item; /* NULL: there are no more extents */
    int at;                           /* the next one's number */
    const unsigned char *data;        /* in the present one */
    size_t left;
};

static bool more(struct stream *s) {
    size_t offset;
    bool cut = false;
    while (s->left == 0 && s->item &&
           imf_bmff_extent(s->b, s->item, &s->at, &offset, &s->left, &cut))
        s->data = s->b->file + offset;
    return s->left > 0;
}

/* Up to so many bytes, copied to `to` unless that is NULL; returns how many there were. */
static uint64_t read_bytes(struct stream *s, unsigned char *to, uint64_t bytes) {
    uint64_t done = 0;
    while (done < bytes && more(s)) {
        size_t n = bytes - done < s->left ? (size_t)(bytes - done) : s->left;
        if (to)
            memcpy(to + done, s->data, n);
        s->data += n;
        s->left -= n;
        done += n;
    }
    return done;
}

static unsigned read_byte(struct stream *s) {
    unsigned char byte = 0;
    read_bytes(s, &byte, 1);
    return byte;
}

/* leb128(): seven bits in a byte, the lowest first. */
static uint64_t read_length(struct stream *s) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        unsigned byte = read_byte(s);
        value |= (uint64_t)(byte & 127) << (7 * i);
        if (!(byte & 128))
            break;
    }
    return value;
}

static enum imf_status check_units(struct stream s, uint32_t width, uint32_t height, int *frames,
                                   struct imf_av1_form *form, struct imf_error *err) {
    enum imf_status status = IMF_OK;
    while (!status && more(&s)) {
        unsigned head = read_byte(&s), type = head >> 3 & 15;
        unsigned char header[ENOUGH];
        if (head & 4)
            read_byte(&s);
        uint64_t length = head & 2 ? read_length(&s) : UINT64_MAX; /* or to the end */
        if (type == SEQUENCE) {
            uint64_t kept = read_bytes(&s, header, length < ENOUGH ? length : ENOUGH);
            length -= kept;
            status = check_sequence((struct imf_bits){.data = header, .bytes = (size_t)kept}, width,
                                    height, form, err);
        } else if (type == FRAME || type == FRAME_HEADER || type == REDUNDANT) {
            ++*frames;
        } else if (type == TILE_LIST) {
            status = imf_fail(err, IMF_ERR_FORMAT, "lists of tiles (AV1) are not read");
        }
        read_bytes(&s, NULL, length);
    }
    return status;
}

/* ---- an item --------------------------------------------------------------------------------- */

enum imf_status imf_av1_check(const struct imf_bmff *b, const struct imf_bmff_item *item,
                              uint32_t width, uint32_t height, struct imf_av1_form *form,
                              struct imf_error *err) {
    struct imf_box av1c;
    int frames = 0;
    *form = (struct imf_av1_form){0};
    if (!imf_bmff_property(b, item, IMF_BOX('a', 'v', '1', 'C'), 0, &av1c))
        return imf_bmff_damaged(err, "nothing says how a picture is coded");
    if (width < 1 || height < 1)
        return imf_bmff_damaged(err, "a picture without pixels");
    imf_box_skip(&av1c, 2);
    unsigned bits = (unsigned)imf_box_take(&av1c, 1);
    imf_box_skip(&av1c, 1);
    if (av1c.cut)
        return imf_bmff_damaged(err, "a configuration");
    /* From here on sequences say nothing else. */
    *form = (struct imf_av1_form){.depth = !(bits & 64) ? 8
                                           : bits & 32  ? 12
                                                        : 10,
                                  .gray = bits & 16};
    const struct stream set = {.data = av1c.data, .left = av1c.size};
    enum imf_status status = check_units(set, width, height, &frames, form, err);
    const struct stream data = {.b = b, .item = item};
    if (!status)
        status = check_units(data, width, height, &frames, form, err);
    if (!status && frames > FRAMES_MAX)
        status = imf_fail(err, IMF_ERR_FORMAT, "a picture of %d frames is not read", frames);
    return status;
}
