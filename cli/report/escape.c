/*
 * escape.c - names in messages: one line, and nothing that a terminal obeys
 */
#include "report/escape.h"

#include <stdbool.h>

size_t utf8_length(const char *text) {
    static const struct {
        unsigned char first, last, low, high; /* range of byte 1, range of byte 2 */
        size_t length;
    } forms[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    const unsigned char *s = (const unsigned char *)text;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (s[0] < forms[i].first || s[0] > forms[i].last)
            continue;
        if (forms[i].length > 1 && (s[1] < forms[i].low || s[1] > forms[i].high))
            return 0;
        for (size_t k = 2; k < forms[i].length; k++) {
            if ((s[k] & 0xc0) != 0x80)
                return 0;
        }
        return forms[i].length;
    }
    return 0;
}

uint32_t utf8_code_point(const char *s, size_t length) {
    static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t value = (unsigned char)s[0] & first[length];
    for (size_t i = 1; i < length; i++)
        value = value << 6 | ((unsigned char)s[i] & 0x3f);
    return value;
}

static bool is_obeyed(uint32_t value) {
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
    for (const char *s = text; *s;) {
        size_t length = utf8_length(s);
        bool shown = length && !is_obeyed(utf8_code_point(s, length));
        if (!length)
            length = 1;
        if (shown)
            fwrite(s, 1, length, out);
        else if (*s == '\n')
            fputs("\\n", out);
        for (size_t i = 0; i < length && !shown && *s != '\n'; i++)
            fprintf(out, "\\%03o", (unsigned)(unsigned char)s[i]);
        s += length;
    }
}
