/*
 * path.c - the parts of a path
 */
#include "input/path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/message.h"

bool path_is_temporary(const char *base) {
    size_t length = strlen(base), prefix = strlen(TEMPORARY_PREFIX), ending = TEMPORARY_RANDOM + 1;
    return strncmp(base, TEMPORARY_PREFIX, prefix) == 0 && length >= prefix + ending &&
           base[length - ending] == '.' &&
           strspn(base + length - TEMPORARY_RANDOM, TEMPORARY_LETTERS) == TEMPORARY_RANDOM;
}

const char *path_base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *path_extension(const char *path) {
    const char *base = path_base(path), *dot = strrchr(base, '.');
    return dot && dot != base && dot[1] ? dot + 1 : NULL;
}

char *format_text(const char *format, ...) {
    char *text;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length >= 0)
        return text;
    complain("out of memory");
    return NULL;
}
