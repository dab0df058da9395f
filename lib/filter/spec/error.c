/* error.c - errors in specs, and the files that they name */
#include "filter/spec/error.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum imf_status imf_spec_fail(const struct imf_spec *s, const char *at, const char *meaning,
                              const char *format, ...) {
    char text[384], quote[IMF_QUOTE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    imf_span_quote(quote, (struct imf_span){s->text, strlen(s->text)});
    if (s->builtin)
        imf_fail(s->err, IMF_ERR_SPEC, "%s: %s (%s%s%s)", quote, text, s->builtin->doc.usage,
                 meaning ? ", " : "", meaning ? meaning : "");
    else
        imf_fail(s->err, IMF_ERR_SPEC, "%s", text);
    if (s->err)
        s->err->column = imf_span_column(s->text, at);
    return IMF_ERR_SPEC;
}

enum imf_status imf_spec_fail_value(const struct imf_spec *s, struct imf_span value,
                                    const char *meaning, const char *wrong) {
    char quote[IMF_QUOTE];
    return imf_spec_fail(s, value.text, meaning, "\"%s\" at column %zu %s",
                         imf_span_quote(quote, value), imf_span_column(s->text, value.text), wrong);
}

enum imf_status imf_spec_fail_file(const struct imf_spec *s, const char *at,
                                   enum imf_status status) {
    char text[sizeof s->err->text], quote[IMF_QUOTE];
    if (!s->err || status == IMF_ERR_MEMORY)
        return status;
    memcpy(text, s->err->text, sizeof text);
    for (char *c = text; *c; c++) /* a file's name may contain anything */
        *c = (unsigned char)*c < 0x20 ? '?' : *c;
    imf_span_quote(quote, (struct imf_span){s->text, strlen(s->text)});
    imf_fail(s->err, status, "%s: %.*s", quote, (int)(sizeof text - IMF_QUOTE - 2), text);
    s->err->column = imf_span_column(s->text, at);
    return status;
}

#define BETWEEN " \t|,;+&>"

enum imf_status imf_spec_fail_chain(const struct imf_spec *s, enum imf_status status) {
    char first[IMF_QUOTE], second[IMF_QUOTE], name[32];
    for (const char *p = s->text, *end; *p; p = end) {
        const char *gap = p + strcspn(p, BETWEEN);
        const char *next = gap + strspn(gap, BETWEEN);
        size_t length = strcspn(next, ":" BETWEEN);
        end = *next ? next + length : next;
        if (gap == s->text || length == 0 || length >= sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)length, next);
        if (!imf_builtin_find(name))
            continue;
        size_t before = (size_t)(gap - s->text);
        if (before > 3 && memcmp(gap - 3, " -f", 3) == 0) /* all of a chain in quotes */
            before -= 3;
        imf_span_quote(first, (struct imf_span){s->text, before});
        imf_span_quote(second, (struct imf_span){next, strcspn(next, BETWEEN)});
        return imf_spec_fail(s, next, NULL,
                             "one -f takes one filter; repeat -f for a chain (-f %s -f %s%s)",
                             first, second, next[strcspn(next, BETWEEN)] ? " ..." : "");
    }
    return status;
}

/* The path of "@FILE", which the caller frees. */
static enum imf_status path_of(const struct imf_spec *s, struct imf_span text, char **path) {
    *path = NULL;
    if (text.length == 1)
        return imf_spec_fail(s, text.text, NULL, "the file's name is missing at column %zu",
                             imf_span_column(s->text, text.text + 1));
    *path = strndup(text.text + 1, text.length - 1);
    return *path ? IMF_OK : imf_fail_memory(s->err, text.length);
}

enum imf_status imf_spec_load(const struct imf_spec *s, struct imf_span text, struct imf_flt *flt) {
    char *path;
    enum imf_status status = path_of(s, text, &path);
    if (!path)
        return status;
    status = imf_flt_load(flt, path, s->files, true, s->note, s->err);
    free(path);
    return status == IMF_OK ? IMF_OK : imf_spec_fail_file(s, text.text, status);
}

enum imf_status imf_spec_load_mask(const struct imf_spec *s, struct imf_span text,
                                   struct imf_mask **out) {
    char *path;
    enum imf_status status = path_of(s, text, &path);
    if (!path)
        return status;
    status = imf_mask_read(out, path, s->files->limits, s->files->held, s->note, s->err);
    free(path);
    return status == IMF_OK ? IMF_OK : imf_spec_fail_file(s, text.text, status);
}
