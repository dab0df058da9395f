/*
 * json.c - one JSON object a line
 */
#include "report/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/escape.h"

static void put_string(FILE *out, const char *text) {
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *s = text;
    putc('"', out);
    while (*s) {
        const char *special = strchr(escaped, *s);
        uint32_t value;
        size_t length = utf8_decode(s, &value);
        if (special)
            fprintf(out, "\\%c", letters[special - escaped]);
        else if (length && (value < 0x20 || (value >= 0x7f && value < 0xa0)))
            fprintf(out, "\\u%04x", (unsigned)value);
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

void json_open_object(struct json *j, const char *key) {
    put_key(j, key);
    putc('{', j->out);
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
