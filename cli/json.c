/*
 * json.c - one JSON object a line
 */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Length of the valid UTF-8 sequence at s, or 0: no overlong forms, surrogates or values past
 * U+10FFFF (Unicode 15, table 3-7). */
static size_t utf8_length(const unsigned char *s) {
    static const struct {
        unsigned char first, last, low, high; /* range of byte 1, range of byte 2 */
        size_t length;
    } forms[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
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

static void put_string(FILE *out, const char *text) {
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const unsigned char *s = (const unsigned char *)text;
    putc('"', out);
    while (*s) {
        const char *special = strchr(escaped, *s);
        size_t length = utf8_length(s);
        if (special)
            fprintf(out, "\\%c", letters[special - escaped]);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(out, "\\u%04x", (unsigned)*s);
        else if (length)
            fwrite(s, 1, length, out);
        else
            fputs("\xef\xbf\xbd", out); /* U+FFFD, the replacement character */
        s += length ? length : 1;
    }
    putc('"', out);
}

static void put_key(struct json *j, const char *key) {
    if (j->comma)
        putc(',', j->out);
    j->comma = true;
    put_string(j->out, key);
    putc(':', j->out);
}

struct json json_begin(FILE *out) {
    putc('{', out);
    return (struct json){out, false};
}

void json_end(struct json *j) {
    fputs("}\n", j->out);
    fflush(j->out);
}

void json_string(struct json *j, const char *key, const char *value) {
    put_key(j, key);
    if (value)
        put_string(j->out, value);
    else
        fputs("null", j->out);
}

void json_integer(struct json *j, const char *key, uint64_t value) {
    put_key(j, key);
    fprintf(j->out, "%" PRIu64, value);
}

void json_number(struct json *j, const char *key, double value) {
    put_key(j, key);
    if (isfinite(value))
        fprintf(j->out, "%.3f", value);
    else
        fputs("null", j->out);
}

void json_bool(struct json *j, const char *key, bool value) {
    put_key(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_open_list(struct json *j, const char *key) {
    put_key(j, key);
    putc('[', j->out);
    j->comma = false;
}

void json_open_element(struct json *j) {
    fputs(j->comma ? ",{" : "{", j->out);
    j->comma = false;
}

void json_close_element(struct json *j) {
    putc('}', j->out);
    j->comma = true;
}

void json_close_list(struct json *j) {
    putc(']', j->out);
    j->comma = true;
}
