/*
 * profile.c - "Raw profile type" text, which holds bytes as hexadecimal digits
 *
 * ImageMagick invented it for what PNG had no chunk for; other programs read and write it, too: a
 * newline, the profile's name, its length in decimal digits, and its bytes, 36 to a line. "8bim"
 * holds Photoshop's image resources as JPEG's APP13 does, "iptc" IPTC's record alone; "exif", "APP1"
 * and "xmp" hold EXIF and XMP, mostly with the identifiers that begin JPEG's segments.
 */
#include "codec/png/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LINE 36
#define INFLATED_MAX ((size_t)16 << 20)

static char *put_digits(char *to, const unsigned char *data, size_t size, size_t at) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        if ((at + i) % LINE == 0)
            *to++ = '\n';
        *to++ = digits[data[i] >> 4];
        *to++ = digits[data[i] & 15];
    }
    return to;
}

unsigned char *imf_png_profile_text(const char *name, const void *begin, size_t begin_size,
                                    const unsigned char *data, size_t size, size_t *out_size) {
    const size_t head = 32, all = begin_size + size;
    char *out = malloc(head + 2 * all + all / LINE + 2), *to = out;
    if (!out)
        return NULL;
    to += snprintf(out, head, "\n%s\n%8zu", name, all);
    to = put_digits(to, begin, begin_size, 0);
    to = put_digits(to, data, size, begin_size);
    *to++ = '\n';
    *out_size = (size_t)(to - out);
    return (unsigned char *)out;
}

static int digit(int c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

unsigned char *imf_png_profile(const unsigned char *text, size_t size, size_t *out_size,
                               bool *out_of_memory) {
    const unsigned char *at = text, *end = text + size;
    for (int lines = 0; lines < 3; lines++) { /* empty, the name, the length */
        at = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        if (!at)
            return NULL;
        at++;
    }
    unsigned char *out = malloc(size / 2 + 1);
    *out_of_memory |= !out;
    int high = -1;
    for (*out_size = 0; out && at < end; at++) {
        int value = digit(*at);
        if (value < 0)
            continue;
        if (high >= 0)
            out[(*out_size)++] = (unsigned char)(high << 4 | value);
        high = high >= 0 ? -1 : value;
    }
    return out;
}

unsigned char *imf_png_inflate(const unsigned char *data, size_t size, size_t *out_size, bool *over,
                               bool *out_of_memory) {
    unsigned char *out = NULL, *grown;
    int code = Z_BUF_ERROR;
    for (size_t capacity = 16384; code == Z_BUF_ERROR; capacity *= 2) {
        *over = capacity > INFLATED_MAX;
        grown = *over ? NULL : realloc(out, capacity);
        *out_of_memory |= !grown && !*over;
        if (!grown)
            break;
        out = grown;
        uLongf inflated = capacity;
        code = uncompress(out, &inflated, data, size);
        *out_size = inflated;
    }
    *out_of_memory |= code == Z_MEM_ERROR;
    if (code == Z_OK)
        return out;
    free(out);
    return NULL;
}
