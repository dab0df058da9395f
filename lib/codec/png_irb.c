/*
 * png_irb.c - Photoshop's image resources, IPTC's record among them, as text in a PNG
 *
 * PNG has no chunk for them. ImageMagick's "Raw profile type" text is what other programs read and
 * write: a newline, the profile's name, its length in decimal digits, and its bytes in hexadecimal
 * ones, 36 to a line. "8bim" holds the resources as JPEG's APP13 does, "iptc" the record alone.
 */
#include "codec/png.h"

#include <stdlib.h>
#include <string.h>

#define LINE 36
#define RESOURCE "8BIM" /* then a number, a name, a length, and the data, at even places */
#define RESOURCE_IPTC "8BIM\4\4\0\0"

unsigned char *imf_png_irb_text(const unsigned char *irb, size_t size, size_t *out_size) {
    static const char digits[] = "0123456789abcdef";
    const size_t head = 32;
    char *out = malloc(head + 2 * size + size / LINE + 2), *to = out;
    if (!out)
        return NULL;
    to += snprintf(out, head, "\n8bim\n%8zu", size);
    for (size_t i = 0; i < size; i++) {
        if (i % LINE == 0)
            *to++ = '\n';
        *to++ = digits[irb[i] >> 4];
        *to++ = digits[irb[i] & 15];
    }
    *to++ = '\n';
    *out_size = (size_t)(to - out);
    return (unsigned char *)out;
}

static int digit(int c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Put a record that stands alone into a resource: `size` bytes at data + its head. */
static size_t wrap(unsigned char *data, size_t head, size_t size) {
    memcpy(data, RESOURCE_IPTC, sizeof RESOURCE_IPTC - 1);
    for (size_t i = 0; i < 4; i++)
        data[head - 4 + i] = (unsigned char)(size >> (24 - 8 * i));
    if (size % 2)
        data[head + size++] = 0;
    return head + size;
}

unsigned char *imf_png_irb(const unsigned char *text, size_t size, size_t *out_size,
                           bool *starved) {
    const size_t head = sizeof RESOURCE_IPTC - 1 + 4;
    const unsigned char *at = text, *end = text + size;
    for (int lines = 0; lines < 3; lines++) { /* empty, the name, the length */
        at = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        if (!at)
            return NULL;
        at++;
    }
    unsigned char *out = malloc(head + size / 2 + 2);
    *starved |= !out;
    size_t n = 0;
    int high = -1;
    for (; out && at < end; at++) {
        int value = digit(*at);
        if (value < 0)
            continue;
        if (high >= 0)
            out[head + n++] = (unsigned char)(high << 4 | value);
        high = high >= 0 ? -1 : value;
    }
    if (!out || n < 4) {
        free(out);
        return NULL;
    }
    bool alone = memcmp(out + head, RESOURCE, 4) != 0;
    if (alone)
        *out_size = wrap(out, head, n);
    else
        memmove(out, out + head, *out_size = n);
    return out;
}
