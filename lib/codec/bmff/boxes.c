/* boxes.c - the boxes of ISO's base media file format, in memory */
#include "codec/bmff/boxes.h"

#include "codec/metadata/bytes.h"

#include <string.h>

void imf_box_skip(struct imf_box *box, size_t bytes) {
    box->cut |= bytes > box->size;
    bytes = bytes < box->size ? bytes : box->size;
    box->data += bytes;
    box->at += bytes;
    box->size -= bytes;
}

uint64_t imf_box_take(struct imf_box *box, int bytes) {
    uint64_t value = (size_t)bytes <= box->size ? imf_get(box->data, bytes, true) : 0;
    imf_box_skip(box, (size_t)bytes);
    return value;
}

const char *imf_box_text(struct imf_box *box) {
    const unsigned char *begin = box->data, *end = box->size ? memchr(begin, 0, box->size) : NULL;
    imf_box_skip(box, end ? (size_t)(end - begin) + 1 : box->size + 1);
    return end ? (const char *)begin : NULL;
}

bool imf_box_next(struct imf_box *in, struct imf_box *out) {
    enum { HEAD = 8, LONG_HEAD = 16 };
    if (in->size < HEAD) {
        in->cut |= in->size > 0;
        return false;
    }
    struct imf_box rest = *in;
    size_t head = HEAD;
    uint64_t size = imf_box_take(&rest, 4);
    rest.begin = in->at;
    rest.type = (uint32_t)imf_box_take(&rest, 4);
    if (size == 1) { /* it follows in 8 bytes */
        head = LONG_HEAD;
        size = imf_box_take(&rest, 8);
    } else if (size == 0) { /* to the end */
        size = in->size;
    }
    rest.cut = in->cut |= size < head || size > in->size;
    size = size < head ? head : size;
    size = size < in->size ? size : in->size;
    rest.size = size > head ? (size_t)size - head : 0;
    *out = rest;
    imf_box_skip(in, (size_t)size);
    out->cut = false;
    return true;
}

bool imf_box_find(const struct imf_box *in, uint32_t type, struct imf_box *out) {
    struct imf_box rest = *in;
    while (imf_box_next(&rest, out))
        if (out->type == type)
            return true;
    return false;
}
