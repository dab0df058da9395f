/*
 * escape.c - text from outside made safe to print: one line, no control characters
 */
#include "report/escape.h"

#include <stdbool.h>

size_t utf8_decode(const char *text, uint32_t *value) {
    /* Lead bytes, the least code point of that length, and the bits of the lead byte. */
    static const struct {
        unsigned char first, last, bits;
        uint32_t least;
    } forms[] = {
        {0x00, 0x7f, 0x7f, 0},
        {0xc2, 0xdf, 0x1f, 0x80},
        {0xe0, 0xef, 0x0f, 0x800},
        {0xf0, 0xf4, 0x07, 0x10000},
    };
    const unsigned char *s = (const unsigned char *)text;
    for (size_t more = 0; more < sizeof forms / sizeof forms[0]; more++) {
        if (s[0] < forms[more].first || s[0] > forms[more].last)
            continue;
        *value = s[0] & forms[more].bits;
        for (size_t k = 1; k <= more; k++) {
            if ((s[k] & 0xc0) != 0x80)
                return 0;
            *value = *value << 6 | (s[k] & 0x3f);
        }
        bool surrogate = *value >= 0xd800 && *value <= 0xdfff;
        return *value < forms[more].least || surrogate || *value > 0x10ffff ? 0 : more + 1;
    }
    return 0;
}

static bool is_control(uint32_t value) {
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x00, 0x1f},     {0x7f, 0x9f},     /* C0, DEL, C1 */
        {0x200e, 0x200f}, {0x2028, 0x202e}, /* marks, line separators and overrides of direction */
        {0x2066, 0x2069},                   /* isolates */
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (value >= ranges[i].first && value <= ranges[i].last)
            return true;
    }
    return false;
}

void escape_print(FILE *out, const char *text) {
    uint32_t value;
    for (const char *s = text; *s;) {
        size_t length = utf8_decode(s, &value);
        bool safe = length && !is_control(value);
        if (!length)
            length = 1;
        if (safe)
            fwrite(s, 1, length, out);
        else if (*s == '\n')
            fputs("\\n", out);
        for (size_t i = 0; i < length && !safe && *s != '\n'; i++)
            fprintf(out, "\\%03o", (unsigned)(unsigned char)s[i]);
        s += length;
    }
}
