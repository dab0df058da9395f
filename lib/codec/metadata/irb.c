/* irb.c - Photoshop's image resources, of which one holds IPTC's record */
#include "codec/metadata/irb.h"

#include "codec/metadata/bytes.h"

#include <stdlib.h>
#include <string.h>

static const char iptc_head[] = "8BIM\4\4\0"; /* with its NUL an empty name of even length */
enum { HEAD = sizeof iptc_head, SIZE = 4 };

/* The end of the resource at `at`, or 0: there is none. *data: where its data begin. */
static size_t end_of(const unsigned char *irb, size_t size, size_t at, size_t *data) {
    if (size - at < HEAD + SIZE || memcmp(irb + at, IMF_IRB_SIGNATURE, 4) != 0)
        return 0;
    *data = at + 6 + ((size_t)irb[at + 6] + 2) / 2 * 2 + SIZE;
    if (*data > size)
        return 0;
    size_t length = imf_get32(irb + *data - SIZE);
    if (length > size - *data)
        return 0;
    return *data + length + (length % 2 && length < size - *data);
}

/* A resource that continues in another of a JPEG's segments is cleared to the end of this one. */
unsigned char *imf_irb_edit(const unsigned char *from, size_t size) {
    static const unsigned char number[][2] = {{0x04, 0x09}, {0x04, 0x0c}};
    unsigned char *irb = malloc(size + 1);
    size_t data = 0;
    if (!irb)
        return NULL;
    memcpy(irb, from, size);
    for (size_t at = 0, end = 1; end && at < size; at = end) {
        data = 0;
        end = end_of(irb, size, at, &data);
        for (size_t i = 0; i < sizeof number / sizeof number[0]; i++)
            if (data > 0 && data <= size && memcmp(irb + at + 4, number[i], 2) == 0)
                memset(irb + data, 0, (end ? end : size) - data);
    }
    return irb;
}

/* Where the resource with IPTC's record begins; `size`: there is none. */
static size_t find(const unsigned char *irb, size_t size, size_t *data, size_t *end) {
    for (size_t at = 0; at < size; at = *end) {
        *end = end_of(irb, size, at, data);
        if (!*end)
            break;
        if (memcmp(irb + at, iptc_head, 6) == 0)
            return at;
    }
    return size;
}

const unsigned char *imf_irb_iptc(const unsigned char *irb, size_t size, size_t *iptc_size) {
    size_t data, end;
    if (find(irb, size, &data, &end) == size)
        return NULL;
    *iptc_size = imf_get32(irb + data - SIZE);
    return irb + data;
}

unsigned char *imf_irb_with_iptc(const unsigned char *irb, size_t irb_size,
                                 const unsigned char *iptc, size_t iptc_size, size_t *size) {
    unsigned char *out = malloc(HEAD + SIZE + iptc_size + 1 + irb_size), *to = out;
    size_t data, end = irb_size;
    size_t at = iptc ? find(irb, irb_size, &data, &end) : irb_size;
    if (!out)
        return NULL;
    if (iptc) {
        memcpy(to, iptc_head, HEAD);
        imf_put32(to + HEAD, (uint32_t)iptc_size);
        memcpy(to + HEAD + SIZE, iptc, iptc_size);
        to += HEAD + SIZE + iptc_size;
        if (iptc_size % 2)
            *to++ = 0;
    }
    if (at > 0)
        memcpy(to, irb, at);
    to += at;
    if (at < irb_size)
        memcpy(to, irb + end, irb_size - end);
    to += at < irb_size ? irb_size - end : 0;
    *size = (size_t)(to - out);
    return out;
}
